package radic

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// entry is what an observer knows of another rank.
type entry struct {
	_         struct{}         `cbor:",toarray"`
	Host      core.Proc        `json:"host"`
	Protector core.Proc        `json:"protector"`
	Life      core.Incarnation `json:"life"` // newest one that it has heard of
	Chase     chase            `json:"chase"`
}

// observerState is what the observer of a rank knows ([RADIC] sections 2.3.2 and 6.2.1).
type observerState struct {
	_      struct{}         `cbor:",toarray"`
	Host   core.Proc        `json:"host"` // where it runs
	Life   core.Incarnation `json:"life"`
	Others []entry          `json:"others"` // RADICTable, by rank
	Former body             `json:"former"`
	// it has restarted, and not everything that was logged is delivered again
	Recovering bool `json:"recovering"`
	// its node is taken out: the program stops, and a checkpoint is on its way
	Leaving bool `json:"leaving"`
}

// observer is the machine of a rank: the protocol below with its program, and what hides from both
// that other ranks move.
type observer struct {
	carrier
	s      observerState
	zombie core.Machine // the former incarnation, if the options let it live; see body

	effects []core.Effect // of the protocol below
}

// History is what the program has done along its surviving past; the caller must not change it.
func (o *observer) History() *trace.History {
	return o.inner.(interface{ History() *trace.History }).History()
}

func (o *observer) State() []any {
	parts := append(o.inner.State(), &o.s)
	if o.zombie != nil {
		parts = append(parts, o.zombie.State()...)
	}
	return parts
}

// Choices implements core.Machine: a program that is to move does nothing more, once it is where it
// was before it failed.
func (o *observer) Choices(buf []core.Choice) []core.Choice {
	if o.s.Leaving && !o.s.Recovering {
		return buf
	}
	buf = o.inner.Choices(buf)
	if o.s.Former.Host != 0 {
		for _, c := range o.zombie.Choices(nil) {
			buf = append(buf, c|zombieChoice)
		}
	}
	return buf
}

func (o *observer) Step(in core.Input, out []core.Effect) []core.Effect {
	o.scratch.Begin()
	switch in.Kind {
	case core.Start:
		o.begin(o.node(o.origin[o.self]), 0)
	case core.Restore:
		o.begin(in.From, in.Incarnation)
		o.s.Recovering = true
		if o.Leaves > 0 && in.From == o.node(o.Leaves-1) {
			// 1. The node asks for a last checkpoint. 2. The rank fails alone. 3. Its next life
			// does not know of that, and the node would wait for ever.
			out = append(out, core.SendTo(in.From, &Message{Kind: Back}))
		}
	case core.Advance:
		if in.Choice&zombieChoice != 0 {
			in.Choice &^= zombieChoice
			return o.former(in, out)
		}
	case core.Tick:
		if in.Timer == core.Silence {
			return o.silent(in.From, out)
		}
	case core.Received:
		m := in.Message.(*Message)
		if m.Kind != Carried {
			return o.control(in.From, m, out)
		}
		if o.forFormer(m) {
			in.Message = o.unpack(m)
			return o.former(in, out)
		}
		if int(in.From) < o.ranks {
			if m.At != o.s.Host {
				// Nobody of that name runs there any more. It stands for the error that the
				// sender's connection reports.
				m.Complete()
				return append(out, core.SendTo(in.From,
					&Message{Kind: Moved, At: m.At, Life: m.Life, Wire: m.Wire, Body: m.Body}))
			}
			out = o.heard(core.Rank(in.From), m, out)
		}
		in.Message = o.unpack(m)
	}
	return o.below(in, out)
}

// begin fills the table at the start of a life.
func (o *observer) begin(host core.Proc, life core.Incarnation) {
	o.s = observerState{Host: host, Life: life}
	for _, r := range o.table() {
		o.s.Others = append(o.s.Others, entry{Host: r.Host, Protector: r.Protector})
	}
}

// below lets the protocol below take a step, and gives its messages their way.
func (o *observer) below(in core.Input, out []core.Effect) []core.Effect {
	save, first := false, len(out)
	o.effects = o.inner.Step(in, o.effects[:0])
	for _, e := range o.effects {
		switch e.Kind {
		case core.SendMessage:
			if own, ok := e.Message.(*Message); ok { // for the vault
				out = append(out, core.SendTo(e.To, own))
			} else {
				out = o.send(e.To, o.pack(e.Message), out)
			}
			continue
		case core.Declare:
			if e.What == trace.Recovered {
				save, o.s.Recovering = true, false
			}
		case core.Commit:
			switch h := o.History(); {
			case !o.s.Leaving || o.s.Recovering:
			case e.Sent < h.Sent || int(e.Received) < len(h.Delivered):
				save = true // an older image was on its way: one more is needed
			default:
				out = append(out, core.SendTo(o.s.Host, &Message{Kind: Saved}))
			}
		}
		out = append(out, e)
	}
	if save && in.Kind != core.Checkpoint {
		for _, e := range out[first:] {
			if m, ok := e.Message.(*Message); ok {
				m.Complete() // the protocol below may use its own again
			}
		}
		// The end of a recovery: a new image, so that the next failure does not repeat this one
		// ([RADIC] section 2.3.2, Table 2.1).
		return o.below(core.Input{Kind: core.Checkpoint}, out)
	}
	return out
}

// send puts a message on the way to where the receiver runs. One for a rank that is being looked
// for waits.
func (o *observer) send(to core.Proc, m *Message, out []core.Effect) []core.Effect {
	if int(to) >= o.ranks {
		if o.Zombies {
			m.Host = o.s.Host
		}
		return append(out, core.SendTo(to, m))
	}
	q := &o.s.Others[to]
	if q.Chase.On {
		m.Complete()
		q.Chase.Held = append(slices.Clone(q.Chase.Held), held{Wire: m.Wire, Content: m.Body})
		return out
	}
	m.Host, m.Life, m.At = o.s.Host, o.s.Life, q.Host
	return append(out, core.SendTo(to, m))
}

// control handles messages of RADIC.
func (o *observer) control(from core.Proc, m *Message, out []core.Effect) []core.Effect {
	switch m.Kind {
	case Moved:
		return o.moved(core.Rank(from), m, out)
	case Where:
		return o.answered(from, m, out)
	case Nobody:
		return o.silent(from, out)
	case Stored, Fetched, NewVault:
		if o.stored {
			return o.below(core.Input{Kind: core.Received, From: from, Message: m}, out)
		}
	case Begin:
		if from != o.s.Host {
			return o.split(from, out)
		}
	case Save:
		if from == o.s.Host {
			o.s.Leaving = true
			return o.below(core.Input{Kind: core.Checkpoint}, out)
		}
	}
	return append(out, core.DropInput(from, core.MsgID{}, "no message of an observer"))
}
