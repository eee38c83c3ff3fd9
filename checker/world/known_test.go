package world

import (
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/hydee"
	"github.com/domino-check/domino/spec/fault"
)

// on sets one rule of a toy.
func (t *toy) on(p, state, event, next int, sends ...toySend) {
	t.rules[p][state][event] = toyRule{next: next, sends: sends}
}

// TestReductionMinimal holds the smallest protocols on which some version of the reduction lost a
// terminal state or an observation: each explored with and without it.
func TestReductionMinimal(t *testing.T) {
	tests := []struct {
		name  string
		toy   func() *toy
		model fault.Model
	}{
		{"the message of an eager delivery is consumed eagerly", func() *toy {
			toy := newToy(4, 4, 3)
			toy.on(1, 0, 3+toyStart, 2, toySend{2, 1})
			toy.on(1, 2, 0, 3, toySend{0, 1})
			toy.on(1, 3, 2, 0)
			toy.on(2, 0, 1, 0, toySend{1, 2})
			toy.on(3, 0, 3+toyStart, 0, toySend{1, 0})
			return toy
		}, fault.Model{}},
		{"the state after an eager delivery was visited before", func() *toy {
			toy := newToy(2, 2, 1)
			toy.watchers = []core.Proc{1}
			toy.on(1, 0, 1+toyStart, 0, toySend{1, 0})
			toy.on(1, 0, 1+toyDown, 1)
			toy.on(1, 1, 0, 0)
			return toy
		}, fault.Model{Failures: 1, FromDead: fault.Nothing, DetectAny: true}},
		{"a dead incarnation and the next one of a sender race", func() *toy {
			toy := newToy(2, 4, 2)
			toy.watchers = []core.Proc{1}
			toy.on(0, 0, 2+toyStart, 0, toySend{1, 0})
			toy.on(0, 0, 1, 3)
			toy.on(0, 3, 0, 3, toySend{1, 1})
			toy.on(1, 0, 2+toyStart, 0, toySend{0, 0})
			toy.on(1, 0, 0, 3, toySend{0, 1})
			toy.on(1, 3, 1, 1)
			return toy
		}, fault.Model{Failures: 1, FromDead: fault.Every, KeepToDead: true}},
		{"a rollback kills the channel of an eager delivery", func() *toy {
			toy := newToy(3, 4, 2)
			toy.on(0, 0, 0, 0)
			toy.rules[0][0][0].rollback = true
			toy.on(0, 0, 1, 1)
			toy.on(0, 0, 2+toyStart, 0, toySend{1, 0})
			toy.on(1, 0, 2+toyStart, 2, toySend{0, 0})
			toy.on(1, 2, 0, 2, toySend{0, 1})
			return toy
		}, fault.Model{KeepToDead: true}},
		{"a restart sends a gate", func() *toy {
			toy := newToy(2, 1, 4)
			toy.visible = []bool{false, false, true, true}
			toy.watchers = []core.Proc{1}
			toy.on(0, 0, 4+toyRestore, 0, toySend{1, 3})
			toy.on(1, 0, 4+toyDown, 0, toySend{0, 2})
			return toy
		}, fault.Model{Failures: 1, FromDead: fault.Nothing, DetectAny: true}},
		{"a restart reads what another proc writes", func() *toy {
			toy := newToy(2, 2, 1)
			toy.watchers = []core.Proc{1}
			toy.reads = map[core.Proc][]core.Proc{0: {0, 1}, 1: {1}}
			toy.rules[1][0][1+toyDown] = toyRule{next: 1, persist: true}
			return toy
		}, fault.Model{Failures: 1, Victims: []core.Proc{0}, DetectAny: true}},
		{"a restart reads what a restarted mate writes", func() *toy {
			toy := newToy(3, 2, 1)
			toy.watchers, toy.groups = []core.Proc{2}, [][]core.Proc{{0, 1}}
			toy.reads = map[core.Proc][]core.Proc{0: {0}, 1: {0, 1}, 2: {2}}
			toy.on(2, 0, 1+toyDown, 0, toySend{0, 0})
			toy.rules[0][0][0] = toyRule{next: 1, persist: true}
			return toy
		}, fault.Model{Failures: 1, Victims: []core.Proc{0}, DetectAny: true}},
		{"the last of two reports opens a gate and each is answered",
			func() *toy {
				toy := newToy(4, 4, 5)
				toy.visible = []bool{false, false, false, true, true}
				toy.on(1, 0, 5+toyStart, 0, toySend{0, 0})
				toy.on(2, 0, 5+toyStart, 0, toySend{0, 1})
				toy.on(0, 0, 0, 1, toySend{1, 2})
				toy.on(0, 0, 1, 2, toySend{2, 2})
				toy.on(0, 1, 1, 3, toySend{2, 2}, toySend{3, 4})
				toy.on(0, 2, 0, 3, toySend{1, 2}, toySend{3, 4})
				toy.on(1, 0, 2, 0, toySend{3, 3})
				toy.on(2, 0, 2, 0, toySend{3, 3})
				return toy
			}, fault.Model{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if d, _ := compareToy(tt.toy(), tt.model, everyWay); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestReductionMinimalHydee is the same for HydEE with errata.
func TestReductionMinimalHydee(t *testing.T) {
	t.Parallel()
	h := func(errata ...hydee.Erratum) (s hydee.Set) {
		for _, e := range errata {
			s = s.With(e)
		}
		return s
	}
	tests := []struct {
		name string
		c    hydeeCase
	}{
		{"order of deliveries", hydeeCase{
			program: "a: send b m0; send b m1; recv *; recv *; send b m4\nb: recv a; send a m2; " +
				"send a m3; recv a; recv a",
			clusters: []int{0, 1}, errata: h(hydee.H3, hydee.H11b),
			model: fault.Model{Failures: 1, FromDead: fault.Every, KeepToDead: true,
				DetectAny: true}}},
		{"delivered twice", hydeeCase{
			program: "a: recv b; recv b; send b m2; recv b; send b m4; recv b\nb: send a m0; " +
				"send a m1; send a m3; recv *; recv *; send a m5",
			clusters: []int{0, 1}, errata: h(hydee.H1),
			model: fault.Model{Failures: 1, FromDead: fault.Nothing, Joint: true,
				DetectAny: true}}},
		{"gate before the log", hydeeCase{program: "a: recv *; send b m1\nb: send a m0; recv a",
			clusters: []int{0, 1},
			errata:   h(hydee.H7b, hydee.H9c), model: fault.Model{Failures: 1,
				FromDead: fault.Nothing, KeepToDead: true}}},
		{"checkpoint without failure", hydeeCase{
			program:  "a: send c m0; send b m1\nb: recv a; recv c\nc: recv * ordered; send b m2",
			clusters: []int{0, 1, 1},
			errata:   h(hydee.H5, hydee.H13d), model: fault.Model{Checkpoints: 1,
				FromDead: fault.Nothing, KeepToDead: true, DetectAny: true}}},
		{"checkpoint under way", hydeeCase{
			program: "a: send b x\nb: recv a", clusters: []int{0, 0},
			model: fault.Model{Checkpoints: 1}}},
	}
	ways := effort.Of(everyWay[len(everyWay)-1:], everyWay)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.name == "delivered twice" && !effort.Long() {
				t.Skip("large: " + effort.More)
			}
			if d, size := tt.c.compare(20000, ways); d != "" || size == 0 {
				t.Errorf("%d states, %s%.1000s", size, tt.c, d)
			}
		})
	}
}

// TestCrashBetweenDeletions crashes a rank between the two deletions of a commit: the image of the
// old checkpoint is gone and its commit record is not. Deletions take effect at once, so no crash
// after the step covers that.
func TestCrashBetweenDeletions(t *testing.T) {
	c := Config{Setup: mustPair(t, "a: ", []int{0}, 0).setup,
		Model: fault.Model{Failures: 1, Checkpoints: 2, Victims: []core.Proc{0}}}
	between, err := explore(c, checker.Options{}, "")
	if err != nil {
		t.Fatal(err)
	}
	c.Cuts = true
	inside, _ := explore(c, checker.Options{}, "")
	inside.result.States = 0
	if d := difference(between, inside); d != "" {
		t.Errorf("first: crashes between steps, second (\"reduced\"): also inside them\n%.2000s", d)
	}
}
