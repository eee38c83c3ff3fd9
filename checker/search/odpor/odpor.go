// Package odpor is the stateless optimal search: one run of each Mazurkiewicz trace, and none that
// turns out to repeat others, by source sets and wakeup trees (P. Abdulla, S. Aronis, B. Jonsson,
// K. Sagonas: Source sets: a foundation for optimal dynamic partial order reduction, Journal of the
// ACM 64 (4), 2017, algorithm 2).
//
// # Traces
//
// The search remembers no states. It takes one run of each Mazurkiewicz trace and counts them. Two
// runs are of one trace when one becomes the other by swapping neighbours that are independent
// (checker.Footprint) where both are enabled. A run is complete where no step but faults is
// enabled. Faults may happen and need not, so a complete run may be the beginning of another one:
// the end of a run counts as a step, which depends on all others. A step that shows a violation
// depends on all others, too, and cuts the run. Stats.Traces is the number of traces of complete
// runs, Stats.Violating of runs that are cut. Where a run comes back to a state there is no such
// number: the run is not followed further, and the answer is unknown unless a violation is found.
//
// # Events
//
// The codes of steps play the role of processes. A step happens after the steps before it on which
// it depends, and after those without which it would not be enabled. The latter are found by
// running the steps that it depends on alone: as long as they do not enable it, the first step that
// does is missing. So the second delivery on a channel happens after the second send, though the
// code of both deliveries is the same and was enabled by the first send. No step may have two
// alternative causes.
//
// # Departure from the paper
//
// There, no step disables one of another process, and all races are among the steps of a run. Here
// a crash takes messages away, one choice excludes the other, and the end of a run excludes the
// fault that could have happened. So, at the end of each run, the search looks for every step e of
// the run at what e has altered, that is disabled or changed in its footprint (reversal.go): from
// the state before e it repeats, without e, what does not happen after e, and meets each step q
// that is enabled on the way, but altered by e. Reversing (e, q) then is like reversing a race:
// first all steps of the run that neither happen after e nor depend on q, then q.
//
// Why that is enough, along the proof of the paper. Let E.w be a run that is not explored although
// no step asleep at E can begin it, and p the step explored (or asleep) at E that is independent of
// the longest beginning w1 of w, the first of those; w goes on with q, which depends on p. When p
// does not alter q, p and q race in a run E.p.w1.q.z. When it does, a run E.p.w1.z is explored, and
// w1 does not happen after p. The search repeats w1 and meets q unless a step r of z, independent
// of p and w1, comes before the end of w1 in the run and has altered q, too; so it also repeats
// without each such r. A step r that depends on q and does not alter it can stay: what follows for
// the longer w1.r follows for w1, or r itself has a race with q. In either case the sequence that
// is scheduled contains w1, so a step that covers it, explored from E, is one of w1, is q, or is
// independent of all of w1.q, against the choice of p.
package odpor

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/domino-check/domino/checker"
)

// traces is the state of a search.
type traces struct {
	sys     checker.System
	options checker.Options
	bounds  checker.Bounds
	atlas   *atlas

	levels []*branchPoint
	events []event // events[i] leads from levels[i] to levels[i+1]
	stats  checker.Stats
	finds  checker.Finds[checker.Found]
	bound  string // what ended the search early, or what it leaves out
	ended  bool

	steps   int // taken, those that end a run, too
	waiting int // nodes of all wakeup trees

	words int // of a set of events
	// For reverse.
	cut      bool  // the run does not go on although it could
	free     []int // events after the one at hand, in order, that do not happen after it
	left     set
	sequence []wake
}

// branchPoint is a state on the run that is explored.
type branchPoint struct {
	at    *place
	sleep []wake    // explored from here or from before, so not to be taken first
	todo  []*wakeup // to be explored from here after the branch that is explored now
}

// event is one step of the run.
type event struct {
	*move
	past set // the steps of the run that happen before it
}

// longestRun is the number of steps after which a run is cut.
const longestRun = 4096

// set is a set of steps of the run, by index.
type set []uint64

