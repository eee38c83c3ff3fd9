package plan_test

import (
	"math/rand/v2"
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/plan"
	"github.com/domino-check/domino/spec/fault"
)

// TestDraw draws plans under many models and checks that each makes sense for the setup and keeps
// within the budgets, that all victims, all moments of their histories, and every kind of survival
// come up, and that there is no fault before it is known how long histories get.
func TestDraw(t *testing.T) {
	setup := &core.Setup{Watchers: []core.Proc{3}, Initiators: []core.Proc{0, 2}}
	setup.Layout.Names = []string{"a", "b", "c", "d"}
	setup.Layout.Groups = map[core.Proc][]core.Proc{0: {0, 1}, 1: {0, 1}}
	lengths := plan.Lengths{}
	lengths.Note(2, []int{20, 20, 20, 20})
	lengths.Note(0, []int{3, 4, 0, 5})
	type moment struct {
		by    core.Proc
		after int
	}
	for _, m := range []fault.Model{{}, {Failures: 1}, {Failures: 3}, {Failures: 3, AtOnce: 2},
		{Failures: 2, OneInstant: true}, {Failures: 2, Staggered: true},
		{Failures: 1, Victims: []core.Proc{1}}, {Checkpoints: 2, Suspicions: 2}} {
		moments, survive, first := map[moment]bool{}, map[fault.Survival]bool{},
			map[core.Proc]bool{}
		for i := range uint64(2000) {
			p := plan.Draw(rand.New(rand.NewPCG(i, 0)), setup, &m, lengths)
			if err := p.Validate(setup, &m); err != nil {
				t.Fatalf("%+v: %v", m, err)
			}
			groups := 0
			for j, f := range p.Failures {
				groups += len(f.Victims)
				survive[f.Survive], first[f.Victims[0]] = true, true
				if len(f.Victims) > m.Together() || m.OneInstant && len(f.Victims) != m.Failures {
					t.Fatalf("%+v: victims %v", m, f.Victims)
				}
				if j == 0 {
					moments[moment{f.By, f.After}] = true
				}
			}
			checkpoints := 0
			for _, q := range p.Requests {
				if !q.Suspicious {
					checkpoints++
				}
			}
			if groups > m.Failures || checkpoints > m.Checkpoints ||
				len(p.Requests)-checkpoints > m.Suspicions {
				t.Fatalf("%+v: beyond the budgets: %+v", m, p)
			}
		}
		if p := plan.Draw(rand.New(rand.NewPCG(1, 0)), setup, &m,
			nil); len(p.Failures)+len(p.Requests) > 0 {
			t.Errorf("%+v: %+v without lengths", m, p)
		}
		if m.Failures > 0 && len(survive) != 3 {
			t.Errorf("%+v: only %v survive", m, survive)
		}
		if m.Victims != nil && (len(first) != 1 || !first[0]) {
			t.Errorf("%+v: victims %v, want the group of the victim", m, first)
		}
		for by, most := range lengths[0] {
			for after := range most + 1 {
				if m.Failures > 0 && most > 0 && !moments[moment{core.Proc(by), after}] {
					t.Errorf("%+v: no failure after effect %d of %d", m, after, by)
				}
			}
		}
	}
}

// TestDrawExpiries checks that false suspicions of watchdogs are drawn within the budget, of procs
// that do something, and often several at one moment.
func TestDrawExpiries(t *testing.T) {
	setup := &core.Setup{Watchdogs: true}
	setup.Layout.Names = []string{"a", "b", "c"}
	lengths, most, alike := plan.Lengths{{3, 0, 4}}, 0, 0
	for i := range uint64(500) {
		m := fault.Model{Suspicions: 2}
		p := plan.Draw(rand.New(rand.NewPCG(i, 0)), setup, &m, lengths)
		if err := p.Validate(setup, &m); err != nil {
			t.Fatal(err)
		}
		for _, q := range p.Requests {
			if !q.Expires || q.Suspicious || q.Proc == 1 || q.After > lengths[0][q.Proc] {
				t.Fatalf("%+v", q)
			}
		}
		most = max(most, len(p.Requests))
		if len(p.Requests) == 2 && p.Requests[0] == p.Requests[1] {
			alike++
		}
	}
	if most != 2 || alike < 100 {
		t.Errorf("at most %d requests, twice the same in %d of 500 plans", most, alike)
	}
}
