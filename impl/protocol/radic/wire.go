package radic

import (
	"fmt"
	"maps"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// Kind is the type of a message.
type Kind uint8

// The messages and the fields that they carry. About is a node, or in what observers ask a rank.
// Dead names nodes whose messages are to be refused from now on.
const (
	// of the protocol below: Wire, Body; between ranks also Host, At and Life
	Carried Kind = iota + 1
	// to a rank: nobody of the name runs at node At any more, here is what you sent: Wire, Body,
	// At, Life (of its sender)
	Moved
	Beat  // heartbeat
	Probe // do you live?
	Alive // its answer
	// answer of a node that has failed since, or is not part of this: I know nothing
	Nobody
	Link   // to a node: I am your protector now. Dead
	Linked // its answer: Rows of what it hosts
	// protector to spare: may you adopt these ranks of node About? Rows, Dead
	Ask
	Answer // spare: Yes or no; About
	// protector to spare or to another node: adopt the ranks. About, Rows, Dead
	Transfer
	Adopted // its answer: About, Rows, Yes or no
	// heir that does not know what the former protector has done: what do you host? About, Dead
	Census
	Present // its answer: About, Rows
	Protect // to another node: host the loggers of these ranks. Rows, Dead
	WhereIs // observer to protector: where is rank About, which is not at node At?
	Where   // its answer: About, Place, Rows (one)
	Learn   // observer to the protector of its own node: Rows (one)
	Join    // a new spare to everybody: I am here
	Welcome // answer: Rows, Free and Extra (spares), Dead
	Save    // node to its rank: take a checkpoint and stop, you will move
	Saved   // its answer
	Begin   // node to a proc that it has adopted: you run here now
	Fenced  // to a node: you were given up, stop
	// rank to its vault: Records (one), Life, Sent and Received of the image
	Store
	Stored   // its answer: Records (the key), Life, Sent and Received of the image
	Fetch    // restarted rank to its vault: Life
	Fetched  // its answer: Life, Yes or no, Records
	NewVault // vault that has lost everything, to its rank
	Back     // rank that has failed and is back, to its node that may be leaving
)

var kindNames = [...]string{"", "Carried", "Moved", "Beat", "Probe", "Alive", "Nobody", "Link",
	"Linked", "Ask", "Answer", "Transfer", "Adopted",
	"Census", "Present", "Protect", "WhereIs", "Where", "Learn", "Join", "Welcome", "Save", "Saved",
	"Begin", "Fenced", "Store", "Stored",
	"Fetch", "Fetched", "NewVault", "Back"}

// roles are what the kinds are for: those of the protocol below, and the own ones.
func roles(below trace.Roles) trace.Roles {
	r := trace.Roles{}
	maps.Copy(r, below)
	return r.With(trace.RoleMembership, "Moved Beat Probe Alive Nobody Link Linked Ask Answer "+
		"Transfer Adopted Census Present Protect WhereIs Where Learn Join Welcome Begin Fenced "+
		"Back").
		With(trace.RoleCheckpoint, "Save Saved Store Stored").
		With(trace.RoleRecovery, "Fetch Fetched NewVault")
}

// Place is how a protector answers an observer.
type Place uint8

// The answers.
const (
	Located Place = iota // as far as it knows, the rank is where its row says
	Wait                 // it is being restarted, another answer follows
	Unknown              // there is no such rank
)

// Row is the entry of the RADICTable for one rank. The thesis keeps SSN and RSN there as well; here
// they belong to the logging protocol.
type Row struct {
	_         struct{}  `cbor:",toarray"`
	Rank      core.Rank `json:"rank"`
	Host      core.Proc `json:"host"`
	Protector core.Proc `json:"protector"`
	Version   uint32    `json:"version"` // how often it has been moved
}

// Message is every message; Kind says which fields are set.
type Message struct {
	_              struct{} `cbor:",toarray"`
	Kind           Kind
	About          core.Proc
	Yes            bool
	Place          Place
	Rows           []Row
	Dead           []core.Proc
	Free           []core.Proc
	Extra          []core.Proc
	Host           core.Proc        // where the sender runs
	Life           core.Incarnation // of the sender
	At             core.Proc        // where the sender takes the receiver to be
	Records        []record
	Sent, Received uint32
	Wire           trace.Wire
	Body           []byte

	// inner is what Wire and Body say, as long as nobody needs them; it is valid as long as the
	// message is.
	inner core.Message
	spare core.Message // room for one that arrives in its fixed layout
}

// Describe implements core.Message.
func (m *Message) Describe() trace.Wire {
	switch {
	case m.Kind == Carried && m.inner != nil:
		return m.inner.Describe()
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
		w.Text = fmt.Sprintf("%t", m.Yes)
	case Ask, Transfer, Adopted, Census, Present, WhereIs:
		w.Text = fmt.Sprintf("about %d", m.About)
	case Where:
		w.Text = fmt.Sprintf("about %d: %s", m.About,
			[...]string{"located", "wait", "unknown"}[m.Place])
		if m.Place == Located {
			w.Text += fmt.Sprintf(" at %d", m.Rows[0].Host)
		}
	}
	return w
}
