package radic

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// A logging protocol without loggers (SBML) writes its images to a stable store. On nodes there is
// none: a disk is lost with its node. So the protector of a rank keeps the image, in a proc that
// takes the place of the logger: the vault. What the rank writes goes there, what it reads at a
// restart comes from there, and a vault that has been lost asks for everything again.

// record is one value of the store.
type record struct {
	_     struct{} `cbor:",toarray"`
	Key   string   `json:"key"`
	Value []byte   `json:"value"`
}

// vaultState is what a vault keeps for its rank.
type vaultState struct {
	_       struct{}         `cbor:",toarray"`
	Life    core.Incarnation `json:"life"`  // newest one of the rank that has asked for its records
	Found   bool             `json:"found"` // it has what the rank has written, be it nothing
	Records []record         `json:"records"`
}

// vault is the machine that keeps the records of one rank.
type vault struct {
	core.Service
	owner core.Rank
	s     vaultState
}

func (v *vault) State() []any { return []any{&v.s} }

func (v *vault) Step(in core.Input, out []core.Effect) []core.Effect {
	s, owner := &v.s, v.owner.Proc()
	switch in.Kind {
	case core.Start:
		s.Found = true
		return append(out, core.Kept(trace.Item{Sort: trace.Image, Peer: owner}))
	case core.Restore:
		return append(out, core.SendTo(owner, &Message{Kind: NewVault}))
	case core.Received:
		m := in.Message.(*Message)
		if m.Life < s.Life || m.Kind != Store && m.Kind != Fetch {
			return append(out, core.DropInput(in.From, core.MsgID{},
				"from a former life, or no message of a store"))
		}
		s.Life = m.Life
		if m.Kind == Fetch {
			return append(out, core.SendTo(owner,
				&Message{Kind: Fetched, Life: m.Life, Yes: s.Found, Records: s.Records}))
		}
		r := m.Records[0]
		s.Found = true
		s.Records = append(slices.DeleteFunc(slices.Clone(s.Records), func(o record) bool {
			return o.Key == r.Key
		}), r)
		return append(out, core.Kept(trace.Item{Sort: trace.Image, Peer: owner, Past: m.Sent,
			Number: m.Received}),
			core.SendTo(owner, &Message{Kind: Stored, Life: m.Life, Sent: m.Sent,
				Received: m.Received, Records: []record{{Key: r.Key}}}))
	}
	return append(out, core.DropInput(in.From, core.MsgID{}, "no handler"))
}

// storedState is the end of the store at the rank.
type storedState struct {
	_    struct{}         `cbor:",toarray"`
	Life core.Incarnation `json:"life"`
	// the records are not here yet, so the protocol below has not begun
	Fetching bool      `json:"fetching"`
	Bare     bool      `json:"bare"` // the vault has lost everything meanwhile
	Halted   bool      `json:"halted"`
	Writing  []Message `json:"writing"` // on their way to the vault
	Early    []early   `json:"early"`   // what came before the records
}

// early is a message that came while the records were fetched.
type early struct {
	_       struct{} `cbor:",toarray"`
	From    core.Proc
	Content []byte
}

// stored is a rank whose store is a vault. Messages of its own are *Message, those of the protocol
// below are what they are.
type stored struct {
	*config
	rank       core.Rank
	inner      core.Machine
	newMessage func() core.Message
	s          storedState
	effects    []core.Effect
}

func (m *stored) State() []any { return append(m.inner.State(), &m.s) }

// History is what the program has done along its surviving past; the caller must not change it.
func (m *stored) History() *trace.History {
	return m.inner.(interface{ History() *trace.History }).History()
}

func (m *stored) Choices(buf []core.Choice) []core.Choice {
	if m.s.Fetching || m.s.Halted {
		return buf
	}
	return m.inner.Choices(buf)
}

func (m *stored) Step(in core.Input, out []core.Effect) []core.Effect {
	s := &m.s
	if in.Kind == core.Restore {
		*s = storedState{Life: in.Incarnation, Fetching: true}
		return m.fetch(out)
	}
	if in.Kind == core.Received {
		if own, ok := in.Message.(*Message); ok {
			return m.answered(in.From, own, out)
		}
	}
	switch {
	case s.Halted:
		return append(out, core.DropInput(in.From, core.MsgID{}, "unrecoverable"))
	case s.Fetching && in.Kind == core.Received:
		s.Early = append(slices.Clone(s.Early),
			early{From: in.From, Content: core.Encode(in.Message)})
		return out
	case s.Fetching:
		return out // a checkpoint is asked for: nothing has been done since the last one
	}
	m.effects = m.inner.Step(in, m.effects[:0])
	return m.written(m.effects, out)
}

