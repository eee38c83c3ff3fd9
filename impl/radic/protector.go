package radic

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// phase is what a protector waits for while it recovers the ranks of a dead node.
type phase uint8

// The phases.
const (
	idle     phase = iota
	counting       // for what the others host
	asking         // for a spare
	adopting       // for a node to which ranks were transferred
)

// recovery is the work on one dead node, one group of ranks that had one node at the start after the other.
type recovery struct {
	_       struct{}    `cbor:",toarray"`
	Phase   phase       `json:"phase"`
	About   core.Proc   `json:"about"`
	Asked   core.Proc   `json:"asked"`   // spare or node that is to answer
	Waiting []core.Proc `json:"waiting"` // counting: who has not answered
	Found   []Row       `json:"found"`   // counting: what the others host
	Ranks   []core.Rank `json:"ranks"`   // that still need a node
}

// state is what a node knows. A node that comes back after a crash knows nothing and does nothing.
type state struct {
	_       struct{}    `cbor:",toarray"`
	Rows    []Row       `json:"rows"`    // RADICTable, by rank
	Full    []core.Proc `json:"full"`    // SpareTable: spares that are known not to be free
	Dead    []core.Proc `json:"dead"`    // nodes whose failure was reported
	Hosts   []core.Proc `json:"hosts"`   // what runs here
	Handled []core.Proc `json:"handled"` // dead nodes whose heir this node has been
	Queue   []core.Proc `json:"queue"`   // dead nodes that wait for their recovery
	Now     recovery    `json:"now"`
	Spare   spareState  `json:"spare"`
}

// protector is the machine of a node.
type protector struct {
	*config
	core.Service
	self core.Proc
	s    state
}

// State implements core.Machine.
func (t *protector) State() []any { return []any{&t.s} }

// Step implements core.Machine.
func (t *protector) Step(in core.Input, out []core.Effect) []core.Effect {
	switch in.Kind {
	case core.Start:
		return t.start(out)
	case core.Restore:
		t.s = state{} // the processes that ran here run elsewhere by now, or wait for somebody who knows of them
		return out
	case core.Down:
		return t.down(in.Procs[0], out)
	case core.Received:
		return t.received(in.From, in.Message.(*Message), out)
	}
	return append(out, core.DropInput(in.From, core.MsgID{}, "no handler"))
}

func (t *protector) received(from core.Proc, m *Message, out []core.Effect) []core.Effect {
	switch m.Kind {
	case Ask:
		return t.asked(from, m, out)
	case Answer:
		return t.answered(from, m, out)
	case Transfer:
		return t.transferred(from, m, out)
	case Adopted:
		return t.adopted(from, m, out)
	case Census:
		return t.count(from, m, out)
	case Present:
		return t.counted(from, m, out)
	case Protect:
		if len(t.s.Rows) == 0 {
			return append(out, core.DropInput(from, core.MsgID{}, "this node has failed and knows nothing"))
		}
		for _, r := range m.Rows {
			out = t.adopt(t.logger(r.Rank), out)
			t.s.Rows[r.Rank] = r
		}
		return out
	}
	return append(out, core.DropInput(from, core.MsgID{}, "no message of the control plane"))
}

// start fills the tables and places the processes ([RADIC] section 2.3.4, Fig. 2.8a).
func (t *protector) start(out []core.Effect) []core.Effect {
	t.s.Rows = t.table()
	for _, r := range t.s.Rows {
		if r.Host == t.self {
			out = t.adopt(r.Rank.Proc(), out)
		}
		if r.Protector == t.self {
			out = t.adopt(t.logger(r.Rank), out)
		}
	}
	return out
}

// adopt lets a process run on this node.
func (t *protector) adopt(p core.Proc, out []core.Effect) []core.Effect {
	if slices.Contains(t.s.Hosts, p) {
		return out
	}
	t.s.Hosts = append(slices.Clone(t.s.Hosts), p)
	slices.Sort(t.s.Hosts)
	return append(out, core.Effect{Kind: core.Adopt, To: p})
}

func (t *protector) dead(p core.Proc) bool { return slices.Contains(t.s.Dead, p) }

// heir is the next node on the ring that is not known to be dead: it protects what the node protected. The node itself when there is none.
func (t *protector) heir(p core.Proc) core.Proc {
	k := t.index(p)
	for i := 1; i < t.nodes; i++ {
		if q := t.node((k + i) % t.nodes); !t.dead(q) {
			return q
		}
	}
	return p
}

