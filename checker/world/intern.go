package world

import (
	"math/bits"
	"sync/atomic"
)

// Everything in this file is read without locks, by any number of goroutines, and written by one at
// a time (World.mu).

// table maps pairs of numbers to a number: open addressing, no deletion, no allocation on a hit.
type table struct {
	entries atomic.Pointer[[]entry]
	count   int
}

type entry struct {
	key   atomic.Uint64 // key+1; 0 = empty; stored after the value
	value uint32
}

func pair(a, b uint32) uint64 { return uint64(a)<<32 | uint64(b) }

// get looks a key up. A miss may be out of date unless the caller may write.
func (t *table) get(key uint64) (value uint32, ok bool) {
	p := t.entries.Load()
	if p == nil {
		return 0, false
	}
	entries := *p
	for i := home(key, entries); ; i = (i + 1) & (len(entries) - 1) {
		switch entries[i].key.Load() {
		case key + 1:
			return entries[i].value, true
		case 0:
			return 0, false
		}
	}
}

func home(key uint64, entries []entry) int {
	hi, lo := bits.Mul64(key+1, 0x9e3779b97f4a7c15)
	return int(hi^lo) & (len(entries) - 1)
}

// put adds a key that is not in the table.
func (t *table) put(key uint64, value uint32) {
	p := t.entries.Load()
	if p == nil || t.count*2 >= len(*p) {
		p = t.grow(p)
	}
	t.count++
	place(*p, key, value)
}

func (t *table) grow(p *[]entry) *[]entry {
	var old []entry
	if p != nil {
		old = *p
	}
	entries := make([]entry, max(16, 2*len(old)))
	for i := range old {
		if k := old[i].key.Load(); k != 0 {
			place(entries, k-1, old[i].value)
		}
	}
	t.entries.Store(&entries)
	return &entries
}

func place(entries []entry, key uint64, value uint32) {
	i := home(key, entries)
	for entries[i].key.Load() != 0 {
		i = (i + 1) & (len(entries) - 1)
	}
	entries[i].value = value
	entries[i].key.Store(key + 1)
}

func (t *table) bytes() int64 {
	if p := t.entries.Load(); p != nil {
		return int64(len(*p)) * 16
	}
	return 0
}

// What is numbered has numbers of its own type where one kind could pass for another.
type (
	messageNumber uint32
	packetNumber  uint32
	inboxNumber   uint32
)

// store is a growing list of things that do not change once they are in it.
type store[N ~uint32, T any] struct{ list atomic.Pointer[[]T] }

func (s *store[N, T]) at(number N) *T { return &(*s.list.Load())[number] }

func (s *store[N, T]) len() int {
	if p := s.list.Load(); p != nil {
		return len(*p)
	}
	return 0
}

// add appends behind what readers can see, then lets them see it.
func (s *store[N, T]) add(value T) (number N) {
	var list []T
	if p := s.list.Load(); p != nil {
		list = *p
	}
	list = append(list, value)
	s.list.Store(&list)
	return N(len(list) - 1)
}

// interned is a store of distinct things, told apart by their canonical bytes.
type interned[N ~uint32, T any] struct {
	store[N, T]
	numbers map[string]N
	content int64 // bytes of all keys
}

// find is for who may write.
func (n *interned[N, T]) find(content []byte) (number N, ok bool) {
	number, ok = n.numbers[string(content)]
	return number, ok
}

// intern adds what find did not find.
func (n *interned[N, T]) intern(content []byte, value T) (number N) {
	if n.numbers == nil {
		n.numbers = map[string]N{}
	}
	number = n.add(value)
	n.numbers[string(content)] = number
	n.content += int64(len(content))
	return number
}
