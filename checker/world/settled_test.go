package world_test

import (
	"strings"
	"testing"

	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/protocol/pessimistic"
	"github.com/domino-check/domino/spec/fault"
)

// Aim: with Settled the second failure waits until the recovery from the first is over, and no
// longer. Method: one run of SBML; whether a crash is possible is asked after each step. While b is
// down, asks for its log, replays it, and has not sent again what c depends on, none is; once the
// duplicate has arrived any is, although programs can go on, and it stays so while messages are on
// their way.
func TestSettledFailures(t *testing.T) {
	setup := logged(t, pessimistic.SBML,
		"a: send b m; send b n\nb: recv a; send c r; recv a\nc: recv b")
	before := []string{"step a send m to b", "deliver a->b Data m (ssn 1)",
		"step b receive m from a",
		"deliver b->a Order (ssn 1 is rsn 1)", "deliver a->b OrderOk (ssn 1 is rsn 1)",
		"step b send r to c", "deliver b->c Data r (ssn 1)", "step c receive r from b",
		"deliver c->b Order (ssn 1 is rsn 1)", "deliver b->c OrderOk (ssn 1 is rsn 1)", "crash b"}
	moments := []struct {
		is, next string
		over     bool
	}{
		{"is down", "restart b incarnation 1", false},
		{"asks a for the log", "deliver b.1->a Recall (life 1 has ssn 0)", false},
		{"asks c for the log", "deliver b.1->c Recall (life 1 has ssn 0)", false},
		{"is answered by a", "deliver a->b Recalled (life 1, 1 entries)", false},
		{"is answered by c", "deliver c->b Recalled (life 1, 0 entries)", false},
		{"can replay m", "step b receive m from a", false},
		{"has not sent r again", "step b send r to c", false},
		{"has r on its way", "deliver b.1->c Data r (ssn 1)", false},
		{"has the answer on its way", "deliver c->b Order (ssn 1 is rsn 1)", false},
		{"has its own answer on its way", "deliver b.1->c OrderOk (ssn 1 is rsn 1)", false},
		{"is told the place again", "deliver c->b Order (ssn 1 is rsn 1)", false},
		{"answers again", "deliver b.1->c OrderOk (ssn 1 is rsn 1)", false},
		{"is where it was", "step a send n to b", true},
		{"has n on its way", "deliver a->b Data n (ssn 2)", true},
		{"can receive n", "step b receive n from a", true},
		{"has an order on its way", "deliver b.1->a Order (ssn 2 is rsn 2)", true},
		{"has an acknowledgement on its way", "crash a", true},
		{"waits for a", "restart a incarnation 1", false},
	}
	for _, settled := range []bool{false, true} {
		w, err := world.New(world.Config{Setup: setup,
			Model: fault.Model{Failures: 3, Settled: settled}})
		if err != nil {
			t.Fatal(err)
		}
		r := &walked{t: t, world: w, schedule: append([]string(nil), before...)}
		for _, m := range moments {
			if got := len(r.enabled("crash")) > 0; got != (m.over || !settled) {
				t.Errorf("settled %t, b %s: a crash is possible: %t\n%s", settled, m.is, got,
					strings.Join(r.enabled(""), "\n"))
			}
			r.schedule = append(r.schedule, m.next)
		}
	}
}
