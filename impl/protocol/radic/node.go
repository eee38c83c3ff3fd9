package radic

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// state is what a node knows.
type state struct {
	_ struct{} `cbor:",toarray"`
	// it is not part of this: it has failed and is back, or has not joined yet
	Empty bool  `json:"empty"`
	Rows  []Row `json:"rows"` // RADICTable, by rank
	// SpareTable: those that are not known to be busy or dead
	Spares []core.Proc `json:"spares"`
	Dead   []core.Proc `json:"dead"` // nodes that this one has given up
	// nodes that others have given up: what they still have on its way here comes too late
	Refused []core.Proc `json:"refused"`
	Hosts   []core.Proc `json:"hosts"` // what runs here
	// nodes whose ranks, those they had at the start, are up to this node
	Mine []int `json:"mine"`
	// the node before it on the ring of heartbeats, 0 = none is left
	Ward     core.Proc   `json:"ward"`
	Heard    bool        `json:"heard"`    // of the ward, since it is the ward
	Watched  []core.Proc `json:"watched"`  // whose watchdog runs
	Probed   []core.Proc `json:"probed"`   // whose watchdog has expired, and who has been asked
	Watchers []core.Proc `json:"watchers"` // whom it sends heartbeats
	Queue    []core.Proc `json:"queue"`    // dead nodes that wait for their recovery
	Now      recovery    `json:"now"`
	Askers   []asker     `json:"askers"` // observers that have been told to wait
	Spare    spareState  `json:"spare"`
	// whom this node has still to tell that it is here, the first one has been told
	Joining []core.Proc `json:"joining"`
	// ranks that have still to take a checkpoint before this node stops
	Leaving []core.Proc `json:"leaving"`
	Told    bool        `json:"told"`  // its operator has said what to do, once and for all
	Extra   []core.Proc `json:"extra"` // nodes that have joined later
}

// node is the machine of a node: its protector.
type node struct {
	*config
	self core.Proc
	s    state
}

func (t *node) State() []any { return []any{&t.s} }

// What a node does of its own accord, or because its operator wants it.
const (
	join core.Choice = iota + 1
	leave
)

func (t *node) Choices(buf []core.Choice) []core.Choice {
	s := &t.s
	switch {
	case s.Empty && !s.Told && t.index(t.self) >= t.all():
		buf = append(buf, join)
	case t.Leaves > 0 && t.self == t.node(t.Leaves-1) && !s.Empty && !s.Told &&
		s.Now.Phase == idle && len(s.Queue) == 0:
		buf = append(buf, leave)
	}
	return buf
}

func (t *node) Step(in core.Input, out []core.Effect) []core.Effect {
	switch in.Kind {
	case core.Start:
		out = t.start(out)
	case core.Restore:
		// the processes that ran here run elsewhere by now, or wait for somebody who knows of them
		t.s = state{Empty: true, Told: true}
		if t.has(M28) {
			t.s.Rows = t.table() // Deviation: M28 begins again with the initial table
		}
		return out
	case core.Tick:
		out = t.tick(in, out)
	case core.Advance:
		out = t.advance(in.Choice, out)
	case core.Received:
		out = t.received(in.From, in.Message.(*Message), out)
	default:
		return append(out, core.DropInput(in.From, core.MsgID{}, "no handler"))
	}
	return t.rewatch(t.serve(out))
}

func (t *node) received(from core.Proc, m *Message, out []core.Effect) []core.Effect {
	// Who has asked to join is known to some already, whose Welcome may be overtaken by what they
	// ask next: it hosts nobody yet, lives, and says when it has entered whether it adopts.
	joining := len(t.s.Joining) > 0 && (m.Kind == Ask || m.Kind == Census || m.Kind == Probe)
	if t.s.Empty && from >= t.first && m.Kind != Nobody && m.Kind != Welcome && !joining {
		return append(out, core.SendTo(from, &Message{Kind: Nobody}))
	}
	if m.Kind == Fenced {
		return t.fenced(out)
	}
	if t.late(from) && from >= t.first && m.Kind != Nobody {
		return append(out, core.DropInput(from, core.MsgID{}, "from a node that was given up"))
	}
	switch m.Kind {
	case Beat:
		return t.beat(from, out)
	case Probe:
		return append(out, core.SendTo(from, &Message{Kind: Alive}))
	case Alive:
		return t.alive(from, out)
	case Nobody:
		return t.nobody(from, out)
	case Link:
		return t.link(from, m, out)
	case Linked:
		return t.linked(from, m, out)
	case Ask:
		return t.asked(from, m, out)
	case Answer:
		return t.answered(from, m, out)
	case Transfer:
		return t.transferred(from, m, out)
	case Adopted:
		return t.adopted(from, m, out)
	case Census:
		t.refuse(m.Dead)
		return append(out, core.SendTo(from, &Message{Kind: Present, About: m.About,
			Rows: t.present()}))
	case Present:
		return t.counted(from, m, out)
	case Protect:
		return t.protects(from, m, out)
	}
	return t.served(from, m, out)
}

