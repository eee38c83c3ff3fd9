package optimistic_test

import (
	"fmt"
	"testing"

	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/baseline/coordinated"
	"github.com/domino-check/domino/impl/protocol/baseline/optimistic"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
)

// TestComposition: with one unit vaidya is the coordinated checkpoint with markers, and with each
// rank a unit it is optimistic: as many states, transitions and ends, with a failure and
// checkpoints. Messages are part of states.
func TestComposition(t *testing.T) {
	for _, c := range []struct{ program, one, alone string }{
		{"a: send b x; recv b\nb: recv a; checkpoint; send a y", "a b", "a | b"},
		{"a: send c x; recv c\nb: send c z\nc: recv a; recv b; send a y", "a b c", "a | b | c"},
		{"a: send b x; send b y; checkpoint\nb: recv a; recv a; checkpoint", "a b", "a | b"},
		{"a: send b x; recv b; output\nb: recv a; send a y", "a b", "a | b"},
	} {
		for _, pair := range [][2]*scenarios.Scenario{
			{{Protocol: "coordinated", Options: "style=markers"},
				{Protocol: "vaidya", Clusters: c.one}},
			{{Protocol: "optimistic"}, {Protocol: "vaidya", Clusters: c.alone}},
		} {
			want, got := explored(t, pair[0], c.program), explored(t, pair[1], c.program)
			if want != got {
				t.Errorf("%s: %s, vaidya over %s: %s\n%s", pair[0].Protocol, want,
					pair[1].Clusters, got, c.program)
			}
		}
	}
}

// explored is how large the whole is.
func explored(t *testing.T, s *scenarios.Scenario, program string) string {
	t.Helper()
	s.Name, s.Title, s.Program = "composition", "composition", program
	s.Variant, s.Expect = "repaired", string(spec.Holds)
	s.Model.Failures = 1
	list := protocol.List{coordinated.Protocol, optimistic.Protocol, optimistic.Vaidya}
	a, err := verify.Check(t.Context(), list, s, verify.Options{})
	if err != nil {
		t.Fatal(s.Protocol, err)
	}
	return fmt.Sprintf("%v, %d states, %d transitions, %d ends", a.Verdict, a.States,
		a.Transitions, a.Terminals)
}
