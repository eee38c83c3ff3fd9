package radic

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// phase is what a protector waits for while it recovers the ranks of a dead node.
type phase uint8

// The phases.
const (
	idle     phase = iota
	counting       // for what others host
	asking         // for a spare
	adopting       // for a node to which ranks were transferred
)

// recovery is the work on one dead node, one group of ranks that had one node at the start after
// the other.
type recovery struct {
	_     struct{}    `cbor:",toarray"`
	Phase phase       `json:"phase"`
	About core.Proc   `json:"about"`
	Asked core.Proc   `json:"asked"` // who is to answer
	Rest  []core.Proc `json:"rest"`  // counting: who has not been asked
	Found []Row       `json:"found"` // counting: what the others host
	Ranks []core.Rank `json:"ranks"` // that still need a node
}

// What a node declares.
const (
	basicProtection = "basic protection: no spare is left, ranks run on a node that has its own"
	unprotected     = "unprotected: no other node is left, the log is beside the rank"
	entered         = "entered: every node that is known to live has this one in its SpareTable"
	leaving         = "leaving: all ranks have stopped behind their last checkpoints"
)

// mine reports whether a rank is up to this node: every node between the rank's own one and this
// one has been given up.
func (t *node) mine(r core.Rank) bool { return slices.Contains(t.s.Mine, t.origin[r]) }

// next begins the recovery of the next dead node. When this node was not its protector, but has
// outlived it, the tables may be old: the former protector may have recovered some ranks, or be
// lost in the middle of it, so everybody is asked what it hosts, one after the other.
func (t *node) next(out []core.Effect) []core.Effect {
	s := &t.s
	s.Now = recovery{}
	if len(s.Queue) == 0 {
		return out
	}
	d := s.Queue[0]
	s.Queue = slices.Clone(s.Queue[1:])
	s.Now.About = d
	if !t.isActive(d) || slices.Contains(s.Mine, t.index(d)) || t.heir(d) != t.self {
		return t.takeOver(out)
	}
	t.claim(d)
	if t.has(M34) { // Deviation: M34 believes its table
		return t.takeOver(out)
	}
	s.Now.Phase = counting
	for r := range s.Rows { // nothing is known of them
		if row := &s.Rows[r]; t.origin[r] == t.index(d) {
			row.Host, row.Protector = 0, 0
		}
	}
	for k := range t.all() {
		s.Now.Rest = append(s.Now.Rest, t.node(k))
	}
	s.Now.Rest = minus(append(s.Now.Rest, s.Extra...), t.self)
	return t.ask(out)
}

// ask asks the next node what it hosts, of those that are not known to be dead.
func (t *node) ask(out []core.Effect) []core.Effect {
	s, now := &t.s, &t.s.Now
	for now.Asked = 0; len(now.Rest) > 0 && now.Asked == 0; now.Rest = slices.Clone(now.Rest[1:]) {
		if !t.dead(now.Rest[0]) {
			now.Asked = now.Rest[0]
		}
	}
	if now.Asked != 0 {
		return append(out, core.SendTo(now.Asked,
			&Message{Kind: Census, About: now.About, Dead: s.Dead}))
	}
	for _, f := range now.Found {
		row := &s.Rows[f.Rank]
		if t.origin[f.Rank] != t.index(now.About) {
			continue
		}
		if f.Host != 0 && !t.dead(f.Host) {
			row.Host, row.Version = f.Host, f.Version
		}
		if f.Protector != 0 && !t.dead(f.Protector) {
			row.Protector = f.Protector
		}
	}
	now.Found = nil
	return t.takeOver(out)
}

func (t *node) counted(from core.Proc, m *Message, out []core.Effect) []core.Effect {
	now := &t.s.Now
	if now.Phase != counting || now.About != m.About || now.Asked != from {
		return append(out, core.DropInput(from, core.MsgID{}, "nobody counts"))
	}
	now.Found = append(slices.Clone(now.Found), m.Rows...)
	return t.ask(out)
}

// takeOver gives new loggers to the ranks that have lost theirs, and finds the ranks that run
// nowhere ([RADIC] Fig. 2.8c).
func (t *node) takeOver(out []core.Effect) []core.Effect {
	s := &t.s
	for i := range s.Rows {
		row := &s.Rows[i]
		if !t.mine(row.Rank) {
			continue
		}
		// What runs here needs no table.
		if slices.Contains(s.Hosts, row.Rank.Proc()) {
			row.Host = t.self
		}
		if slices.Contains(s.Hosts, t.logger(row.Rank)) {
			row.Protector = t.self
		}
		if row.Protector == 0 || t.dead(row.Protector) {
			out = t.protect(row, out)
		}
		if row.Host == 0 || t.dead(row.Host) {
			s.Now.Ranks = append(s.Now.Ranks, row.Rank)
		}
	}
	return t.place(t.recall(func(a asker) bool { return !t.dead(s.Rows[a.Rank].Host) }, out))
}

