package radic

import (
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// Kind is the type of a message.
type Kind uint8

// The messages and the fields that they carry. Ask, Transfer and Census name the Dead that the sender knows of. Rows are always those of the ranks that the message is about.
const (
	Carried  Kind = iota + 1 // of the protocol below: Wire, Content
	Ask                      // protector to spare: may you adopt the ranks of node About?
	Answer                   // spare: Yes or no; About
	Transfer                 // protector to spare or to another node: adopt the ranks; About, Rows
	Adopted                  // its answer: About, Rows
	Census                   // heir of a node that died while it was recovering others: what do you host? About
	Present                  // its answer: About, Rows
	Protect                  // to another node: host the loggers of these ranks; Rows
)

var kindNames = [...]string{"", "Carried", "Ask", "Answer", "Transfer", "Adopted", "Census", "Present", "Protect"}

// Row is the entry of the RADICTable for one rank.
type Row struct {
	_         struct{}  `cbor:",toarray"`
	Rank      core.Rank `json:"rank"`
	Host      core.Proc `json:"host"`
	Protector core.Proc `json:"protector"`
}

// Message is every message; Kind says which fields are set.
type Message struct {
	_       struct{} `cbor:",toarray"`
	Kind    Kind
	About   core.Proc
	Yes     bool
	Rows    []Row
	Dead    []core.Proc
	Wire    trace.Wire
	Content []byte
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
	case Answer:
		w.Text = fmt.Sprintf("%t", m.Yes)
	case Ask, Transfer, Adopted, Census, Present:
		w.Text = fmt.Sprintf("about %d", m.About)
	}
	return w
}
