// Package fault is the failure model as data: how many failures, of whom, when, what the network
// and the detector may do around them. Drivers obey it; a scenario names it; a verdict repeats it,
// because a verdict holds only within it.
package fault

import (
	"errors"
	"fmt"
	"slices"

	"github.com/domino-check/domino/spec/trace"
)

// Survival says which messages in flight from a crashed proc still arrive.
type Survival uint8

// The answers.
const (
	// any prefix of each channel, chosen per channel (what a TCP peer may have read)
	Prefix  Survival = iota
	Every            // all of them
	Nothing          // none of them
)

// Disks says what becomes of the stable records that lie on the disk of a node when the node
// crashes (core.Setup.Local).
type Disks uint8

// The answers.
const (
	GoWithNode  Disks = iota // they are lost with it
	SurviveNode              // whoever runs there next has them
)

// Model is everything the environment may do. The zero value is a fault-free world with reliable
// FIFO channels.
type Model struct {
	Failures int `json:"failures"` // crashes of groups in all
	// groups that one crash may take together, at least 1; counts as so many failures
	AtOnce int `json:"atOnce"`
	// procs that may be down or recovering (see trace.Recovered) at one time; 0 = any number
	Overlap    int  `json:"overlap"`
	OneInstant bool `json:"oneInstant"` // all failures strike in one instant
	// every failure after the first waits until the recovery from the one before is over: all are
	// up, told, and where they were as far as anybody depends on it, and at one moment nothing was
	// in flight (checker/world, settled.go)
	Settled bool `json:"settled"`
	// spontaneous checkpoints that the environment may ask for
	Checkpoints int          `json:"checkpoints"`
	Victims     []trace.Proc `json:"victims"`   // procs whose group may crash; nil = every proc
	Staggered   bool         `json:"staggered"` // the members of a group stop one by one

	Unordered bool `json:"unordered"` // channels do not keep order
	// channels are sets, without order: a message stays when it arrives, and to send it again
	// changes nothing
	Set bool `json:"set"`
	// a message that its receiver would ignore stays in flight until it has a use for it
	Selective  bool     `json:"selective"`
	Loss       int      `json:"loss"`       // messages that the network may lose
	Duplicates int      `json:"duplicates"` // messages that the network may deliver twice
	FromDead   Survival `json:"fromDead"`   // in flight from a crashed proc
	// messages in flight to a crashed proc reach its next incarnation
	KeepToDead bool `json:"keepToDead"`

	// the detector reports all failures it knows of at once, not group by group
	Joint     bool `json:"joint"`
	DetectAny bool `json:"detectAny"` // Down may overtake the last messages of the failed proc
	// false alarms of the detector in the whole run, answered or not: a detector that errs for
	// ever, one alarm at a time, is beyond any budget
	Suspicions int `json:"suspicions"`
	// interrupted writes that leave a damaged record where there was none; an older value stays
	Torn int `json:"torn"`

	Disks Disks `json:"disks,omitempty"` // of nodes that crash
	// stable records that are gone one day, without anybody's doing, and nobody is told
	Lose int `json:"lose,omitempty"`
	// stable records that are read back with other bytes than were written (Damaged), and nothing
	// shows that it is so: this is what the sums of a protocol itself are for
	Corrupt int `json:"corrupt,omitempty"`
	Full    int `json:"full,omitempty"` // puts that are refused because the store is full
	// procs whose records are lost, corrupted, refused; nil = of every proc
	Spoiled []trace.Proc `json:"spoiled,omitempty"`
}

// Damages are the ways in which a record is corrupted.
const Damages = 2

// Damaged is the value of a record after one of the ways in which it is corrupted, in [0, Damages):
// the lowest bit of its last byte is another one, or the second half of it is gone. A value without
// bytes can not be: ok is false.
func Damaged(value []byte, way int) (damaged []byte, ok bool) {
	if len(value) == 0 {
		return nil, false
	}
	if way == 1 {
		return append([]byte{}, value[:len(value)/2]...), true
	}
	damaged = append([]byte{}, value...)
	damaged[len(damaged)-1] ^= 1
	return damaged, true
}

// DamageName is a way in which a record is corrupted in words: what is another or gone.
func DamageName(way int) string {
	if way == 1 {
		return "the second half"
	}
	return "the last bit"
}

// ChangeName is a change of the stable store that is done without anybody being told, in words: a
// delete, or a write of who stands still.
func ChangeName(gone bool) string {
	if gone {
		return "erased"
	}
	return "written"
}

// Spoils reports whether the records of a proc may be lost, corrupted or refused.
func (m *Model) Spoils(p trace.Proc) bool {
	return m.Spoiled == nil || slices.Contains(m.Spoiled, p)
}

// Validate reports values that make no sense and bounds beyond what the counters hold.
func (m *Model) Validate(procs int) error {
	for i := range Keys {
		if err := Keys[i].validate(m); err != nil {
			return err
		}
	}
	if err := m.validateNetwork(); err != nil {
		return err
	}
	for _, v := range m.Victims {
		if int(v) >= procs {
			return fmt.Errorf("victim %d does not exist, there are %d procs", v, procs)
		}
	}
	for _, v := range m.Spoiled {
		if int(v) >= procs {
			return fmt.Errorf("spoiled proc %d does not exist, there are %d procs", v, procs)
		}
	}
	return nil
}

// validateNetwork reports orders that contradict each other or the rest of the model.
func (m *Model) validateNetwork() error {
	switch {
	case m.Set && m.Unordered:
		return errors.New("a network is either a set or unordered")
	case m.Set && m.Duplicates > 0:
		return errors.New(
			"in a network that is a set every message may arrive again, a budget of duplicates " +
				"makes no sense")
	case m.Selective && m.KeepsOrder():
		return errors.New(
			"in a network that keeps order a message that stays would block its channel for ever")
	case m.KeepsIgnored() && m.Failures > 0 && m.FromDead == Every && !m.DetectAny:
		return errors.New("messages that stay do not all arrive before a failure is detected")
	}
	return nil
}

// KeepsOrder reports whether the channels are FIFO.
func (m *Model) KeepsOrder() bool { return !m.Unordered && !m.Set }

// KeepsIgnored reports whether a message that is ignored is as if it had not arrived: an arrival
// without any consequence is no event.
func (m *Model) KeepsIgnored() bool { return m.Set || m.Selective }

// Max is the largest budget of one kind.
const Max = 15

// AtATime is how many groups may have failed before the recovery from others of them is over.
func (m *Model) AtATime() int {
	n := m.Failures
	if m.Settled {
		n = min(n, m.Together())
	}
	if m.Overlap > 0 {
		n = min(n, m.Overlap)
	}
	return n
}

// Together is how many groups one crash may take.
func (m *Model) Together() int {
	if m.OneInstant {
		return max(1, m.Failures)
	}
	return max(1, m.AtOnce)
}
