package core

import (
	"fmt"
	"slices"

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
	// Initiators are the procs that a spontaneous Checkpoint of the environment goes to, one for
	// each recovery unit.
	Initiators []Proc
	Promises   Promises
}

// Group returns the procs that stop and restart with p, p included, in ascending order.
func (s *Setup) Group(p Proc) []Proc {
	if g, ok := s.Layout.Groups[p]; ok {
		return g
	}
	return []Proc{p}
}

// Who says which ranks a protocol rolls back.
type Who uint8

// The answers, from narrow to wide.
const (
	FailedOnly Who = iota // the failed rank itself
	Cluster               // every rank of the clusters that had a failed member
	Dependents            // whoever depends on a lost state
	All                   // every rank
)

// Determinism is what a protocol needs of its program, from nothing to everything.
type Determinism uint8

// The classes; each includes the one before.
const (
	NoDeterminism Determinism = iota
	Piecewise                 // receptions are the only nondeterminism
	// and the k-th send and the set of deliveries before it are the same in every run
	SendDeterministic
	Deterministic // and so is the order of deliveries
)

// String names the class.
func (d Determinism) String() string {
	return [...]string{"none", "piecewise", "send-deterministic", "deterministic"}[d]
}

// Promises is what a protocol declares; the judge picks properties from it and calls a run outside
// it out of model.
type Promises struct {
	// failed groups at one time that it survives, down or recovering; 0 means any number
	MaxFailures int
	RollsBack   Who         // who may lose work
	Needs       Determinism // of the program
	FIFO        bool        // channels must be FIFO and reliable
	Reliable    bool        // channels must neither lose nor duplicate, crashes aside
	Phases      bool        // stamps carry phases in the sense of HydEE
	LogsOutside bool        // only messages between clusters are logged
	Recovers    bool        // declares Recovered at the end of each recovery
	// keeps determinants and declares them; a message is stamped with the deliveries of its sender
	// before the send
	Holders bool
	// of a collective, keeps only what its root and the root's children need
	Minimal bool
	// Fetches: a restarted rank begins blank and gets its image by message, which it declares by
	// Resume.
	Fetches bool
	// KeepsCopies: a message to another cluster leaves only when its sender keeps a copy, until it
	// is stable at its receiver.
	KeepsCopies bool
	// KeepsLines: images are in the memory of other procs, and a rank whose image nobody keeps any
	// more may give up with a typed answer.
	KeepsLines bool
	// Holes: the places of deliveries in logs are ascending numbers, some of which may be left out.
	Holes bool
	// Suspicions is how many times in one run the detector, or a watchdog, may say of somebody who
	// lives that he is down; negative means any number.
	Suspicions int
	// RestartTogether: a restarted proc writes no record that the restart of a mate uses before all
	// mates are up.
	RestartTogether bool
	// Symmetric: nothing depends on the names of ranks but the order of effects within a step:
	// renaming the ranks of a setup renames its runs.
	Symmetric  bool
	Logging    string   // in words, as in Table 3.1 of [RADIC]: which messages who logs; "" = none
	Lines      string   // in words: how checkpoints are coordinated; "" = there are none
	StableKeys []string // prefixes of the records that it writes; nothing else may be stable
	// what may be decided; all procs that decide, decide the same. nil: nothing is
	Decisions []string
	// procs, from the first, that learn a decision that one of them makes, if no message is lost
	// and nobody fails; 0: nobody must
	Deciders int
	Register bool // clients see one register: their operations are linearizable
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
	if len(s.Layout.Names) > 1<<12 {
		return fmt.Errorf("setup %s: %d procs, at most %d are supported", s.Protocol,
			len(s.Layout.Names), 1<<12)
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
