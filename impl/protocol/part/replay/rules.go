package replay

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/snapshot"
)

// Gate says which sends wait until the determinants that they depend on are stable.
type Gate uint8

// The gates.
const (
	// NoGate: there are no determinants.
	NoGate Gate = iota
	// EverySend waits for the determinants of all receptions of its rank. Whoever has received from
	// a rank depends on stable receptions only, so nothing is piggybacked.
	EverySend
	// Border: only a send that leaves the group waits, for all determinants that it depends on;
	// those that are not known to be stable go along with the messages inside the group.
	Border
)

// Break is one way to get the recovery wrong, for the errata of protocols.
type Break uint8

// The breaks.
const (
	SendsAtOnce     Break = iota // no send waits
	LastUncounted                // the gate is checked before the determinant of the last reception
	OthersUnwritten              // at the border, only the determinants of the own receptions count
	InnerUnrecorded              // no determinants of receptions from the own group
	LogsUnsaved                  // the logs of senders are not in their images
	Doubles                      // what has been received is taken again
	ByArrival                    // a replay takes messages in the order of their arrival
	OutputsAtOnce                // no output waits
	SenderSilent                 // a restarted sender does not ask what got lost behind its image
	OwnFirst                     // a reception is stable before what it depends on
)

// Breaks is a set of them.
type Breaks uint16

// With is the set and one more.
func (s Breaks) With(b Break) Breaks { return s | 1<<b }

func (s Breaks) has(b Break) bool { return s>>b&1 != 0 }

// BreaksOf are the breaks of the errata that are switched on: list has that of each, by its number.
func BreaksOf(set core.Switches, list ...Break) (breaks Breaks) {
	for e, b := range list {
		if set.Has(core.Switch(e)) {
			breaks = breaks.With(b)
		}
	}
	return breaks
}

// Rules are what tells the protocols apart.
type Rules struct {
	Protocol string // its name, for what is refused
	Gate     Gate
	Alone    bool           // every rank restarts alone: there are no groups
	Style    snapshot.Style // of the checkpoints inside a group
	Breaks   Breaks
	// Few is the largest number of ranks that all hear of each other, 0 = core.MaxSearched: who
	// restarts says so to all outside its group, and checkpoints mark all pairs of members. With
	// more only those do that exchange messages: others have nothing to send again or to forget,
	// and nothing is on its way between them.
	Few int
}

func (r *Rules) few() int { return cmp.Or(r.Few, core.MaxSearched) }

// Greeted are the ranks outside the group of a rank that it tells that it has restarted, ascending.
func (r *Rules) Greeted(programs []core.Program, same func(a, b core.Rank) bool) (
	func(core.Rank) []core.Rank, error) {
	ranks := core.Rank(len(programs))
	if len(programs) <= r.few() {
		return func(self core.Rank) (list []core.Rank) {
			for q := range ranks {
				if !same(q, self) {
					list = append(list, q)
				}
			}
			return list
		}, nil
	}
	to, err := core.Targets(programs)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Protocol, err)
	}
	partners := core.Partners(to)
	return func(self core.Rank) []core.Rank {
		return slices.DeleteFunc(slices.Clone(partners[self]), func(q core.Rank) bool {
			return same(q, self)
		})
	}, nil
}
