package world

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
)

// keeper is a toy in which p1 writes 3 when it is asked and, when that is stable, reads it back;
// what it finds is its next state, and 5 stays when it finds nothing. A refused write makes it 4. A
// life that finds 3 begins in 1.
func keeper() *toy {
	toy := newToy(2, 6, 1)
	toy.initiators = []core.Proc{1}
	toy.rules[1][0][1+toyAsked] = toyRule{next: 3, persist: true}
	toy.rules[1][3][1+toyStored] = toyRule{next: 5, reads: true}
	toy.rules[1][3][1+toyRefused].next = 4
	toy.rules[1][3][1+toyRestore].next = 1
	return toy
}

// Aim: each thing that happens to records does what the model says, and nothing without a budget.
// Method: all ends of p1 in keeper, as state.incarnation, derived by hand. 3 (binary 11) with the
// last bit changed is 2; without its second half nothing is left of one byte.
func TestHarms(t *testing.T) {
	crash := fault.Model{Checkpoints: 1, Failures: 1, Victims: []core.Proc{1}}
	with := func(change func(m *fault.Model)) fault.Model {
		m := fault.Model{Checkpoints: 1}
		change(&m)
		return m
	}
	local := keeper()
	local.local = []core.Proc{1}
	survive := crash
	survive.Disks = fault.SurviveNode
	tests := []struct {
		name  string
		toy   *toy
		model fault.Model
		ends  []string
	}{
		{"nothing", keeper(), with(func(*fault.Model) {}), []string{"0.0", "3.0 stored"}},
		{"lost", keeper(), with(func(m *fault.Model) { m.Lose = 1 }),
			[]string{"0.0", "3.0", "3.0 stored", "5.0"}},
		{"corrupted", keeper(), with(func(m *fault.Model) { m.Corrupt = 1 }),
			[]string{"0.0", "2.0 stored", "3.0 stored", "5.0 stored"}},
		{"of another proc", keeper(), with(func(m *fault.Model) {
			m.Lose, m.Corrupt, m.Full, m.Spoiled = 1, 1, 1, []core.Proc{0}
		}), []string{"0.0", "3.0 stored"}},
		{"full", keeper(), with(func(m *fault.Model) { m.Full = 1 }),
			[]string{"0.0", "3.0 stored", "4.0"}},
		{"a crash", keeper(), crash,
			[]string{"0.0", "0.1", "1.1 stored", "3.0 stored", "3.1 stored"}},
		{"a crash with the disk", local, crash,
			[]string{"0.0", "0.1", "3.0 stored", "3.1 stored"}},
		{"a crash without the disk", local, survive,
			[]string{"0.0", "0.1", "1.1 stored", "3.0 stored", "3.1 stored"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, err := New(Config{Setup: tt.toy.setup(), Model: tt.model, Twice: true})
			if err != nil {
				t.Fatal(err)
			}
			e := ending{World: w, proc: 1, ends: map[string]bool{}}
			search.Explore(context.Background(), e, checker.Options{})
			var got []string
			for _, text := range slices.Sorted(maps.Keys(e.ends)) {
				got = append(got, strings.NewReplacer(`{"S":`, "", "}", "").Replace(text))
			}
			if d := cmp.Diff(tt.ends, got); d != "" {
				t.Errorf("ends of p1 (-want +got):\n%s", d)
			}
		})
	}
}
