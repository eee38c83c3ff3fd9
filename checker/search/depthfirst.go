package search

import "sync"

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
	for {
		if len(w.stack) == 0 {
			w.publish()
			if w.stack = w.search.pool.take(); w.stack == nil {
				return
			}
		}
		if w.stop() {
			w.publish()
			w.search.pool.stop()
			return
		}
		at := len(w.stack) - entryWords - len(w.state)
		e := w.load(w.stack[at:])
		w.stack = w.stack[:at]
		w.trees.enter(int(e.depth), w.stats.States)
		w.expand(e)
		if w.search.pool.hungry.Load() > 0 {
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
	w.search.pool.give(append([]uint32(nil), w.stack[:half]...))
	w.stack = append(w.stack[:0], w.stack[half:]...)
}