func (s set) has(i int) bool { return i>>6 < len(s) && s[i>>6]>>(i&63)&1 != 0 }
func (s set) add(i int)      { s[i>>6] |= 1 << (i & 63) }

func (s set) join(t set) {
	for i := range t {
		s[i] |= t[i]
	}
}

func (s set) meets(t set) bool {
	for i := range min(len(s), len(t)) {
		if s[i]&t[i] != 0 {
			return true
		}
	}
	return false
}

// Explore explores one run of each trace.
func Explore(ctx context.Context, sys checker.System, o checker.Options) checker.Result {
	t := &traces{options: o, sys: sys, bounds: o.Bounds(ctx),
		finds: checker.Finds[checker.Found]{Only: o.Only}}
	independence, ok := sys.(checker.Independence)
	switch {
	case !ok:
		t.end("the system does not say which of its steps are independent")
	case o.Reduce != checker.Unreduced:
		t.end("the reduction of stateful searches can not be combined with the stateless one")
	default:
		t.atlas = newAtlas(independence)
		t.start()
	}
	return checker.Result{Stats: t.statistics(), Found: t.finds.Sorted(), Bound: t.bound}.Judged()
}

func (t *traces) start() {
	state := make([]uint32, t.atlas.sys.Words())
	if v := t.atlas.sys.Initial(state); v != 0 {
		t.violation(v)
	}
	if !t.ended && !t.limits() {
		t.explore(t.atlas.place(state), nil, nil)
	}
}

// explore takes every run that continues the one at hand, up to equivalence, but those that a
// sleeping step can begin. What is to be done is a forest, empty for everything.
func (t *traces) explore(at *place, sleep []wake, todo []*wakeup) {
	l := &branchPoint{at: at, sleep: sleep, todo: todo}
	t.levels = append(t.levels, l)
	at.running = true
	t.stats.States++
	if len(todo) == 0 {
		first := l.choose()
		if first == nil {
			t.stats.Blocked++
		} else {
			l.todo = []*wakeup{{wake: wake{first.Code, &first.touches}}}
			t.waiting++
		}
	}
	for len(l.todo) > 0 && !t.ended && !t.stop() {
		next := l.todo[0]
		l.todo = l.todo[1:]
		t.waiting--
		m := at.find(next.code)
		if m == nil {
			panic(fmt.Sprintf("invariant: step %#x of a wakeup tree is enabled", next.code))
		}
		t.take(m)
		t.branch(l, m, next)
		t.events = t.events[:len(t.events)-1]
		l.sleep = append(l.sleep, wake{m.Code, &m.touches})
	}
	at.running = false
	t.levels = t.levels[:len(t.levels)-1]
}

// choose is the step to begin with where nothing is prescribed: no fault if possible. It is nil
// when all are asleep.
func (l *branchPoint) choose() (first *move) {
	for i := range l.at.steps {
		m := &l.at.steps[i]
		asleep := slices.ContainsFunc(l.sleep, func(k wake) bool { return k.code == m.Code })
		if !asleep && (first == nil || first.Fault && !m.Fault) {
			first = m
		}
	}
	return first
}

// branch explores what comes after the newest event.
func (t *traces) branch(l *branchPoint, m *move, node *wakeup) {
	if m.last() {
		t.finish(l, m)
		t.reverse()
		return
	}
	next := t.atlas.follow(l.at, m)
	if next.running || len(t.events) >= longestRun {
		if t.bound == "" {
			t.bound = "a run that comes back to a state, or is very long, is not followed further"
		}
		t.cut = true
		t.reverse()
		t.cut = false
		return
	}
	var asleep []wake
	for _, k := range l.sleep {
		if k.touches.Independent(&m.touches) {
			still := next.find(k.code)
			if still == nil {
				panic(fmt.Sprintf(
					"invariant: step %#x stays enabled after %#x, which is independent", k.code,
					m.Code))
			}
			asleep = append(asleep, wake{k.code, &still.touches})
		}
	}
	t.explore(next, asleep, node.children)
}

