package checker

import (
	"math"
	"sync"
	"sync/atomic"
)

// worker explores states on one core.
type worker struct {
	*search
	x       *Expansion
	number  numberer
	stack   []uint32 // entries that wait, the newest last
	rest    []uint32 // breadth first: entries of its part of the level that it has not explored
	state   []uint32
	scratch []uint32
	stats   Stats // its own part
	trees   subtrees
	fresh   []uint32 // on disk: records of states that are new
	maybe   []uint32 // on disk: records of states that may be old
	shown   published
	sink    uint64 // keeps touch from being optimised away

	footprints []Footprint
}

// published is what others may know of a worker.
type published struct {
	states, transitions, terminals, depth, waiting, bytes, remaining atomic.Int64

	mu    sync.Mutex
	saved Savings
}

// checkEvery is how many states a worker expands between looks at the clock and the limits.
const checkEvery = 512

func (s *search) newWorker() *worker {
	words := s.sys.Words()
	return &worker{search: s, x: NewExpansion(words), number: numberer{links: &s.links},
		state: make([]uint32, words)}
}

// expand explores the steps out of the state at hand and pushes what is new.
func (w *worker) expand(e entry) {
	x := w.x
	w.sys.Expand(w.state, w.options.Reduce, x)
	if len(x.Steps) > math.MaxUint16 {
		panic("invariant: a state has at most 65535 steps")
	}
	if e.todo == 0 {
		w.count(e)
	}
	if w.sleepers != nil {
		w.expandAwake(e)
		return
	}
	w.stats.Transitions += len(x.Steps)
	// The places of all fingerprints are loaded together: the processor waits for memory once, not
	// once for each.
	for i := range x.prints {
		w.sink += w.visited.touch(x.prints[i])
	}
	for i := range x.Steps {
		if v := x.Steps[i].Violation; v != 0 {
			w.found(v, finding{number: e.number, depth: e.depth, step: i})
			continue // nothing is explored beyond a violation
		}
		if w.disk != nil {
			w.disk.reach(w, i, e.number)
			continue
		}
		if w.visited.exact {
			w.scratch = x.State(i, w.scratch[:0])
		}
		if w.visited.insert(x.prints[i], w.scratch) {
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
	if !w.x.progress() {
		w.stats.Terminals++
		if v := w.sys.Terminal(w.state); v != 0 {
			w.found(v, finding{number: e.number, depth: e.depth, step: noStep})
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

// depthFirst works until nobody has anything to do.
func (w *worker) depthFirst() {
	for {
		if len(w.stack) == 0 {
			w.publish()
			if w.stack = w.pool.take(); w.stack == nil {
				return
			}
		}
		if w.stop() {
			w.publish()
			w.pool.stop()
			return
		}
		at := len(w.stack) - entryWords - len(w.state)
		e := w.load(w.stack[at:])
		w.stack = w.stack[:at]
		w.trees.enter(int(e.depth), w.stats.States)
		w.expand(e)
		if w.pool.hungry.Load() > 0 {
			w.share()
		}
	}
}

// share gives away the older half of the stack: the largest part of the work.
func (w *worker) share() {
	size := entryWords + len(w.state)
	half := len(w.stack) / size / 2 * size
	if half == 0 {
		return
	}
	w.pool.give(append([]uint32(nil), w.stack[:half]...))
	w.stack = append(w.stack[:0], w.stack[half:]...)
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
	if w.options.Order == DepthFirst && (w.stats.States%(8*checkEvery) == 0 || w.ended.Load() ||
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
	if w.ended.Load() {
		return true
	}
	if w.options.MaxStates > 0 && w.begun.Add(1) > int64(w.options.MaxStates) {
		w.end(boundOfStates(w.options.MaxStates))
		return true
	}
	if w.stats.States%checkEvery != 0 {
		return false
	}
	w.publish()
	return w.limits()
}

// runDepthFirst explores along each path as far as it goes before the next one, beginning with what
// the stacks hold.
func (s *search) runDepthFirst() {
	s.pool.open()
	var group sync.WaitGroup
	for _, w := range s.workers {
		group.Go(w.depthFirst)
	}
	group.Wait()
}

// level is what is left to explore of the states at one depth.
type level struct {
	parts [][]uint32 // entries, in the order of exploration
	depth int
	sizes []int // of all levels so far, in states
}

// runBreadthFirst explores level by level, so the first run that is found is a shortest one.
// Workers take small parts of a level; what they find is the next one.
func (s *search) runBreadthFirst() {
	for !s.ended.Load() {
		if len(s.level.parts) == 0 && !s.nextLevel() {
			return
		}
		s.exploreLevel()
	}
}

// nextLevel makes what the workers have found the level at hand; it reports whether there is
// anything to do.
func (s *search) nextLevel() bool {
	s.covered.Store(int64(s.level.depth))
	if !s.options.All && len(s.findings) > 0 {
		s.mu.Lock()
		s.over = true
		s.mu.Unlock()
		return false // the whole level was looked at: a run that ends in it may be one step shorter
	}
	s.level.depth++
	for _, w := range s.workers {
		s.addParts(w.stack)
		w.stack = nil
	}
	s.measure()
	return len(s.level.parts) > 0
}

// addParts cuts entries of the level at hand into parts.
func (s *search) addParts(entries []uint32) {
	size := entryWords + s.sys.Words()
	s.levelBytes.Add(int64(cap(entries)) * 4)
	s.levelLeft.Add(int64(len(entries) / size))
	for from := 0; from < len(entries); from += partEntries * size {
		s.level.parts = append(s.level.parts,
			entries[from:min(len(entries), from+partEntries*size)])
	}
}

// exploreLevel lets the workers expand the level at hand; what they leave, because the search ends,
// stays in it.
func (s *search) exploreLevel() {
	parts := s.level.parts
	var taken atomic.Int64
	var group sync.WaitGroup
	for _, w := range s.workers {
		group.Go(func() { w.breadthFirst(parts, &taken) })
	}
	group.Wait()
	var left [][]uint32
	for _, w := range s.workers {
		if len(w.rest) > 0 {
			left = append(left, w.rest)
			w.rest = nil
		}
	}
	s.level.parts = append(left, parts[min(len(parts), int(taken.Load())):]...)
	if len(s.level.parts) == 0 {
		s.levelBytes.Store(0)
	}
}

// partEntries is how many states of a level a worker takes at a time.
const partEntries = 64

// breadthFirst expands parts of a level as long as there are any.
func (w *worker) breadthFirst(parts [][]uint32, taken *atomic.Int64) {
	size := entryWords + len(w.state)
	for !w.ended.Load() {
		n := int(taken.Add(1)) - 1
		if n >= len(parts) {
			break
		}
		for w.rest = parts[n]; len(w.rest) > 0; w.rest = w.rest[size:] {
			if w.stop() {
				break
			}
			w.expand(w.load(w.rest[:size]))
		}
		w.levelLeft.Add(int64(len(w.rest)-len(parts[n])) / int64(size))
	}
	w.publish()
}
