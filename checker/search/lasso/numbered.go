package lasso

import (
	"iter"
	"math/bits"
	"slices"

	"github.com/domino-check/domino/checker"
)

// numbered is a set of states in which each has a number, in the order in which they were added,
// from 0. It is for one goroutine.
type numbered struct {
	packing *checker.Packing
	codes   []checker.Code // open addressing, at most three quarters full
	numbers []uint32       // of each slot, plus 1; 0 = empty
	count   uint32
}

// find returns the number of a state.
func (n *numbered) find(c checker.Code) (number uint32, ok bool) {
	if n.count == 0 {
		return 0, false
	}
	i := n.slot(c)
	return n.numbers[i] - 1, n.numbers[i] != 0
}

// add numbers a state that is not in the set.
func (n *numbered) add(c checker.Code) uint32 {
	if int(n.count)*4 >= len(n.codes)*3 {
		n.rebuild(len(n.codes)*3/2+64, func(c checker.Code) checker.Code { return c })
	}
	n.count++
	i := n.slot(c)
	n.codes[i], n.numbers[i] = c, n.count
	return n.count - 1
}

// rebuild makes the table one of another size with other codes.
func (n *numbered) rebuild(size int, recode func(checker.Code) checker.Code) {
	old := *n
	n.codes, n.numbers = make([]checker.Code, size), make([]uint32, size)
	for i, number := range old.numbers {
		if number != 0 {
			c := recode(old.codes[i])
			j := n.slot(c)
			n.codes[j], n.numbers[j] = c, number
		}
	}
}

// slot is where the state is or belongs.
func (n *numbered) slot(c checker.Code) int {
	mixed := (c.Lo ^ c.Hi*0xc4ceb9fe1a85ec53) * 0x9e3779b97f4a7c15
	mixed = (mixed ^ mixed>>32) * 0xff51afd7ed558ccd
	h, _ := bits.Mul64(mixed, uint64(len(n.codes)))
	for i := int(h); ; {
		if n.numbers[i] == 0 || n.codes[i] == c {
			return i
		}
		if i++; i == len(n.codes) {
			i = 0
		}
	}
}

// expand expands a state, and sees to it that the packing has room for its successors.
func (n *numbered) expand(sys checker.System, x *checker.Expansion, state []uint32) []checker.Code {
	for {
		x.Pack(n.packing)
		sys.Expand(state, checker.Unreduced, x)
		if codes, ok := x.Codes(); ok {
			return codes
		}
		n.widen(len(state), x.States())
	}
}

// code is that of a state for which the packing may have no room.
func (n *numbered) code(state []uint32) checker.Code {
	for {
		if c, ok := n.packing.Encode(state); ok {
			return c
		}
		n.widen(len(state), slices.Values([][]uint32{state}))
	}
}

// widen makes room in the packing for some more states.
func (n *numbered) widen(words int, more iter.Seq[[]uint32]) {
	old, state := n.packing, make([]uint32, words)
	n.packing = old.Widened(func(yield func([]uint32) bool) {
		for i, number := range n.numbers {
			if number == 0 {
				continue
			}
			if old.Decode(n.codes[i], state); !yield(state) {
				return
			}
		}
		more(yield)
	})
	n.rebuild(len(n.codes), func(c checker.Code) checker.Code {
		old.Decode(c, state)
		c, _ = n.packing.Encode(state) // it is one for which the packing was made
		return c
	})
}

func (n *numbered) bytes() int64 { return int64(len(n.codes))*20 + n.packing.Bytes() }
