package search

import (
	"sync"
	"sync/atomic"
)

// level is what is left to explore of the states at one depth.
type level struct {
	parts [][]uint64 // entries, in the order of exploration
	depth int
	sizes []int // of all levels so far, in states
	next  int   // how many levels there are when an estimate is made next
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
	if !s.options.All && s.finds.Any() {
		s.finish()
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
func (s *search) addParts(entries []uint64) {
	size := s.layout.size()
	s.levelBytes.Add(int64(cap(entries)) * 8)
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
	var left [][]uint64
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
func (w *worker) breadthFirst(parts [][]uint64, taken *atomic.Int64) {
	size := w.search.layout.size()
	for !w.search.ended.Load() {
		n := int(taken.Add(1)) - 1
		if n >= len(parts) {
			break
		}
		for w.rest = parts[n]; len(w.rest) > 0; w.rest = w.rest[size:] {
			if w.stop() || !w.expand(w.load(w.rest)) {
				break
			}
		}
		w.search.levelLeft.Add(int64(len(w.rest)-len(parts[n])) / int64(size))
	}
	w.publish()
}

// load makes a state of the level the one at hand.
func (w *worker) load(stack []uint64) entry {
	e := w.search.layout.at(stack)
	e.depth = uint64(w.search.level.depth)
	w.unpack(e.code)
	return e
}
