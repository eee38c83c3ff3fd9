package search

import "sync/atomic"

// allowance is how many states a search may still begin. Workers take it in portions, so that they
// do not meet at every state.
type allowance struct {
	limited bool
	left    atomic.Int64
}

// portions is into about how many parts each worker cuts what is left.
const portions = 16

// take gives a worker one state; it reports whether there was one left.
func (a *allowance) take(w *worker) bool {
	if !a.limited {
		return true
	}
	for w.allowed == 0 {
		left := a.left.Load()
		if left <= 0 {
			return false
		}
		n := max(1, min(256, left/int64(portions*len(w.search.workers))))
		if a.left.CompareAndSwap(left, left-n) {
			w.allowed = n
		}
	}
	w.allowed--
	return true
}

// give takes back what a worker has not used.
func (a *allowance) give(w *worker) {
	a.left.Add(w.allowed)
	w.allowed = 0
}
