package recheck

import (
	"github.com/domino-check/domino/proofs/certificate"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// Subject is what a certificate is about: the machines, who is who, what the environment may do and
// what is promised. All of it is taken at its word.
type Subject struct {
	Machines
	Layout     *trace.Layout
	Groups     [][]trace.Proc // by proc: who stops with it, ascending
	Watchers   []trace.Proc   // are told of failures outside of their group
	Initiators []trace.Proc   // are asked for checkpoints
	Owners     [][]trace.Proc // by proc: whose records it is handed when it starts again
	Shared     bool           // some proc is handed records of another one
	Watchdogs  bool           // procs may watch others
	Certain    []trace.Proc   // are never reported falsely
	// procs that run on nodes (Layout.Hosted) start again only when somebody launches them
	Launched bool
	Disks    []trace.Proc // their records lie on the disk of their node
	Model    fault.Model
	Facts    *spec.Facts
	MustSee  []string
	Forced   bool // it counts also outside of what the protocol promises
}

// Machines runs the protocol, one step at a time.
type Machines interface {
	// Blank is the state of a proc before its first step, and before it is restored.
	Blank(p trace.Proc) []byte
	// Step is what a machine does with an input. The error says that it can not be: it panics,
	// breaks its contract, or does what is not modelled here (ErrBeyond).
	Step(l *certificate.Local, in *Input) (*Done, error)
	// Choices are the steps of its program that a proc may take in the state.
	Choices(p trace.Proc, state []byte) ([]int, error)
	// History is what the program of a rank has done by then; nil for a service.
	History(p trace.Proc, state []byte) (*trace.History, error)
	// Line reads and writes the history of a recovery line, Holding what a proc holds.
	Line(content []byte) (*trace.History, error)
	LineContent(h *trace.History) []byte
	Holding(content []byte) (*trace.Holding, error)
	HoldingContent(h *trace.Holding) []byte
}

// Happening says what an Input is.
type Happening uint8

// What may happen to a machine, and the fields of Input that say more.
const (
	Starts Happening = iota // its first life
	// a later life: Incarnation, Records, From if it has a host or is launched
	Restarts
	Arrives    // From, Message
	Stable     // a record is written: Key
	Loads      // a record is read back: Key, Records
	Fails      // others have stopped: Procs, Incarnation
	Ticks      // Timer
	Advances   // its program may go on: Choice
	Checkpoint // it is asked for one
	Expires    // its watchdog about a proc: From
	Stops      // somebody whom it wanted to be stopped is: From, Incarnation
	Refuses    // a record is not written, the store is full: Key
)

// Input is what happens to a machine.
type Input struct {
	Happening
	From        trace.Proc
	Incarnation trace.Incarnation
	Message     []byte
	Procs       []trace.Proc
	Records     []Owned
	Key, Timer  string
	Choice      int
}

// Owned is a stable record, and of whom.
type Owned struct {
	Owner trace.Proc
	certificate.Record
}

// Done is what a machine has done in a step.
type Done struct {
	State   []byte
	History *trace.History // as it is then; nil for a service
	// what is seen of the input by itself, before all effects, and of a restart
	First, Restored *trace.Event
	Effects         []Effect
}

// Act is what an effect asks of the environment.
type Act uint8

// The acts, and the fields of Effect that say more.
const (
	Declares Act = iota // nothing
	Leaves              // nothing, but nobody can take it back
	Sends               // To, Message
	Writes              // Key, Value
	Deletes             // Key
	Reads               // Key
	Sets                // Timer
	Commits             // Sent, Received
	RollsBack
	Exits     // it stops, with what runs on its node
	Watches   // To
	Unwatches // To
	Kills     // To is to be stopped
	Launches  // To is to be started: Key, Value
	// its proc is in its next life, though it has not stopped; before all others but Declares
	Renews
)

// Effect is one thing that a machine has done, and what is seen of it.
type Effect struct {
	Act
	Former         bool // Sends: by what is left of the life before
	To             trace.Proc
	Message        []byte
	Key, Timer     string
	Value          []byte
	Sent, Received uint32
	Event          *trace.Event // without number; nil if nobody sees it
}
