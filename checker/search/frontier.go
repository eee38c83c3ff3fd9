package search

import (
	"sync"
	"sync/atomic"
)

// entry is what goes before the vector of a state that waits.
type entry struct {
	number uint32 // of the state
	depth  uint32
	sleep  uint32 // sleep set
	// sleep set of an earlier visit, of which only these steps are still to be taken; 0 = the first
	// visit
	todo uint32
}

// Where things are in an entry as words, and its size without the vector.
const (
	entryNumber = iota
	entryDepth
	entrySleep
	entryTodo
	entryWords
)

// pool is where depth-first workers leave work for those who have none.
type pool struct {
	mu      sync.Mutex
	wake    *sync.Cond
	shared  [][]uint32 // stacks of entries
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

// take waits for work; it returns nil when there will be none.
func (p *pool) take() []uint32 {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hungry.Add(1)
	for len(p.shared) == 0 && !p.over {
		if int(p.hungry.Load()) == p.workers {
			p.end()
			return nil
		}
		p.wake.Wait()
	}
	p.hungry.Add(-1)
	if p.over {
		return nil
	}
	last := p.shared[len(p.shared)-1]
	p.shared = p.shared[:len(p.shared)-1]
	return last
}

func (p *pool) give(stack []uint32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shared = append(p.shared, stack)
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

// size is how many entries of so many words nobody has taken, and the memory that they take.
func (p *pool) size(words int) (entries int, bytes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, stack := range p.shared {
		entries += len(stack) / words
		bytes += int64(cap(stack)) * 4
	}
	return entries, bytes
}
