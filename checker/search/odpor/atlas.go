package odpor

import (
	"github.com/domino-check/domino/checker"
)

// place is a state with the steps out of it, as the stateless search remembers them. It saves
// running the system again, no more: nothing is left out because a place is known.
type place struct {
	state    []uint32
	steps    []move
	deltas   []checker.Delta
	complete bool // no step but faults is enabled: a run may end here
	verdict  int  // number of a violation of a run that ends here, or 0
	running  bool // on the run that is explored
}

// move is a step with what it touches and where it leads.
type move struct {
	checker.Step
	touches  checker.Footprint
	hinges   uint64 // families of steps that it may alter
	from, to int    // its part of the deltas
	next     *place // nil = not followed yet
}

// endCode is the code of the end of a run, a step of which the system knows nothing.
const endCode = ^uint64(0)

// last reports whether nothing comes after the move.
func (m *move) last() bool { return m.Code == endCode || m.Violation != 0 }

// find is the move with the code, nil when it is not enabled.
func (p *place) find(code uint64) *move {
	for i := range p.steps {
		if p.steps[i].Code == code {
			return &p.steps[i]
		}
	}
	return nil
}

// atlas holds the places that were met lately.
type atlas struct {
	sys    checker.Independence
	x      *checker.Expansion
	places map[string]*place // by vector
	key    []byte
	hinged []checker.Footprint // of the families
	known  bool                // whether the families are known
	size   int64               // estimate, in bytes
}

// atlasBytes is how large an atlas may grow before it starts again.
const atlasBytes = 512 << 20

func newAtlas(sys checker.Independence) *atlas {
	a := &atlas{sys: sys, x: checker.NewExpansion(sys.Words()),
		places: map[string]*place{}}
	if h, ok := sys.(checker.Hinged); ok {
		a.hinged = h.Hinges()
		a.known = len(a.hinged) <= 62
	}
	if !a.known {
		a.hinged = nil
	}
	return a
}

// hinges is the set of families of which a move may alter a step: the first is that of all steps,
// when nothing is known, the second the end of runs, which faults may keep from coming, the others
// are those of the system.
func (a *atlas) hinges(m *move) (families uint64) {
	if !a.known {
		families = 1
	}
	if m.Fault {
		families |= 2
	}
	for i := range a.hinged {
		if !a.hinged[i].Independent(&m.touches) {
			families |= 4 << i
		}
	}
	return families
}

// place is that of a state.
func (a *atlas) place(state []uint32) *place {
	if known, ok := a.places[string(checker.Key(state, &a.key))]; ok {
		return known
	}
	p := &place{state: append([]uint32(nil), state...)}
	x := a.x
	a.sys.Expand(p.state, checker.Unreduced, x)
	if p.complete = !x.Progress(); p.complete {
		p.verdict = a.sys.Terminal(p.state)
		p.steps = append(p.steps, move{Step: checker.Step{Code: endCode},
			touches: checker.Everything()})
	}
	for i, s := range x.Steps {
		if s.Code == endCode {
			panic("invariant: no step has the code of the end of a run")
		}
		m := move{Step: s, from: len(p.deltas)}
		p.deltas = append(p.deltas, x.Deltas(i)...)
		m.to = len(p.deltas)
		if m.touches = a.sys.Footprint(p.state, s.Code); s.Violation != 0 {
			// nothing comes after it, so its place among all steps matters
			m.touches = checker.Everything()
		}
		m.hinges = a.hinges(&m)
		p.steps = append(p.steps, m)
	}
	a.places[string(checker.Key(state, &a.key))] = p
	a.size += 192 + int64(len(state))*8 + int64(cap(p.steps))*144 + int64(len(p.deltas))*16
	return p
}

// follow is the place behind a move, which is not the last.
func (a *atlas) follow(p *place, m *move) *place {
	if m.next == nil {
		state := append([]uint32(nil), p.state...)
		for _, d := range p.deltas[m.from:m.to] {
			state[d.Word] = d.Value
		}
		m.next = a.place(state)
	}
	return m.next
}

// forget starts again with only the given places.
func (a *atlas) forget(keep []*place) {
	for _, p := range a.places {
		for i := range p.steps {
			p.steps[i].next = nil
		}
	}
	a.places, a.size = map[string]*place{}, 0
	for _, p := range keep {
		a.places[string(checker.Key(p.state, &a.key))] = p
	}
}
