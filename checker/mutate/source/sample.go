package source

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
)

// Sample takes n of the mutants, spread over packages alike and over the operators of each as they
// are; the same seed takes the same ones while they are there. They stay in their order.
func Sample(mutants []*Mutant, n int, seed uint64) []*Mutant {
	if n <= 0 || n >= len(mutants) {
		return mutants
	}
	strata := map[string][]*Mutant{}
	sizes := map[string]int{} // of packages
	for _, m := range mutants {
		strata[m.Package+" "+m.Operator] = append(strata[m.Package+" "+m.Operator], m)
		sizes[m.Package]++
	}
	type ticket struct {
		*Mutant
		turn float64
	}
	var tickets []ticket
	for _, list := range strata {
		slices.SortFunc(list, func(a, b *Mutant) int {
			return cmp.Or(cmp.Compare(a.hash(seed), b.hash(seed)), cmp.Compare(a.Number, b.Number))
		})
		for i, m := range list {
			// the share of its package that is taken before it, were each operator taken alike
			turn := (float64(i) + 0.5) / float64(len(list))
			tickets = append(tickets, ticket{m, turn * float64(sizes[m.Package])})
		}
	}
	slices.SortFunc(tickets, func(a, b ticket) int {
		return cmp.Or(cmp.Compare(a.turn, b.turn), cmp.Compare(a.Number, b.Number))
	})
	var some []*Mutant
	for _, t := range tickets[:n] {
		some = append(some, t.Mutant)
	}
	slices.SortFunc(some, func(a, b *Mutant) int { return cmp.Compare(a.Number, b.Number) })
	return some
}

// hash is the place of a mutant in a random order.
func (m *Mutant) hash(seed uint64) uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, seed, m.Name())
	x := h.Sum64()
	x ^= x >> 33 // the last bytes must reach all bits
	x *= 0xff51afd7ed558ccd
	return x ^ x>>33
}
