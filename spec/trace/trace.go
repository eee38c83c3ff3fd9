// Package trace is the vocabulary in which every driver records what happened and in which every
// property is stated: processes, message identities, stamps, events and the histories that they
// fold into.
//
// A driver (the modelled world, the goroutine runtime, the cluster runtime) records events at its
// own boundary: what crossed from a program to its protocol, from a protocol to the network or the
// store, and what the environment did. A machine never writes its own evidence, but it may declare
// what nobody else sees (Kind.Declared). The package imports nothing of domino and knows no
// protocol.
package trace

import (
	"fmt"
	"math"
	"strings"
)

// Proc numbers any process of a run: ranks are [0, ranks), services (a recovery process, a logger)
// follow them.
type Proc uint32

// Rank numbers an application process; rank r is proc r.
type Rank uint32

// Proc is the process that runs the rank.
func (r Rank) Proc() Proc { return Proc(r) }

// Incarnation is the life number of a proc: 0 for the first life, one more at each restart. The
// environment gives it.
type Incarnation uint32

// MsgID names an application message independently of the run: the Number-th send (from 1) that the
// program of rank From executes, counted along its surviving history. A send that is executed again
// after a rollback keeps its name. The zero MsgID names no message.
type MsgID struct {
	_      struct{} `cbor:",toarray"`
	From   Rank     `json:"from"`
	Number uint32   `json:"number"`
}

// IsZero reports whether the id names no message.
func (id MsgID) IsZero() bool { return id.Number == 0 }

// Stamp is what a protocol wrote on a message and what the properties read there; zero where it
// does not stamp.
type Stamp struct {
	_ struct{} `cbor:",toarray"`
	// HydEE: sender's event counter after the send, from 1; determinants: deliveries of the sender
	// before the send
	Date  uint64 `json:"date,omitempty"`
	Phase uint64 `json:"phase,omitempty"` // HydEE: phase of the sender at the send, from 1
	// recovery round in which the message was put on the network
	Round uint64 `json:"round,omitempty"`
}

// Wire describes one message on the network for evidence and reports.
type Wire struct {
	Kind  string // name of the message type in the protocol, e.g. "App"
	ID    MsgID  // the application message carried, or zero for control traffic
	Stamp Stamp
	Text  string // remaining fields for a human reader, may be empty
}

// Kind says what happened in an Event.
type Kind uint8

// The kinds of events. ID, Peer, Stamp and Text carry what the comment says; all others are zero.
const (
	// the program executed a send: ID, Peer (destination), Digest of the payload
	Sent Kind = iota + 1
	// a message was put on the network: Peer, Stamp, Text (message kind), ID if it carries one
	Emitted
	Arrived // a message was taken from the network: Peer, Stamp, Text, ID
	// the program received: ID, Peer (source), Stamp, Digest of the payload
	Delivered
	Dropped // an input was ignored: Peer, ID, Text (reason)
	// a payload was put into a message log: ID, Peer (destination), Received (its place among the
	// deliveries there, 0 = unknown)
	Logged
	Pruned // a payload was removed from a message log: ID, Peer (destination)
	Stored // a record reached stable storage: Text (key)
	// the recovery line of the proc moved to Sent sends and Received deliveries
	Committed
	Crashed // the proc stopped
	Told    // the failure detector reported: Text (who is down)
	// a new incarnation started from stable storage at Sent sends and Received deliveries
	Restored
	Finished // the program ended: Digest of its state
	// an output left the system: Digest, Sent and Received where the program stands
	Released
	Halted   // the machine gave up with a typed answer: Text
	Decided  // the proc decided for good: Text (what)
	Invoked  // a client began an operation on the service: Text (the operation)
	Returned // the operation of the client ended: Text (the answer)
	// the proc declares that it keeps something for others in memory: Text (sort), ID, Peer,
	// Received, Sent, see Item
	Kept
	Forgotten // it keeps it no more: as Kept
	// the proc declares that its recovery is complete: what it held for others before the failure,
	// it holds again
	Recovered
	// from now on proc Peer runs on the node of this proc, and stops with it
	Adopted
	// a new incarnation got its image by message and is at Sent sends and Received deliveries
	Resumed
	Watched   // the proc starts a watchdog about Peer
	Unwatched // it has stopped it, or it has expired
	Disowned  // proc Peer does not run on the node of this proc any more
	Declared  // the proc says something about itself: Text
	// a snapshot of the job, or the part of one rank, reaches a stage: Text (Snap words), Stamp
	// (Date its number, Phase its epoch, Round the episode that it is about), Peer (whose part),
	// Digest of its bytes, Sent and Received where the part stands
	Snapped
	// a step of the answer to a failure or a prediction: Text (Rule words, and the policy that it
	// is about behind some), Peer (whom it is about), Stamp (Round the episode)
	Ruled
	// an image of the rank, which a recovery may go back to, is stable: Text (why it was taken: one
	// of the Image words), Stamp (Date its number at this rank, from 1, Phase its index where
	// images have one), Sent and Received where it stands
	Imaged
	// whoever finds the line that a recovery goes back to says where one rank is in it: Peer (the
	// rank), Sent and Received, Stamp (Round the recovery), Text (one of the Line words). One event
	// for each rank, in their order
	Lined
	// a rank that lives is about to go back: Peer (whose failure makes it), Stamp (Round the
	// recovery), Sent and Received where it will stand
	Undone
	// the network has lost a message on its way to the proc: Peer (sender), Stamp, Text (message
	// kind), ID; of what a crash takes there is no such event
	Lost
)

