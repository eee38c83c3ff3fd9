package pessimistic_test

import (
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/protocol/pessimistic"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/fault"
)

// The programs: wildcard, two named, the same with a checkpoint between the receives, a
// checkpoint behind the send, two posted receives, the figure of the wildcard rule, rings of one
// and two turns.
const (
	wildcard = "p0: send p1 m01\np1: recv * ordered; recv * ordered; send p3 m13\np2: send p1 " +
		"m21\np3: recv p1 ordered"
	named = "p0: send p1 m1; send p1 m2\np1: recv p0 ordered; recv p0 ordered; send p2 " +
		"r\np2: recv p1 ordered"
	between = "p0: send p1 m1; send p1 m2\np1: recv p0 ordered; checkpoint; recv p0 ordered; " +
		"send p2 r\np2: recv p1 ordered"
	behind     = "p0: send p1 m1; checkpoint\np1: recv p0 ordered; send p2 r\np2: recv p1 ordered"
	completion = "p0: send p1 m01\np1: post p0 ordered; post p2 ordered; wait; send p3 m13\np2: " +
		"send p1 m21\np3: recv p1 ordered"
	oneTurn  = "p0: send p1 a; recv p2\np1: recv p0; send p2 b\np2: recv p1; send p0 c"
	twoTurns = "p0: loop 2; send p1 a; recv p2; end\np1: loop 2; recv p0; send p2 b; end\np2: " +
		"loop 2; recv p1; send p0 c; end"
	twoTwo = "p0: loop 2; send p1 a; recv p1; end\np1: loop 2; recv p0; send p0 b; end"
)

// Aim: the repaired protocols hold at all scopes, and the small searches are as large as measured.
// Method: every interleaving, ranks fail at any moment, also in recovery, loggers live. The small
// ones always run; the large ones, in a huge test, log their size, 0.8 to 14 million states, which
// is not asserted.
func TestScopes(t *testing.T) {
	const all = "p0 p1 p2 p3"
	nodes := []int{0, 1, 1, 2}
	semi := pessimistic.Options{Semi: true}
	two := fault.Model{Failures: 2}
	one := fault.Model{Failures: 1}
	tests := []struct {
		name string
		question
		states int
		large  bool
	}{
		{"SBML, wildcard", question{pessimistic.SBML, wildcard, nil, pessimistic.Options{}, one,
			all}, 24829, false},
		{"SBML, two turns", question{pessimistic.SBML, twoTurns, nil, pessimistic.Options{}, one,
			"p0 p1 p2"}, 57935, false},
		{"RBML, checkpoint behind the send", question{pessimistic.RBML, behind, nil,
			pessimistic.Options{}, two, "p0 p1 p2"}, 0, true},
		{"RBML, two named", question{pessimistic.RBML, named, nil, pessimistic.Options{}, two,
			"p0 p1 p2"}, 0, true},
		{"RBML, one turn", question{pessimistic.RBML, oneTurn, nil, pessimistic.Options{}, two,
			"p0 p1 p2"}, 0, true},
		{"RBML, two turns", question{pessimistic.RBML, twoTurns, nil, pessimistic.Options{}, one,
			"p0 p1 p2"}, 0, true},
		{"RBML, two turns of two", question{pessimistic.RBML, twoTwo, nil, pessimistic.Options{},
			two, "p0 p1"}, 0, true},
		{"RBML, semi-coordinated", question{pessimistic.RBML, wildcard, nodes, semi, two, all}, 0,
			true},
		{"HMPL, checkpoint behind the send", question{pessimistic.HMPL, behind, nil,
			pessimistic.Options{}, two, "p0 p1 p2"}, 0, true},
		{"HMPL, two named", question{pessimistic.HMPL, named, nil, pessimistic.Options{}, two,
			"p0 p1 p2"}, 0, true},
		{"HMPL, wildcard", question{pessimistic.HMPL, wildcard, nil, pessimistic.Options{}, two,
			all}, 0, true},
		{"HMPL, one turn", question{pessimistic.HMPL, oneTurn, nil, pessimistic.Options{}, two,
			"p0 p1 p2"}, 0, true},
		{"HMPL, semi-coordinated", question{pessimistic.HMPL, wildcard, nodes, semi, two, all}, 0,
			true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.large && !effort.Huge() {
				t.Skip("a scope of millions of states: DOMINO_TESTS=huge")
			}
			out := tt.ask(t, checker.Options{})
			if out.Verdict != spec.Holds || tt.states > 0 && out.States != tt.states {
				t.Errorf("%v %s, %d states, want holds, %d states", out.Verdict, out.Reason,
					out.States, tt.states)
			}
			t.Logf("%v: %d states, %d transitions", out.Verdict, out.States, out.Transitions)
		})
	}
}
