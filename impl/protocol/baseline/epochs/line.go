package epochs

import (
	"math"
	"slices"
)

// mark is what the recovery process knows of one state that a rank can go back to, or is in.
type mark struct {
	_      struct{} `cbor:",toarray"`
	Number uint32   `json:"number"` // of the image, 0 for the beginning and the present state
	Epoch  uint32   `json:"epoch"`  // that begins with it, of the present state: that it is in
	Sent   []uint32 `json:"sent"`   // dates of the last messages, by rank
	Taken  []uint32 `json:"taken"`
	// largest epoch in which a message that is not logged was received, by receiver: SPE
	SPE []uint32 `json:"spe"`
	// of the program
	Sends      uint32 `json:"sends"`
	Deliveries uint32 `json:"deliveries"`
}

// clone is a copy that shares nothing.
func (m mark) clone() mark {
	m.Sent, m.Taken, m.SPE = slices.Clone(m.Sent), slices.Clone(m.Taken), slices.Clone(m.SPE)
	return m
}

// lives stands for an epoch in which nothing is undone, because the rank keeps its state.
const lives = math.MaxUint32

// line finds the states that ranks go back to. states are those of each rank, oldest first, the
// last one is where it is; live tells which ranks have not failed. The answer is a place in each
// list.
//
// Whoever goes back to the image that begins epoch e undoes all that it has received since, in e or
// later. Of that, it gets again what senders have in their logs or send again because they go back
// behind the send. So a state can be kept by its rank if no message that was sent before it and is
// not in its log was received in an epoch that is undone; otherwise the one before is tried, and
// what that undoes is looked at in its turn. Each rank goes back only as far as all such lines
// would have it: what is undone only grows, and a state that can not be kept now never can.
//
// The search ends above the smallest epoch at which a failed rank restarts: a message that is not
// logged was sent in no smaller epoch than it was received, so the image with which that epoch
// began does not have the send.
func line(states [][]mark, live []bool) []int {
	at := make([]int, len(states))
	undone := make([]uint32, len(states))
	for r := range states {
		at[r] = len(states[r]) - 1
		if undone[r] = lives; !live[r] {
			undone[r] = states[r][at[r]].Epoch
		}
	}
	for changed := true; changed; {
		changed = false
		for r := range states {
			for at[r] > 0 && !keeps(&states[r][at[r]], undone) {
				at[r]--
				undone[r], changed = states[r][at[r]].Epoch, true
			}
		}
	}
	return at
}

// keeps reports whether everything that was sent before the state and is undone is in its log.
func keeps(s *mark, undone []uint32) bool {
	for q, e := range s.SPE {
		if e >= undone[q] {
			return false
		}
	}
	return true
}
