package snapshot

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// Wiring is the channels that are marked in all groups, by rank, see Wired. Nil marks all pairs of
// members.
type Wiring struct{ into, out [][]core.Rank }

// NewWiring has the channels inside of groups on which ranks send (core.Targets), and those from
// the first member of each group to the others. Groups are ascending, and each rank is in one.
func NewWiring(to [][]core.Rank, groups [][]core.Rank) *Wiring {
	w := &Wiring{into: make([][]core.Rank, len(to)), out: make([][]core.Rank, len(to))}
	group := make([]int, len(to))
	for k, members := range groups {
		for _, r := range members {
			group[r] = k
		}
	}
	for r, list := range to {
		if members := groups[group[r]]; members[0] == core.Rank(r) {
			w.out[r] = members[1:]
			continue
		}
		for _, q := range list {
			if group[q] == group[r] {
				w.out[r] = append(w.out[r], q)
			}
		}
	}
	for r, list := range w.out {
		for _, q := range list {
			w.into[q] = append(w.into[q], core.Rank(r)) // ascending, as r is
		}
	}
	return w
}

// Beyond is the wiring of many ranks, so many that there would be too many markers between all
// pairs of members; nil of fewer. The error is that programs have too many channels.
func Beyond(ranks int, programs []core.Program, groups [][]core.Rank) (*Wiring, error) {
	if len(programs) <= ranks {
		return nil, nil
	}
	to, err := core.Targets(programs)
	if err != nil {
		return nil, err
	}
	return NewWiring(to, groups), nil
}

// Of is what Wires of a rank returns.
func (w *Wiring) Of(r core.Rank) (into, out []core.Rank, ok bool) {
	if w == nil {
		return nil, nil, false
	}
	return w.into[r], w.out[r], true
}

// Senders are those of whom a rank waits for markers, in the order of its Cut, where its group has
// these members.
func (w *Wiring) Senders(r core.Rank, members []core.Rank) []core.Rank {
	if w == nil {
		return members
	}
	return w.into[r]
}

// At is the place of a rank in an ascending list of which it is a member.
func At(members []core.Rank, r core.Rank) int {
	i, _ := slices.BinarySearch(members, r)
	return i
}
