package printed

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// basicProtection is what a protector declares when it restarts processes in its own node.
const basicProtection = "basic protection: no spare is left, ranks run on a node that has its own"

// state is what a protector knows: the RADICTable, the SpareTable, and the failure that it handles.
type state struct {
	_     struct{}    `cbor:",toarray"`
	Rows  []Row       `json:"rows"`
	Free  []core.Proc `json:"free"`
	Dead  []core.Proc `json:"dead"`
	Hosts []core.Proc `json:"hosts"` // what runs here
	Watch []core.Proc `json:"watch"` // whose watchdog runs

	Queue  []core.Proc `json:"queue"`  // dead nodes whose processes wait
	Failed []core.Rank `json:"failed"` // the processes that are restarted now
	Asked  core.Proc   `json:"asked"`  // spare that is to answer, 0 = none
	Askers []asker     `json:"askers"` // observers that "retry later"
	Spare  spareStatus `json:"spare"`
}

// asker is an observer that has been told to retry.
type asker struct {
	_    struct{}    `cbor:",toarray"`
	Rank core.Rank   `json:"rank"`
	From core.Proc   `json:"from"`
	At   core.Proc   `json:"at"`
	Dead []core.Proc `json:"dead"`
}

// node is a protector, in an active node or a spare: "ORTE daemons are launched even in spare
// nodes, but no application process is launched on it until it is required" (6.2.1).
type node struct {
	*config
	core.Service
	self core.Proc
	s    state
}

func (t *node) State() []any { return []any{&t.s} }

func (t *node) Step(in core.Input, out []core.Effect) []core.Effect {
	switch in.Kind {
	case core.Start:
		out = t.start(out)
	case core.Tick:
		out = t.silent(in.From, out)
	case core.Received:
		out = t.received(in.From, in.Message.(*Message), out)
	default:
		return append(out, core.DropInput(in.From, core.MsgID{}, "no handler"))
	}
	return t.monitor(t.retry(out))
}

func (t *node) received(from core.Proc, m *Message, out []core.Effect) []core.Effect {
	switch m.Kind {
	case Ask:
		return t.consulted(from, m, out)
	case Answer:
		return t.answered(from, m, out)
	case Transfer:
		return t.transferred(from, m, out)
	case Adopted:
		return t.adopted(from, out)
	case WhereIs:
		return t.where(asker{Rank: m.About, From: from, At: m.At, Dead: m.Dead}, out)
	case Learn:
		return t.learn(m, out)
	case Restored:
		return append(out, core.SendTo(from, &Message{Kind: Own, Rows: []Row{t.s.Rows[from]}}))
	case SetProtector:
		return t.setProtector(m, out)
	case Protect:
		return t.protect(m, out)
	}
	return append(out, core.DropInput(from, core.MsgID{}, "no message of a protector"))
}