// served handles what observers and operators ask.
func (t *node) served(from core.Proc, m *Message, out []core.Effect) []core.Effect {
	switch m.Kind {
	case WhereIs:
		return t.where(core.Rank(from), m, out)
	case Learn:
		for _, r := range m.Rows {
			if !t.s.Empty {
				t.learn(r)
			}
		}
		return out
	case Join:
		return t.joined(from, out)
	case Welcome:
		return t.welcome(from, m, out)
	case Saved:
		return t.saved(from, out)
	case Back:
		return t.back(from, out)
	}
	return append(out, core.DropInput(from, core.MsgID{}, "no message of the control plane"))
}

// start fills the tables and places the processes ([RADIC] section 2.3.4, Fig. 2.8a).
func (t *node) start(out []core.Effect) []core.Effect {
	s, k := &t.s, t.index(t.self)
	if k >= t.all() {
		s.Empty = true
		return out
	}
	s.Rows = t.table()
	for i := range t.Spares {
		s.Spares = append(s.Spares, t.node(t.nodes+i))
	}
	if k < t.nodes {
		before := t.step(k, -1)
		s.Mine, s.Ward, s.Heard = []int{before}, t.node(before), true
		s.Watchers = []core.Proc{t.node(t.step(k, 1))}
	}
	for _, r := range s.Rows {
		if r.Host == t.self {
			out = t.adopt(r.Rank.Proc(), out)
		}
		if r.Protector == t.self {
			out = t.adopt(t.logger(r.Rank), out)
		}
	}
	return t.startHeartbeat(out)
}

// adopt lets a process run on this node.
func (t *node) adopt(p core.Proc, out []core.Effect) []core.Effect {
	if slices.Contains(t.s.Hosts, p) {
		return out
	}
	t.s.Hosts = plus(t.s.Hosts, p)
	out = append(out, core.Effect{Kind: core.Declare, What: trace.Adopted, To: p})
	// not at the start; whoever was given up may run still
	if t.Zombies && len(t.s.Dead)+len(t.s.Refused) > 0 {
		out = append(out, core.SendTo(p, &Message{Kind: Begin}))
	}
	return out
}

func (t *node) dead(p core.Proc) bool { return slices.Contains(t.s.Dead, p) }

// late reports whether the node was given up, here or by somebody who said so: what it has sent
// comes too late.
func (t *node) late(p core.Proc) bool { return t.dead(p) || slices.Contains(t.s.Refused, p) }

// refuse notes that somebody else takes over from nodes that are dead.
func (t *node) refuse(dead []core.Proc) {
	for _, p := range dead {
		t.s.Refused = plus(t.s.Refused, p)
		t.release(p)
	}
}

// heir is the next node on the ring that is not known to be dead: it protects what the node
// protected. The node itself when there is none.
func (t *node) heir(p core.Proc) core.Proc {
	for i := 1; i < t.nodes; i++ {
		if q := t.node(t.step(t.index(p), i)); !t.dead(q) {
			return q
		}
	}
	return p
}

// learn updates the RADICTable on demand.
func (t *node) learn(r Row) {
	if row := &t.s.Rows[r.Rank]; r.Version > row.Version {
		*row = r
	}
}

// present are the rows of what runs here: the host of a rank, or the protector when its logger
// does.
func (t *node) present() (rows []Row) {
	for _, p := range t.s.Hosts {
		if int(p) < t.ranks {
			rows = append(rows, Row{Rank: core.Rank(p), Host: t.self, Version: t.s.Rows[p].Version})
		} else {
			rows = append(rows, Row{Rank: core.Rank(int(p) - t.ranks), Protector: t.self})
		}
	}
	return rows
}
