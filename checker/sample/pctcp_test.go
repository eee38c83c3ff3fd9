package sample

import (
	"math/rand/v2"
	"testing"
)

// TestChains partitions random orders online, each event after its causes, and checks what the
// bound of PCTCP rests on: each chain is totally ordered, and there are at most w(w+1)/2 chains,
// where w is the width of the order, computed by a largest matching (Dilworth).
func TestChains(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	widest := 0
	for n := range 1000 {
		events := 1 + r.IntN(24)
		below := make([][]bool, events) // below[i][j]: j is a cause of i
		past := make([][]int32, events)
		members := map[int][]int{}
		var c chains
		for i := range events {
			below[i] = make([]bool, events)
			for range r.IntN(3) {
				if i > 0 {
					j := max(0, i-1-r.IntN(1+n%8))
					below[i][j] = true
					for k := range below[j] {
						below[i][k] = below[i][k] || below[j][k]
					}
				}
			}
			var known []int32
			for j := range i {
				for k := range past[j] {
					if below[i][j] {
						for len(known) <= k {
							known = append(known, 0)
						}
						known[k] = max(known[k], past[j][k])
					}
				}
			}
			chain := c.insert(known, r)
			for _, j := range members[chain] {
				if !below[i][j] {
					t.Fatalf(
						"order %d: event %d extends chain %d, but %d of that chain is no cause", n,
						i, chain, j)
				}
			}
			members[chain] = append(members[chain], i)
			for len(known) <= chain {
				known = append(known, 0)
			}
			known[chain] = int32(len(members[chain]))
			past[i] = known
		}
		w := width(below)
		widest = max(widest, w)
		if len(c.list) > w*(w+1)/2 {
			t.Errorf("order %d: %d chains for width %d", n, len(c.list), w)
		}
	}
	if widest < 6 {
		t.Errorf("the widest order has width %d", widest)
	}
}

// width is the size of the largest set of unordered events: their number less that of a largest
// matching of events with causes.
func width(below [][]bool) int {
	match := make([]int, len(below)) // by cause
	for i := range match {
		match[i] = -1
	}
	var augment func(i int, seen []bool) bool
	augment = func(i int, seen []bool) bool {
		for j, ok := range below[i] {
			if ok && !seen[j] {
				seen[j] = true
				if match[j] < 0 || augment(match[j], seen) {
					match[j] = i
					return true
				}
			}
		}
		return false
	}
	w := len(below)
	for i := range below {
		if augment(i, make([]bool, len(below))) {
			w--
		}
	}
	return w
}
