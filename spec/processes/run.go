package processes

import (
	"fmt"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// What says what a mark is about.
type What uint8

// The marks of a life.
const (
	// a frame was given to the connection with Peer, for the life that is not over: Clock, Epoch
	Put    What = iota + 1
	Took        // a frame came from Life of Peer: Clock, and Epoch as far as it travels with it
	Learnt      // the news of failure Epoch has come: Procs
	// all was taken that came from Procs: Epoch; Open are those whose connections were not at their
	// end
	Agreed
	Writing // a record is about to be written: Key, Digest
	Erasing // a record is about to be deleted: Key
	// the last write of Key was refused; without a Key, all since the last Stable was
	Refused
	Stable // the disk has acknowledged all that was written and deleted so far
	Handed // the disk was read: Records
	Acked  // the machine was told that a write of Key is stable
)

// Mark is one thing that a life did, or that was done to it, below its machine.
type Mark struct {
	_       struct{} `cbor:",toarray"`
	What    What
	Peer    trace.Proc
	Life    trace.Incarnation // of the process, from 0
	Clock   uint64
	Epoch   uint64 // failures that are known
	Procs   []trace.Proc
	Open    []trace.Proc
	Key     string
	Digest  uint64
	Records []Record
	// clock of the step behind which it was written down; whoever reads the evidence sets it
	Step uint64 `cbor:"-"`
}

// Record is a record on a disk.
type Record struct {
	_      struct{} `cbor:",toarray"`
	Key    string
	Digest uint64
	Torn   bool
}

// Life is one process.
type Life struct {
	Proc    trace.Proc
	Number  trace.Incarnation // of the processes of the proc, from 0
	Clock   uint64            // when it was started
	Epoch   uint64            // failures that it was told of then
	Gone    []int             // by proc: lives that it was told are over
	InOrder bool              // it was not killed: its evidence is whole
	Marks   []Mark
}

// Failure is what all are to agree on: that lives of some procs are over, the newest of each.
type Failure struct {
	Procs []trace.Proc
	Lives []trace.Incarnation // of the processes
}

// Run is the evidence of all lives of one run.
type Run struct {
	Layout   *trace.Layout
	Complete bool // it has come to its end
	Nothing  bool // what comes from the dead is not heard when the news has come
	Lives    []Life
	Failures []Failure // failure Epoch is at Epoch-1
	// by proc: its disk is not judged, as it may be damaged, or goes with its node
	Untrusted []bool
}

// ConsistentCut: all that machines see of a failure is as if it were one event.
var ConsistentCut = spec.Property{Name: "consistent-cut", Kind: spec.Runtime,
	Source: "[Chandy-Lamport]; the package comment of impl/runtime/tcp/cluster",
	Needs:  "runs as processes (domino cluster)",
	Doc: "between the two sides of a failure there is a consistent cut: who lives agrees on " +
		"each failure once, in the order of all and when all is taken that comes from the dead; " +
		"takes nothing from a life that is over or that knows of more failures; and what one " +
		"life takes from another is a prefix of what was put there for it"}

// StableKept: what a disk has acknowledged is there.
var StableKept = spec.Property{Name: "stable-kept", Kind: spec.Runtime,
	Source: "the package comment of impl/runtime/disk",
	Needs:  "runs as processes (domino cluster)",
	Doc: "a life is handed the records that a prefix of the writes and deletions before has " +
		"left, and all that was acknowledged is in it; a record is torn only where that prefix " +
		"ends"}

// Properties are those that every run as processes is judged by.
func Properties() []spec.Property { return []spec.Property{ConsistentCut, StableKept} }

// Judge returns how the run breaks a property, nil if it does not. A run of which there is no
// evidence (nil) breaks none.
func (r *Run) Judge() *spec.Violation {
	if r == nil {
		return nil
	}
	if m := r.cut(); m != "" {
		return &spec.Violation{Property: ConsistentCut.Name, Message: m}
	}
	if m := r.kept(); m != "" {
		return &spec.Violation{Property: StableKept.Name, Message: m}
	}
	return nil
}

// life names one: the proc, and which of its processes.
func (r *Run) life(p trace.Proc, number trace.Incarnation) string {
	return fmt.Sprintf("%s/%d", r.Layout.Name(p), number)
}