// finish counts a run.
func (t *traces) finish(l *branchPoint, m *move) {
	if m.Code != endCode {
		t.stats.Violating++
		t.violation(m.Violation)
		return
	}
	t.stats.Terminals++
	t.stats.Traces++
	if v := l.at.verdict; v != 0 {
		t.violation(v)
	}
}

// take makes a move the newest event of the run.
func (t *traces) take(m *move) {
	n := len(t.events)
	t.words = max(t.words, n>>6+1)
	if n < cap(t.events) {
		t.events = t.events[:n+1]
	} else {
		t.events = append(t.events, event{})
	}
	e := &t.events[n]
	if e.move = m; len(e.past) < t.words {
		e.past = make(set, t.words)
	}
	clear(e.past)
	if m.Code != endCode {
		t.stats.Transitions++
		t.stats.Depth = max(t.stats.Depth, n+1)
	}
	for i := n - 1; i >= 0; i-- {
		if !e.past.has(i) && !m.touches.Independent(&t.events[i].touches) {
			e.past.add(i)
			e.past.join(t.events[i].past)
		}
	}
	for t.after(0, e.past).find(m.Code) == nil {
		i := t.enabler(m, e.past)
		e.past.add(i)
		e.past.join(t.events[i].past)
	}
}

// after is the place behind the first n events and those of the set.
func (t *traces) after(n int, s set) *place {
	for n < len(t.levels)-1 && s.has(n) {
		n++
	}
	at := t.levels[n].at
	for i := n; i < len(t.levels)-1; i++ {
		if s.has(i) {
			at = t.follow(at, t.events[i].Code)
		}
	}
	return at
}

func (t *traces) follow(at *place, code uint64) *place {
	m := at.find(code)
	if m == nil {
		panic(fmt.Sprintf("invariant: step %#x is enabled by the steps that happen before it",
			code))
	}
	return t.atlas.follow(at, m)
}

// enabler is the index of the event that enables the move, when those of the set do not.
func (t *traces) enabler(m *move, s set) int {
	// not enabled by the first low events and the set, enabled by the first high ones
	low, high := 0, len(t.levels)-1
	for high-low > 1 {
		if middle := (low + high) / 2; t.after(middle, s).find(m.Code) == nil {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// violation keeps the shortest run of each property.
func (t *traces) violation(number int) {
	f := checker.Found{Violation: t.sys.Violation(number)}
	for _, e := range t.events {
		if e.Code != endCode {
			f.Path = append(f.Path, e.Code)
		}
	}
	if t.finds.Keep(f.Violation, len(f.Path), func() checker.Found { return f }) {
		t.ended = t.ended || !t.options.All
	}
}

func (t *traces) end(bound string) {
	if !t.ended {
		t.bound = bound
	}
	t.ended = true
}

// stop reports whether the search must end before the next step.
func (t *traces) stop() bool {
	if bound := t.bounds.States(t.stats.States); bound != "" {
		t.end(bound)
		return true
	}
	t.steps++
	return t.steps%checker.LookEvery == 0 && t.limits()
}

// limits looks at the clock, the memory and the caller, and shows progress.
func (t *traces) limits() bool {
	if t.atlas.size > atlasBytes || t.options.MaxBytes > 0 && t.atlas.size > t.options.MaxBytes/2 {
		var run []*place
		for _, l := range t.levels {
			run = append(run, l.at)
		}
		t.atlas.forget(run)
	}
	stats := t.statistics()
	if t.options.Progress != nil {
		t.options.Progress(stats)
	}
	if bound := t.bounds.Over(stats.Bytes); bound != "" {
		t.end(bound)
	}
	return t.ended
}

// nodeBytes estimates a node of a wakeup tree, levelBytes a step of the run.
const nodeBytes, levelBytes = 64, 512

func (t *traces) statistics() checker.Stats {
	s := t.stats
	s.Elapsed, s.Frontier = time.Since(t.bounds.Began), t.waiting
	s.Bytes = checker.TableBytes(t.sys) + int64(t.waiting)*nodeBytes +
		int64(len(t.levels))*levelBytes
	if t.atlas != nil {
		s.Bytes += t.atlas.size
	}
	return s
}
