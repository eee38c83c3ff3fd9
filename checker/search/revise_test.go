package search

import (
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/domino-check/domino/checker"
)

// hasty is a graph with a reduction that is wrong: it takes one step of each state, until it is
// told better. Each time it judges again it finds a few states out.
type hasty struct {
	wideGraph
	revisions int

	mu   sync.Mutex
	full map[uint32]bool
}

func (h *hasty) Expand(state []uint32, reduce checker.Reduction, x *checker.Expansion) {
	h.wideGraph.Expand(state, reduce, x)
	h.mu.Lock()
	full := h.full[state[0]]
	h.mu.Unlock()
	if full || reduce == checker.Unreduced {
		return
	}
	keep := int(state[0]) % len(x.Steps)
	step, next := x.Steps[keep], x.State(keep, nil)
	x.Begin(state)
	x.Reduced = true
	x.Add(step)
	for w, value := range next {
		x.Set(w, value)
	}
}

func (h *hasty) Revise(visited iter.Seq[[]uint32], again func([]uint32)) {
	h.revisions++
	var list []uint32
	for state := range visited {
		if !h.full[state[0]] {
			list = append(list, state[0])
		}
	}
	slices.Sort(list)
	for _, node := range list[:min(len(list), 40+len(list)/3)] {
		h.full[node] = true
		again(h.vector(node))
	}
}

// TestRevise explores with a reduction that is found out again and again: in the end there are all
// states, no reduced one, and the violation, with a path that leads to it, also when the search is
// broken off in between and what was found out is forgotten.
func TestRevise(t *testing.T) {
	for _, o := range []checker.Options{{}, {Workers: 3}, {Order: checker.BreadthFirst},
		{Order: checker.BreadthFirst, Workers: 2}} {
		for _, save := range []bool{false, true} {
			o.All, o.Reduce = true, checker.Singletons
			g := wideGraph{n: 2000, words: 4, bits: 31, bad: 1234}
			if save {
				o.Saving.File = filepath.Join(t.TempDir(), "run")
				o.MaxStates = 300
			}
			for {
				h := &hasty{wideGraph: g, full: map[uint32]bool{}}
				r, err := Run(t.Context(), h, o)
				if err != nil {
					t.Fatal(err)
				}
				if o.Saving.Resume = o.Saving.File; r.Bound != "" {
					if o.MaxStates += 300; r.Covered != 0 {
						t.Errorf("%+v: %d levels are covered", o, r.Covered)
					}
					continue
				}
				name := fmt.Sprintf("%+v", o)
				// what is forgotten is found out, and counted, twice
				if r.Saved.Singletons != 0 && !save || h.revisions < 2 {
					t.Errorf("%s: %d reduced states, %d revisions", name, r.Saved.Singletons,
						h.revisions)
				}
				r.Transitions = 3*int(g.n) - 3 // those of reduced states count, too
				g.compare(t, name, r)
				break
			}
		}
	}
	o := checker.Options{Order: checker.BreadthFirst, Reduce: checker.Singletons,
		Disk: t.TempDir()}
	if _, err := Run(t.Context(), &hasty{}, o); err == nil {
		t.Error("it is explored on disk")
	}
}