// down notes that a node has failed, and takes over what this node is responsible for now.
func (t *protector) down(x core.Proc, out []core.Effect) []core.Effect {
	s := &t.s
	if len(s.Rows) == 0 || x == t.self || t.dead(x) {
		return append(out, core.DropInput(x, core.MsgID{}, "nothing to do about it"))
	}
	s.Dead = append(slices.Clone(s.Dead), x)
	t.release(x)
	for _, d := range s.Dead {
		// Deviation: M29 looks only at the node that it has just heard of. Another one may have died before, when its heir was this one.
		if !t.has(M29) || d == x {
			t.claim(d)
		}
	}
	switch now := &s.Now; {
	case now.Phase == idle:
		return t.next(out)
	case now.Phase == counting && slices.Contains(now.Waiting, x):
		return t.without(x, out)
	case now.Phase >= asking && now.Asked == x:
		return t.place(out)
	}
	return out
}

// claim puts a dead node into the queue if its recovery is up to this node: as heir of an active node, or because ranks that it protects ran there.
func (t *protector) claim(d core.Proc) {
	s := &t.s
	mine := !t.isSpare(t.self) && !t.isSpare(d) && t.heir(d) == t.self && !slices.Contains(s.Handled, d)
	if mine {
		s.Handled = append(slices.Clone(s.Handled), d)
	}
	mine = mine || slices.ContainsFunc(s.Rows, func(r Row) bool { return r.Host == d && r.Protector == t.self })
	if mine && !slices.Contains(s.Queue, d) && (s.Now.Phase == idle || s.Now.About != d) {
		s.Queue = append(slices.Clone(s.Queue), d)
	}
}

// next begins the recovery of the next dead node. When others have died, too, the tables may be old: the former heir may have recovered some
// ranks, or be lost in the middle of it, so everybody is asked what it hosts.
func (t *protector) next(out []core.Effect) []core.Effect {
	s := &t.s
	s.Now = recovery{}
	if len(s.Queue) == 0 {
		return out
	}
	d := s.Queue[0]
	s.Queue = slices.Clone(s.Queue[1:])
	s.Now.About = d
	if len(s.Dead) == 1 || t.has(M34) { // Deviation: M34 believes its table
		return t.takeOver(out)
	}
	s.Now.Phase = counting
	for k := range t.all() {
		if q := t.node(k); q != t.self && !t.dead(q) {
			s.Now.Waiting = append(s.Now.Waiting, q)
			out = append(out, core.SendTo(q, &Message{Kind: Census, About: d, Dead: s.Dead}))
		}
	}
	if len(s.Now.Waiting) == 0 {
		return t.takeOver(out)
	}
	return out
}

// count answers what runs here. What a dead node still has on its way to us is refused from now on.
func (t *protector) count(from core.Proc, m *Message, out []core.Effect) []core.Effect {
	s := &t.s
	t.refuse(m.Dead)
	var rows []Row
	for _, p := range s.Hosts {
		if int(p) < t.ranks {
			rows = append(rows, Row{Rank: core.Rank(p), Host: t.self})
		} else {
			rows = append(rows, Row{Rank: core.Rank(int(p) - t.ranks), Protector: t.self})
		}
	}
	return append(out, core.SendTo(from, &Message{Kind: Present, About: m.About, Rows: rows}))
}

func (t *protector) counted(from core.Proc, m *Message, out []core.Effect) []core.Effect {
	s := &t.s
	if s.Now.Phase != counting || s.Now.About != m.About || !slices.Contains(s.Now.Waiting, from) {
		return append(out, core.DropInput(from, core.MsgID{}, "nobody counts"))
	}
	s.Now.Found = append(slices.Clone(s.Now.Found), m.Rows...)
	return t.without(from, out)
}

// without goes on when the last answer is here.
func (t *protector) without(p core.Proc, out []core.Effect) []core.Effect {
	now := &t.s.Now
	now.Waiting = slices.DeleteFunc(slices.Clone(now.Waiting), func(q core.Proc) bool { return q == p })
	if len(now.Waiting) > 0 {
		return out
	}
	for _, f := range now.Found {
		row := &t.s.Rows[f.Rank]
		if f.Host != 0 && !t.dead(f.Host) {
			row.Host = f.Host
		}
		if f.Protector != 0 && !t.dead(f.Protector) {
			row.Protector = f.Protector
		}
	}
	return t.takeOver(out)
}

// takeOver gives new loggers to the ranks that the dead node protected, and finds the ranks that ran there ([RADIC] Fig. 2.8c).
func (t *protector) takeOver(out []core.Effect) []core.Effect {
	s := &t.s
	d := s.Now.About
	for i := range s.Rows {
		r := &s.Rows[i]
		orphan := r.Protector == d || t.has(M34) && t.dead(r.Protector) && t.heir(r.Protector) == t.self
		if orphan {
			out = t.protect(r, out)
		}
		here := slices.Contains(s.Hosts, r.Rank.Proc())
		if t.dead(r.Host) && !here && (orphan || r.Protector == t.self) {
			s.Now.Ranks = append(s.Now.Ranks, r.Rank)
		}
	}
	return t.place(out)
}

