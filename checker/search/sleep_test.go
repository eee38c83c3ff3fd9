package search_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/spec"
)

// memory is a random system of a few words. An event is enabled when the words that it reads have
// given values, and writes given values; what it reads and writes is its footprint, so independence
// is true by construction. Paths meet and run in circles, which is what sleep sets and visited
// states get wrong together.
type memory struct {
	words  int
	events []event
}

type event struct {
	reads, writes map[int]uint32
	violates      bool
	fault         bool
}

func randomMemory(r *rand.Rand) memory {
	m := memory{words: 3 + r.IntN(3)}
	values := 2 + r.IntN(2)
	for range 4 + r.IntN(12) {
		e := event{reads: map[int]uint32{}, writes: map[int]uint32{}, fault: r.IntN(8) == 0}
		for range 1 + r.IntN(2) {
			e.reads[r.IntN(m.words)] = uint32(r.IntN(values))
		}
		for range 1 + r.IntN(2) {
			e.writes[r.IntN(m.words)] = uint32(r.IntN(values))
		}
		m.events = append(m.events, e)
	}
	return m
}

func (m memory) Words() int { return m.words }

func (m memory) Initial(state []uint32) int {
	clear(state)
	return 0
}

func (m memory) Expand(state []uint32, _ checker.Reduction, x *checker.Expansion) {
	x.Begin(state)
	for i, e := range m.events {
		enabled := true
		for w, v := range e.reads {
			enabled = enabled && state[w] == v
		}
		if !enabled {
			continue
		}
		s := checker.Step{Code: uint64(i + 1), Fault: e.fault}
		if e.violates {
			s.Violation = i + 1
		}
		x.Add(s)
		for w, v := range e.writes {
			x.Set(w, v)
		}
	}
}

func (m memory) Terminal([]uint32) int { return 0 }

func (m memory) Violation(number int) spec.Violation {
	return spec.Violation{Property: fmt.Sprintf("event %d", number)}
}

func (m memory) Footprint(_ []uint32, code uint64) (f checker.Footprint) {
	e := m.events[code-1]
	for w := range e.reads {
		f.Reads[0] |= 1 << w
	}
	for w := range e.writes {
		f.Writes[0] |= 1 << w
	}
	return f
}

func (m memory) String() string {
	var b strings.Builder
	for i, e := range m.events {
		fmt.Fprintf(&b, "event %d: when %v set %v, violates %t, fault %t\n", i+1, e.reads, e.writes,
			e.violates, e.fault)
	}
	return b.String()
}

// TestSleepSets compares sleep sets with plain search on random systems of a few words, in both
// orders and with one and two workers: the same number of states and ends, the same violated
// properties, not more steps. It finds pitfall P2 of the design (a state that is met again with
// another sleep set is not done) now and then; TestWoken always does.
func TestSleepSets(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	saved := 0
	for n := range 2500 {
		m := randomMemory(r)
		if n%2 == 0 {
			m.events[r.IntN(len(m.events))].violates = true
		}
		full := search.Explore(t.Context(), m, checker.Options{All: true})
		for _, o := range []checker.Options{{}, {Order: checker.BreadthFirst}, {Workers: 2}} {
			o.All, o.Reduce = true, checker.Sleep
			got := search.Explore(t.Context(), m, o)
			if got.States != full.States || got.Terminals != full.Terminals ||
				len(got.Found) != len(full.Found) || got.Transitions > full.Transitions {
				t.Fatalf(
					"case %d, %s, %d workers: %d states, %d ends, %d violations, %d steps, want "+
						"%d, %d, %d and at most %d\n%s", n, o.Order, o.Workers,
					got.States, got.Terminals, len(got.Found), got.Transitions, full.States,
					full.Terminals, len(full.Found), full.Transitions, m)
			}
			if got.Saved.Sleeping != full.Transitions-got.Transitions {
				t.Fatalf("case %d: %d steps sleep, but %d of %d were taken\n%s", n,
					got.Saved.Sleeping, got.Transitions, full.Transitions, m)
			}
			saved += got.Saved.Sleeping
		}
	}
	if saved == 0 {
		t.Error("no step sleeps")
	}
}

// TestWoken is a system in which a state is met again with another sleep set and what woke up leads
// to states that nothing else leads to (pitfall P2): without the making up 20 of the 32 states are
// found.
func TestWoken(t *testing.T) {
	is := func(pairs ...uint32) map[int]uint32 {
		m := map[int]uint32{}
		for i := 0; i < len(pairs); i += 2 {
			m[int(pairs[i])] = pairs[i+1]
		}
		return m
	}
	m := memory{words: 5, events: []event{
		{reads: is(3, 0), writes: is(2, 1)}, {reads: is(2, 0), writes: is(1, 0, 3, 1)},
		{reads: is(4, 0), writes: is(2, 0)},
		{reads: is(2, 1), writes: is(3, 1)}, {reads: is(1, 1, 2, 0), writes: is(0, 1)},
		{reads: is(4, 1), writes: is(3, 0, 4, 1)},
		{reads: is(1, 1, 4, 0), writes: is(2, 0)}, {reads: is(4, 0), writes: is(4, 1)},
		{reads: is(0, 1), writes: is(4, 0)},
		{reads: is(0, 1), writes: is(0, 0, 1, 0)}, {reads: is(2, 0, 3, 1), writes: is(0, 0, 4, 0)},
		{reads: is(1, 0), writes: is(1, 1, 2, 0)},
	}}
	full := search.Explore(t.Context(), m, checker.Options{})
	slept := search.Explore(t.Context(), m, checker.Options{Reduce: checker.Sleep})
	if full.States != 32 || slept.States != 32 {
		t.Errorf("%d states, with sleep sets %d, want 32", full.States, slept.States)
	}
}
