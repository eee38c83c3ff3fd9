package world

import (
	"bytes"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/domino-check/domino/checker"
	subject "github.com/domino-check/domino/checker/apart"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/proofs/certificate"
	"github.com/domino-check/domino/proofs/recheck"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// apartFeatures are what the toys may do on which the two environments are compared.
var apartFeatures = map[string]toyFeatures{
	"groups":   {crashes: true, groups: true, restoreSends: true},
	"rollback": {crashes: true, rollback: true, restoreSends: true},
	"hosts":    {crashes: true, hosts: true, restoreSends: true},
	"launches": {crashes: true, launches: true, restoreSends: true},
	"reads":    {crashes: true, reads: true, groups: true},
	"renews":   {crashes: true, hosts: true, renews: true, small: true},
	"nested":   {crashes: true, launches: true, nested: true, small: true},
	"few":      {launches: true, small: true},
	"mates":    {crashes: true, groups: true, restoreSends: true, shows: true, small: true},
	"homes":    {crashes: true, hosts: true, restoreSends: true, shows: true, small: true},
	"back":     {crashes: true, rollback: true, watched: true, small: true},
	"mateback": {crashes: true, rollback: true, watched: true, groups: true, small: true},
	"hostback": {crashes: true, rollback: true, watched: true, hosts: true, small: true},
	"leftback": {crashes: true, rollback: true, watched: true, hosts: true, shows: true,
		small: true},
	"nodeback": {crashes: true, rollback: true, watched: true, launches: true, small: true},
	"cyclic":   {cyclic: true, crashes: true}, "stamped": {crashes: true, stamped: true}}

var apartNames = slices.Sorted(maps.Keys(apartFeatures))

// drawApart draws a toy and a model, which may be out of the question.
func drawApart(r *rand.Rand, f toyFeatures) (*toy, fault.Model) {
	toy := randomToy(r, f)
	m := randomModel(r, toy.procs, 2)
	if f.small {
		m.Failures, m.Victims, m.Torn = 1+r.IntN(2), nil, r.IntN(2)
		m.AtOnce, m.OneInstant, m.Disks = 0, false, fault.Disks(r.IntN(2))
	}
	switch {
	case f.shows: // who stands still has mates, and those who wait for it
		m.Staggered, m.Overlap = r.IntN(2) == 0, r.IntN(3)
		if m.Settled = r.IntN(3) == 0; m.Settled {
			m.Failures += 2 - r.IntN(2)
		}
		if r.IntN(3) == 0 {
			m.Victims = []core.Proc{core.Proc(r.IntN(toy.procs))}
		}
	case !f.small:
		unusual(r, &m)
	}
	if f.rollback && m.Set { // what is never gone has lives roll back without end
		m.Set, m.Selective = false, false
	}
	return toy, m
}

// TestToysApart compares the world with the environment of the re-checker on random toys, which do
// what no scenario does, under random models: the certificate of the one has every state that the
// other reaches, and no other, and both count as many steps and ends.
func TestToysApart(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(13, 14))
	compared, states := map[string]int{}, 0
	for n := range effort.Cases(20, 30) {
		for _, name := range apartNames {
			f := apartFeatures[name]
			toy, m := drawApart(r, f)
			if m.Validate(toy.procs) != nil {
				continue
			}
			most := effort.Of(300, 600)
			if f.small {
				most *= 4
			}
			if f.shows {
				most *= 2
			}
			count, err := compareApart(t, toy.setup(), &m, most)
			if err != nil {
				t.Fatalf("%s, case %d, model %+v: %v\n%s", name, n, m, err, toy)
			}
			if count > 0 {
				compared[name]++
				states += count
			}
		}
	}
	t.Logf("compared %v, %d states", compared, states)
	for name := range apartFeatures {
		if least := effort.Of(1, 4); compared[name] < least {
			t.Errorf("%s: only %d are small enough, want %d", name, compared[name], least)
		}
	}
}

// unusual adds to a model what few scenarios have.
func unusual(r *rand.Rand, m *fault.Model) {
	switch r.IntN(8) {
	case 0:
		m.Unordered = true
	case 1:
		m.Unordered, m.Selective = true, true
	case 2:
		m.Set = true
	case 3:
		m.Set, m.Selective = true, true
	}
	budget := func(one int) int {
		if r.IntN(one) == 0 {
			return 1
		}
		return 0
	}
	m.Staggered, m.Overlap = r.IntN(4) == 0, budget(6)
	m.Loss, m.Torn, m.Lose = budget(6), budget(3), budget(6)
	m.Corrupt, m.Full, m.Checkpoints = budget(6), budget(6), budget(3)
	if m.Disks = fault.GoWithNode; r.IntN(3) == 0 {
		m.Disks = fault.SurviveNode
	}
	if !m.Set {
		m.Duplicates = budget(6)
	}
}

// compareApart compares both on a setup; how many states there are, 0 when they are too many.
func compareApart(t *testing.T, setup *core.Setup, m *fault.Model, most int) (int, error) {
	t.Helper()
	// toys promise nothing: whoever judges them sees neither ranks nor nodes
	facts := &spec.Facts{Layout: &trace.Layout{Names: setup.Layout.Names},
		Promises: promise.Promises{RollsBack: promise.All}}
	w, err := New(Config{Setup: setup, Model: *m, Facts: facts})
	if err != nil {
		return 0, err
	}
	var states [][]uint32
	// breadth first: depth first one that has no end is in states that are larger and larger
	r := search.Explore(t.Context(), w, checker.Options{MaxStates: most,
		Order: checker.BreadthFirst, Visited: func(all iter.Seq[[]uint32]) {
			for s := range all {
				states = append(states, slices.Clone(s))
			}
		}})
	if states == nil {
		if len(r.Found) > 0 {
			return 0, fmt.Errorf("the search finds %v", r.Found[0].Violation)
		}
		return 0, nil
	}
	var b bytes.Buffer
	if err := w.WriteCertificate(&b, certificate.Header{}, slices.Values(states),
		certificate.Room{}); err != nil {
		return 0, err
	}
	c, err := certificate.Read(bytes.NewReader(b.Bytes()), int64(b.Len()), 0)
	if err != nil {
		return 0, err
	}
	n, err := recheck.Check(t.Context(), subject.Subject(setup, m, facts), c)
	if err == nil && (n.States != r.States || n.Transitions != r.Transitions ||
		n.Ends != r.Terminals) {
		err = fmt.Errorf("%+v, the search has %d states, %d transitions, %d ends", n, r.States,
			r.Transitions, r.Terminals)
	}
	return len(states), err
}
