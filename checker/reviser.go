package checker

import "iter"

// Reviser is a System whose reductions rest on what it has met so far, so that they may turn out to
// leave out too much.
type Reviser interface {
	System
	// Revise is called when no state waits, and no other method is called meanwhile. It may look at
	// all states that were visited, and asks for those again of which the expansion was too small:
	// they are expanded once more, and the search goes on. It is complete when nothing is asked
	// for. A vector is valid until the next one. Every step of a reduced expansion is one of the
	// unreduced one, with the same code and successor.
	Revise(visited iter.Seq[[]uint32], again func(state []uint32))
}
