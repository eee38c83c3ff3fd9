package world

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
)

// TestCountsOfStates holds the numbers of states and transitions of small cases, so that a change
// that loses or repeats exploration shows at once. The four modes of a full search must agree on
// them.
func TestCountsOfStates(t *testing.T) {
	t.Parallel()
	const mixed = "x: send y m2\ny: recv *; send c m3; recv *\nc: recv y; send y m7"
	const burst = "a: send b x; send b y; send b z\nb: recv a; recv a; recv a"
	const ping = "a: send b a1; recv b; send b a3\nb: recv a; send a b1; recv a"
	tests := []struct {
		name, program string
		clusters      []int
		model         fault.Model
		want          [2]int // states, transitions
	}{
		{"mixed without failures", mixed, []int{0, 0, 1}, fault.Model{}, [2]int{29, 47}},
		{"mixed with a crash", mixed, []int{0, 0, 1}, fault.Model{Failures: 1},
			[2]int{14560, 58011}},
		{"mixed with a checkpoint", mixed, []int{0, 0, 1}, fault.Model{Checkpoints: 1},
			[2]int{1951, 5070}},
		{"burst without failures", burst, []int{0, 1}, fault.Model{}, [2]int{32, 55}},
		{"burst with a crash of the receiver", burst, []int{0, 1},
			fault.Model{Failures: 1, Victims: []core.Proc{1}}, [2]int{629, 1499}},
		{"burst with a crash that loses everything", burst, []int{0, 1},
			fault.Model{Failures: 1, FromDead: fault.Nothing}, [2]int{2470, 6079}},
		{"ping without failures", ping, []int{0, 1}, fault.Model{}, [2]int{15, 17}},
		{"ping with a crash", ping, []int{0, 1}, fault.Model{Failures: 1}, [2]int{1259, 2861}},
	}
	modes := []checker.Options{{}, {Order: checker.BreadthFirst}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, o := range modes {
				w, err := New(Config{Setup: mustPair(t, tt.program, tt.clusters, 0).setup,
					Model: tt.model, Twice: true})
				if err != nil {
					t.Fatal(err)
				}
				r := search.Explore(t.Context(), w, o)
				if d := cmp.Diff(tt.want, [2]int{r.States, r.Transitions}); d != "" {
					t.Errorf("%+v: states, transitions (-want +got):\n%s", o, d)
				}
			}
			w, _ := New(Config{Setup: mustPair(t, tt.program, tt.clusters, 0).setup,
				Model: tt.model})
			if r := search.Explore(t.Context(), w,
				checker.Options{
					Reduce: checker.Singletons | checker.Crashes}); r.States > tt.want[0] {
				t.Errorf("the reduced search has %d states, more than %d", r.States, tt.want[0])
			}
		})
	}
}
