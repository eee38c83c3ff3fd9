package kootoueg

import (
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/link"
	"github.com/domino-check/domino/spec/trace"
)

// Message is a message of a program, or one about checkpoints and rollbacks.
type Message = link.Message[Control, *Control]

// Kind is the type of a control message.
type Kind uint8

// The control messages and the fields that they carry.
const (
	// take a tentative image, if you have not sent what I have received up to Taken: Of, Life (of
	// the sender), Taken
	Request  Kind = iota
	Answer        // to a Request: Of, Yes, Ranks (that have taken an image below the sender)
	Decision      // of the root: Of, Yes
	Ask           // to the root: what has become of it? Of
	Done          // to the root: it is durable here that it is permanent: Of
	Covered       // my permanent image has your messages up to Taken
	// I have gone back, or (Prepared) am about to: Life (from which on I count), Sent (messages to
	// you that are left), Taken (of yours), Failed (because of whom), Of (the last checkpoint of
	// which I am the root)
	Back
	// to a Back, when whoever had to go back because of it is prepared: Life and Prepared (of the
	// Back), Now (the life from which on the sender counts), Sent, Taken, Ranks (that are prepared)
	Ready
	Rollback // go back now
)

var kindNames = [...]string{"Request", "Answer", "Decision", "Ask", "Done", "Covered", "Back",
	"Ready", "Rollback"}

// roles are what the kinds are for.
func roles() trace.Roles {
	return trace.Roles{}.With(trace.RoleProgram, link.App).
		With(trace.RoleCheckpoint, "Request Answer Decision Ask Done").
		With(trace.RoleAcknowledgement, "Covered").
		With(trace.RoleRecovery, "Back Ready Rollback")
}

// instance names one attempt at a checkpoint: its root, the life of that, the number of its image.
// Number 0 is none.
type instance struct {
	_      struct{}         `cbor:",toarray"`
	Root   core.Rank        `json:"root"`
	Life   core.Incarnation `json:"life"`
	Number uint32           `json:"number"`
}

// behind reports whether an instance is none that its root has begun after another one.
func (i instance) behind(j instance) bool {
	return i.Life < j.Life || i.Life == j.Life && i.Number <= j.Number
}

// Control is every message that carries no payload; Kind says which fields are set.
type Control struct {
	_        struct{} `cbor:",toarray"`
	Kind     Kind
	Of       instance
	Yes      bool
	Prepared bool
	Life     core.Incarnation
	Now      core.Incarnation
	Sent     uint32
	Taken    uint32
	Failed   core.Rank
	Ranks    []core.Rank
}

// Describe names the message.
func (c *Control) Describe() trace.Wire {
	w := trace.Wire{Kind: fmt.Sprintf("kind %d", c.Kind)}
	if int(c.Kind) < len(kindNames) {
		w.Kind = kindNames[c.Kind]
	}
	of := fmt.Sprintf("checkpoint %d of rank %d", c.Of.Number, c.Of.Root)
	switch c.Kind {
	case Request:
		w.Text = fmt.Sprintf("%s, received %d", of, c.Taken)
	case Answer, Decision:
		w.Text = fmt.Sprintf("%s: %s", of, map[bool]string{true: "yes", false: "no"}[c.Yes])
	case Ask, Done:
		w.Text = of
	case Covered:
		w.Text = fmt.Sprintf("up to %d", c.Taken)
	case Back:
		w.Text = fmt.Sprintf("life %d, sent %d, received %d", c.Life, c.Sent, c.Taken)
		if c.Prepared {
			w.Text += ", prepared"
		}
	case Ready:
		w.Text = fmt.Sprintf("life %d, received %d", c.Now, c.Taken)
	}
	return w
}

func say(to core.Rank, c Control) core.Effect { return link.Say(to.Proc(), c) }
