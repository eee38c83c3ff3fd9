package search_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
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

// witnessed is a memory that is shown what a search with sleep sets does.
type witnessed struct {
	memory
	visits map[string][]sleepVisit
}

// sleepVisit is one visit of a state: which steps sleep there, and which are taken, in order.
type sleepVisit struct {
	state         []uint32
	asleep, taken []uint64
}

func (w *witnessed) Slept(state []uint32, asleep []uint64) {
	key := fmt.Sprint(state)
	w.visits[key] = append(w.visits[key], sleepVisit{state: slices.Clone(state),
		asleep: slices.Clone(asleep)})
}

func (w *witnessed) Took(state []uint32, code uint64) {
	list := w.visits[fmt.Sprint(state)]
	v := &list[len(list)-1]
	v.taken = append(v.taken, code)
}

// joined is all that was done in a state: what sleeps at the end, and what was taken, later visits
// first. At a later one less sleeps; a search need not come to them in their order.
func joined(visits []sleepVisit) (v sleepVisit, bad string) {
	slices.SortStableFunc(visits, func(a, b sleepVisit) int {
		return len(a.asleep) - len(b.asleep)
	})
	v = sleepVisit{state: visits[0].state, asleep: visits[0].asleep}
	for i, now := range visits {
		v.taken = append(v.taken, now.taken...)
		if i+1 == len(visits) {
			break
		}
		for _, code := range visits[i+1].asleep { // made_up_stored
			if !slices.Contains(now.asleep, code) && !slices.Contains(now.taken, code) {
				return v, fmt.Sprintf("%d slept in %v and is not made up for", code, v.state)
			}
		}
		for _, code := range now.asleep {
			if !slices.Contains(visits[i+1].asleep, code) {
				return v, fmt.Sprintf("%d sleeps in %v and was taken before", code, v.state)
			}
		}
	}
	return v, ""
}

// assumed says which hypothesis of proofs/coq, Sleep.v, is not so in a search that is over; what is
// counted is how often something sleeps.
func (w *witnessed) assumed() (asleep int, bad string) {
	all := map[string]sleepVisit{}
	for key, visits := range w.visits {
		v, bad := joined(visits)
		if bad != "" {
			return asleep, bad
		}
		all[key] = v
		asleep += len(v.asleep)
	}
	x := checker.NewExpansion(w.words)
	for _, v := range all {
		w.Expand(v.state, checker.Unreduced, x)
		if bad := w.followed(v, all, x); bad != "" {
			return asleep, fmt.Sprintf("in %v, where %v sleep and %v were taken: %s", v.state,
				v.asleep, v.taken, bad)
		}
	}
	return asleep, ""
}

// followed asks it of one state, whose steps are given.
func (w *witnessed) followed(v sleepVisit, all map[string]sleepVisit, x *checker.Expansion) string {
	possible := map[uint64]bool{}
	for _, s := range x.Steps {
		possible[s.Code] = true
		if !slices.Contains(v.asleep, s.Code) && !slices.Contains(v.taken, s.Code) {
			return fmt.Sprintf("awake_taken: not %d", s.Code)
		}
	}
	for i, s := range x.Steps {
		at := slices.Index(v.taken, s.Code)
		if at < 0 {
			continue
		}
		next, ok := all[fmt.Sprint(x.State(i, nil))]
		if !ok {
			return fmt.Sprintf("taken_leads: what %d leads to is not visited", s.Code)
		}
		f := w.Footprint(v.state, s.Code)
		for _, b := range next.asleep {
			g := w.Footprint(v.state, b)
			if !possible[b] || !f.Independent(&g) ||
				!slices.Contains(v.asleep, b) && !slices.Contains(v.taken[:at], b) {
				return fmt.Sprintf("taken_leads: %d sleeps behind %d", b, s.Code)
			}
		}
	}
	return ""
}

// TestSleepAssumed executes what Sleep.v in proofs/coq assumes of a search, on random systems, in
// both orders: what does not sleep is taken, behind it sleeps what may, and what wakes up is made
// up for.
func TestSleepAssumed(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	asleep, again := 0, 0
	for n := range effort.Cases(200, 2000) {
		m := randomMemory(r)
		for _, order := range []checker.Order{checker.DepthFirst, checker.BreadthFirst} {
			w := &witnessed{memory: m, visits: map[string][]sleepVisit{}}
			result := search.Explore(t.Context(), w, checker.Options{All: true, Workers: 1,
				Order: order, Reduce: checker.Sleep})
			for _, visits := range w.visits {
				again += len(visits) - 1
			}
			count, bad := w.assumed()
			if asleep += count; bad != "" || len(w.visits) != result.States {
				t.Fatalf("case %d, %s: %d of %d states; %s\n%s", n, order, len(w.visits),
					result.States, bad, m)
			}
		}
	}
	if asleep == 0 || again == 0 {
		t.Errorf("%d steps sleep, %d states are visited again: that says nothing", asleep, again)
	}
}
