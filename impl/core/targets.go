package core

import (
	"fmt"
	"slices"
)

// MaxTargets is the largest number of channels that Targets lists: as many as MaxSearched ranks
// have if each sends to each other one.
const MaxTargets = MaxSearched * MaxSearched

// Targets are the ranks to which each program may send, ascending and without itself: those that it
// names, or all others where it answers whoever it has received from, or sends what its kernel
// wants (OpFlush), or to a group. It is an error that they are more than MaxTargets in all.
func Targets(programs []Program) (to [][]Rank, err error) {
	to = make([][]Rank, len(programs))
	pairs := 0
	for r, p := range programs {
		list, anybody := targets(p, Rank(r))
		if pairs += len(list); anybody {
			pairs += len(programs) - 1 - len(list)
		}
		if pairs > MaxTargets {
			return nil, fmt.Errorf("the first %d of %d ranks send to %d others each on average: "+
				"at most %d such channels are supported", r+1, len(programs), pairs/(r+1),
				MaxTargets)
		}
		if anybody {
			list = list[:0]
			for q := range Rank(len(programs)) {
				if q != Rank(r) {
					list = append(list, q)
				}
			}
		}
		to[r] = list
	}
	return to, nil
}

// targets are the ranks that a program names, and whether it may send to any other one.
func targets(p Program, self Rank) (list []Rank, anybody bool) {
	for i := range p {
		switch op := &p[i]; {
		case op.Kind == OpSend && op.Any, op.Kind == OpFlush, op.Kind == OpMulticast,
			op.Kind == OpContribute:
			anybody = true
		case op.Kind == OpSend && op.Peer != self:
			list = append(list, op.Peer)
		}
	}
	slices.Sort(list)
	return slices.Compact(list), anybody
}

// Partners are with whom each program exchanges messages, by what they send (Targets), ascending.
func Partners(to [][]Rank) [][]Rank {
	with := make([][]Rank, len(to))
	for r, list := range to {
		for _, q := range list {
			with[r], with[q] = append(with[r], q), append(with[q], Rank(r))
		}
	}
	for r := range with {
		slices.Sort(with[r])
		with[r] = slices.Compact(with[r])
	}
	return with
}
