package lasso

import (
	"math/bits"

	"github.com/domino-check/domino/checker"
)

// numbered is a set of states in which each has a number, in the order in which they were added,
// from 0. It is for one goroutine.
type numbered struct {
	prints  []checker.Fingerprint // open addressing, at most three quarters full
	numbers []uint32              // of each slot, plus 1; 0 = empty
	count   uint32
}

// find returns the number of a state.
func (n *numbered) find(f checker.Fingerprint) (number uint32, ok bool) {
	if n.count == 0 {
		return 0, false
	}
	i := n.slot(f)
	return n.numbers[i] - 1, n.numbers[i] != 0
}

// add numbers a state that is not in the set.
func (n *numbered) add(f checker.Fingerprint) uint32 {
	if int(n.count)*4 >= len(n.prints)*3 {
		n.grow()
	}
	n.count++
	i := n.slot(f)
	n.prints[i], n.numbers[i] = f, n.count
	return n.count - 1
}

func (n *numbered) grow() {
	size := len(n.prints)*3/2 + 64
	old := *n
	n.prints, n.numbers = make([]checker.Fingerprint, size), make([]uint32, size)
	for i, number := range old.numbers {
		if number != 0 {
			j := n.slot(old.prints[i])
			n.prints[j], n.numbers[j] = old.prints[i], number
		}
	}
}

// slot is where the state is or belongs.
func (n *numbered) slot(f checker.Fingerprint) int {
	h, _ := bits.Mul64(f.Lo, uint64(len(n.prints)))
	for i := int(h); ; {
		if n.numbers[i] == 0 || n.prints[i] == f {
			return i
		}
		if i++; i == len(n.prints) {
			i = 0
		}
	}
}

func (n *numbered) bytes() int64 { return int64(len(n.prints)) * 20 }