// Why an image was taken, the words of Imaged events.
const (
	ImageBasic  = "basic"  // the program or the environment asked for it
	ImageForced = "forced" // a message asked for it before its delivery
	ImageDrawn  = "drawn"  // an image of another rank asked for it
)

// What a recovery does with a rank, the words of Lined events.
const (
	LineBack  = "back"  // it goes back to an image, or to the beginning
	LineStays = "stays" // it lives and keeps its present state
)

var kindNames = [...]string{"", "sent", "emitted", "arrived", "delivered", "dropped", "logged",
	"pruned", "stored",
	"committed", "crashed", "told", "restored", "finished", "released", "halted", "decided",
	"invoked", "returned", "kept", "forgotten", "recovered",
	"adopted", "resumed", "watched", "unwatched", "disowned", "declared", "snapped", "ruled",
	"imaged", "lined", "undone", "lost"}

// String is the lower-case name of the kind.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", k)
}

// Declared reports whether machines declare events of the kind, so that nobody but them knows. All
// others are for drivers to see.
func (k Kind) Declared() bool {
	switch k {
	case Dropped, Logged, Pruned, Halted, Kept, Forgotten, Recovered, Adopted, Resumed, Disowned,
		Declared, Snapped, Ruled, Imaged, Lined, Undone:
		return true
	}
	return false
}

// MarshalText writes the name, so that JSON traces read well.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads the name.
func (k *Kind) UnmarshalText(text []byte) error {
	for i := Sent; int(i) < len(kindNames); i++ {
		if kindNames[i] == string(text) {
			*k = i
			return nil
		}
	}
	return fmt.Errorf("there is no kind of events %q", text)
}

// Event is one thing that happened at one proc. Which fields carry meaning depends on Kind.
type Event struct {
	Step        int         `json:"step"` // number of the schedule step that caused it, from 1
	Kind        Kind        `json:"kind"`
	Proc        Proc        `json:"proc"`
	Incarnation Incarnation `json:"incarnation"`
	Peer        Proc        `json:"peer"`
	ID          MsgID       `json:"id"`
	Stamp       Stamp       `json:"stamp"`
	Digest      uint64      `json:"digest,omitempty"`
	Sent        uint32      `json:"sent,omitempty"`
	Received    uint32      `json:"received,omitempty"`
	// Emitted: a copy from a log, not by the send itself
	Again bool   `json:"again,omitempty"`
	Text  string `json:"text,omitempty"`
}

// Trace is the record of one run.
type Trace struct {
	Layout Layout  `json:"layout"`
	Events []Event `json:"events"`
	// by event, nanoseconds since the run began; nil where there is no clock
	At []int64 `json:"at,omitempty"`
}

// Layout says who takes part in a run.
type Layout struct {
	Names []string `json:"names"` // one a proc; ranks first
	Ranks int      `json:"ranks"` // number of ranks, [0, len(Names)]
	// cluster of each rank, from 0; nil when every rank is alone
	Clusters []int `json:"clusters,omitempty"`
	// what the program calls its messages
	Labels map[MsgID]string `json:"-"`
	Trees  []Tree           `json:"trees,omitempty"` // groups for collectives
	// multicasts and contributions; the root's contribution names the result
	Collectives map[MsgID]Collective `json:"-"`
	// of programs with collectives written out as messages: what waits for a member that never
	// joins
	Unjoined []string `json:"-"`
	// procs that stop and restart together; absent = alone
	Groups map[Proc][]Proc `json:"-"`
	// logs and images in the memory of procs are declared, see Holding
	Holdings bool `json:"-"`
	// procs that start again only where a proc that is up has adopted them; true: their failure is
	// not reported on its own
	Hosted map[Proc]bool `json:"-"`
	// the node of each rank at the start; nil when ranks do not move
	Nodes []Proc `json:"-"`
	// nodes that are there to adopt the ranks of one other node
	Spares []Proc `json:"-"`
	// ranks that a spare has room for, 0 = any number
	Room int `json:"-"`
	// of the spares: those that are not there at the start
	Late []Proc `json:"-"`
	// nodes that their operator takes out, at any time
	Leaving []Proc `json:"-"`
	// what message kinds, and texts that are Declared, mean to the properties
	Kinds map[string]Meaning `json:"-"`
	Roles Roles              `json:"-"` // what message kinds are for, for reports
}