func (m *stored) fetch(out []core.Effect) []core.Effect {
	return append(out, core.SendTo(m.logger(m.rank), &Message{Kind: Fetch, Life: m.s.Life}))
}

// written sends to the vault what is to be written. What is deleted is overwritten by nothing: a
// store of images has no use for it.
func (m *stored) written(effects, out []core.Effect) []core.Effect {
	for _, e := range effects {
		if e.Kind != core.Persist {
			out = append(out, e)
			continue
		}
		h := m.History()
		w := Message{Kind: Store, Life: m.s.Life, Sent: h.Sent, Received: uint32(len(h.Delivered)),
			Records: []record{{Key: e.Key, Value: e.Value}}}
		m.s.Writing = append(slices.Clone(m.s.Writing), w)
		out = append(out, core.SendTo(m.logger(m.rank), &w))
	}
	return out
}

// answered goes on with an answer of the vault.
func (m *stored) answered(from core.Proc, a *Message, out []core.Effect) []core.Effect {
	s := &m.s
	switch {
	case a.Kind == NewVault && s.Fetching:
		s.Bare = true // and what the former vault has answered may still arrive
		return m.fetch(out)
	case a.Kind == NewVault && len(s.Writing) > 0:
		for i := range s.Writing {
			out = append(out, core.SendTo(from, &s.Writing[i]))
		}
		return out
	case a.Kind == NewVault && !s.Halted:
		return m.written(m.inner.Step(core.Input{Kind: core.Checkpoint}, nil), out)
	case a.Life != s.Life:
	case a.Kind == Stored && len(s.Writing) > 0 &&
		s.Writing[0].Records[0].Key == a.Records[0].Key &&
		// the former vault and the new one may both answer the same write
		s.Writing[0].Sent == a.Sent && s.Writing[0].Received == a.Received:
		s.Writing = slices.Clone(s.Writing[1:])
		return m.written(m.inner.Step(core.Input{Kind: core.Persisted, Key: a.Records[0].Key}, nil),
			out)
	case a.Kind == Fetched && s.Fetching:
		return m.fetched(a, out)
	}
	return append(out, core.DropInput(from, core.MsgID{}, "about another life, or not asked"))
}

// kept copies messages of the protocol below, which uses them again in its next step, where that is
// part of the same step of ours.
func (m *stored) kept(effects []core.Effect) []core.Effect {
	for i := range effects {
		if e := &effects[i]; e.Kind == core.SendMessage {
			c := m.newMessage()
			if err := core.Decode(core.Encode(e.Message), c); err != nil {
				panic(fmt.Sprintf("invariant: a message can be decoded: rank %d: %v", m.rank, err))
			}
			e.Message = c
		}
	}
	return effects
}

// fetched begins the new life with the records.
func (m *stored) fetched(a *Message, out []core.Effect) []core.Effect {
	s := &m.s
	s.Fetching = false
	if !a.Yes {
		s.Halted, s.Early = true, nil
		return append(out, core.Halted(fmt.Sprintf(
			"unrecoverable: rank %d failed when its protector had lost its image", m.rank)))
	}
	in := core.Input{Kind: core.Restore, Incarnation: s.Life}
	for _, r := range a.Records {
		in.Records = append(in.Records, core.Record{Owner: m.rank.Proc(), Key: r.Key,
			Value: r.Value})
	}
	var rest []core.Effect
	for _, e := range m.kept(m.inner.Step(in, nil)) {
		if e.What == trace.Logged { // part of the image: it is here when the rank resumes
			out = append(out, e)
		} else {
			rest = append(rest, e)
		}
	}
	h := m.History()
	out = append(out, core.Effect{Kind: core.Declare, What: trace.Resumed,
		Sent: h.Sent, Received: uint32(len(h.Delivered))})
	out = m.written(rest, out)
	waiting := s.Early
	s.Early = nil
	for _, e := range waiting {
		message := m.newMessage()
		if err := core.Decode(e.Content, message); err != nil {
			panic(fmt.Sprintf("invariant: what waits is what came: rank %d: %v", m.rank, err))
		}
		out = m.written(
			m.kept(m.inner.Step(core.Input{Kind: core.Received, From: e.From, Message: message},
				nil)), out)
	}
	// a new vault has nothing yet; where the protocol below waits for others, the end of its
	// recovery saves
	if s.Bare {
		s.Bare = false
		out = m.written(m.inner.Step(core.Input{Kind: core.Checkpoint}, nil), out)
	}
	return out
}
