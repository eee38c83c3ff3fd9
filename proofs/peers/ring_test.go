//go:build unix

package peers_test

import (
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

const (
	ringRounds   = 3 // of each node
	ringFailures = 2
)

// ring is so many nodes that log: each writes the number of its next round to stable storage when
// it has heard that the node before it is as far as itself, and says so to the next one when it is
// stable; also after each of its failures.
func ring(nodes int) (*core.Setup, fault.Model, error) {
	s := &core.Setup{
		Protocol:   "ring",
		Layout:     trace.Layout{Roles: trace.Roles{"Round": trace.RoleProgram}},
		NewMessage: func() core.Message { return new(roundMessage) },
		Promises:   promise.Promises{MaxFailures: -1},
		New: func(p core.Proc) core.Machine {
			return &node{next: (p + 1) % core.Proc(nodes)}
		},
	}
	for i := range nodes {
		s.Layout.Names = append(s.Layout.Names, fmt.Sprintf("n%d", i))
	}
	return s, fault.Model{Failures: ringFailures, Set: true, FromDead: fault.Every,
		KeepToDead: true, DetectAny: true}, s.Validate()
}

// roundMessage says in which round its sender is.
type roundMessage struct {
	_     struct{} `cbor:",toarray"`
	Round uint8
}

func (m *roundMessage) Describe() trace.Wire {
	return trace.Wire{Kind: "Round", Text: fmt.Sprint(m.Round)}
}

type node struct {
	next core.Proc
	s    nodeState
}

type nodeState struct {
	_       struct{} `cbor:",toarray"`
	Round   uint8    `json:"round"` // that is stable
	Heard   uint8    `json:"heard"` // of the node before
	Writing bool     `json:"writing"`
}

func (n *node) State() []any { return []any{&n.s} }

func (n *node) Choices(buf []core.Choice) []core.Choice {
	if n.s.Writing || n.s.Round == ringRounds || n.s.Heard < n.s.Round {
		return buf
	}
	return append(buf, 1)
}

func (n *node) Step(in core.Input, out []core.Effect) []core.Effect {
	switch in.Kind {
	case core.Advance:
		n.s.Writing = true
		return append(out, core.Effect{Kind: core.Persist, Key: "round",
			Value: []byte{n.s.Round + 1}})
	case core.Persisted:
		n.s.Writing = false
		n.s.Round++
		return n.tell(out)
	case core.Received:
		round := in.Message.(*roundMessage).Round
		if round <= n.s.Heard {
			return append(out, core.DropInput(in.From, core.MsgID{}, "known"))
		}
		n.s.Heard = round
	case core.Restore:
		if len(in.Records) > 0 {
			n.s.Round = in.Records[0].Value[0]
			return n.tell(out)
		}
	}
	return out
}

// tell lets the next node know.
func (n *node) tell(out []core.Effect) []core.Effect {
	return append(out, core.SendTo(n.next, &roundMessage{Round: n.s.Round}))
}
