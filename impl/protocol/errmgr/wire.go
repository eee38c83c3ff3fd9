package errmgr

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/errmgr/policy"
	"github.com/domino-check/domino/impl/protocol/errmgr/sstore"
	"github.com/domino-check/domino/spec/trace"
)

// Kind is the kind of a message.
type Kind uint8

// The messages, by who sends them to whom. All carry the episode (Epoch) in which they were sent;
// who is in a later one drops them.
const (
	// rank to rank

	App    Kind = iota + 1 // of the program: Number, Life (of the sender), ToLife, Payload
	Marker                 // nothing of before the pause Snap (or Move) comes behind it

	// head to rank

	Quiesce // stand still for Snap, or for Move, in which Ranks move
	Resume  // leave the pause, run: of Snap, of Move or of the episode
	Sustain // Ranks are gone for good: run on without them
	Replay  // Ranks have restarted from Snap, as Lives: send them again what they are to receive
	Rewire  // Ranks run elsewhere from now on, as Lives
	Covered // Snap is established: what it covers need not be kept, outputs before it may leave

	// rank to head

	Still        // it stands still, for Snap or Move, and has nothing to save
	Restored     // it runs, from Snap or Move: Life, Digest of the bytes; it waits for Resume
	SustainAck   // it runs on
	RewireAck    // it knows
	Report       // Ranks seem to be dead, as Lives
	WantSnapshot // an output waits for a snapshot that covers it

	// rank to the daemon of its node

	Save // its image for Snap or Move: Data

	// head to daemon

	Stabilise // Ranks (Lives) and Nodes are lost: stop those here, copy no more
	Fence     // stop every rank that runs here
	Copy      // copy the file of Ranks[0] of Snap to Nodes: a token
	Keep      // Snap is established: the cache may let go of older ones
	Void      // Snap never will be: delete its files
	Restart   // start Ranks[0] from Snap as Lives[0]: File (what it must be), Sources
	Carry     // hand the image of Ranks[0] of Move to the daemon Nodes[0]
	Release   // the move is final: start Ranks from their images or, if Missing, stop them
	Drop      // the move is off: forget its images
	Drain     // this node is given up: flush or forget what is queued
	AbortAll  // stop every rank, start nobody any more

	// daemon to head

	StableAck
	FenceAck
	LocalDone  // the file of Ranks[0] of Snap is on the node, read back: File
	RestartNak // Ranks[0] can not be started from Snap: Sources that failed, Reason
	Carried    // the image of Ranks[0] of Move is here, read back: File
	ReleaseAck // Ranks are stopped, as Lives
	DrainAck
	AbortAck

	// between those who hold files: daemons and the store

	Put // keep the file of Ranks[0] of Snap, or the image of Move: File, Data
	Get // send it
	Got // here it is: File, Data; Missing: it is not there, or can not be read

	// holder to head

	CopyDone // the file of Ranks[0] of Snap is here, read back: File; Missing: it is not, Reason
	DropFile // head to holder: delete the files of Snap

	// oracle and head

	Predict // Prediction
	Answer  // what becomes of it: Reason
)

// SnapID and File are what package sstore speaks of.
type (
	SnapID = sstore.SnapID
	File   = sstore.File
)

// Message is every message of the composite; Kind says which fields it has.
type Message struct {
	_      struct{} `cbor:",toarray"`
	Kind   Kind
	Epoch  uint32
	Snap   SnapID
	Move   uint32 // number of a migration, from 1; 0 = it is about a snapshot
	Number uint32 // App: its place on the channel
	Life   core.Incarnation
	ToLife core.Incarnation // App: the life that it is for
	Ranks  []core.Rank
	Lives  []core.Incarnation // one for each of Ranks
	Nodes  []core.Proc
	File   File
	Data   []byte
	Digest uint64

	Sources    []core.Proc // who has the file, in this order; a daemon itself: its cache
	Missing    bool
	Reason     string
	Prediction Prediction
	Payload    core.Payload
	Group      core.Group // App: a multicast, or with Part a contribution
	Part       bool
}

// Prediction says who will fail, see package policy.
type Prediction = policy.Prediction

var kindNames = [...]string{"", "App", "Marker", "Quiesce", "Resume", "Sustain", "Replay", "Rewire",
	"Covered", "Still", "Restored", "SustainAck", "RewireAck", "Report", "WantSnapshot", "Save",
	"Stabilise", "Fence", "Copy", "Keep", "Void", "Restart", "Carry", "Release", "Drop", "Drain",
	"AbortAll", "StableAck", "FenceAck", "LocalDone", "RestartNak", "Carried", "ReleaseAck",
	"DrainAck", "AbortAck", "Put", "Get", "Got", "CopyDone", "DropFile", "Predict", "Answer"}

// roles are what the kinds are for.
func roles() trace.Roles {
	return trace.Roles{}.With(trace.RoleProgram, "App").With(trace.RoleMarker, "Marker").
		With(trace.RoleAcknowledgement, "Covered").
		With(trace.RoleCheckpoint, "Quiesce Still WantSnapshot Save Copy Keep Void LocalDone "+
			"Put Get Got CopyDone DropFile").
		With(trace.RoleRecovery, "Resume Sustain Replay Restored SustainAck Report Stabilise "+
			"Fence Restart Drain AbortAll StableAck FenceAck RestartNak DrainAck AbortAck").
		With(trace.RoleMembership, "Rewire RewireAck Carry Carried Release ReleaseAck Drop").
		With(trace.RoleControl, "Predict Answer")
}

// own is the message with lists that may be kept: those of a message that has arrived are valid
// during the step alone, but for bytes, which nobody changes.
func (m *Message) own() *Message {
	c := *m
	c.Ranks, c.Lives = slices.Clone(m.Ranks), slices.Clone(m.Lives)
	c.Nodes, c.Sources = slices.Clone(m.Nodes), slices.Clone(m.Sources)
	p := &c.Prediction
	p.Ranks, p.Nodes, p.Suggest = slices.Clone(p.Ranks), slices.Clone(p.Nodes),
		slices.Clone(p.Suggest)
	return &c
}

// Describe implements core.Message.
func (m *Message) Describe() trace.Wire {
	text := "episode " + trace.Episode(uint64(m.Epoch))
	if m.Snap.Seq != 0 {
		text += " snapshot " + called(m.Snap)
	}
	if m.Move != 0 {
		text += fmt.Sprintf(" move %d", m.Move)
	}
	return trace.Wire{Kind: kindNames[m.Kind], ID: m.Payload.ID,
		Stamp: trace.Stamp{Round: uint64(m.Epoch)}, Text: text}
}
