package search

import (
	"math"
	"sync"
	"sync/atomic"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/internal/prefetch"
)

// worker explores states on one core.
type worker struct {
	search  *search
	x       *checker.Expansion
	number  numberer
	stack   []uint64 // entries that wait, the newest last
	path    []uint16 // depth first: the steps to the state at hand
	rest    []uint64 // breadth first: entries of its part of the level that it has not explored
	state   []uint32
	places  []place // of the successors, that of a recent one is empty
	recent  recent
	allowed int64         // states that it may begin
	begun   int           // those that it has begun
	stats   checker.Stats // its own part
	trees   subtrees
	levelPart
	shown published

	footprints []checker.Footprint
}

// levelPart is what a worker of a search on disk has.
type levelPart struct {
	part    []checker.Code // of the level
	left    []checker.Code // what it has not explored of it
	from    uint32         // the number of the first of these
	fresh   []record       // states that are new
	maybe   []record       // states that may be old
	crowded bool           // it has said that the table is full
}

// bytes is the size of the lists.
func (w *levelPart) bytes() int64 {
	return int64(cap(w.part))*16 + int64(cap(w.fresh)+cap(w.maybe))*recordBytes
}

// published is what others may know of a worker.
type published struct {
	states, transitions, terminals, depth, waiting, bytes, remaining atomic.Int64

	mu    sync.Mutex
	saved checker.Savings
}

func (s *search) newWorker() *worker {
	words := s.sys.Words()
	w := &worker{search: s, x: checker.NewExpansion(words), number: numberer{links: &s.links},
		state: make([]uint32, words), recent: make(recent, recentFirst)}
	w.x.Pack(s.packing)
	if s.sleepers == nil {
		w.x.Complete = w.fetch
	}
	return w
}

// fetch finds the place of a successor and asks for what is there, unless it is known.
func (w *worker) fetch(successor int, c checker.Code) {
	visited := w.search.visited
	p := visited.place(c)
	if w.recent.has(&p, visited.wide) {
		p = place{}
	} else {
		prefetch.Line(visited.home(p))
	}
	w.places = append(w.places[:successor], p)
}

// unpack makes the state with the code the one at hand.
func (w *worker) unpack(c checker.Code) {
	w.search.packing.Decode(c, w.state)
	w.x.Coded(c)
}

// expand explores the steps out of the state at hand and pushes what is new. It reports false when
// the packing is too narrow for a state: then nothing is done, and the search stops to widen it.
func (w *worker) expand(e entry) bool {
	x, s := w.x, w.search
	s.sys.Expand(w.state, s.options.Reduce, x)
	if len(x.Steps) > math.MaxUint16 {
		panic("invariant: a state has at most 65535 steps")
	}
	codes, ok := x.Codes()
	if !ok {
		w.allowed++ // it is begun once more
		s.widen(w)
		return false
	}
	if e.todo == 0 {
		w.count(e)
	}
	if s.sleepers != nil {
		w.expandAwake(e)
		return true
	}
	w.stats.Transitions += len(x.Steps)
	for i := range x.Steps {
		if v := x.Steps[i].Violation; v != 0 {
			s.found(v, w.finding(e, i))
			continue // nothing is explored beyond a violation
		}
		p := w.places[i]
		if p.slot == 0 {
			continue
		}
		w.recent.note(&p, s.visited.wide)
		if s.disk != nil {
			s.disk.reach(w, p, record{codes[i], e.number, uint32(i)})
			continue
		}
		if s.visited.insert(p) {
			next := entry{code: codes[i], depth: e.depth + 1, step: uint16(i)}
			if s.layout.breadth {
				next.number = w.number.number(e.number, i)
			}
			w.stack = s.layout.push(w.stack, next)
		}
	}
	return true
}

// finding is what is seen at a state or at a step out of it.
func (w *worker) finding(e entry, step int) finding {
	f := finding{number: e.number, way: w.path, depth: uint32(e.depth), step: step, state: w.state}
	if step != noStep {
		f.code = w.x.Steps[step].Code
	}
	return f
}

// count counts a state and judges it if it is terminal.
func (w *worker) count(e entry) {
	if e.again {
		if !w.x.Reduced {
			w.stats.Saved.Singletons--
		}
		return
	}
	w.stats.States++
	w.stats.Depth = max(w.stats.Depth, int(e.depth))
	w.stats.Saved.Add(w.x.LeftOut)
	if w.x.Reduced {
		w.stats.Saved.Singletons++
	}
	if !w.x.Progress() {
		w.stats.Terminals++
		if v := w.search.sys.Terminal(w.state); v != 0 {
			w.search.found(v, w.finding(e, noStep))
		}
	}
}

// publish lets others see how far the worker has come.
func (w *worker) publish() {
	p := &w.shown
	p.states.Store(int64(w.stats.States))
	p.transitions.Store(int64(w.stats.Transitions))
	p.terminals.Store(int64(w.stats.Terminals))
	p.depth.Store(int64(w.stats.Depth))
	layout := w.search.layout
	p.waiting.Store(int64(len(w.stack) / layout.size()))
	p.bytes.Store(int64(cap(w.stack)+len(w.recent))*8 + int64(cap(w.path))*2 + w.levelPart.bytes())
	if w.search.options.Order == checker.DepthFirst && (w.search.ended.Load() ||
		w.begun%(8*checker.LookEvery) == 1 ||
		len(w.stack) == 0) {
		p.remaining.Store(
			int64(min(w.trees.remaining(w.stack, layout, w.stats.States), 1e18)))
	}
	p.mu.Lock()
	p.saved = w.stats.Saved
	p.mu.Unlock()
}

// stop reports whether the search must end now; if not, the worker may begin one more state. The
// clock is read only now and then.
func (w *worker) stop() bool {
	s := w.search
	if s.ended.Load() {
		return true
	}
	if w.begun++; w.begun%checker.LookEvery == 1 {
		if w.publish(); s.limits() {
			return true
		}
		if w.begun > recentFrom && len(w.recent) < recentWords {
			w.recent = make(recent, recentWords)
		}
	}
	if !s.states.take(w) {
		s.stopFor(&s.dry)
		return true
	}
	return false
}
