package world_test

import (
	"cmp"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/scenarios"
)

// levels are the identities of the states of a world, level by level, up to the one at which there
// are more than so many states. What each step leads to is in them.
func levels(w *world.World, most int) (list []map[checker.Digest][]uint32) {
	state := make([]uint32, w.Words())
	w.Initial(state)
	seen, next := map[string]bool{}, [][]uint32{state}
	var key []byte
	for x := checker.NewExpansion(w.Words()); len(next) > 0 && len(seen) <= most; {
		level, now := map[checker.Digest][]uint32{}, next
		next = nil
		for _, s := range now {
			if seen[string(checker.Key(s, &key))] {
				continue
			}
			seen[string(key)] = true
			level[checker.Identity(w, s)] = s
			w.Expand(s, checker.Unreduced, x)
			for i := range x.Steps {
				if x.Steps[i].Violation == 0 {
					next = append(next, x.State(i, nil))
				}
			}
		}
		list = append(list, level)
	}
	return list
}

// wander takes random steps in a world, so that it numbers things in another order.
func wander(w *world.World, r *rand.Rand, walks int) {
	x := checker.NewExpansion(w.Words())
	for range walks {
		state := make([]uint32, w.Words())
		w.Initial(state)
		for range 60 {
			if w.Expand(state, checker.Unreduced, x); len(x.Steps) == 0 {
				break
			}
			i := r.IntN(len(x.Steps))
			if x.Steps[i].Violation != 0 {
				break
			}
			state = x.State(i, nil)
		}
	}
}

// identities leaves the vectors out.
func identities(levels []map[checker.Digest][]uint32) (list [][]checker.Digest) {
	for _, level := range levels {
		list = append(list, slices.SortedFunc(maps.Keys(level), checker.Digest.Compare))
	}
	return list
}

// TestPortable numbers the contents of embedded scenarios in different orders: every state has the
// same identity, and no two have one in common. A world that knows nothing makes the same states of
// the contents, backwards, so that it numbers them in yet another order.
func TestPortable(t *testing.T) {
	t.Parallel()
	list, err := scenarios.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(8, 22))
	sets, moved, tried := 0, 0, 0
	every, most := effort.Of(40, 10), effort.Of(60, 300)
	if effort.Huge() {
		every = 1
	}
	for i, s := range list {
		if i%every != 0 && s.Name != "paxos-stale" {
			continue
		}
		q, err := resolve(s)
		if err != nil {
			t.Fatal(s.Name, err)
		}
		made := func() *world.World {
			w, _, err := world.Open(t.Context(), q.Case, checker.Options{MaxStates: 5_000})
			if err != nil && !errors.Is(err, checker.ErrBound) {
				t.Fatal(s.Name, err)
			}
			return w
		}
		first, second, third := made(), made(), made()
		if first == nil {
			continue // its failure-free runs are too many for a test
		}
		tried++
		here := levels(first, most)
		wander(second, r, 20)
		there := levels(second, most)
		if !slices.EqualFunc(identities(here), identities(there), slices.Equal) {
			t.Errorf("%s: identities depend on the order in which contents were met", s.Name)
		}
		contents := map[checker.Digest][]byte{}
		find := func(d checker.Digest) ([]byte, bool) { b, ok := contents[d]; return b, ok }
		known := func(d checker.Digest) bool { _, ok := find(d); return ok }
		tell := func(d checker.Digest, b []byte) { contents[d] = b }
		for _, level := range slices.Backward(here) {
			if !s.Model.KeepsOrder() {
				sets += len(level)
			}
			for _, d := range slices.SortedFunc(maps.Keys(level), func(a, b checker.Digest) int {
				return cmp.Compare(a.Lo, b.Lo)
			}) {
				state := slices.Clone(level[d])
				for word, number := range state {
					first.Contents(word, number, known, tell)
					n, err := third.Number(word, first.Digest(word, number), find)
					if err != nil {
						t.Fatalf("%s: word %d: %v", s.Name, word, err)
					}
					state[word] = n
				}
				if got := checker.Identity(third, state); got != d {
					t.Fatalf("%s: a state has identity %v, and %v elsewhere", s.Name, d, got)
				}
				if !slices.Equal(state, level[d]) {
					moved++
				}
			}
		}
		if again := levels(third, most); !slices.EqualFunc(identities(here), identities(again),
			slices.Equal) {
			t.Errorf("%s: a world with states from elsewhere goes on in another way", s.Name)
		}
	}
	t.Logf("%d scenarios, %d states with other numbers, %d without order", tried, moved, sets)
	if moved == 0 || sets == 0 {
		t.Errorf("%d states with other numbers, %d without order: the test is of both", moved, sets)
	}
}
