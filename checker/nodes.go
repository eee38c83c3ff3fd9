package checker

import (
	"math/bits"
	"sync"
	"sync/atomic"
)

// tuple is a few words that are one node, filled up with zeros.
type tuple [4]uint32

func (t *tuple) hash() uint64 {
	a := uint64(t[0])<<32 | uint64(t[1])
	b := uint64(t[2])<<32 | uint64(t[3])
	hi, lo := bits.Mul64(a^0x9e3779b97f4a7c15, b^0xbf58476d1ce4e5b9)
	h := (hi ^ lo ^ a) * 0x94d049bb133111eb
	return h ^ h>>32
}

// nodes numbers tuples densely from 0. Whoever looks a known one up takes no lock.
type nodes struct {
	slots  atomic.Pointer[[]uint64] // high half: of the hash; low half: number + 1, 0 = empty
	blocks atomic.Pointer[[]*nodeBlock]
	mu     sync.Mutex // held by who adds
	count  atomic.Uint32
}

const nodeBits = 8

// nodeBlock holds tuples by number.
type nodeBlock [1 << nodeBits]tuple

func newNodes() *nodes {
	n := &nodes{}
	n.slots.Store(&[]uint64{0, 0, 0, 0})
	n.blocks.Store(&[]*nodeBlock{})
	return n
}

// at is the tuple with the number.
func (n *nodes) at(number uint32) tuple {
	return (*n.blocks.Load())[number>>nodeBits][number&(1<<nodeBits-1)]
}

// number is that of a tuple, which gets the next one when it is new.
func (n *nodes) number(t tuple) uint32 {
	h := t.hash()
	if number, _, ok := n.find(*n.slots.Load(), &t, h); ok {
		return number
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	number, i, ok := n.find(*n.slots.Load(), &t, h)
	if ok {
		return number
	}
	number = n.count.Load()
	if number == 1<<32-2 {
		panic("invariant: at most 2^32 nodes are numbered")
	}
	blocks := *n.blocks.Load()
	if number&(1<<nodeBits-1) == 0 {
		blocks = append(blocks, &nodeBlock{})
		n.blocks.Store(&blocks)
	}
	blocks[number>>nodeBits][number&(1<<nodeBits-1)] = t
	slots := *n.slots.Load()
	atomic.StoreUint64(&slots[i], slot(h, number))
	n.count.Store(number + 1)
	if int(number)*4 > len(slots)*3-4 {
		n.grow(slots)
	}
	return number
}

func slot(h uint64, number uint32) uint64 { return h>>32<<32 | uint64(number+1) }

// find returns the number of a tuple, or the empty slot where it belongs.
func (n *nodes) find(slots []uint64, t *tuple, h uint64) (number uint32, index int, ok bool) {
	home, _ := bits.Mul64(h, uint64(len(slots)))
	for i := int(home); ; {
		s := atomic.LoadUint64(&slots[i])
		if s == 0 {
			return 0, i, false
		}
		if number := uint32(s) - 1; s>>32 == h>>32 && n.at(number) == *t {
			return number, i, true
		}
		if i++; i == len(slots) {
			i = 0
		}
	}
}

// grow makes room: three quarters of the slots are taken.
func (n *nodes) grow(old []uint64) {
	slots := make([]uint64, len(old)*3/2)
	for number := range n.count.Load() {
		t := n.at(number)
		h := t.hash()
		_, i, _ := n.find(slots, &t, h)
		slots[i] = slot(h, number)
	}
	n.slots.Store(&slots)
}

func (n *nodes) bytes() int64 {
	if n == nil {
		return 0
	}
	return int64(len(*n.slots.Load()))*8 + int64(len(*n.blocks.Load()))*(16<<nodeBits)
}

// save appends how many there are, then all of them.
func (n *nodes) save(list []uint32) []uint32 {
	count := n.count.Load()
	list = append(list, count)
	for number := range count {
		t := n.at(number)
		list = append(list, t[:]...)
	}
	return list
}

// restore reads what save appended; it returns the rest, nil when there is too little or a tuple
// comes twice.
func (n *nodes) restore(list []uint32) (rest []uint32) {
	if len(list) == 0 || uint64(len(list)-1)/uint64(len(tuple{})) < uint64(list[0]) {
		return nil
	}
	count, list := list[0], list[1:]
	for number := range count {
		if n.number(tuple(list)) != number {
			return nil
		}
		list = list[len(tuple{}):]
	}
	return list
}
