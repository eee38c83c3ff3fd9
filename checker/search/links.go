package search

import (
	"slices"
	"sync"
)

// links remember how each state was first reached, in 6 bytes a state: its parent and the index of
// the step among those of the parent's expansion. States are numbered in blocks, one worker each,
// so that workers do not meet.
type links struct {
	mu     sync.Mutex
	blocks []*linkBlock
}

const linkBits = 12

type linkBlock struct {
	parents [1 << linkBits]uint32
	steps   [1 << linkBits]uint16
}

// numberer hands out the numbers of one worker.
type numberer struct {
	links *links
	block *linkBlock
	next  uint32
}

// number gives a state that was reached by a step from its parent a number.
func (n *numberer) number(parent uint32, step int) uint32 {
	if n.next&(1<<linkBits-1) == 0 {
		n.reserve()
	}
	number := n.next
	i := number & (1<<linkBits - 1)
	n.block.parents[i], n.block.steps[i] = parent, uint16(step)
	n.next++
	return number
}

func (n *numberer) reserve() {
	n.links.mu.Lock()
	defer n.links.mu.Unlock()
	if len(n.links.blocks) == 1<<(32-linkBits) {
		panic("invariant: at most 2^32 states are numbered")
	}
	n.block = &linkBlock{}
	n.next = uint32(len(n.links.blocks)) << linkBits
	n.links.blocks = append(n.links.blocks, n.block)
}

// steps are the indices of the steps from the initial state, number 0, to a state. No worker may be
// at work.
func (l *links) steps(number uint32) (list []int) {
	for n := number; n != 0; {
		b, i := l.blocks[n>>linkBits], n&(1<<linkBits-1)
		list = append(list, int(b.steps[i]))
		n = b.parents[i]
	}
	slices.Reverse(list)
	return list
}

func (l *links) bytes() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return int64(len(l.blocks)) * (6 << linkBits)
}
