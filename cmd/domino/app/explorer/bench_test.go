package explorer

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker/explore"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/impl/protocol/all"
	"github.com/domino-check/domino/scenarios"
)

// ring is a scenario of 16 ranks in a ring.
func ring(laps int) string {
	var b strings.Builder
	b.WriteString("A ring\n-- scenario --\nprotocol: hydee\nclusters: ")
	for r := range 16 {
		if r%4 == 0 && r > 0 {
			b.WriteString(" |")
		}
		fmt.Fprintf(&b, " r%d", r)
	}
	b.WriteString("\nfailures: 1\n-- program --\n")
	for r := range 16 {
		fmt.Fprintf(&b, "r%d: %s\n", r, strings.TrimSuffix(strings.Repeat(
			fmt.Sprintf("send r%d t; recv r%d; ", (r+1)%16, (r+15)%16), laps), "; "))
	}
	return b.String()
}

// BenchmarkStep is what a step costs the server: the state, its events and the figure of a run that
// ends another step, forth and back, as JSON.
//
//	go test ./cmd/domino/app/explorer -run - -bench Step -benchtime 20x
func BenchmarkStep(b *testing.B) {
	for _, steps := range []int{28, 100, 1000} {
		b.Run(fmt.Sprintf("ranks=16/steps=%d", steps), func(b *testing.B) {
			sc, err := scenarios.Parse("ring.txtar", []byte(ring(40)))
			if err != nil {
				b.Fatal(err)
			}
			s, err := New(b.Context(), Config{List: all.Protocols(), Scenario: sc,
				Search: verify.Options{MaxStates: 1000}})
			if err != nil {
				b.Fatal(err)
			}
			path, _, err := s.session.Walk(b.Context(), nil, 1, steps, false, explore.Condition{})
			if err != nil {
				b.Fatal(err)
			}
			bytes := 0
			for i := 0; b.Loop(); i++ {
				w := httptest.NewRecorder()
				answer(s, s.step)(w, httptest.NewRequestWithContext(b.Context(), "POST",
					"/api/step", strings.NewReader(`{"path":["`+strings.Join(
						path[:len(path)-i%2], `","`)+`"]}`)))
				if w.Code != 200 {
					b.Fatal(w.Body)
				}
				bytes = w.Body.Len()
			}
			b.ReportMetric(float64(bytes), "bytes")
		})
	}
}
