package radic

import (
	"slices"
	"strconv"
	"strings"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// The ring of heartbeats and watchdogs ([RADIC] section 2.3.2): a node sends heartbeats to its
// protector. Whoever is up to a rank also watches the nodes on which the rank and its logger run,
// and whoever waits for an answer watches whom it has asked.
//
// A watchdog that expires is no failure yet: its node is asked first, and the watchdog about it
// runs again. An answer leads back to where it was, no answer gives the node up.

// heartbeatTimer is the timer of the next heartbeat, and watchdogTimer, with the number of the
// proc, that of a watchdog, when heartbeats are messages.
const (
	heartbeatTimer = "heartbeat"
	watchdogTimer  = "watchdog "
)

// wanted are the procs that this node has to watch now.
func (t *node) wanted() (list []core.Proc) {
	s := &t.s
	add := func(p core.Proc) {
		if p != 0 && p != t.self && !t.dead(p) {
			list = plus(list, p)
		}
	}
	if s.Heard || !t.has(M29) { // Deviation: M29 begins with the first sign of life
		add(s.Ward)
	}
	for _, r := range s.Rows {
		if t.mine(r.Rank) {
			add(r.Host)
			add(r.Protector)
		}
	}
	for _, p := range s.Probed {
		add(p)
	}
	add(s.Now.Asked)
	if !t.has(M27) { // Deviation: M27 keeps its promise for ever
		add(s.Spare.Reserved)
	}
	if len(s.Joining) > 0 {
		add(s.Joining[0])
	}
	return list
}

// rewatch starts and stops watchdogs.
func (t *node) rewatch(out []core.Effect) []core.Effect {
	s := &t.s
	if n := len(out); s.Empty && len(s.Joining) == 0 || n > 0 && out[n-1].Kind == core.Exit {
		return out
	}
	wanted := t.wanted()
	for _, p := range s.Watched {
		if !slices.Contains(wanted, p) && t.Heartbeat == 0 {
			out = append(out, core.Effect{Kind: core.Unwatch, To: p})
		}
	}
	for _, p := range wanted {
		if !slices.Contains(s.Watched, p) {
			out = t.arm(p, out)
		}
	}
	s.Watched = wanted
	return out
}

// arm starts a watchdog again.
func (t *node) arm(p core.Proc, out []core.Effect) []core.Effect {
	if t.Heartbeat == 0 {
		return append(out, core.Effect{Kind: core.Watch, To: p, Ticks: uint64(t.Watchdog)})
	}
	return append(out, core.Effect{Kind: core.SetTimer, Timer: watchdogTimer + strconv.Itoa(int(p)),
		Ticks: uint64(t.Watchdog)})
}

func (t *node) startHeartbeat(out []core.Effect) []core.Effect {
	if t.Heartbeat == 0 {
		return out
	}
	return append(out, core.Effect{Kind: core.SetTimer, Timer: heartbeatTimer,
		Ticks: uint64(t.Heartbeat)})
}

// tick handles the timers.
func (t *node) tick(in core.Input, out []core.Effect) []core.Effect {
	if in.Timer == core.Silence {
		return t.silent(in.From, out)
	}
	if in.Timer == heartbeatTimer {
		for _, p := range t.s.Watchers {
			out = append(out, core.SendTo(p, &Message{Kind: Beat}))
		}
		return t.startHeartbeat(out)
	}
	n, err := strconv.Atoi(strings.TrimPrefix(in.Timer, watchdogTimer))
	if err != nil || !slices.Contains(t.s.Watched, core.Proc(n)) {
		return append(out, core.DropInput(core.Proc(n), core.MsgID{},
			"nobody waits for this timer"))
	}
	return t.silent(core.Proc(n), out)
}

// beat starts the watchdog of a node again.
func (t *node) beat(from core.Proc, out []core.Effect) []core.Effect {
	if !slices.Contains(t.s.Watched, from) {
		return append(out, core.DropInput(from, core.MsgID{}, "not watched"))
	}
	if from == t.s.Ward {
		t.s.Heard = true
	}
	return t.arm(from, out)
}

// silent is the end of a watchdog: the first time the node is asked, the second time it is given
// up.
func (t *node) silent(p core.Proc, out []core.Effect) []core.Effect {
	s := &t.s
	s.Watched = minus(s.Watched, p) // it has expired, and starts again if it is still wanted
	if !slices.Contains(s.Probed, p) {
		s.Probed = plus(s.Probed, p)
		return append(out, core.SendTo(p, &Message{Kind: Probe}))
	}
	return t.failed(p, out)
}

// alive is the end of a false alarm.
func (t *node) alive(from core.Proc, out []core.Effect) []core.Effect {
	t.s.Probed = minus(t.s.Probed, from)
	return t.recall(func(a asker) bool { return t.s.Rows[a.Rank].Host == from }, out)
}

// nobody gives up a node that has lost everything.
func (t *node) nobody(from core.Proc, out []core.Effect) []core.Effect {
	if t.dead(from) || t.s.Empty && len(t.s.Joining) == 0 {
		return append(out, core.DropInput(from, core.MsgID{}, "given up before"))
	}
	return t.failed(from, out)
}

// failed gives a node up and takes over what is up to this node now.
func (t *node) failed(p core.Proc, out []core.Effect) []core.Effect {
	s := &t.s
	s.Dead, s.Probed, s.Spares, s.Watchers = plus(s.Dead, p), minus(s.Probed, p),
		minus(s.Spares, p), minus(s.Watchers, p)
	t.release(p)
	if t.Zombies {
		out = append(out, core.SendTo(p, &Message{Kind: Fenced}))
	}
	if len(s.Joining) > 0 && s.Joining[0] == p {
		return t.announce(out)
	}
	if s.Empty || !t.isActive(t.self) {
		return out
	}
	out = t.relink(p, out)
	s.Queue = append(slices.Clone(s.Queue), p)
	switch now := &s.Now; {
	case now.Phase == idle:
		return t.next(out)
	case now.Asked == p && now.Phase == counting:
		return t.ask(out)
	case now.Asked == p:
		now.Asked = 0
		return t.place(out)
	}
	return out
}

// fenced stops a node that was given up although it lives. What runs here is somebody else's now,
// or will be; that it stops at once is not assumed.
func (t *node) fenced(out []core.Effect) []core.Effect {
	for _, p := range t.s.Hosts {
		out = append(out, core.Effect{Kind: core.Declare, What: trace.Disowned, To: p})
	}
	for _, p := range t.s.Watched {
		out = append(out, core.Effect{Kind: core.Unwatch, To: p})
	}
	t.s = state{Empty: true, Told: true}
	return out
}

// relink closes the ring over the gap: the ward of the dead node is the new ward ([RADIC] Fig.
// 2.8c).
func (t *node) relink(p core.Proc, out []core.Effect) []core.Effect {
	s := &t.s
	if p != s.Ward {
		return out
	}
	s.Ward, s.Heard = 0, false
	for i := 1; i < t.nodes && s.Ward == 0; i++ {
		switch q := t.node(t.step(t.index(t.self), -i)); {
		case !t.dead(q):
			s.Ward = q
		case q != p && !slices.Contains(s.Mine, t.index(q)) && !slices.Contains(s.Queue, q):
			// 1. This node finds q dead, when somebody else is up to its ranks. 2. That one fails.
			// Nobody watches q, so nothing will say it again.
			s.Queue = append(slices.Clone(s.Queue), q)
		}
	}
	if s.Ward == 0 { // nobody else is left to protect what runs here
		t.claim(t.self)
		return out
	}
	return append(out, core.SendTo(s.Ward, &Message{Kind: Link, Dead: s.Dead}))
}

// claim makes this node responsible for the ranks that a node had at the start.
func (t *node) claim(p core.Proc) {
	if k := t.index(p); !slices.Contains(t.s.Mine, k) {
		t.s.Mine = append(slices.Clone(t.s.Mine), k)
		slices.Sort(t.s.Mine)
	}
}

// link notes that another node is the protector of this one now, and tells it what runs here.
func (t *node) link(from core.Proc, m *Message, out []core.Effect) []core.Effect {
	t.refuse(m.Dead)
	t.s.Watchers = plus(t.s.Watchers, from)
	return append(out, core.SendTo(from, &Message{Kind: Linked, Rows: t.present()}))
}

// linked takes over the ranks of the new ward: their loggers were lost with the former protector.
func (t *node) linked(from core.Proc, m *Message, out []core.Effect) []core.Effect {
	s := &t.s
	if from != s.Ward || t.dead(from) {
		return append(out, core.DropInput(from, core.MsgID{}, "not the ward"))
	}
	s.Heard = true
	t.claim(from)
	for _, f := range m.Rows {
		row := &s.Rows[f.Rank]
		if f.Host == 0 || t.origin[f.Rank] != t.index(from) {
			continue
		}
		row.Host = f.Host
		if t.dead(row.Protector) {
			out = t.protect(row, out)
		}
	}
	return out
}
