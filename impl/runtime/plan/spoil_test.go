package plan_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/plan"
	"github.com/domino-check/domino/spec/fault"
)

// TestDrawSpoils draws damage a thousand times: every plan is one that Validate takes, all kinds
// and every disk that is not to be trusted come up, and nothing that has no history.
func TestDrawSpoils(t *testing.T) {
	s := &core.Setup{Layout: core.Layout{Names: []string{"a", "b", "c", "d"}, Ranks: 1}}
	m := &fault.Model{Lose: 1, Corrupt: 2, Full: 1, Spoiled: []core.Proc{1, 2, 3}}
	var l plan.Lengths
	if list := plan.DrawSpoils(rand.New(rand.NewPCG(1, 1)), s, m, l); list != nil {
		t.Errorf("without a history: %v", list)
	}
	l.Note(0, []int{5, 5, 3, 0})
	rng, seen := rand.New(rand.NewPCG(1, 2)), map[plan.Spoil]bool{}
	for range 1000 {
		p := plan.Plan{Spoils: plan.DrawSpoils(rng, s, m, l)}
		if err := p.Validate(s, m); err != nil {
			t.Fatal(err)
		}
		for _, d := range p.Spoils {
			seen[d] = true
		}
	}
	for d := range seen {
		if d.Proc == 0 || d.Proc == 3 || d.After > 5 || d.Proc == 2 && d.After > 3 {
			t.Errorf("%+v is beyond the model, or the history", d)
		}
	}
	if want := 3 * (6 + 4); len(seen) != want {
		t.Errorf("%d different damages, want %d", len(seen), want)
	}
}

// TestSpoilsRefused: what the model does not allow is no plan.
func TestSpoilsRefused(t *testing.T) {
	s := &core.Setup{Layout: core.Layout{Names: []string{"a", "b"}, Ranks: 1}}
	m := &fault.Model{Lose: 1, Spoiled: []core.Proc{1}}
	tests := []struct {
		name   string
		spoils []plan.Spoil
		want   string
	}{
		{"nobody", []plan.Spoil{{Proc: 2, What: plan.Lose}}, "there are 2 procs"},
		{"a disk to be trusted", []plan.Spoil{{Proc: 0, What: plan.Lose}}, "does not spoil"},
		{"too often", []plan.Spoil{{Proc: 1, What: plan.Lose}, {Proc: 1, What: plan.Lose}},
			"more often than"},
		{"of another kind", []plan.Spoil{{Proc: 1, What: plan.Full}}, "more often than"},
		{"of no kind", []plan.Spoil{{Proc: 1, What: "burn"}}, "more often than"},
		{"allowed", []plan.Spoil{{Proc: 1, What: plan.Lose}}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := plan.Plan{Spoils: tt.spoils}
			got := ""
			if err := p.Validate(s, m); err != nil {
				got = err.Error()
			}
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