// protect lets the logger of a rank run on this node, or on another one when the rank itself runs here.
func (t *protector) protect(r *Row, out []core.Effect) []core.Effect {
	if r.Host != t.self {
		r.Protector = t.self
		return t.adopt(t.logger(r.Rank), out)
	}
	if to := t.neighbour(); to != t.self {
		r.Protector = to
		return append(out, core.SendTo(to, &Message{Kind: Protect, Rows: []Row{*r}}))
	}
	// No other node is left. The logger runs here: it protects against nothing but the end of the rank alone, and answers for what is lost.
	r.Protector = t.self
	return t.adopt(t.logger(r.Rank), out)
}

// neighbour is the next node on the ring that is not dead, or a spare, or this node itself when it is the last one.
func (t *protector) neighbour() core.Proc {
	if q := t.heir(t.self); q != t.self {
		return q
	}
	for k := t.nodes; k < t.all(); k++ {
		if q := t.node(k); q != t.self && !t.dead(q) {
			return q
		}
	}
	return t.self
}

// place finds a node for the next group of ranks: a spare that is free, or, in basic protection, the neighbour.
func (t *protector) place(out []core.Effect) []core.Effect {
	now := &t.s.Now
	if len(now.Ranks) == 0 {
		return t.next(out)
	}
	for k := t.nodes; k < t.all(); k++ {
		if q := t.node(k); q != t.self && !t.dead(q) && !slices.Contains(t.s.Full, q) {
			now.Phase, now.Asked = asking, q
			return append(out, core.SendTo(q, &Message{Kind: Ask, About: now.About, Dead: t.s.Dead}))
		}
	}
	target := t.heir(t.self)
	if t.has(M31) || target == t.self { // alone, or Deviation: M31 starts the ranks beside their image and log
		for _, r := range t.group() {
			t.s.Rows[r.Rank].Host = t.self
			out = t.adopt(r.Rank.Proc(), out)
		}
		return t.placed(out)
	}
	now.Phase, now.Asked = adopting, target
	return append(out, core.SendTo(target, &Message{Kind: Transfer, About: now.About, Rows: t.group(), Dead: t.s.Dead}))
}

// group are the ranks that need a node and had one node at the start.
func (t *protector) group() []Row {
	var rows []Row
	for _, r := range t.s.Now.Ranks {
		if t.origin[r] == t.origin[t.s.Now.Ranks[0]] {
			rows = append(rows, t.s.Rows[r])
		}
	}
	return rows
}

// placed goes on with the ranks that had another node at the start.
func (t *protector) placed(out []core.Effect) []core.Effect {
	now := &t.s.Now
	done := t.origin[now.Ranks[0]]
	now.Ranks = slices.DeleteFunc(slices.Clone(now.Ranks), func(r core.Rank) bool { return t.origin[r] == done })
	return t.place(out)
}

// answered goes on with the answer of a spare.
func (t *protector) answered(from core.Proc, m *Message, out []core.Effect) []core.Effect {
	now := &t.s.Now
	if now.Phase != asking || now.Asked != from || now.About != m.About {
		return append(out, core.DropInput(from, core.MsgID{}, "not asked"))
	}
	if !m.Yes {
		t.s.Full = append(slices.Clone(t.s.Full), from)
		return t.place(out)
	}
	now.Phase = adopting
	return append(out, core.SendTo(from, &Message{Kind: Transfer, About: now.About, Rows: t.group(), Dead: t.s.Dead}))
}

// adopted updates the tables when ranks have a new node.
func (t *protector) adopted(from core.Proc, m *Message, out []core.Effect) []core.Effect {
	now := &t.s.Now
	if now.Phase != adopting || now.Asked != from || now.About != m.About {
		return append(out, core.DropInput(from, core.MsgID{}, "not asked"))
	}
	switch {
	case m.Yes:
	case t.isSpare(from):
		t.s.Full = append(slices.Clone(t.s.Full), from)
		return t.place(out)
	default:
		return t.down(from, out) // it has failed, and is back before anybody has told us
	}
	for _, r := range m.Rows {
		t.s.Rows[r.Rank].Host = from
	}
	if t.isSpare(from) {
		t.s.Full = append(slices.Clone(t.s.Full), from)
	}
	return t.placed(out)
}
