package world

import (
	"hash/maphash"
	"math/bits"
	"sync"
	"sync/atomic"
)

// Everything in this file is safe for concurrent use. What is there is read without locks; who adds
// holds one of several small ones, chosen by what is added. A number can be met only after what it
// stands for is in its place. With one worker numbers are handed out in the order of the search.

// partBits is how many parts a thing that is written has, so that workers seldom meet.
const partBits = 4

// table maps pairs of numbers to a number: open addressing, no deletion, no allocation on a hit.
type table struct {
	entries atomic.Pointer[[]entry] // read all the time
	_       [64]byte                // so not in a cache line with what changes
	adders  [1 << partBits]adder
	askers  [1 << partBits]asker
	keys    atomic.Int64 // that are there
}

// adder is held by who adds one of its keys, and all of them by who makes the table larger.
type adder struct {
	mu    sync.Mutex
	count int // of its keys that are there
	_     [64]byte
}

// asker is held by who looks what becomes of one of its keys.
type asker struct {
	mu      sync.Mutex
	running map[uint64]chan struct{} // keys whose value somebody computes; closed when it is there
	_       [64]byte
}

type entry struct {
	key   atomic.Uint64 // key+1; 0 = empty
	value uint32        // written while the entry is taken
}

// taken is in the place of a key whose value is not there yet.
const taken = 1<<64 - 1

func pair(a, b uint32) uint64 { return uint64(a)<<32 | uint64(b) }

func spread(key uint64) uint64 {
	hi, lo := bits.Mul64(key+1, 0x9e3779b97f4a7c15)
	return hi ^ lo
}

// get looks a key up. A miss may be out of date.
func (t *table) get(key uint64) (value uint32, ok bool) {
	p := t.entries.Load()
	if p == nil {
		return 0, false
	}
	entries := *p
	for i := spread(key); ; i++ {
		e := &entries[i&uint64(len(entries)-1)]
		switch e.key.Load() {
		case key + 1:
			return e.value, true
		case 0:
			return 0, false
		}
	}
}

// put adds a key with its value, unless it is there; it returns the value that is.
func (t *table) put(key uint64, value uint32) uint32 {
	a := &t.adders[spread(key)>>(64-partBits)]
	for {
		a.mu.Lock()
		if there, ok := t.get(key); ok {
			a.mu.Unlock()
			return there
		}
		p := t.entries.Load()
		if p != nil && a.count<<(partBits+1) < len(*p) { // at most half of all is full
			a.count++
			t.keys.Add(1)
			insert(*p, key, value)
			a.mu.Unlock()
			return value
		}
		a.mu.Unlock()
		t.grow(p)
	}
}

// grow makes the table larger, unless somebody else has done so. Readers go on in the old one.
func (t *table) grow(old *[]entry) {
	for i := range t.adders {
		t.adders[i].mu.Lock()
		defer t.adders[i].mu.Unlock()
	}
	switch p := t.entries.Load(); {
	case p != old:
	case p == nil:
		t.entries.Store(new(make([]entry, 2<<partBits)))
	default:
		entries := make([]entry, 2*len(*p))
		for i := range *p {
			if k := (*p)[i].key.Load(); k != 0 {
				insert(entries, k-1, (*p)[i].value)
			}
		}
		t.entries.Store(&entries)
	}
}

// insert adds a key that is not there; others may insert other keys.
func insert(entries []entry, key uint64, value uint32) {
	i := int(spread(key)) & (len(entries) - 1)
	for !entries[i].key.CompareAndSwap(0, taken) {
		i = (i + 1) & (len(entries) - 1)
	}
	entries[i].value = value
	entries[i].key.Store(key + 1)
}

// add is put of a value that is made only if the key is not there: of a number from a store, so
// that none is wasted. To make it must be short, and must not ask the table.
func (t *table) add(key uint64, value func() uint32) uint32 {
	if there, ok := t.get(key); ok {
		return there
	}
	a := &t.askers[spread(key)>>(64-partBits)]
	a.mu.Lock()
	defer a.mu.Unlock()
	if there, ok := t.get(key); ok {
		return there
	}
	return t.put(key, value())
}

// once is the value of the key. If nobody knows it, the first who asks computes it, outside of all
// locks; who asks meanwhile waits for that key only. A computation never waits for another one of
// the same table.
func (t *table) once(key uint64, compute func() uint32) uint32 {
	a := &t.askers[spread(key)>>(64-partBits)]
	for {
		if there, ok := t.get(key); ok {
			return there
		}
		a.mu.Lock()
		there, ok := t.get(key)
		busy := a.running[key]
		if !ok && busy == nil {
			done := make(chan struct{})
			if a.running == nil {
				a.running = map[uint64]chan struct{}{}
			}
			a.running[key] = done
			a.mu.Unlock()
			return t.settle(a, key, compute, done)
		}
		a.mu.Unlock()
		if ok {
			return there
		}
		<-busy
	}
}

