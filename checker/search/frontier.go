package search

import (
	"sync"
	"sync/atomic"

	"github.com/domino-check/domino/checker"
)

// entry is a state that waits.
type entry struct {
	code checker.Code
	// depth first: how many steps lead to it, and the index of the last one among those of its
	// parent, which is the state that was explored one step less deep before it
	depth uint64
	step  uint16
	// breadth first: its number, which leads to the others
	number uint32
	again  bool   // it was expanded before: see checker.Reviser
	sleep  uint32 // sleep set
	// sleep set of an earlier visit, of which only these steps are still to be taken; 0 = the first
	// visit
	todo uint32
}

// layout says how entries lie in stacks: two words each, three when codes are wide, one more with
// sleep sets. What a narrow code does not put into the first word takes four bits of the second.
type layout struct {
	wide, breadth, sleeps bool
}

const (
	narrowRest = checker.NarrowBits - 63
	stepBits   = 16
	againBit   = 1 << 59
)

// size is how many words an entry has.
func (l layout) size() int {
	n := 2
	if l.wide {
		n++
	}
	if l.sleeps {
		n++
	}
	return n
}

// push appends an entry to a stack.
func (l layout) push(stack []uint64, e entry) []uint64 {
	info := e.depth<<stepBits | uint64(e.step)
	if l.breadth {
		info = uint64(e.number)
	}
	if e.again {
		info |= againBit
	}
	if l.wide {
		stack = append(stack, e.code.Lo, e.code.Hi, info)
	} else {
		stack = append(stack, e.code.Lo, info<<narrowRest|e.code.Hi)
	}
	if l.sleeps {
		stack = append(stack, uint64(e.todo)<<32|uint64(e.sleep))
	}
	return stack
}

// at is the first entry of a part of a stack.
func (l layout) at(stack []uint64) (e entry) {
	var info uint64
	if e.code.Lo = stack[0]; l.wide {
		e.code.Hi, info = stack[1], stack[2]
	} else {
		e.code.Hi, info = stack[1]&(1<<narrowRest-1), stack[1]>>narrowRest
	}
	e.again = info&againBit != 0
	info &^= againBit
	if l.breadth {
		e.number = uint32(info)
	} else {
		e.depth, e.step = info>>stepBits, uint16(info)
	}
	if l.sleeps {
		last := stack[l.size()-1]
		e.sleep, e.todo = uint32(last), uint32(last>>32)
	}
	return e
}

// last is the newest entry of a stack.
func (l layout) last(stack []uint64) entry { return l.at(stack[len(stack)-l.size():]) }

// work is a part of what waits depth first: entries, and the steps to the parent of the last one,
// of which the parents of the others are on the way.
type work struct {
	stack []uint64
	path  []uint16
}

// pool is where depth-first workers leave work for those who have none.
type pool struct {
	mu      sync.Mutex
	wake    *sync.Cond
	shared  []work
	workers int
	hungry  atomic.Int32 // workers without work
	over    bool
}

func newPool(workers int) *pool {
	p := &pool{workers: workers}
	p.wake = sync.NewCond(&p.mu)
	return p
}

// open lets workers begin, or go on after a stop.
func (p *pool) open() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = false
	p.hungry.Store(0)
}

// take waits for work; it reports whether there is any.
func (p *pool) take() (work, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hungry.Add(1)
	for len(p.shared) == 0 && !p.over {
		if int(p.hungry.Load()) == p.workers {
			p.end()
			return work{}, false
		}
		p.wake.Wait()
	}
	p.hungry.Add(-1)
	if p.over {
		return work{}, false
	}
	last := p.shared[len(p.shared)-1]
	p.shared = p.shared[:len(p.shared)-1]
	return last, true
}

func (p *pool) give(w work) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shared = append(p.shared, w)
	p.wake.Signal()
}

// stop makes every worker end.
func (p *pool) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end()
}

func (p *pool) end() {
	p.over = true
	p.wake.Broadcast()
}

// size is how many words of entries nobody has taken, and the memory that they take.
func (p *pool) size() (words int, bytes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range p.shared {
		words += len(w.stack)
		bytes += int64(cap(w.stack))*8 + int64(cap(w.path))*2
	}
	return words, bytes
}
