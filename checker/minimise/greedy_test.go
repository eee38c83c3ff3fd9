package minimise_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker/minimise"
)

// without are the changes of a list that leave out parts of it, larger parts first.
func without(list []int) (all []minimise.Change[[]int]) {
	for size := max(1, len(list)/2); size > 0 && len(list) > 0; size /= 2 {
		for from := 0; from < len(list); from += size {
			rest := slices.Delete(slices.Clone(list), from, min(len(list), from+size))
			all = append(all, minimise.Change[[]int]{Words: fmt.Sprint(list[from]), To: rest})
		}
	}
	return all
}

// lower are the changes of a list that make one number smaller by one.
func lower(list []int) (all []minimise.Change[[]int]) {
	for i := range list {
		if list[i] > 0 {
			to := slices.Clone(list)
			to[i]--
			all = append(all, minimise.Change[[]int]{Words: fmt.Sprint(list[i]), To: to})
		}
	}
	return all
}

func upTo(n int) (list []int) {
	for i := range n {
		list = append(list, i)
	}
	return list
}

func sum(list []int) (total int) {
	for _, n := range list {
		total += n
	}
	return total
}

var toyPhases = []minimise.Phase[[]int]{{Name: "parts", Changes: without},
	{Name: "numbers", Changes: lower}}

// TestGreedy minimises lists for predicates of which the minimum is known by hand.
func TestGreedy(t *testing.T) {
	tests := []struct {
		name  string
		start []int
		keeps func([]int) bool
		want  []int
	}{
		{"nothing is needed", upTo(20), func([]int) bool { return true }, []int{}},
		{"nothing can go", []int{1}, func(l []int) bool {
			return len(l) == 1 && l[0] == 1
		}, []int{1}},
		{"two parts far apart", upTo(30), func(l []int) bool {
			return slices.Contains(l, 3) && slices.Contains(l, 27)
		}, []int{3, 27}},
		{"order matters", []int{5, 9, 5, 9}, func(l []int) bool {
			i := slices.Index(l, 9)
			return i >= 0 && slices.Contains(l[i:], 5)
		}, []int{9, 5}},
		{"smaller numbers, fewer first", []int{8, 1, 8, 1}, func(l []int) bool {
			return sum(l) >= 8
		}, []int{8}},
		{"a later phase makes room for an earlier one", []int{4, 4}, func(l []int) bool {
			return len(l) == 2 && l[0]+l[1] > 0 || len(l) == 1 && l[0] == 1
		}, []int{1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, minimal := minimise.Greedy(t.Context(), tt.start, toyPhases,
				func(_ string, c minimise.Change[[]int]) ([]int, bool) {
					return c.To, tt.keeps(c.To)
				})
			if diff := cmp.Diff(tt.want, got); diff != "" || !minimal {
				t.Errorf("minimal %t (-want +got):\n%s", minimal, diff)
			}
		})
	}
}

// TestGreedyOneMinimal minimises under random predicates, which are not monotone: no single change
// of the result may keep the predicate, the result must keep it, and a second run must get the
// same.
func TestGreedyOneMinimal(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	cases := 0
	for n := range 300 {
		modulus, wanted := 2+r.IntN(5), []int{r.IntN(12), r.IntN(12)}
		keeps := func(l []int) bool {
			return slices.Contains(l, wanted[0]) && len(l)%modulus != 1 || sum(l)%7 == 3 &&
				slices.Contains(l, wanted[1])
		}
		start := upTo(12)
		if !keeps(start) {
			continue
		}
		cases++
		asked := 0
		once := func() []int {
			least, minimal := minimise.Greedy(t.Context(), start, toyPhases,
				func(_ string, c minimise.Change[[]int]) ([]int, bool) {
					asked++
					return c.To, keeps(c.To)
				})
			if !minimal {
				t.Fatal("not minimal")
			}
			return least
		}
		least := once()
		if again := once(); !slices.Equal(least, again) {
			t.Errorf("case %d: %v, then %v", n, least, again)
		}
		if !keeps(least) {
			t.Errorf("case %d: %v does not keep the predicate", n, least)
		}
		for _, p := range toyPhases {
			for _, c := range p.Changes(least) {
				if keeps(c.To) {
					t.Errorf("case %d: %v is not minimal, %v keeps the predicate", n, least, c.To)
				}
			}
		}
		if asked > 5000 {
			t.Errorf("case %d: asked %d times", n, asked)
		}
	}
	if cases < 100 {
		t.Errorf("only %d cases", cases)
	}
}

// TestGreedyInterrupted ends the context in the middle: the smallest list so far is returned, and
// is not called minimal.
func TestGreedyInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	kept := 0
	got, minimal := minimise.Greedy(ctx, upTo(16), toyPhases,
		func(_ string, c minimise.Change[[]int]) ([]int, bool) {
			if kept++; kept == 2 {
				cancel()
			}
			return c.To, true
		})
	if minimal || len(got) != 4 {
		t.Errorf("%v, minimal %t, want the 4 that two halvings leave, not minimal", got, minimal)
	}
}