// start: "when the parallel application starts, each protector (ORTE daemon) populates its
// RADICTable and its SpareTable" (6.2.1).
func (t *node) start(out []core.Effect) []core.Effect {
	s := &t.s
	s.Rows = t.table()
	for i := range t.Spares {
		s.Free = append(s.Free, t.node(t.nodes+i))
	}
	for _, r := range s.Rows {
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
func (t *node) adopt(p core.Proc, out []core.Effect) []core.Effect {
	if slices.Contains(t.s.Hosts, p) {
		return out
	}
	t.s.Hosts = plus(t.s.Hosts, p)
	return append(out, core.Effect{Kind: core.Declare, What: trace.Adopted, To: p})
}

// monitor: "Monitor the correct operation of nodes by using Heartbeat/Watchdog" (Table 2.1), of the
// node before this one on the ring; "Protectors also has to reestablish the heartbeat/watchdog
// protocol since it gets broken due to node failures" (2.3.2), so of those before it that are left,
// and of those where the processes run that it protects. A spare that is consulted and gone is an
// error in communication.
func (t *node) monitor(out []core.Effect) []core.Effect {
	s := &t.s
	var wanted []core.Proc
	add := func(p core.Proc) {
		if p != 0 && p != t.self && !slices.Contains(s.Dead, p) {
			wanted = plus(wanted, p)
		}
	}
	for _, r := range s.Rows {
		if r.Protector == t.self {
			add(r.Host)
		}
	}
	add(s.Asked)
	for k := 1; int(t.self-t.first) < t.nodes && k < t.nodes; k++ {
		if before := t.after(t.self, -k); !slices.Contains(s.Dead, before) {
			add(before)
			break
		}
	}
	for _, p := range s.Watch {
		if !slices.Contains(wanted, p) {
			out = append(out, core.Effect{Kind: core.Unwatch, To: p})
		}
	}
	for _, p := range wanted {
		if !slices.Contains(s.Watch, p) {
			out = append(out, core.Effect{Kind: core.Watch, To: p})
		}
	}
	s.Watch = wanted
	return out
}

// silent: a node has failed. "When a failure occurs, the protector restarts the failed processes
// that it protects" (2.3.2).
func (t *node) silent(p core.Proc, out []core.Effect) []core.Effect {
	s := &t.s
	s.Watch, s.Dead, s.Free = minus(s.Watch, p), plus(s.Dead, p), minus(s.Free, p)
	s.Queue = append(slices.Clone(s.Queue), p)
	if s.Asked == p {
		s.Asked = 0
		return t.place(out)
	}
	return t.handle(out)
}

// handle takes the next dead node. "We consider the recovery as an atomic procedure" (2.3.4), so
// one at a time.
func (t *node) handle(out []core.Effect) []core.Effect {
	s := &t.s
	for len(s.Failed) == 0 && len(s.Queue) > 0 {
		d := s.Queue[0]
		s.Queue = slices.Clone(s.Queue[1:])
		for _, r := range s.Rows {
			if r.Host == d && r.Protector == t.self {
				s.Failed = append(s.Failed, r.Rank)
			}
		}
		if len(s.Failed) > 0 {
			return t.place(out)
		}
	}
	return out
}

// place: "the protector of the faulty processes consults its SpareTable, and if there is one
// available spare node (status free) the protector contacts the spare and asks if it can adopt the
// failed processes. [...] If the application runs out of spares, the default mechanism of RADIC is
// used" (6.2.1): "failed processes are restarted in their protectors".
func (t *node) place(out []core.Effect) []core.Effect {
	s := &t.s
	if len(s.Free) > 0 {
		s.Asked = s.Free[0]
		return append(out, core.SendTo(s.Asked, &Message{Kind: Ask, Rows: t.failed(s.Asked)}))
	}
	out = append(out, core.Effect{Kind: core.Declare, What: trace.Declared, Key: basicProtection})
	return t.settled(t.self, out)
}

// failed are the entries of the processes that are restarted, on a node.
func (t *node) failed(host core.Proc) (rows []Row) {
	for _, r := range t.s.Failed {
		rows = append(rows, Row{Rank: r, Host: host, Protector: t.self})
	}
	return rows
}

// settled: "Update its RADICTable with the new data" (Table 2.1).
func (t *node) settled(host core.Proc, out []core.Effect) []core.Effect {
	s := &t.s
	s.Rows = slices.Clone(s.Rows)
	for _, r := range t.failed(host) {
		s.Rows[r.Rank] = r
		if host == t.self {
			out = t.adopt(r.Rank.Proc(), out)
		}
	}
	s.Failed, s.Asked = nil, 0
	return t.handle(out)
}

// answered: "Protectors will update their local SpareTable according to the answers of the spare
// nodes. If a consulted spare node is free, the protector of the failed processes transfer the
// checkpoint and message log to the spare node" (6.2.1). The restarted process asks its logger for
// them: 4.1.2, "P2 will transfer to its new local node the message log from L2".
func (t *node) answered(from core.Proc, m *Message, out []core.Effect) []core.Effect {
	s := &t.s
	if s.Asked != from {
		return append(out, core.DropInput(from, core.MsgID{}, "not asked"))
	}
	s.Free = minus(s.Free, from)
	if m.Yes {
		return append(out, core.SendTo(from, &Message{Kind: Transfer, Rows: t.failed(from)}))
	}
	return t.place(out)
}

// adopted: the spare has the processes. It needs no new protector: this one is on another node.
func (t *node) adopted(from core.Proc, out []core.Effect) []core.Effect {
	if t.s.Asked != from {
		return append(out, core.DropInput(from, core.MsgID{}, "not asked"))
	}
	return t.settled(from, out)
}

// setProtector: a process that runs here has a new protector. When it was this node, it "is no
// longer protecting such a process, and will point who is the new protector" (6.2.1).
func (t *node) setProtector(m *Message, out []core.Effect) []core.Effect {
	s, r := &t.s, m.Rows[0]
	s.Rows = slices.Clone(s.Rows)
	s.Rows[r.Rank] = r
	if l := t.logger(r.Rank); slices.Contains(s.Hosts, l) {
		s.Hosts = minus(s.Hosts, l)
		out = append(out, core.Effect{Kind: core.Declare, What: trace.Disowned, To: l})
	}
	return append(out, core.SendTo(r.Protector, &Message{Kind: Protect, Rows: m.Rows}))
}

// protect: "Each application process [...] gets connected to one logger thread (residing in its
// protector node)" (2.3.4).
func (t *node) protect(m *Message, out []core.Effect) []core.Effect {
	r := m.Rows[0]
	t.s.Rows = slices.Clone(t.s.Rows)
	t.s.Rows[r.Rank] = r
	l := t.logger(r.Rank)
	return append(t.adopt(l, out), core.SendTo(l, &Message{Kind: Begin}))
}
