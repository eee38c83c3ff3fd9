package sample

import (
	"math/rand/v2"
	"slices"

	"github.com/domino-check/domino/checker"
)

// PCTCP is probabilistic concurrency testing with chain partitioning (Ozkan, Majumdar, Niksic,
// Tabaei Befrouei, Weissenbacher, OOPSLA 2018). The events are divided, as they become enabled,
// into chains that are totally ordered by cause; each chain has a random priority; the event of the
// highest chain is taken, except that at Depth-1 events, drawn beforehand, the chain is moved to
// the low end instead.
//
// A bug of depth d is one that shows whenever some d events are taken in one certain order, each as
// late as the ones before allow. If at most n events become enabled in a run and their order of
// cause, of width w, does not depend on the choices, a run shows it with a probability of at least
// 1/(w² n^(d-1)): 1 / number of chains that the chain of the first event is the lowest, 1/n for
// each other event that its number is drawn. The partition needs at most w(w+1)/2 chains.
//
// Here an event is caused by the step after which it is first enabled; what that step does not
// cause is taken to be unordered. n is the largest number of earlier runs.
type PCTCP struct {
	Depth int // d, at least 1; 0 is as 1

	most int // events that became enabled in a run so far
	r    *rand.Rand
	// numbers of the events at which the priority of their chain changes, the i-th to -i-1
	changes []int
	arrived int
	events  []chainEvent // enabled ones
	// of the step that was taken last: by chain, how many of its events are causes of, or are, that
	// step
	past   []int32
	chains chains
}

// chainEvent is an enabled event. It is the last of its chain.
type chainEvent struct {
	code   uint64
	number int // from 1, in the order in which events become enabled
	chain  int
	past   []int32
	met    bool // still enabled
}

// Begin implements Strategy.
func (s *PCTCP) Begin(r *rand.Rand, _ *Lengths) {
	s.most = max(s.most, s.arrived)
	s.r, s.arrived = r, 0
	s.events, s.past, s.changes = s.events[:0], nil, s.changes[:0]
	s.chains.clear()
	if s.most == 0 {
		return
	}
	for range max(1, s.Depth) - 1 {
		s.changes = append(s.changes, 1+r.IntN(s.most))
	}
}

// Pick implements Strategy.
func (s *PCTCP) Pick(c *Choice) int {
	s.meet(c.Steps)
	for {
		best := 0
		priority := func(i int) float64 { return s.chains.list[s.events[i].chain].priority }
		for i := range s.events {
			if priority(i) > priority(best) {
				best = i
			}
		}
		e := s.events[best]
		if i := slices.Index(s.changes, e.number); i >= 0 {
			s.changes[i] = 0
			s.chains.list[e.chain].priority = float64(-i - 1)
			continue
		}
		s.events = slices.Delete(s.events, best, best+1)
		s.past = e.past
		return slices.IndexFunc(c.Steps, func(t checker.Step) bool { return t.Code == e.code })
	}
}

// meet lets events arrive that have become enabled, and takes those out of their chains that have
// become disabled.
func (s *PCTCP) meet(steps []checker.Step) {
	for i := range s.events {
		s.events[i].met = false
	}
	fresh := len(s.events)
	for i := range steps {
		j := slices.IndexFunc(s.events[:fresh], func(e chainEvent) bool {
			return e.code == steps[i].Code
		})
		if j >= 0 {
			s.events[j].met = true
			continue
		}
		s.events = append(s.events, chainEvent{code: steps[i].Code, met: true})
	}
	for i := range s.events[:fresh] {
		if e := &s.events[i]; !e.met {
			s.chains.list[e.chain].length--
		}
	}
	for i := range s.events[fresh:] {
		e := &s.events[fresh+i]
		s.arrived++
		e.number = s.arrived
		e.chain = s.chains.insert(s.past, s.r)
		e.past = slices.Clone(s.past)
		if grow := e.chain + 1 - len(e.past); grow > 0 {
			e.past = append(e.past, make([]int32, grow)...)
		}
		e.past[e.chain] = s.chains.list[e.chain].length
	}
	s.events = slices.DeleteFunc(s.events, func(e chainEvent) bool { return !e.met })
}

// chains are the online partition of Agarwal and Garg (Distributed Computing 2007): group i holds
// at most i+1 chains; an event extends a chain of the first group that has one whose last event is
// a cause of it, and then that group gives its other chains to the one below in exchange for all of
// its own. An order of width w never needs more than w groups.
type chains struct {
	list   []chain
	groups [][]int
}

type chain struct {
	length   int32   // events in it
	priority float64 // in [0, 1), or negative after a change
}

func (c *chains) clear() { c.list, c.groups = c.list[:0], c.groups[:0] }

// insert adds an event with that past and returns its chain.
func (c *chains) insert(past []int32, r *rand.Rand) int {
	for g := range c.groups {
		for i, n := range c.groups[g] {
			if c.list[n].length > 0 && (n >= len(past) || past[n] < c.list[n].length) {
				continue // its last event is no cause
			}
			c.list[n].length++
			if g > 0 {
				others := slices.Delete(slices.Clone(c.groups[g]), i, i+1)
				c.groups[g] = append(slices.Clone(c.groups[g-1]), n)
				c.groups[g-1] = others
			}
			return n
		}
	}
	n := len(c.list)
	c.list = append(c.list, chain{length: 1, priority: r.Float64()})
	for g := range c.groups {
		if len(c.groups[g]) <= g {
			c.groups[g] = append(c.groups[g], n)
			return n
		}
	}
	c.groups = append(c.groups, []int{n})
	return n
}
