// Package none is the absence of a protocol: messages pass straight through, nothing is logged,
// nothing is saved, a failure loses the rank. It is the baseline of measurements and, because each
// message carries a clock of causality, the machine on which the failure-free behaviour of a
// program is explored.
package none

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// Message carries one payload. Past[r] is how many sends of rank r happened before this one (this
// one included).
type Message struct {
	_       struct{} `cbor:",toarray"`
	Past    []uint32
	Payload core.Payload
	Group   core.Group // multicast or contribution
	Part    bool       // contribution
}

// Describe implements core.Message.
func (m *Message) Describe() trace.Wire {
	return trace.Wire{Kind: "App", ID: m.Payload.ID, Text: fmt.Sprint("past ", m.Past)}
}

// Happened is Past, for whoever does not know this package.
func (m *Message) Happened() []uint32 { return m.Past }

type state struct {
	_       struct{}    `cbor:",toarray"`
	Past    []uint32    `json:"past"`
	Arrived [][]Message `json:"arrived"` // by source: ranks, then groups
	// root: contributions that wait for others, by group and member
	Parts [][]Message `json:"parts"`
}

type layer struct {
	rank  core.Rank
	ranks int
	trees []trace.Tree
	s     state

	sending Message // the message of a send, valid until the next step
}

// NewSetup prepares the programs without a protocol.
func NewSetup(layout trace.Layout, programs []core.Program) (*core.Setup, error) {
	return For(promise.Promises{}, layout, programs)
}

// For prepares the programs without a protocol, to run as they may over one with these promises.
func For(p promise.Promises, layout trace.Layout, programs []core.Program) (*core.Setup, error) {
	postsWait := p.PostsWait
	n := layout.Ranks
	layout.Labels = core.Labels(programs)
	layout.Roles = trace.Roles{"App": trace.RoleProgram}
	layout.Collectives = core.Collectives(programs, layout.Trees)
	s := &core.Setup{
		Protocol: "none", Layout: layout, Programs: programs,
		NewMessage: func() core.Message { return new(Message) },
		Promises: promise.Promises{MaxFailures: -1, FIFO: true, Reliable: true,
			PostsWait: postsWait},
		New: func(p core.Proc) core.Machine {
			h := program.NewHost(core.Rank(p), programs[p], func(core.Application) core.Layer {
				l := &layer{rank: core.Rank(p), ranks: n, trees: layout.Trees}
				l.s = state{Past: make([]uint32, n), Arrived: make([][]Message, n+len(l.trees)),
					Parts: make([][]Message, n*len(l.trees))}
				return l
			})
			if postsWait {
				return h.PostsWait()
			}
			return h
		},
	}
	return s, s.Validate()
}

func (l *layer) State() any { return &l.s }

// Ready implements core.Layer: nothing blocks.
func (l *layer) Ready(core.Rank) bool { return true }

func (l *layer) Sources(buf []core.Rank) []core.Rank {
	for q := range l.s.Arrived {
		switch {
		case len(l.s.Arrived[q]) == 0:
		case q < l.ranks:
			buf = append(buf, core.Rank(q))
		default:
			buf = append(buf, core.Group(q-l.ranks+1).Source())
		}
	}
	return buf
}

// Has implements core.Sourced.
func (l *layer) Has(source core.Rank) bool {
	at := int(source)
	if g, group := core.SourceGroup(source); group {
		at = l.ranks + int(g) - 1
	}
	return at < len(l.s.Arrived) && len(l.s.Arrived[at]) > 0
}

func (l *layer) Step(in core.Input, out []core.Effect) []core.Effect {
	switch in.Kind {
	case core.Start:
		return out
	case core.Send:
		l.s.Past[l.rank] = in.Payload.ID.Number
		l.sending.Past = append(l.sending.Past[:0], l.s.Past...)
		l.sending.Payload = in.Payload
		out, e := core.Add(out, core.SendMessage)
		e.To, e.Message = in.To.Proc(), &l.sending
		return out
	case core.Multicast, core.Contribute:
		return l.collective(in, out)
	case core.Received:
		m := in.Message.(*Message) // valid during this step alone
		past := slices.Clone(m.Past)
		if m.Part {
			return l.received(core.Rank(in.From),
				Message{Past: past, Payload: m.Payload, Group: m.Group, Part: true}, out)
		}
		to := int(in.From)
		if m.Group > 0 {
			to = l.ranks + int(m.Group) - 1
		}
		l.s.Arrived[to] = append(l.s.Arrived[to],
			Message{Past: past, Payload: m.Payload, Group: m.Group})
		return out
	case core.Receive:
		source := int(in.From)
		if g, ok := core.SourceGroup(core.Rank(in.From)); ok {
			source = l.ranks + int(g) - 1
		}
		m := core.Pop(&l.s.Arrived[source])
		l.learn(m.Past)
		out, e := core.Add(out, core.Deliver)
		e.From, e.Payload = m.Payload.ID.From.Proc(), m.Payload
		return out
	}
	return append(out, core.DropInput(in.From, core.MsgID{}, "no handler without a protocol"))
}

func (l *layer) learn(past []uint32) {
	for r, k := range past {
		l.s.Past[r] = max(l.s.Past[r], k)
	}
}

// collective sends a multicast to every member, or a contribution to the root, directly.
func (l *layer) collective(in core.Input, out []core.Effect) []core.Effect {
	l.s.Past[l.rank] = in.Payload.ID.Number
	m := Message{Past: append([]uint32(nil), l.s.Past...), Payload: in.Payload, Group: in.Group,
		Part: in.Kind == core.Contribute}
	t := &l.trees[in.Group-1]
	if m.Part {
		if t.Root() == l.rank {
			return l.received(l.rank, m, out)
		}
		return append(out, core.SendTo(t.Root().Proc(), &m))
	}
	for _, q := range t.Members[1:] {
		out = append(out, core.SendTo(q.Proc(), &m))
	}
	return out
}

// received takes a contribution; the last one of a round makes the result, in the order of the
// members, and puts it where the program finds it.
func (l *layer) received(from core.Rank, m Message, out []core.Effect) []core.Effect {
	t, parts := &l.trees[m.Group-1], l.s.Parts[int(m.Group-1)*l.ranks:]
	parts[from] = append(parts[from], m)
	result := Message{Past: make([]uint32, l.ranks), Group: m.Group}
	var data [][]byte
	for _, q := range t.Members {
		if len(parts[q]) == 0 {
			return out
		}
		data = append(data, parts[q][0].Payload.Data)
		for r, k := range parts[q][0].Past {
			result.Past[r] = max(result.Past[r], k)
		}
	}
	result.Payload = core.Payload{ID: parts[l.rank][0].Payload.ID,
		Data: core.Combine(t.Combine, data)}
	for _, q := range t.Members {
		parts[q] = parts[q][1:]
	}
	to := l.ranks + int(m.Group) - 1
	l.s.Arrived[to] = append(l.s.Arrived[to], result)
	return out
}
