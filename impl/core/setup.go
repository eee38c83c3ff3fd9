package core

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// Setup is everything a driver needs to run a protocol: who takes part, how to make each machine,
// what stops together.
type Setup struct {
	Protocol string
	Layout   trace.Layout
	Programs []Program // one a rank
	// New makes the machine of a proc in its blank state, before Start or Restore. It must be pure.
	New func(Proc) Machine
	// NewMessage makes an empty message for the codec to fill.
	NewMessage func() Message
	// Reads returns whose stable records a new incarnation of the proc is handed; nil means only
	// its own.
	Reads func(Proc) []Proc
	// Watchers are the procs that the failure detector tells about every failure outside their own
	// group.
	Watchers []Proc
	// Watchdogs says that procs may watch others (Watch).
	Watchdogs bool
	// Saves says that a rank takes a checkpoint when it has recovered, which is part of that
	// ([RADIC] section 2.3.2, Table 2.1).
	Saves bool
	// Initiators are the procs that a spontaneous Checkpoint of the environment goes to, one for
	// each recovery unit.
	Initiators []Proc
	// Launched says that procs that run on nodes (Layout.Hosted) start again only when somebody
	// starts them (Launch), once for each time, and that their failures are reported apart from
	// those of their nodes. Each runs on the node of who has launched it, in its first life on the
	// one that Layout.Nodes names, whatever anybody says (Adopted, Disowned); it stops with it.
	// A watcher that restarts is told again of the nodes that are down (of Local).
	Launched bool
	// Local are the procs whose stable records lie on the disk of their node: when that crashes,
	// the disk is gone with it (fault.Model.Disks). One that is stopped (Kill), or crashes alone on
	// the node of somebody else, leaves its records there.
	Local []Proc
	// Spared are procs that are taken not to fail: a scenario that names no victims does not crash
	// them, one that wants to know what they are good for names them.
	Spared []Proc
	// Certain are procs that the detector never takes for down falsely: whoever reports the failure
	// of a node, say, has looked whether it has power, or has switched it off.
	Certain []Proc
	// Alike are procs that differ by their names only, ascending: when two of them are exchanged,
	// in all that machines and messages say (Renamer), every run is a run again. A search that
	// makes use of it checks it (checker.Ranks).
	Alike []Proc
	promise.Promises
}

// Group returns the procs that stop and restart with p, p included, in ascending order.
func (s *Setup) Group(p Proc) []Proc {
	if g, ok := s.Layout.Groups[p]; ok {
		return g
	}
	return []Proc{p}
}

// Validate reports what is missing or contradictory in what the setup is made for; ValidateCode,
// what is wrong with what the protocol has made of it.
func (s *Setup) Validate() error {
	n := s.Layout.Ranks
	if n < 0 || n == 0 && len(s.Layout.Names) == 0 { // services alone are fine
		return fmt.Errorf("setup %s: %d ranks, want at least 1", s.Protocol, n)
	}
	if len(s.Layout.Names) < n || len(s.Programs) != n {
		return fmt.Errorf("setup %s: %d ranks with %d names and %d programs", s.Protocol, n,
			len(s.Layout.Names), len(s.Programs))
	}
	if err := s.AtMost(MaxProcs); err != nil {
		return err
	}
	for r, p := range s.Programs {
		if err := p.Validate(Rank(r), n); err != nil {
			return err
		}
		if err := p.ValidateGroups(Rank(r), s.Layout.Trees, s.Layout.Names); err != nil {
			return fmt.Errorf("program of rank %d: %w", r, err)
		}
	}
	return nil
}

// The most procs of a setup, and of one that is searched, or run by real processes or goroutines:
// these have tables of pairs of procs, and 16 bits for a proc.
const (
	MaxProcs    = 1 << 17
	MaxSearched = 1 << 12
)

// AtMost reports more procs than a driver can take.
func (s *Setup) AtMost(procs int) error {
	if n := len(s.Layout.Names); n > procs {
		return fmt.Errorf("setup %s: %d procs, at most %d are supported", s.Protocol, n, procs)
	}
	return nil
}

// ChoiceError is an error about one thing that whoever asked for the setup has chosen, so that it
// can be reported at its place.
type ChoiceError struct {
	Key  string // of a scenario, or "program"
	Rank Rank   // whose program
	Err  error
}

// Error implements error.
func (e *ChoiceError) Error() string { return e.Err.Error() }

// Unwrap is the error itself.
func (e *ChoiceError) Unwrap() error { return e.Err }

// Labels returns what the programs call their messages; a label used for several sends gets the
// number appended.
func Labels(programs []Program) map[MsgID]string {
	labels := map[MsgID]string{}
	for r, p := range programs {
		if !slices.ContainsFunc(p, func(op Op) bool { return op.Label != "" }) {
			continue // programs of kernels are long when unrolled
		}
		count, seen := map[string]int{}, map[string]int{}
		sends := p.Sends()
		for _, op := range sends {
			count[op.Label]++
		}
		for k, op := range sends {
			if op.Label == "" {
				continue
			}
			seen[op.Label]++
			label := op.Label
			if count[op.Label] > 1 {
				label = fmt.Sprintf("%s.%d", op.Label, seen[op.Label])
			}
			labels[MsgID{From: Rank(r), Number: uint32(k + 1)}] = label
		}
	}
	return labels
}
