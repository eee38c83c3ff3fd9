// Package lasso explores every state, depth first and unreduced, and looks for endless fair
// runs besides: for strongly connected components by Tarjan's algorithm, without recursion. A
// component is complete when its first state is left, and then it is judged (scc.go).
// Reductions are off. Leaving out a step may hide that an event is possible in a state, which is
// what fairness is about, or cut a cycle in two; a reduction for this purpose would have to take,
// in each cycle, at least one state with all of its steps, and to count every event that is owed as
// visible.
//
// After a limit no new state is entered, but what is known is still judged: a cycle of explored
// states is one, whatever else there is. So an endless run is also found where states without
// number lie beyond it.
//
// Numbers take 4 bytes a state in the table and up to 8 beside it, and nothing is kept for traces;
// then there is the vector of each state of the longest path. What only grows, such as an
// incarnation or a date, keeps states apart, so a run that repeats itself but for that is not
// found.
package lasso

import (
	"context"
	"time"

	"github.com/domino-check/domino/checker"
)

// lasso is the state of a search.
type lasso struct {
	sys     checker.Fair
	options checker.Options
	bounds  checker.Bounds
	x       *checker.Expansion
	known   numbered
	// by number: the least number known to be reached and in the same component, or one of those
	// below
	low     []uint32
	open    []uint32 // states whose component is not complete, in the order of their numbers
	path    []lassoFrame
	vectors []uint32 // of the states of the path
	stats   checker.Stats
	bound   string
	over    bool
	finds   checker.Finds[checker.Found]
	endless bool // a fair component was reported
}

// lassoFrame is a state of the path.
type lassoFrame struct {
	number uint32
	step   int // the one that is followed, or the next one to be
}

// Values of low that are no numbers.
const (
	closed = ^uint32(0) - iota // the component is complete
	member                     // of the component that is judged
	walked                     // the same, and visited by the walk at hand
)

// Explore explores the system and judges its endless runs, too.
func Explore(ctx context.Context, sys checker.Fair, o checker.Options) checker.Result {
	l := &lasso{sys: sys, options: o, bounds: o.Bounds(ctx),
		x:     checker.NewExpansion(sys.Words()),
		known: numbered{packing: checker.NewPacking(sys.Words())},
		finds: checker.Finds[checker.Found]{Only: o.Only}}
	state := make([]uint32, sys.Words())
	if v := sys.Initial(state); v != 0 {
		l.report(v, 0, 0, func() []uint64 { return nil })
	}
	l.limits()
	if !l.over && l.bound == "" {
		l.enter(l.known.code(state), state)
	}
	for len(l.path) > 0 && !l.over {
		l.advance()
	}
	l.measure()
	return checker.Result{Stats: l.stats, Found: l.finds.Sorted(), Bound: l.bound}.Judged()
}

// enter makes a new state the end of the path.
func (l *lasso) enter(c checker.Code, state []uint32) {
	n := l.known.add(c)
	l.low = append(l.low, n)
	l.open = append(l.open, n)
	l.path = append(l.path, lassoFrame{number: n, step: -1})
	l.vectors = append(l.vectors, state...)
}

// at is the vector of a state of the path.
func (l *lasso) at(i int) []uint32 {
	words := l.sys.Words()
	return l.vectors[i*words : (i+1)*words]
}

// advance follows the next step of the last state of the path to a new state, or leaves the state.
func (l *lasso) advance() {
	top := len(l.path) - 1
	f := &l.path[top]
	state := l.at(top)
	codes := l.known.expand(l.sys, l.x, state)
	if f.step < 0 {
		l.arrive(state)
	}
	for f.step++; f.step < len(l.x.Steps) && !l.over; f.step++ {
		if s := l.x.Steps[f.step]; s.Violation != 0 {
			l.report(s.Violation, len(l.path), 0, func() []uint64 {
				return append(l.codes(), s.Code)
			})
			continue // nothing is explored beyond a violation
		}
		n, ok := l.known.find(codes[f.step])
		switch {
		case ok && l.low[n] != closed:
			l.low[f.number] = min(l.low[f.number], n)
		case !ok && l.mayEnter():
			l.enter(codes[f.step], l.x.State(f.step, nil))
			return
		}
	}
	if !l.over {
		l.leave(f.number, state)
	}
}

// mayEnter reports whether no limit keeps new states out.
func (l *lasso) mayEnter() bool {
	if l.bound == "" {
		l.bound = l.bounds.States(l.stats.States + 1)
	}
	return l.bound == ""
}

// arrive counts a state that is expanded for the first time and judges it if it is terminal.
func (l *lasso) arrive(state []uint32) {
	l.stats.States++
	l.stats.Transitions += len(l.x.Steps)
	l.stats.Depth = max(l.stats.Depth, len(l.path)-1)
	if !l.x.Progress() {
		l.stats.Terminals++
		if v := l.sys.Terminal(state); v != 0 {
			l.report(v, len(l.path)-1, 0, l.codes)
		}
	}
	if l.stats.States%checker.LookEvery == 0 {
		l.limits()
	}
}

// leave takes the last state off the path and, when it is the first one of its component, completes
// the component.
func (l *lasso) leave(n uint32, state []uint32) {
	if l.low[n] == n {
		size := 1
		for l.open[len(l.open)-size] != n {
			size++
		}
		component := l.open[len(l.open)-size:]
		l.judge(component, state)
		for _, m := range component {
			l.low[m] = closed
		}
		l.open = l.open[:len(l.open)-size]
	} else {
		parent := l.path[len(l.path)-2].number // the first state of all has the least number
		l.low[parent] = min(l.low[parent], l.low[n])
	}
	l.path = l.path[:len(l.path)-1]
	l.vectors = l.vectors[:len(l.path)*l.sys.Words()]
}

// codes are those of the steps along the path.
func (l *lasso) codes() (list []uint64) {
	x := checker.NewExpansion(l.sys.Words())
	for i, f := range l.path[:len(l.path)-1] {
		l.sys.Expand(l.at(i), checker.Unreduced, x)
		list = append(list, x.Steps[f.step].Code)
	}
	return list
}

// report keeps the shortest run of each property: its length, how many steps at its end are a loop,
// and the run.
func (l *lasso) report(number, length, loop int, path func() []uint64) {
	v := l.sys.Violation(number)
	if l.finds.Keep(v, length, func() checker.Found {
		return checker.Found{Violation: v, Path: path(), Loop: loop}
	}) {
		l.over = l.over || !l.options.All
	}
}

func (l *lasso) measure() {
	l.stats.Elapsed = time.Since(l.bounds.Began)
	l.stats.Frontier = len(l.path)
	l.stats.Bytes = checker.TableBytes(l.sys) + l.known.bytes() +
		int64(cap(l.low)+cap(l.open)+cap(l.vectors))*4 + int64(cap(l.path))*16
}

// limits looks at the clock, the memory and the caller, and shows progress.
func (l *lasso) limits() {
	l.measure()
	if l.options.Progress != nil {
		l.options.Progress(l.stats)
	}
	if l.bound == "" {
		l.bound = l.bounds.Over(l.stats.Bytes)
	}
}
