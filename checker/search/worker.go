package search

import (
	"math"
	"sync"
	"sync/atomic"

	"github.com/domino-check/domino/checker"
)

// worker explores states on one core.
type worker struct {
	search  *search
	x       *checker.Expansion
	number  numberer
	stack   []uint32 // entries that wait, the newest last
	rest    []uint32 // breadth first: entries of its part of the level that it has not explored
	state   []uint32
	scratch []uint32
	stats   checker.Stats // its own part
	trees   subtrees
	fresh   []uint32 // on disk: records of states that are new
	maybe   []uint32 // on disk: records of states that may be old
	shown   published
	sink    uint64 // keeps touch from being optimised away

	footprints []checker.Footprint
}

// published is what others may know of a worker.
type published struct {
	states, transitions, terminals, depth, waiting, bytes, remaining atomic.Int64

	mu    sync.Mutex
	saved checker.Savings
}

func (s *search) newWorker() *worker {
	words := s.sys.Words()
	return &worker{search: s, x: checker.NewExpansion(words), number: numberer{links: &s.links},
		state: make([]uint32, words)}
}

// expand explores the steps out of the state at hand and pushes what is new.
func (w *worker) expand(e entry) {
	x, s := w.x, w.search
	s.sys.Expand(w.state, s.options.Reduce, x)
	if len(x.Steps) > math.MaxUint16 {
		panic("invariant: a state has at most 65535 steps")
	}
	if e.todo == 0 {
		w.count(e)
	}
	if s.sleepers != nil {
		w.expandAwake(e)
		return
	}
	w.stats.Transitions += len(x.Steps)
	// The places of all fingerprints are loaded together: the processor waits for memory once, not
	// once for each.
	for i := range x.Prints() {
		w.sink += s.visited.touch(x.Prints()[i])
	}
	for i := range x.Steps {
		if v := x.Steps[i].Violation; v != 0 {
			s.found(v, finding{number: e.number, depth: e.depth, step: i})
			continue // nothing is explored beyond a violation
		}
		if s.disk != nil {
			s.disk.reach(w, i, e.number)
			continue
		}
		if s.visited.exact {
			w.scratch = x.State(i, w.scratch[:0])
		}
		if s.visited.insert(x.Prints()[i], w.scratch) {
			w.push(entry{number: w.number.number(e.number, i), depth: e.depth + 1}, i)
		}
	}
}

// count counts a state and judges it if it is terminal.
func (w *worker) count(e entry) {
	w.stats.States++
	w.stats.Depth = max(w.stats.Depth, int(e.depth))
	w.stats.Saved.Add(w.x.LeftOut)
	if w.x.Reduced {
		w.stats.Saved.Singletons++
	}
	if !w.x.Progress() {
		w.stats.Terminals++
		if v := w.search.sys.Terminal(w.state); v != 0 {
			w.search.found(v, finding{number: e.number, depth: e.depth, step: noStep})
		}
	}
}

// push lets successor i wait.
func (w *worker) push(e entry, i int) {
	w.stack = append(w.stack, e.number, e.depth, e.sleep, e.todo)
	w.stack = w.x.State(i, w.stack)
}

// load takes an entry into the state at hand.
func (w *worker) load(from []uint32) entry {
	copy(w.state, from[entryWords:])
	return entry{number: from[entryNumber], depth: from[entryDepth], sleep: from[entrySleep],
		todo: from[entryTodo]}
}

// publish lets others see how far the worker has come.
func (w *worker) publish() {
	p := &w.shown
	p.states.Store(int64(w.stats.States))
	p.transitions.Store(int64(w.stats.Transitions))
	p.terminals.Store(int64(w.stats.Terminals))
	p.depth.Store(int64(w.stats.Depth))
	p.waiting.Store(int64(len(w.stack) / (entryWords + len(w.state))))
	p.bytes.Store(int64(cap(w.stack)) * 4)
	if w.search.options.Order == checker.DepthFirst && (w.search.ended.Load() ||
		w.stats.States%(8*checker.LookEvery) == 0 ||
		len(w.stack) == 0) {
		p.remaining.Store(
			int64(min(w.trees.remaining(w.stack, entryWords+len(w.state), w.stats.States), 1e18)))
	}
	p.mu.Lock()
	p.saved = w.stats.Saved
	p.mu.Unlock()
}

// stop reports whether the search must end now. The clock is read only now and then.
func (w *worker) stop() bool {
	s := w.search
	if s.ended.Load() {
		return true
	}
	if s.options.MaxStates > 0 {
		if bound := s.bounds.States(int(s.begun.Add(1))); bound != "" {
			s.end(bound)
			return true
		}
	}
	if w.stats.States%checker.LookEvery != 0 {
		return false
	}
	w.publish()
	return s.limits()
}
