package simulate

import (
	"cmp"
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/kernels"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/spec/trace"
)

// MaxPairs is the largest number of ordered pairs of ranks of which the first sends to the second:
// both keep something about each other. With so many, 65,536 ranks have 128 partners each.
const MaxPairs = 1 << 23

// sampled is how many ranks tell what a kernel is like that has too many pairs: programs of one in
// which each rank sends to each other one take long to make.
const sampled = 32

// Fits reports a kernel that there would not be memory for with so many ranks, before its programs
// are kept.
func Fits(kernel string, ranks int) error {
	pairs, least := 0, ranks
	seen := make([]int, max(ranks, 0)) // by rank, the program that has named it last, plus one
	return kernels.Each(fmt.Sprintf("%s ranks=%d", kernel, ranks), func(rank int, p core.Program,
		_ []trace.Tree) error {
		before := pairs
		for i := range p {
			op := &p[i]
			if op.Kind == core.OpSend && !op.Any && seen[op.Peer] != rank+1 {
				seen[op.Peer] = rank + 1
				pairs++
			}
		}
		least = min(least, pairs-before)
		if pairs > MaxPairs || rank == sampled && least*ranks > MaxPairs {
			return fmt.Errorf("simulate: kernel %s: with %d ranks, the first %d send to %d others "+
				"each on average, and both ends keep something about each other: at most %d such "+
				"pairs are supported", kernel, ranks, rank+1, pairs/(rank+1), MaxPairs)
		}
		return nil
	})
}

// many reports a protocol that keeps something about every pair of ranks, of which there are too
// many.
func many(p *protocol.Protocol, ranks int) error {
	if !p.Many && ranks > core.MaxSearched {
		why := cmp.Or(p.Dense, "it keeps something about every pair of ranks")
		return fmt.Errorf("simulate: protocol %s: %d ranks, at most %d are supported: %s", p.Name,
			ranks, core.MaxSearched, why)
	}
	return nil
}
