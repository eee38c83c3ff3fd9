package recovery

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/link"
	"github.com/domino-check/domino/impl/protocol/part/snapshot"
	"github.com/domino-check/domino/spec/trace"
)

// Round numbers one evaluation of who must go back. The life of the recovery process is in the
// upper bits, so those of a new one are newer than all of the one before, which it does not
// remember. Data of a round has it for its Life. No round, 0, is the one of before any failure.
type Round = core.Incarnation

// roundBits are those of the number of a round within a life.
const roundBits = 20

// Image is what a line is computed from: an image of a rank, or its present state. It is plain
// data.
type Image struct {
	_      struct{} `cbor:",toarray"`
	Number uint32   `json:"number"` // at its rank, 0 is the beginning; never used again
	Index  uint32   `json:"index"`  // where images have one
	Why    string   `json:"why"`
	// by rank, the highest interval that it has received from, and numbers of the last messages
	Vector   link.Numbers `json:"vector"`
	Sent     link.Numbers `json:"sent"`
	Taken    link.Numbers `json:"taken"`
	Sends    uint32       `json:"sends"` // where the program stands
	Receives uint32       `json:"receives"`
}

// Report is what a rank says about itself in a round.
type Report struct {
	_      struct{} `cbor:",toarray"`
	Lost   bool     `json:"lost"`   // it has no state but its last image
	Images []Image  `json:"images"` // stable, ascending
	Now    Image    `json:"now"`    // its present state, if that is not lost
}

// clone is an independent copy: a message is valid during its step alone.
func (r *Report) clone() Report {
	c := Report{Lost: r.Lost, Images: slices.Clone(r.Images), Now: r.Now}
	own := func(i *Image) {
		i.Vector, i.Sent, i.Taken = slices.Clone(i.Vector), slices.Clone(i.Sent),
			slices.Clone(i.Taken)
	}
	for k := range c.Images {
		own(&c.Images[k])
	}
	own(&c.Now)
	return c
}

// Kind is the type of a control message.
type Kind uint8

// The messages between ranks and the recovery process, and the fields that they carry.
const (
	// rank: it is where it is to be in the round, or has restarted: Round, Life
	Hello  Kind = iota + 1
	Freeze      // process: a round begins: Round
	Told        // rank: what it has: Round, Life, Report
	// process: where the group is to go, or that it is there: Round, Life, There, Image, Cause
	Target
	Resume  // process: everybody is there: Round, Life, Counts (that others have of your messages)
	Saved   // rank: one more image is stable: Round, Report (with it alone)
	Collect // process: no failure needs older images: Image
	// rank to rank: no restart of mine needs messages of yours up to the number Image
	Trim
	Written // first member of a group to the process: the turn is written down: Round, Image, Cause
	Turn    // process to its members: it is: Round, Image, Cause
	// member of a group to the others: Notice, Counts (the highest indices for which the image is)
	Noticed
)

var kindNames = [...]string{"", "Hello", "Freeze", "Report", "Target", "Resume", "Saved", "Collect",
	"Trim", "Written", "Turn", "Notice"}

// roles are what the kinds are for.
func roles() trace.Roles {
	return snapshot.Roles().With(trace.RoleProgram, link.App).
		With(trace.RoleRecovery, "Hello Freeze Report Target Resume Written Turn").
		With(trace.RoleAcknowledgement, "Collect Trim")
}

// Control is every message but those of programs; Kind says which fields are set.
type Control struct {
	_      struct{} `cbor:",toarray"`
	Kind   Kind
	Round  Round
	Life   core.Incarnation
	There  bool
	Image  uint32
	Cause  core.Proc
	Counts link.Numbers
	Report *Report
	Notice *snapshot.Notice
}

// Message is every message of a protocol with this recovery.
type Message = link.Message[Control, *Control]

// Describe names the message.
func (c *Control) Describe() trace.Wire {
	w := trace.Wire{Kind: fmt.Sprintf("kind %d", c.Kind),
		Stamp: trace.Stamp{Round: uint64(c.Round)}, Text: "round " + name(c.Round)}
	if int(c.Kind) < len(kindNames) {
		w.Kind = kindNames[c.Kind]
	}
	switch {
	case c.Kind == Noticed && c.Notice != nil:
		return c.Notice.Describe()
	case c.Kind == Turn, c.Kind == Written:
		w.Text += fmt.Sprintf(": back to image %d", c.Image)
	case c.Kind == Target && c.There:
		w.Text += ": stay"
	case c.Kind == Target:
		w.Text += fmt.Sprintf(": back to image %d", c.Image)
	case c.Kind == Resume:
		w.Text += fmt.Sprintf(", they have %v", c.Counts.Values())
	case c.Kind == Saved && c.Report != nil && len(c.Report.Images) == 1:
		w.Text += fmt.Sprintf(", image %d", c.Report.Images[0].Number)
	case c.Kind == Collect:
		w.Text = fmt.Sprintf("before image %d", c.Image)
	case c.Kind == Trim:
		w.Text = fmt.Sprintf("up to number %d", c.Image)
	}
	return w
}

// name is a round as life.number.
func name(r Round) string { return fmt.Sprintf("%d.%d", r>>roundBits, r&(1<<roundBits-1)) }

// say is the effect that sends a control message.
func say(to core.Proc, c Control) core.Effect { return link.Say[Control](to, c) }
