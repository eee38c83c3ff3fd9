package world

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
)

// TestLiftOrderUnheard records runs of random toys in which a node takes with it what runs there,
// as if it had had that stopped just before, and had failed without hearing so. All agree on the
// failure of the node first. The runs are found again.
func TestLiftOrderUnheard(t *testing.T) {
	found := 0
	for n := 0; n < 1000 && found < 10; n++ {
		toy := randomToy(rand.New(rand.NewPCG(uint64(n), 5)), toyFeatures{crashes: true,
			restoreSends: true, launches: true})
		w, err := New(Config{Setup: toy.setup(), Model: fault.Model{Failures: 3}})
		if err != nil {
			t.Fatal(err)
		}
		recording := w.record(w.wanderAgreed(uint64(n), false))
		if !split(recording, w) {
			continue
		}
		found++
		got, err := w.Lift(recording, 20_000)
		if err != nil {
			t.Fatal(err)
		}
		if !got.Found {
			t.Errorf("toy %d: %d of %d: %s: %s %v", n, got.Explained, got.Of, got.Stuck, got.Why,
				got.Unknown)
		}
	}
	if found < 10 {
		t.Errorf("%d runs were tried, want 10", found)
	}
}

// split makes the end of what runs on a node that fails an order of its own; false: there is none.
func split(r *Recording, w *World) bool {
	for i := range r.Stopped {
		f := &r.Stopped[i]
		hosted := func(p core.Proc) bool { return int(p) < w.layout.Ranks }
		if f.Ordered || f.Epoch == 0 || len(f.Procs) != 2 || hosted(f.Procs[0]) ==
			hosted(f.Procs[1]) {
			continue
		}
		at := slices.IndexFunc(f.Procs, hosted)
		if r.hears(f.Procs[at], f.Epoch) {
			continue
		}
		order := Stopped{Clock: f.Clock + 1, Epoch: f.Epoch + 1, Procs: f.Procs[at : at+1],
			Lives: f.Lives[at : at+1], Ordered: true}
		f.Procs = []core.Proc{f.Procs[1-at]}
		f.Lives = []core.Incarnation{f.Lives[1-at]}
		for p := range r.Steps {
			for k := range r.Steps[p] {
				s := &r.Steps[p][k]
				if own := core.Proc(p) == order.Procs[0]; s.Epoch > f.Epoch ||
					own && s.Epoch == f.Epoch {
					s.Epoch++
				}
			}
		}
		for j := range r.Stopped {
			if r.Stopped[j].Epoch > f.Epoch {
				r.Stopped[j].Epoch++
			}
		}
		r.Stopped = slices.Insert(r.Stopped, i+1, order)
		return true
	}
	return false
}

// hears reports whether somebody comes to know of the end of a proc, of this one or of a later one.
func (r *Recording) hears(p core.Proc, epoch uint64) bool {
	return slices.ContainsFunc(slices.Concat(r.Steps...), func(s Recorded) bool {
		return s.Kind == core.Killed && s.From == p && s.Epoch >= epoch
	})
}
