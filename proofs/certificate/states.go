package certificate

import (
	"fmt"
	"math/bits"
	"slices"
)

// mostStates is how many states a certificate may have: their numbers have 32 bits.
const mostStates = 1<<32 - 2

// States are the states of a certificate, by number from 0, sorted.
type States struct {
	*layout
	data []uint64
	// open addressing: numbers of states plus 1, by hash; a power of two of them
	index []uint32
}

func newStates(counts []int) *States { return &States{layout: newLayout(counts)} }

// bytesEach is what a state takes, at most.
func (s *States) bytesEach() int64 { return 10*int64(s.stride) + 16 }

// Words is how many words a state has.
func (s *States) Words() int { return len(s.fields) }

// Len is how many states there are.
func (s *States) Len() int { return len(s.data) / s.stride }

// add appends a state; false says that a word has no such value.
func (s *States) add(state []uint32) bool {
	n := len(s.data)
	if n+s.stride > cap(s.data) {
		s.data = slices.Grow(s.data, max(n/4, 1<<10)) // not twice as many: they are what takes room
	}
	s.data = s.data[:n+s.stride]
	return s.pack(state, s.data[n:])
}

// finish makes the states such that they can be found.
func (s *States) finish() {
	size := 1 << bits.Len(uint(s.Len())*5/4)
	s.index = make([]uint32, size)
	for i := range s.Len() {
		at := s.hash(s.data[i*s.stride:(i+1)*s.stride]) & (size - 1)
		for s.index[at] != 0 {
			at = (at + 1) & (size - 1)
		}
		s.index[at] = uint32(i + 1)
	}
}

func (s *States) hash(numbers []uint64) int {
	h := uint64(len(numbers))
	for _, n := range numbers {
		hi, lo := bits.Mul64(n^h, 0x9e3779b97f4a7c15)
		h = hi ^ lo
	}
	return int(h >> 1)
}

// At writes a state.
func (s *States) At(number int, state []uint32) {
	s.unpack(s.data[number*s.stride:(number+1)*s.stride], state)
}

// Finder finds states; each goroutine has its own.
type Finder struct {
	states  *States
	numbers []uint64
}

// Finder is one for the states.
func (s *States) Finder() *Finder { return &Finder{s, make([]uint64, s.stride)} }

// Find is the number of a state. It is known by all its words, and not by a hash.
func (f *Finder) Find(state []uint32) (number int, ok bool) {
	s := f.states
	if !s.pack(state, f.numbers) || len(s.data) == 0 {
		return 0, false
	}
	for at := s.hash(f.numbers); ; at++ {
		n := s.index[at&(len(s.index)-1)]
		if n == 0 {
			return 0, false
		}
		i := int(n-1) * s.stride
		if slices.Equal(s.data[i:i+s.stride], f.numbers) {
			return int(n - 1), true
		}
	}
}

// use is which entries of the tables some state uses.
type use struct{ words [][]bool }

func newUse(t *Tables) *use {
	u := &use{}
	for _, n := range t.counts() {
		u.words = append(u.words, make([]bool, n))
	}
	return u
}

func (u *use) state(state []uint32) {
	for i, word := range state {
		u.words[i][word] = true
	}
}

// all says which entry nothing uses, if there is any.
func (u *use) all(t *Tables) error {
	locals, envs, inboxes := make([]bool, len(t.Locals)), make([]bool, len(t.Envs)),
		make([]bool, len(t.Inboxes))
	histories, messages := make([]bool, len(t.Histories)), make([]bool, len(t.Messages))
	for _, list := range t.Procs {
		for _, c := range list {
			if envs[c.Env], inboxes[c.Inbox] = true, true; c.Local > 0 {
				locals[c.Local-1] = true
			}
		}
	}
	for _, e := range t.Envs {
		if e.Line > 0 {
			histories[e.Line-1] = true
		}
	}
	for _, box := range t.Inboxes {
		for _, c := range box {
			for _, m := range c.Messages {
				messages[m] = true
			}
		}
	}
	words := slices.Clone(u.words[1 : 1+len(t.Procs)])
	memories := []bool(nil)
	if len(t.Memories) > 0 {
		memories = u.words[1+len(t.Procs)]
	}
	lists := append([][]bool{messages, histories, locals, inboxes, envs, u.words[0], memories},
		words...)
	for i, l := range t.lists() {
		if j := slices.Index(lists[i], false); j >= 0 {
			return fmt.Errorf("%s %d: nothing uses it", l.name, j)
		}
	}
	return nil
}
