package search

import (
	"iter"
	"slices"
	"sync"

	"github.com/domino-check/domino/checker"
)

// Sleep sets (Godefroid 1996): after the steps of a state are taken in some order, a successor need
// not take again those that were taken before its own step and are independent of it; they are its
// sleep set. That saves steps, not states.
//
// With a set of visited states it takes care: a state that was met with one sleep set is not done
// when it is met again with another. The steps that slept every time before and do not sleep now
// are made up for, and the intersection is kept; then no state is left out (proofs/coq, Sleep.v).
// The sleep set is no part of the identity of a state.
//
// This is the baseline that other reductions are compared with, written for clearness: it keeps its
// own set of visited states.

// sleepers is what the workers share about sleep sets.
type sleepers struct {
	system checker.Independence
	// a test, which asks what the theorem assumes; nil for all others
	witness sleepWitness
	mu      sync.RWMutex
	sets    [][]uint64 // ascending codes of steps; number 0 is the empty set
	byHash  map[uint64][]uint32

	visited [1 << shardBits]struct {
		mu    sync.Mutex
		marks map[checker.Code]mark
	}
}

// sleepWitness is a system that is shown what a search with one worker does: that it comes to a
// state in which steps sleep, and then each step that it takes there.
type sleepWitness interface {
	Slept(state []uint32, asleep []uint64)
	Took(state []uint32, code uint64)
}

// mark is what is known of a visited state.
type mark struct {
	number uint32 // breadth first
	sleep  uint32
}

func newSleepers(system checker.Independence) *sleepers {
	s := &sleepers{system: system, sets: [][]uint64{nil}, byHash: map[uint64][]uint32{}}
	s.witness, _ = system.(sleepWitness)
	for i := range s.visited {
		s.visited[i].marks = map[checker.Code]mark{}
	}
	return s
}

func (s *sleepers) at(number uint32) []uint64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.sets[number]
}

// number is that of a set, which is copied when it is new.
func (s *sleepers) number(set []uint64) uint32 {
	if len(set) == 0 {
		return 0
	}
	h := uint64(len(set))
	for _, code := range set {
		h = (h ^ code) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	find := func() uint32 {
		for _, n := range s.byHash[h] {
			if slices.Equal(s.sets[n], set) {
				return n
			}
		}
		return 0
	}
	s.mu.RLock()
	n := find()
	s.mu.RUnlock()
	if n != 0 {
		return n
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if n = find(); n == 0 {
		n = uint32(len(s.sets))
		s.sets = append(s.sets, slices.Clone(set))
		s.byHash[h] = append(s.byHash[h], n)
	}
	return n
}

// meet combines the sleep set that a state was met with before with the one of now: what is still
// to be taken, and what sleeps from now on.
func (s *sleepers) meet(before, now uint32) (todo, both uint32) {
	if before == now || before == 0 {
		return 0, before
	}
	var wake, keep []uint64
	asleep := s.at(now)
	for _, code := range s.at(before) {
		if _, found := slices.BinarySearch(asleep, code); found {
			keep = append(keep, code)
		} else {
			wake = append(wake, code)
		}
	}
	return s.number(wake), s.number(keep)
}

// expandAwake takes the steps of the expansion that do not sleep; with todo, only those in it.
func (w *worker) expandAwake(e entry) {
	x, s := w.x, w.search.sleepers
	asleep := slices.Clone(s.at(e.sleep)) // grows by what is taken
	wanted := s.at(e.todo)
	prints := w.footprints[:0]
	if s.witness != nil {
		s.witness.Slept(w.state, s.at(e.sleep))
	}
	if e.todo == 0 {
		w.stats.Saved.Sleeping += len(x.Steps) // less those that are taken
	}
	for i := range x.Steps {
		prints = append(prints, s.system.Footprint(w.state, x.Steps[i].Code))
	}
	w.footprints = prints
	for i := range x.Steps {
		code := x.Steps[i].Code
		at, sleeps := slices.BinarySearch(asleep, code)
		if v := x.Steps[i].Violation; v != 0 { // judged at every state, also when it sleeps
			w.search.found(v, w.finding(e, i))
		}
		if sleeps {
			continue
		}
		if _, ok := slices.BinarySearch(wanted, code); e.todo != 0 && !ok {
			continue
		}
		w.stats.Transitions++
		w.stats.Saved.Sleeping--
		if x.Steps[i].Violation != 0 {
			continue
		}
		if s.witness != nil {
			s.witness.Took(w.state, code)
		}
		var still []uint64
		for _, c := range asleep {
			j := slices.IndexFunc(x.Steps, func(s checker.Step) bool { return s.Code == c })
			if j >= 0 && prints[j].Independent(&prints[i]) {
				still = append(still, c)
			}
		}
		w.visit(e, i, s.number(still))
		asleep = slices.Insert(asleep, at, code)
	}
}

// visit pushes successor i unless nothing is left to do there.
func (w *worker) visit(e entry, i int, sleep uint32) {
	codes, _ := w.x.Codes()
	c := codes[i]
	shard := &w.search.sleepers.visited[widePlace(c).shard]
	shard.mu.Lock()
	defer shard.mu.Unlock()
	m, known := shard.marks[c]
	var todo uint32
	if known {
		if todo, m.sleep = w.search.sleepers.meet(m.sleep, sleep); todo == 0 {
			return
		}
	} else {
		m = mark{sleep: sleep}
		if w.search.layout.breadth {
			m.number = w.number.number(e.number, i)
		}
	}
	shard.marks[c] = m
	w.stack = w.search.layout.push(w.stack, entry{code: c, depth: e.depth + 1, step: uint16(i),
		number: m.number, sleep: m.sleep, todo: todo})
}

// bytes estimates the size of the tables.
func (s *sleepers) bytes() (total int64) {
	if s == nil {
		return 0
	}
	for i := range s.visited {
		s.visited[i].mu.Lock()
		total += int64(len(s.visited[i].marks)) * 64
		s.visited[i].mu.Unlock()
	}
	return total
}

// codes are all states that were met.
func (s *sleepers) codes() iter.Seq[checker.Code] {
	return func(yield func(checker.Code) bool) {
		for i := range s.visited {
			for c := range s.visited[i].marks {
				if !yield(c) {
					return
				}
			}
		}
	}
}

// recode gives every state another code.
func (s *sleepers) recode(code func(checker.Code) checker.Code) {
	var old [1 << shardBits]map[checker.Code]mark
	for i := range s.visited {
		old[i], s.visited[i].marks = s.visited[i].marks, map[checker.Code]mark{}
	}
	for i := range old {
		for c, m := range old[i] {
			to := code(c)
			s.visited[widePlace(to).shard].marks[to] = m
		}
	}
}
