package printed

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// observerState is what an observer knows.
type observerState struct {
	_          struct{}         `cbor:",toarray"`
	Host       core.Proc        `json:"host"` // where it runs
	Protector  core.Proc        `json:"protector"`
	Life       core.Incarnation `json:"life"`
	Recovering bool             `json:"recovering"`
	Unset      bool             `json:"unset"` // restarted, its entry is not here yet
	// of its peers and of its logger: a new connection ends the former one, and what that still
	// carried is lost
	Lives  []core.Incarnation `json:"lives"`
	Dead   []core.Proc        `json:"dead"`
	Others []entry            `json:"others"` // RADICTable, by rank
}

// entry is what an observer knows of another rank.
type entry struct {
	_         struct{}  `cbor:",toarray"`
	Host      core.Proc `json:"host"`
	Protector core.Proc `json:"protector"`
	Sent      uint32    `json:"sent"` // messages, in this life
	Search    search    `json:"search"`
}

// search is what waits for a process: "all communications with failed processes are delayed and
// then redirected to the new location of the processes" (2.3.3).
type search struct {
	_     struct{}  `cbor:",toarray"`
	On    bool      `json:"on"`
	Asked core.Proc `json:"asked"` // who is to answer, 0 = nobody
	// messages that are still on their way back: a connection keeps its order
	Out  uint32 `json:"out"`
	Back []held `json:"back"` // those that are back
	Held []held `json:"held"` // later ones
}

// held is a message that waits.
type held struct {
	_    struct{} `cbor:",toarray"`
	Wire trace.Wire
	Body []byte
}

// observer is a rank: "Each application process has one observer attached to it. Every
// communication is intercepted by the observers" (2.3.2).
type observer struct {
	carrier
	s observerState
}

// History is what the program has done along its surviving past; the caller must not change it.
func (o *observer) History() *trace.History {
	return o.inner.(interface{ History() *trace.History }).History()
}

func (o *observer) State() []any { return append(o.inner.State(), &o.s) }

func (o *observer) Step(in core.Input, out []core.Effect) []core.Effect {
	switch in.Kind {
	case core.Start:
		out = o.protected(o.begin(o.node(o.origin[o.self]), 0), out)
	case core.Restore:
		// "In the first one, a protector restarts the failed process from its checkpoint with its
		// attached observer" (2.3.4), and "all processes use the same initial data".
		o.begin(in.From, in.Incarnation)
		o.s.Recovering, o.s.Unset = true, true
		out = append(out, core.SendTo(in.From, &Message{Kind: Restored}))
	case core.Tick:
		if in.Timer == core.Silence {
			return o.silent(in.From, out)
		}
	case core.Received:
		m := in.Message.(*Message)
		switch {
		case m.Kind != Carried:
			return o.control(in.From, m, out)
		case int(in.From) < o.ranks && m.At != o.s.Host:
			return append(out, core.SendTo(in.From, &Message{Kind: Moved, At: m.At, Life: m.Life,
				Number: m.Number, Wire: m.Wire, Body: m.Body}))
		case m.Life < o.s.Lives[o.peer(in.From)]:
			return append(out, core.DropInput(in.From, core.MsgID{},
				"of a connection that is over"))
		}
		o.s.Lives[o.peer(in.From)] = m.Life
		in.Message = o.unpack(m)
	}
	return o.below(in, out)
}

// peer is the place of a rank in the list of lives; its logger is behind all ranks.
func (o *observer) peer(p core.Proc) int { return min(int(p), o.ranks) }

// begin fills the table at the start of a life, and is the protector in it.
func (o *observer) begin(host core.Proc, life core.Incarnation) core.Proc {
	o.s = observerState{Host: host, Life: life, Lives: make([]core.Incarnation, o.ranks+1)}
	rows := o.table()
	for _, r := range rows {
		o.s.Others = append(o.s.Others, entry{Host: r.Host, Protector: r.Protector})
	}
	return rows[o.self].Protector
}

// below lets the logging protocol take a step, and gives its messages their way.
func (o *observer) below(in core.Input, out []core.Effect) []core.Effect {
	over := false
	for _, e := range o.inner.Step(in, nil) {
		if e.Kind == core.SendMessage {
			m := pack(e.Message)
			out = o.send(e.To, held{Wire: m.Wire, Body: m.Body}, out)
			continue
		}
		over = over || e.Kind == core.Declare && e.What == trace.Recovered
		out = append(out, e)
	}
	if over && o.s.Recovering {
		o.s.Recovering = false
		return o.complete(out)
	}
	return out
}

// send puts a message on the way to where the receiver runs, or lets it wait.
func (o *observer) send(to core.Proc, h held, out []core.Effect) []core.Effect {
	m := &Message{Kind: Carried, Wire: h.Wire, Body: h.Body, Life: o.s.Life}
	if int(to) >= o.ranks {
		return append(out, core.SendTo(to, m))
	}
	q := &o.s.Others[to]
	if q.Search.On {
		q.Search.Held = append(slices.Clone(q.Search.Held), h)
		return out
	}
	q.Sent++
	m.At, m.Number = q.Host, q.Sent
	return append(out, core.SendTo(to, m))
}

// control handles messages of RADIC.
func (o *observer) control(from core.Proc, m *Message, out []core.Effect) []core.Effect {
	switch {
	case m.Kind == Moved:
		return o.moved(core.Rank(from), m, out)
	case m.Kind == Where:
		return o.answered(from, m, out)
	case m.Kind == Own && o.s.Unset:
		o.s.Unset = false
		return o.complete(o.protected(m.Rows[0].Protector, out))
	case m.Kind == Renewed && o.s.Recovering:
		return out // there is a checkpoint at the end of the recovery
	case m.Kind == Renewed:
		// A new protector has nothing. "Make and send checkpoints to protectors" (Table 2.1), one
		// now, as after a complete restart: otherwise the log before this is lost with the former
		// one, and of that the text says nothing.
		return o.below(core.Input{Kind: core.Checkpoint}, out)
	}
	return append(out, core.DropInput(from, core.MsgID{}, "no message of an observer"))
}

// complete: "Consume message log. Take checkpoint after complete restart. Find and set a new
// protector." (Table 2.1.) The protector that has restarted the process elsewhere is on another
// node and remains; else there is a new one (T5 in Fig. 6.1b), and the checkpoint goes there.
func (o *observer) complete(out []core.Effect) []core.Effect {
	switch {
	case o.s.Recovering || o.s.Unset:
		return out
	case o.s.Protector == o.s.Host:
		return o.findProtector(o.s.Host, out)
	}
	return o.below(core.Input{Kind: core.Checkpoint}, out)
}

// protected notes a protector. The connection with its logger thread breaks when it fails:
// "failures are detected when communications fails" (2.3.4).
func (o *observer) protected(p core.Proc, out []core.Effect) []core.Effect {
	o.s.Protector = p
	if p == o.s.Host {
		return out
	}
	return append(out, core.Effect{Kind: core.Watch, To: p})
}

// findProtector: "Find and set a new protector" (Table 2.1): by the algorithm of the start, the
// next logical node, on another node than the process.
func (o *observer) findProtector(behind core.Proc, out []core.Effect) []core.Effect {
	p := o.next(behind, o.s.Dead, o.s.Host)
	if p == 0 {
		return out // nobody is left
	}
	out = o.protected(p, out)
	return append(out, core.SendTo(o.s.Host, &Message{Kind: SetProtector,
		Rows: []Row{{Rank: core.Rank(o.self), Host: o.s.Host, Protector: p}}}))
}
