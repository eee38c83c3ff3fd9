// Package fault is the failure model as data: how many failures, of whom, when, what the network and the detector may do
// around them. Drivers obey it; a scenario names it; a verdict repeats it, because a verdict holds only within it.
package fault

import (
	"fmt"

	"github.com/domino-check/domino/spec/trace"
)

// Survival says which messages in flight from a crashed proc still arrive.
type Survival uint8

// The answers.
const (
	Prefix  Survival = iota // any prefix of each channel, chosen per channel (what a TCP peer may have read)
	Every                   // all of them
	Nothing                 // none of them
)

// Model is everything the environment may do. The zero value is a fault-free world with reliable FIFO channels.
type Model struct {
	Failures    int          `json:"failures"`    // crashes of groups in all
	AtOnce      int          `json:"atOnce"`      // groups that one crash may take together, at least 1; counts as so many failures
	OneInstant  bool         `json:"oneInstant"`  // all failures strike in one instant
	Settled     bool         `json:"settled"`     // every failure after the first waits until all are up and nothing is in flight
	Checkpoints int          `json:"checkpoints"` // spontaneous checkpoints that the environment may ask for
	Victims     []trace.Proc `json:"victims"`     // procs whose group may crash; nil = every proc
	Staggered   bool         `json:"staggered"`   // the members of a group stop one by one

	Unordered  bool     `json:"unordered"`  // channels do not keep order
	Loss       int      `json:"loss"`       // messages that the network may lose
	Duplicates int      `json:"duplicates"` // messages that the network may deliver twice
	FromDead   Survival `json:"fromDead"`   // in flight from a crashed proc
	KeepToDead bool     `json:"keepToDead"` // messages in flight to a crashed proc reach its next incarnation

	Joint      bool `json:"joint"`      // the detector reports all failures it knows of at once, not group by group
	DetectAny  bool `json:"detectAny"`  // Down may overtake the last messages of the failed proc
	Suspicions int  `json:"suspicions"` // false alarms of the detector
	Torn       int  `json:"torn"`       // interrupted writes that leave a damaged record
}

// Validate reports values that make no sense and bounds beyond what the counters hold.
func (m *Model) Validate(procs int) error {
	for _, b := range []struct {
		name  string
		value int
	}{{"failures", m.Failures}, {"at-once", m.AtOnce}, {"checkpoints", m.Checkpoints}, {"loss", m.Loss},
		{"duplicates", m.Duplicates}, {"suspicions", m.Suspicions}, {"torn", m.Torn}} {
		if b.value < 0 || b.value > Max {
			return fmt.Errorf("budget %s is %d, want [0, %d]", b.name, b.value, Max)
		}
	}
	for _, v := range m.Victims {
		if int(v) >= procs {
			return fmt.Errorf("victim %d does not exist, there are %d procs", v, procs)
		}
	}
	return nil
}

// Max is the largest budget of one kind.
const Max = 15

// Together is how many groups one crash may take.
func (m *Model) Together() int {
	if m.OneInstant {
		return max(1, m.Failures)
	}
	return max(1, m.AtOnce)
}