// protect lets the logger of a rank run on this node, or on another one when the rank itself runs
// here.
func (t *node) protect(r *Row, out []core.Effect) []core.Effect {
	if r.Host != t.self {
		r.Protector = t.self
		return t.adopt(t.logger(r.Rank), out)
	}
	if to := t.neighbour(); to != t.self {
		r.Protector = to
		return append(out, core.SendTo(to, &Message{Kind: Protect, Rows: []Row{*r},
			Dead: t.s.Dead}))
	}
	// No other node is left. The logger runs here: it protects against nothing but the end of the
	// rank alone, and answers for what is lost.
	r.Protector = t.self
	return t.adopt(t.logger(r.Rank), append(out,
		core.Effect{Kind: core.Declare, What: trace.Declared, Key: unprotected}))
}

// protects hosts the loggers of ranks that run on the node of their protector.
func (t *node) protects(from core.Proc, m *Message, out []core.Effect) []core.Effect {
	t.refuse(m.Dead)
	for _, r := range m.Rows {
		out = t.adopt(t.logger(r.Rank), out)
		t.s.Rows[r.Rank] = r
	}
	t.s.Watchers = plus(t.s.Watchers, from)
	return out
}

// neighbour is the next node on the ring that is not known to be dead, or a spare, or this node
// itself when it is the last one.
func (t *node) neighbour() core.Proc {
	if q := t.heir(t.self); q != t.self {
		return q
	}
	for k := t.nodes; k < t.all(); k++ {
		if q := t.node(k); q != t.self && !t.dead(q) {
			return q
		}
	}
	for _, q := range t.s.Extra {
		if q != t.self && !t.dead(q) {
			return q
		}
	}
	return t.self
}

// place finds a node for the next group of ranks: a spare that is free, or, in basic protection,
// the neighbour.
func (t *node) place(out []core.Effect) []core.Effect {
	s, now := &t.s, &t.s.Now
	if len(now.Ranks) == 0 {
		return t.next(out)
	}
	if len(s.Spares) > 0 {
		now.Phase, now.Asked = asking, s.Spares[0]
		return append(out, core.SendTo(now.Asked,
			&Message{Kind: Ask, About: now.About, Rows: t.group(), Dead: s.Dead}))
	}
	out = append(out, core.Effect{Kind: core.Declare, What: trace.Declared, Key: basicProtection})
	target := t.heir(t.self)
	// alone, or Deviation: M31 starts the ranks beside their image and log
	if t.has(M31) || target == t.self {
		for _, r := range t.group() {
			out = t.adopt(r.Rank.Proc(), out)
		}
		return t.placed(t.self, out)
	}
	return t.transfer(target, out)
}

// transfer hands a group of ranks to a node.
func (t *node) transfer(to core.Proc, out []core.Effect) []core.Effect {
	now := &t.s.Now
	now.Phase, now.Asked = adopting, to
	return append(out, core.SendTo(to, &Message{Kind: Transfer, About: now.About, Rows: t.group(),
		Dead: t.s.Dead}))
}

// group are the ranks that need a node and had one node at the start, as they will be when they
// have one.
func (t *node) group() []Row {
	var rows []Row
	for _, r := range t.s.Now.Ranks {
		if t.origin[r] == t.origin[t.s.Now.Ranks[0]] {
			row := t.s.Rows[r]
			row.Version++
			rows = append(rows, row)
		}
	}
	return rows
}

// placed updates the table, tells the observers that wait, and goes on with the ranks that had
// another node at the start.
func (t *node) placed(host core.Proc, out []core.Effect) []core.Effect {
	s, now := &t.s, &t.s.Now
	for _, r := range t.group() {
		r.Host = host
		s.Rows[r.Rank] = r
	}
	done := t.origin[now.Ranks[0]]
	now.Ranks = slices.DeleteFunc(slices.Clone(now.Ranks), func(r core.Rank) bool {
		return t.origin[r] == done
	})
	now.Asked = 0
	return t.place(t.recall(func(a asker) bool { return t.origin[a.Rank] == done }, out))
}

// answered goes on with the answer of a spare.
func (t *node) answered(from core.Proc, m *Message, out []core.Effect) []core.Effect {
	now := &t.s.Now
	if now.Phase != asking || now.Asked != from || now.About != m.About {
		return append(out, core.DropInput(from, core.MsgID{}, "not asked"))
	}
	if m.Yes {
		return t.transfer(from, out)
	}
	t.s.Spares = minus(t.s.Spares, from)
	return t.place(out)
}

// adopted updates the tables when ranks have a new node.
func (t *node) adopted(from core.Proc, m *Message, out []core.Effect) []core.Effect {
	s, now := &t.s, &t.s.Now
	if now.Phase != adopting || now.Asked != from || now.About != m.About {
		return append(out, core.DropInput(from, core.MsgID{}, "not asked"))
	}
	s.Spares = minus(s.Spares, from)
	if !m.Yes {
		return t.place(out)
	}
	return t.placed(from, out)
}
