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
// one included); nil where there are no clocks.
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

// queue is messages that wait, oldest first.
type queue struct {
	_     struct{}  `cbor:",toarray"`
	Place core.Rank `cbor:"-" json:"-"`
	List  []Message `json:"list"`
}

// About implements core.Ranked.
func (q *queue) About() *core.Rank { return &q.Place }

// queues are by source, ranks and then groups, or by group and member.
type queues = core.ByRank[queue, *queue]

type state struct {
	_       struct{} `cbor:",toarray"`
	Past    []uint32 `json:"past"`
	Arrived queues   `json:"arrived"` // by source
	// root: contributions that wait for others, by group and member
	Parts queues `json:"parts"`
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
	return prepare(p, layout, programs, true)
}

// Bare is For without clocks: they have a number for each rank in every message, which many ranks
// have neither memory nor time for.
func Bare(p promise.Promises, layout trace.Layout, programs []core.Program) (*core.Setup, error) {
	return prepare(p, layout, programs, false)
}

func prepare(p promise.Promises, layout trace.Layout, programs []core.Program,
	clocks bool) (*core.Setup, error) {
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
				l.s = state{Arrived: core.NewByRank[queue](n + len(l.trees)),
					Parts: core.NewByRank[queue](n * len(l.trees))}
				if clocks {
					l.s.Past = make([]uint32, n)
				}
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
	for i := range l.s.Arrived {
		switch q := &l.s.Arrived[i]; {
		case len(q.List) == 0:
		case int(q.Place) < l.ranks:
			buf = append(buf, q.Place)
		default:
			buf = append(buf, core.Group(int(q.Place)-l.ranks+1).Source())
		}
	}
	return buf
}

// Has implements core.Sourced.
func (l *layer) Has(source core.Rank) bool {
	q := l.s.Arrived.Find(l.place(source))
	return q != nil && len(q.List) > 0
}

// place is that of a source among the queues.
func (l *layer) place(source core.Rank) core.Rank {
	if g, group := core.SourceGroup(source); group {
		return l.group(g)
	}
	return source
}

// group is the place of a group.
func (l *layer) group(g core.Group) core.Rank { return core.Rank(l.ranks + int(g) - 1) }

// put adds a message to those of a source.
func (l *layer) put(place core.Rank, m Message) {
	q := l.s.Arrived.At(place)
	q.List = append(q.List, m)
}

// counted is the clock after a send; nil where there is none.
func (l *layer) counted(id core.MsgID) []uint32 {
	if l.s.Past != nil {
		l.s.Past[l.rank] = id.Number
	}
	return l.s.Past
}

func (l *layer) Step(in core.Input, out []core.Effect) []core.Effect {
	switch in.Kind {
	case core.Start:
		return out
	case core.Send:
		l.sending.Past = append(l.sending.Past[:0], l.counted(in.Payload.ID)...)
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
		to := core.Rank(in.From)
		if m.Group > 0 {
			to = l.group(m.Group)
		}
		l.put(to, Message{Past: past, Payload: m.Payload, Group: m.Group})
		return out
	case core.Receive:
		m := core.Pop(&l.s.Arrived.At(l.place(core.Rank(in.From))).List)
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
	m := Message{Past: append([]uint32(nil), l.counted(in.Payload.ID)...), Payload: in.Payload,
		Group: in.Group, Part: in.Kind == core.Contribute}
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
	t := &l.trees[m.Group-1]
	parts := func(q core.Rank) *queue {
		return l.s.Parts.At(core.Rank(int(m.Group-1)*l.ranks) + q)
	}
	sent := parts(from)
	sent.List = append(sent.List, m)
	result := Message{Past: make([]uint32, len(l.s.Past)), Group: m.Group}
	var data [][]byte
	for _, q := range t.Members {
		list := parts(q).List
		if len(list) == 0 {
			return out
		}
		data = append(data, list[0].Payload.Data)
		for r, k := range list[0].Past {
			result.Past[r] = max(result.Past[r], k)
		}
	}
	result.Payload = core.Payload{ID: parts(l.rank).List[0].Payload.ID,
		Data: core.Combine(t.Combine, data)}
	for _, q := range t.Members {
		p := parts(q)
		p.List = p.List[1:]
	}
	l.put(l.group(m.Group), result)
	return out
}
