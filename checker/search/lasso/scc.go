package lasso

import (
	"slices"

	"github.com/domino-check/domino/checker"
)

// judge looks for a fair endless run in a strongly connected component, given by the numbers of its
// states and by one of them; a state alone is one when a step leads from it to itself.
func (l *lasso) judge(component []uint32, first []uint32) {
	if len(component) == 1 && !l.returns() || l.endless {
		return
	}
	for _, n := range component {
		l.low[n] = member
	}
	if !l.fair(first) {
		return
	}
	v := l.sys.Endless(first)
	if v == 0 {
		return
	}
	prefix, start := l.nearest()
	loop := l.loop(start)
	l.endless = true
	l.report(v, len(prefix)+len(loop), len(loop), func() []uint64 {
		return append(prefix, loop...)
	})
}

// returns reports whether a step leads from the state that is expanded to itself.
func (l *lasso) returns() bool {
	codes, _ := l.x.Codes()
	for i, c := range codes {
		if c == l.x.Code() && l.x.Steps[i].Violation == 0 {
			return true
		}
	}
	return false
}

// inside reports whether step i of the state that is expanded stays in the component, and the
// number of the state that it leads to, from its code.
func (l *lasso) inside(x *checker.Expansion, i int, c checker.Code) (number uint32, ok bool) {
	if x.Steps[i].Violation != 0 {
		return 0, false
	}
	n, known := l.known.find(c)
	if !known || l.low[n] != member && l.low[n] != walked {
		return 0, false
	}
	if x.Steps[i].Fault {
		panic("invariant: no fault is part of a cycle")
	}
	return n, true
}

// fair reports whether each event that is owed in all states of the component is taken inside.
func (l *lasso) fair(first []uint32) bool {
	var d debts
	paid := func() bool { // for good: what is owed gets less, what is taken gets more
		_, open := d.open()
		return !open
	}
	l.walk(first, func(x *checker.Expansion, state []uint32) bool {
		d.pass(l.sys, state, x)
		return paid()
	}, func(x *checker.Expansion, state []uint32, i int) bool {
		name, _ := l.sys.Event(state, x.Steps[i].Code)
		d.take(name)
		return paid()
	})
	return paid()
}

// walk goes through the component breadth first. It ends at the first state or step that is wanted
// and returns the way there and the state where it ends.
func (l *lasso) walk(from []uint32, atState func(x *checker.Expansion, state []uint32) bool,
	atStep func(x *checker.Expansion, state []uint32, i int) bool) (codes []uint64, end []uint32) {
	type place struct {
		parent int
		code   uint64
		state  []uint32
		number uint32
	}
	x := checker.NewExpansion(l.sys.Words())
	first, _ := l.known.find(l.known.code(from))
	places := []place{{parent: -1, state: slices.Clone(from), number: first}}
	l.low[first] = walked
	defer func() {
		for _, p := range places {
			l.low[p.number] = member
		}
	}()
	way := func(n int) (codes []uint64) {
		for ; n > 0; n = places[n].parent {
			codes = append(codes, places[n].code)
		}
		slices.Reverse(codes)
		return codes
	}
	for at := 0; at < len(places); at++ {
		state := places[at].state
		codes := l.known.expand(l.sys, x, state)
		if atState(x, state) {
			return way(at), state
		}
		for i := range x.Steps {
			n, ok := l.inside(x, i, codes[i])
			if !ok {
				continue
			}
			if atStep(x, state, i) {
				return append(way(at), x.Steps[i].Code), x.State(i, nil)
			}
			if l.low[n] == member {
				l.low[n] = walked
				places = append(places, place{parent: at, code: x.Steps[i].Code,
					state: x.State(i, nil), number: n})
			}
		}
	}
	return nil, nil
}

// loop is a fair run from the state back to it: a shortest way back and, for each event that is
// still owed, a shortest detour to where it is taken or not possible.
func (l *lasso) loop(start []uint32) []uint64 {
	nowhere := func(*checker.Expansion, []uint32) bool { return false }
	back := func(x *checker.Expansion, _ []uint32, i int) bool {
		return slices.Equal(x.State(i, nil), start)
	}
	codes, _ := l.walk(start, nowhere, back)
	for {
		debt, open := l.debts(start, codes).open()
		if !open {
			return codes
		}
		detour, end := l.walk(start, func(x *checker.Expansion, state []uint32) bool {
			return !slices.ContainsFunc(x.Steps, func(s checker.Step) bool {
				return !s.Fault && l.named(state, s.Code, debt)
			})
		}, func(x *checker.Expansion, state []uint32, i int) bool {
			return l.named(state, x.Steps[i].Code, debt)
		})
		codes = append(codes, detour...)
		if !slices.Equal(end, start) {
			way, _ := l.walk(end, nowhere, back)
			codes = append(codes, way...)
		}
	}
}

// named reports whether a step is a way to take the event.
func (l *lasso) named(state []uint32, code, event uint64) bool {
	name, _ := l.sys.Event(state, code)
	return name == event
}

// debts are those of the loop.
func (l *lasso) debts(start []uint32, codes []uint64) *debts {
	x := checker.NewExpansion(l.sys.Words())
	state := slices.Clone(start)
	var d debts
	for _, c := range codes {
		l.sys.Expand(state, checker.Unreduced, x)
		d.pass(l.sys, state, x)
		name, _ := l.sys.Event(state, c)
		d.take(name)
		state = x.State(slices.IndexFunc(x.Steps, func(s checker.Step) bool {
			return s.Code == c
		}), state[:0])
	}
	return &d
}

// nearest is the shortest path through known states from the initial one to a state of the
// component, and that state.
func (l *lasso) nearest() (codes []uint64, state []uint32) {
	type link struct {
		parent uint32
		step   uint16
	}
	x := checker.NewExpansion(l.sys.Words())
	links := make([]link, l.known.count)
	seen := make([]bool, l.known.count)
	level := make([]uint32, l.sys.Words())
	l.sys.Initial(level)
	numbers := []uint32{0}
	seen[0] = true
	for words := l.sys.Words(); ; {
		var next, nextNumbers []uint32
		for i, n := range numbers {
			if l.low[n] == member {
				var steps []int
				for ; n != 0; n = links[n].parent {
					steps = append(steps, int(links[n].step))
				}
				slices.Reverse(steps)
				return l.follow(steps)
			}
			codes := l.known.expand(l.sys, x, level[i*words:(i+1)*words])
			for j := range x.Steps {
				m, ok := l.known.find(codes[j])
				if !ok || seen[m] || x.Steps[j].Violation != 0 {
					continue
				}
				seen[m], links[m] = true, link{n, uint16(j)}
				next, nextNumbers = x.State(j, next), append(nextNumbers, m)
			}
		}
		level, numbers = next, nextNumbers
	}
}

// follow takes steps by their indices from the initial state.
func (l *lasso) follow(steps []int) (codes []uint64, state []uint32) {
	x := checker.NewExpansion(l.sys.Words())
	state = make([]uint32, l.sys.Words())
	l.sys.Initial(state)
	for _, i := range steps {
		l.sys.Expand(state, checker.Unreduced, x)
		codes = append(codes, x.Steps[i].Code)
		state = x.State(i, state[:0])
	}
	return codes, state
}
