package world

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/survivors"
)

// picking puts picks into a program.
func picking(r *rand.Rand, text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		name, body, _ := strings.Cut(line, ":")
		body = strings.TrimSpace(body)
		var ops []string
		for _, op := range strings.Split(body, "; ") {
			if r.IntN(4) == 0 {
				ops = append(ops, fmt.Sprintf("pick %d", 2+r.IntN(2)))
			}
			if op != "" {
				ops = append(ops, op)
			}
		}
		lines[i] = name + ": " + strings.Join(ops, "; ")
	}
	return strings.Join(lines, "\n") + "\n"
}

// TestPicksAgainstBruteForce explores the failure-free runs of random programs with picks a second
// time, with a naive interpreter that shares no code with ranks: the legal sequences of deliveries,
// with which legal-order compares, and the legal ends, with which final-state does, must be the
// same, and every send that is known must be one of those of the other.
func TestPicksAgainstBruteForce(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(16, 7))
	ends, compared := 0, 0
	for range effort.Cases(30, 600) {
		text := picking(r, randomProgram(r, 2+r.IntN(2), 1+r.IntN(4)))
		setup := bare(t, text)
		o, err := Oracle(t.Context(), setup, checker.Options{MaxStates: 20000})
		if err != nil || o.Stuck != "" || !picks(setup.Programs) {
			continue
		}
		want, err := survivors.Explore(t.Context(), survivors.Job{Layout: &setup.Layout,
			Programs: setup.Programs, States: 1 << 17})
		if err != nil {
			t.Fatal(err)
		}
		compared++
		ends += len(want.Finals)
		if diff := cmp.Diff(want.Finals, o.Finals); diff != "" {
			t.Errorf("%s\nends (-want +got): %.1000s", text, diff)
		}
		if diff := cmp.Diff(want.Legal, o.Legal); diff != "" {
			t.Errorf("%s\nlegal deliveries (-want +got): %.1000s", text, diff)
		}
		sent := map[string]bool{}
		for s := range want.Sent {
			sent[fmt.Sprint(s.ID, s.To, s.Digest)] = true
		}
		for id, fact := range o.Sent {
			if !sent[fmt.Sprint(id, fact.To, fact.Digest)] {
				t.Errorf("%s\nno run sends %v %+v", text, id, fact)
			}
		}
	}
	if compared < effort.Of(10, 20) || ends < 5*compared {
		t.Errorf("only %d programs with %d ends", compared, ends)
	}
	t.Logf("%d programs, %d ends", compared, ends)
}
