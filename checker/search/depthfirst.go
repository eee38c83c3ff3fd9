package search

import (
	"slices"
	"sync"
)

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

// depthFirst works until nobody has anything to do.
func (w *worker) depthFirst() {
	layout := w.search.layout
	for {
		if len(w.stack) == 0 && !w.takeWork() {
			return
		}
		if w.stop() {
			break
		}
		e := layout.last(w.stack)
		w.stack = w.stack[:len(w.stack)-layout.size()]
		w.trees.enter(int(e.depth), w.stats.States)
		if w.path = w.path[:max(e.depth, 1)-1]; e.depth > 0 {
			w.path = append(w.path, e.step)
		}
		w.unpack(e.code)
		if !w.expand(e) {
			w.stack = layout.push(w.stack, e)
			break
		}
		if w.search.pool.hungry.Load() > 0 {
			w.share()
		}
	}
	w.publish()
	w.search.pool.stop()
}

// takeWork takes what another worker has left; it reports whether there is any.
func (w *worker) takeWork() bool {
	w.search.states.give(w)
	w.publish()
	work, ok := w.search.pool.take()
	w.stack, w.path = work.stack, work.path
	return ok
}

// share gives away the older half of the stack: the largest part of the work.
func (w *worker) share() {
	size := w.search.layout.size()
	half := len(w.stack) / size / 2 * size
	if half == 0 {
		return
	}
	w.search.pool.give(work{slices.Clone(w.stack[:half]), slices.Clone(w.path)})
	w.stack = append(w.stack[:0], w.stack[half:]...)
}
