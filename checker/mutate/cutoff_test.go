package mutate_test

import (
	"testing"

	"github.com/domino-check/domino/checker/mutate"
)

// TestCutOff sums a hunt that was told to stop, one that had its budget and missed, and one that
// killed: the first has not missed its mutant.
func TestCutOff(t *testing.T) {
	t.Parallel()
	var rows []*mutate.Row
	for name, h := range map[string]mutate.Hunt{"stopped": {Bound: "interrupted"},
		"missed": {Bound: "time limit"}, "killed": {Killed: true, Bound: "interrupted"}} {
		h.Method = "walk"
		rows = append(rows, &mutate.Row{Mutant: name, Expect: mutate.Broken,
			Hunts: []mutate.Hunt{h}})
	}
	s := mutate.Sum(rows).Score("walk")
	if s.Of != 2 || s.Killed != 1 || len(s.Missed) != 1 || s.Missed[0] != "missed" {
		t.Errorf("%+v", s)
	}
}