// Meaning classifies a message kind of a protocol, or what a proc says of itself, for properties
// that are stated on recovery and its control traffic.
type Meaning uint8

// The meanings that properties ask for.
const (
	// its stamped phase is a promise: no orphan of a lower phase is outstanding
	Gate Meaning = iota + 1
	// its sender has evaluated the channels for the round: from now on the round is about this life
	// of it
	Evaluated
	Question // it asks where a rank runs
	Replay   // it replaces a send whose message was received before the failure

	// Of what a node says of itself (Declared): ranks share a node with others from now on, because
	// no spare is left.
	Shares
	Enters // the node has come later, and everybody knows of it by now
	Leaves // the node stops now, as its operator wants it

	Asks // a message that passes on that a program, or the environment, asks for a checkpoint
)

// Name is the name of a proc, or its number when it has none.
func (l *Layout) Name(p Proc) string {
	if int(p) < len(l.Names) {
		return l.Names[p]
	}
	return fmt.Sprint(p)
}

// Label is what the program calls a message, or "from#number".
func (l *Layout) Label(id MsgID) string {
	if id.IsZero() {
		return "-"
	}
	if s, ok := l.Labels[id]; ok {
		return s
	}
	return fmt.Sprintf("%s#%d", l.Name(id.From.Proc()), id.Number)
}

// SameCluster reports whether two procs are ranks of one cluster.
func (l *Layout) SameCluster(a, b Proc) bool {
	if int(a) >= l.Ranks || int(b) >= l.Ranks {
		return false
	}
	if l.Clusters == nil {
		return a == b
	}
	return l.Clusters[a] == l.Clusters[b]
}

// Describe writes an event for a reader, without step and proc.
func (l *Layout) Describe(e Event) string {
	var b strings.Builder
	b.WriteString(e.Kind.String())
	what := l.Label(e.ID)
	if e.ID.IsZero() {
		what = e.Text
	} else if e.Kind == Emitted || e.Kind == Arrived || e.Kind == Dropped || e.Kind == Lost {
		what = e.Text + " " + what
	}
	switch e.Kind {
	case Sent, Emitted, Logged, Pruned:
		fmt.Fprintf(&b, " %s to %s", what, l.Name(e.Peer))
	case Arrived, Delivered, Dropped, Lost:
		fmt.Fprintf(&b, " %s from %s", what, l.Name(e.Peer))
	case Kept, Forgotten:
		if e.Text == Image {
			fmt.Fprintf(&b, " %s the image of %s at %d sent, %d delivered", what, l.Name(e.Peer),
				e.Sent, e.Received)
			break
		}
		fmt.Fprintf(&b, " %s (%s of %s, %d)", what, e.Text, l.Name(e.Peer), e.Received)
	case Adopted, Watched, Unwatched, Disowned:
		fmt.Fprintf(&b, " %s", l.Name(e.Peer))
	case Snapped:
		fmt.Fprintf(&b, " %s %d.%d of %s", e.Text, e.Stamp.Date, e.Stamp.Phase, l.Name(e.Peer))
	case Ruled:
		fmt.Fprintf(&b, " %s, %s (episode %d)", e.Text, l.Name(e.Peer), e.Stamp.Round)
	case Imaged:
		fmt.Fprintf(&b, " %s %d at %d sent, %d delivered", e.Text, e.Stamp.Date, e.Sent, e.Received)
		if e.Stamp.Phase != 0 {
			fmt.Fprintf(&b, " (index %d)", e.Stamp.Phase)
		}
	case Lined:
		fmt.Fprintf(&b, " %s %s, at %d sent, %d delivered (round %d)", l.Name(e.Peer), e.Text,
			e.Sent, e.Received, e.Stamp.Round)
	case Undone:
		fmt.Fprintf(&b, " by the failure of %s, back to %d sent, %d delivered (round %d)",
			l.Name(e.Peer), e.Sent, e.Received, e.Stamp.Round)
	case Committed, Restored, Resumed:
		fmt.Fprintf(&b, " at %d sent, %d delivered", e.Sent, e.Received)
	default:
		if e.Text != "" {
			b.WriteString(" " + e.Text)
		}
	}
	switch {
	case e.Kind != Emitted || e.Stamp.Date == 0 && e.Stamp.Phase == 0:
	case e.Stamp.Phase == math.MaxUint64: // as the last frontier of HydEE has it
		b.WriteString(" (every phase)")
	default:
		fmt.Fprintf(&b, " (date %d phase %d)", e.Stamp.Date, e.Stamp.Phase)
	}
	return b.String()
}
