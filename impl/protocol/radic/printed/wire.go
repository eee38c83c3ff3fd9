package printed

import (
	"fmt"
	"maps"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// Kind is the type of a message.
type Kind uint8

// The messages and the fields that they carry.
const (
	Carried Kind = iota + 1 // of the logging protocol: Wire, Body; between ranks At, Life, Number
	// the error of a connection: the rank is not at At any more, here is what was sent to it
	Moved

	// 6.2.1
	Ask      // protector to spare: can you adopt? Rows
	Answer   // Yes: free; no: busy
	Transfer // protector to spare: Rows
	Adopted  // its answer
	WhereIs  // observer to protector: About, At, Dead
	Where    // answer: About, Place, Rows (one), Free
	Learn    // observer to its node: Rows (one), Free

	// 2.3.4
	Restored     // restarted observer to the node that it runs on
	Own          // answer: its own entry of the RADICTable: Rows
	SetProtector // observer to its node: Rows, with the new protector
	Protect      // that node to the new protector: Rows
	Begin        // new protector to logger: you run here now
	Renewed      // logger to its rank: it has begun on a new node
)

var kindNames = [...]string{"", "Carried", "Moved", "Ask", "Answer", "Transfer", "Adopted",
	"WhereIs", "Where", "Learn", "Restored", "Own", "SetProtector", "Protect", "Begin", "Renewed"}

// roles are what the kinds are for: those of the logging protocol, and the own ones.
func roles(below trace.Roles) trace.Roles {
	r := trace.Roles{}
	maps.Copy(r, below)
	return r.With(trace.RoleMembership, "Moved Ask Answer Transfer Adopted WhereIs Where Learn "+
		"Restored Own SetProtector Protect Begin Renewed")
}

// Place is how a protector answers an observer.
type Place uint8

// The answers.
const (
	Located Place = iota // it resides where its row says
	NotMine              // "no longer protecting such a process, and will point who is"
	Retry                // "checkpointing, restarting": another answer follows
)

// Row is the entry of the RADICTable for one rank: "process id, URI, URI of process protector, the
// Receive Sequence Number (RSN) and Send Sequence Number (SSN)". The logging protocol has the last
// two.
type Row struct {
	_         struct{}  `cbor:",toarray"`
	Rank      core.Rank `json:"rank"`
	Host      core.Proc `json:"host"`
	Protector core.Proc `json:"protector"`
}

// Message is every message; Kind says which fields are set.
type Message struct {
	_      struct{} `cbor:",toarray"`
	Kind   Kind
	About  core.Rank
	Yes    bool
	Place  Place
	Rows   []Row
	Free   []core.Proc // of the SpareTable: those with the status free
	Dead   []core.Proc
	At     core.Proc        // where the sender takes the receiver to be
	Life   core.Incarnation // of the sender: its connection
	Number uint32           // in the connection
	Wire   trace.Wire
	Body   []byte
}

// Describe implements core.Message.
func (m *Message) Describe() trace.Wire {
	switch {
	case m.Kind == Carried:
		return m.Wire
	case int(m.Kind) >= len(kindNames):
		return trace.Wire{Kind: fmt.Sprintf("kind %d", m.Kind)}
	}
	w := trace.Wire{Kind: kindNames[m.Kind]}
	switch m.Kind {
	case Moved:
		w.Text = m.Wire.Kind
	case Answer:
		w.Text = [...]string{"busy", "free"}[one(m.Yes)]
	case WhereIs:
		w.Text = fmt.Sprintf("about %d", m.About)
	case Where:
		w.Text = fmt.Sprintf("about %d: %s", m.About,
			[...]string{"located", "not mine", "retry"}[m.Place])
	}
	return w
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
