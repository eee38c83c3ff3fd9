package pessimistic_test

import (
	"slices"
	"testing"

	"github.com/domino-check/domino/impl/protocol/pessimistic"
)

// Aim: HMPL waits nowhere longer than RBML, also behind wildcards ([RADIC] section 4.2.1: blocking
// phases are removed; 4.2.3 does not let the receiver of a wildcard continue, which is longer).
// Method: two wildcards, then a named receive, then a send, and no acknowledgement: everything is
// received, nothing is sent; then the acknowledgement of the second wildcard alone opens HMPL, RBML
// waits for that of the last delivery.
func TestReceivesBehindWildcards(t *testing.T) {
	program := "p0: send p1 a; send p1 c\np1: recv * ordered; recv * ordered; recv p0; " +
		"send p3 r; output\np2: send p1 b\np3: recv p1"
	const send = "step p1 send r to p3"
	received := []string{"step p0 send a to p1", "step p2 send b to p1", "step p0 send c to p1",
		"deliver p0->p1 Data a (ssn 1)", "deliver p2->p1 Data b (ssn 1)",
		"deliver p0->p1 Data c (ssn 2)", "step p1 receive a from p0", "step p1 receive b from p2",
		"step p1 receive c from p0"}
	second := append(slices.Clone(received), "deliver p1->Lp1 LogPut (rsn 1)",
		"deliver p1->Lp1 LogPut (rsn 2)", "deliver Lp1->p1 LogAck (rsn 1)",
		"deliver Lp1->p1 LogAck (rsn 2)")
	third := append(slices.Clone(second), "deliver p1->Lp1 LogPut (rsn 3)",
		"deliver Lp1->p1 LogAck (rsn 3)")
	for _, tt := range []struct {
		name       string
		schedule   []string
		hmpl, rbml bool
	}{{"nothing is logged", received, false, false}, {"both wildcards are", second, true, false},
		{"everything is", third, true, true}} {
		for protocol, want := range map[pessimistic.Protocol]bool{pessimistic.HMPL: tt.hmpl,
			pessimistic.RBML: tt.rbml} {
			t.Run(protocol.String()+" "+tt.name, func(t *testing.T) {
				w := newWorld(t, protocol, program, pessimistic.Options{})
				r, err := w.Replay(tt.schedule)
				if err != nil {
					t.Fatal(err) // it can not receive
				}
				texts, _ := w.Enabled(r.States[len(r.States)-1])
				if got := slices.Contains(texts, send); got != want {
					t.Errorf("%q is possible: %v, want %v, of %q", send, got, want, texts)
				}
			})
		}
	}
	// An output waits for everything, under both.
	w := newWorld(t, pessimistic.HMPL, program, pessimistic.Options{})
	r, err := w.Replay(append(slices.Clone(second), send))
	if err != nil {
		t.Fatal(err)
	}
	if texts, _ := w.Enabled(r.States[len(r.States)-1]); slices.Contains(texts, "step p1 go on 0") {
		t.Errorf("an output leaves before c is logged: %q", texts)
	}
}