// settle computes and adds the value for which others wait. If it panics, they try themselves.
func (t *table) settle(a *asker, key uint64, compute func() uint32,
	done chan struct{}) (value uint32) {
	defer func() {
		a.mu.Lock()
		delete(a.running, key)
		a.mu.Unlock()
		close(done)
	}()
	return t.put(key, compute())
}

// bytes is about what the table takes: by its keys, of which there are as many whoever adds them
// first, while the moment of growth depends on who does.
func (t *table) bytes() int64 { return 48 * t.keys.Load() }

// keyed are all keys, in no order; nobody may add one meanwhile.
func (t *table) keyed() (keys []uint64) {
	p := t.entries.Load()
	if p == nil {
		return nil
	}
	for i := range *p {
		if k := (*p)[i].key.Load(); k != 0 {
			keys = append(keys, k-1)
		}
	}
	return keys
}

// What is numbered has numbers of its own type where one kind could pass for another.
type (
	messageNumber uint32
	packetNumber  uint32
	inboxNumber   uint32
)

// store is a growing list of things that do not change once they are in it. They never move: each
// chunk is twice as large as the one before.
type store[N ~uint32, T any] struct {
	chunks [32][]T // chunk k: as many as 1<<k says, the first ones are left out
	_      [64]byte
	next   atomic.Uint32 // number
	made   atomic.Uint32 // chunks are made up to here
	mu     sync.Mutex    // held by who makes one
	_      [64]byte
}

// firstChunk is the first chunk that there is: a small one.
const firstChunk = 4

// at is the thing with a number that was met.
func (s *store[N, T]) at(number N) *T {
	i := uint32(number) + 1<<firstChunk
	chunk := (bits.Len32(i) - 1) & 31
	return &s.chunks[chunk][i^1<<chunk]
}

// len is how many numbers are handed out.
func (s *store[N, T]) len() int { return int(s.next.Load()) }

// add appends; nobody can see it before its number is returned.
func (s *store[N, T]) add(value T) (number N) {
	n := s.next.Add(1) - 1
	if n >= 1<<32-2<<firstChunk {
		panic("invariant: numbers have 32 bits")
	}
	if chunk := uint32(bits.Len32(n+1<<firstChunk) - 1); chunk >= s.made.Load() {
		s.grow(chunk)
	}
	*s.at(N(n)) = value
	return N(n)
}

// grow makes all chunks up to the given one.
func (s *store[N, T]) grow(chunk uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k := max(firstChunk, s.made.Load()); k <= chunk; k++ {
		s.chunks[k] = make([]T, 1<<k)
		s.made.Store(k + 1)
	}
}

// interned is a store of distinct things, told apart by their canonical bytes.
type interned[N ~uint32, T any] struct {
	store[N, T]
	parts   [1 << partBits]internedPart[N]
	content atomic.Int64 // bytes of all keys
	_       [64]byte
}

// internedPart holds the numbers of some keys.
type internedPart[N ~uint32] struct {
	mu      sync.Mutex
	numbers map[string]N
	_       [64]byte
}

// seed only says in which part a key is, so no number depends on it.
var seed = maphash.MakeSeed()

func (n *interned[N, T]) part(content []byte) *internedPart[N] {
	return &n.parts[maphash.Bytes(seed, content)>>(64-partBits)]
}

// find looks for the number of a thing.
func (n *interned[N, T]) find(content []byte) (number N, ok bool) {
	p := n.part(content)
	p.mu.Lock()
	defer p.mu.Unlock()
	number, ok = p.numbers[string(content)]
	return number, ok
}

// intern adds what find did not find, unless somebody else has added it since.
func (n *interned[N, T]) intern(content []byte, value T) (number N) {
	p := n.part(content)
	p.mu.Lock()
	defer p.mu.Unlock()
	if there, ok := p.numbers[string(content)]; ok {
		return there
	}
	if p.numbers == nil {
		p.numbers = map[string]N{}
	}
	number = n.add(value)
	p.numbers[string(content)] = number
	n.content.Add(int64(len(content)))
	return number
}

// keys are the canonical bytes of all things in the order of their numbers.
func (n *interned[N, T]) keys() []string {
	list := make([]string, n.len())
	for i := range n.parts {
		for key, number := range n.parts[i].numbers { // each goes to its own place
			list[number] = key
		}
	}
	return list
}
