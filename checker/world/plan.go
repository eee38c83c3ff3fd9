package world

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
)

// plan is what can happen to a proc in a configuration, without faults, in the order of the events.
// It is made when the configuration is met first, and from then on a state is expanded by walking
// the plans of its procs. What depends on others is asked at its event.
type plan struct {
	// what each state with it asks comes first, in one cache line
	run    atomic.Uint32 // number of the search that walked it last
	inc    uint32        // of the env
	shown  uint32        // of the configuration
	up     bool          // of the env
	still  bool          // of the env
	events []event
	does   []done // to others, by all events

	causes []cause                     // of the events that need them
	hosts  []core.Proc                 // that the proc has adopted
	alone  []candidate                 // events that may be taken alone
	eager  atomic.Pointer[[]eagerStep] // nil = nobody has asked for them
}

// event is one of a plan.
type event struct {
	code      eventCode
	next      uint32 // configuration of the proc after it; of an ending, a deed that leads there
	step      uint32 // local step; of an ending, the life that must be over; of an expiry, too
	violation int32  // that the local step shows by itself
	first     uint32 // of plan.does
	last      uint32 // behind them
	cause     uint16 // of plan.causes
	care      care
}

// done is what an event does to another proc.
type done struct {
	proc core.Proc
	deed deed
}

// care is what an event needs besides what its plan says, a bit each.
type care uint8

const (
	// the event depends on other procs, so only what it is about is known
	open care = 1 << iota
	// it is the end of a channel from a life that is over
	cutting
	// its effects look at other procs
	looking
	// it shows something to global properties, or to monitors
	judged
	watched
	// a crash may fall between its effects
	divisible
	// in a set, it happens only if something comes of it
	consequent
)

// planner makes a plan. Its lists are copied when all is planned: each is allocated once.
type planner struct {
	*World
	proc   core.Proc
	number uint32
	own    configuration
	events []event
	does   []done
	causes []cause
}

// plan is that of a configuration.
func (w *World) plan(p core.Proc, number uint32) *plan {
	slot := w.configurations[p].plans.slot(number)
	if slot != nil && !w.Forget {
		if made := slot.Load(); made != nil {
			return made
		}
	}
	made := w.makePlan(p, number)
	if slot == nil {
		slot = w.configurations[p].plans.grow(number)
	}
	if slot.Swap(made) == nil &&
		w.configurations[p].plans.bytes.Add(made.bytes()) > w.mostPlanned {
		w.configurations[p].plans.forget()
	}
	return made
}

// mostPlanned is how many bytes the plans of a proc may take: one with many local states, each with
// many inboxes, keeps those only that the search has met of late.
const mostPlanned = 64 << 20

// forget drops all plans; who walks along one keeps it.
func (s *plans) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.chunks.Store(nil)
	s.dropped.Store(true)
	s.bytes.Store(0)
}

// bytes is about what the plan takes.
func (m *plan) bytes() int64 {
	return 80 + 40*int64(cap(m.events)) + 8*int64(cap(m.does)) + 32*int64(cap(m.causes))
}

func (w *World) makePlan(p core.Proc, number uint32) *plan {
	var events [16]event
	var does [16]done
	var causes [4]cause
	m := planner{World: w, proc: p, number: number, own: *w.configurations[p].list.at(number),
		events: events[:0], does: does[:0], causes: causes[:0]}
	switch {
	case m.own.up:
		m.running()
	case m.own.still:
		m.still()
	default:
		m.open(code(restart, p, 0))
	}
	made := &plan{up: m.own.up, still: m.own.still, inc: m.own.inc, shown: m.own.shown,
		events: slices.Clone(m.events),
		does:   slices.Clone(m.does), causes: slices.Clone(m.causes), alone: m.candidates()}
	if m.own.adopts {
		made.hosts = w.locals.at(m.own.local).holding.Hosts
	}
	return made
}

// running plans the events of a proc that is up.
func (m *planner) running() {
	p, w := m.proc, m.World
	box := w.inboxes.at(m.own.inbox)
	for i := range box.heads {
		m.delivery(&box.heads[i])
	}
	for i, choice := range w.locals.at(m.own.local).choices {
		m.event(w.transition(m.own.local, choice), code(advance, p, i), cause{}, 0)
	}
	m.environment()
}

// still plans the events of a proc that stands still.
func (m *planner) still() {
	if len(m.envs.at(m.own.env).Writing) > 0 && m.Setup.Reads != nil {
		m.open(code(erase, m.proc, 0))
	}
	m.open(code(stop, m.proc, 0))
}

// delivery plans the event that takes a message from the network.
func (m *planner) delivery(h *head) {
	tr := m.transition(m.own.local, h.input)
	t := m.transitions.at(tr)
	if m.Model.KeepsIgnored() && t.idle {
		return
	}
	c, extra := cause{}, care(0)
	if !m.Model.Set {
		c = cause{what: newInbox, value: uint32(m.pop(m.own.inbox, h))}
	} else if t.violation == 0 && t.next == m.own.local &&
		!slices.ContainsFunc(t.acts, leads) {
		extra = consequent
	}
	m.event(tr, code(deliver, m.proc, h.name), c, extra)
}

// leads reports whether something comes of an act in any case. All others may leave everything as
// it is: what is sent is on its way, the record is gone, the watchdog was never started.
func leads(a act) bool {
	return a.kind == actRollback || a.kind == actExit || a.kind == actRenew
}

// environment plans what the store, the detector and the timers do, and the end of channels from
// dead incarnations.
func (m *planner) environment() {
	p, here, number := m.proc, m.own.local, m.own.env
	e := m.envs.at(number)
	if e.puts() >= 0 {
		tr := m.transition(here, m.persistedInput(number, p))
		m.event(tr, code(persisted, p, 0), m.change(number, operation{Kind: opComplete}), 0)
	}
	if len(e.Writing) > 0 && e.Writing[0].Gone && m.Setup.Reads != nil {
		m.open(code(erase, p, 0))
	}
	for i, g := range e.Pending {
		if i == 0 || !m.Model.Joint && e.Pending[i-1] != g {
			m.open(code(told, p, int(g)))
		}
	}
	for i := range e.Timers {
		tr := m.transition(here, m.tickInput(number, i))
		m.event(tr, code(tick, p, i), m.change(number, operation{Kind: opTick, A: uint32(i)}), 0)
	}
	for _, v := range e.Watches {
		m.events = append(m.events,
			event{code: code(expire, p, int(v.About)), step: v.Inc, care: open})
	}
	if len(e.Kills) > 0 {
		m.open(code(kill, p, 0))
	}
	if m.Model.FromDead == fault.Prefix {
		channels := m.inboxes.at(m.own.inbox).channels
		for i := range channels {
			m.events = append(m.events, event{code: code(cut, p, channels[i].name()),
				step: uint32(channels[i].inc), next: uint32(endDeed(i)), care: cutting})
		}
	}
}

// open plans an event that depends on others.
func (m *planner) open(c eventCode) {
	m.events = append(m.events, event{code: c, care: open})
}

// event plans an event of a local step.
func (m *planner) event(tr uint32, c eventCode, because cause, extra care) {
	t := m.transitions.at(tr)
	e := event{code: c, step: tr, violation: int32(t.violation), care: extra,
		cause: uint16(len(m.causes))}
	if t.violation == 0 && m.Facts != nil && len(t.checks) > 0 {
		e.care |= judged
	}
	if t.watched {
		e.care |= watched
	}
	if m.divisible(m.proc, t) {
		e.care |= divisible
	}
	m.effects(t, because, &e)
	if e.care&(looking|divisible) != 0 {
		m.causes = append(m.causes, because)
	}
	m.events = append(m.events, e)
}

// effects plans what a local step does: to its proc at once, to each other proc as one deed.
func (m *planner) effects(t *transition, because cause, e *event) {
	own := because.of(m.own)
	own.local = t.next
	e.first = uint32(len(m.does))
	for i := range t.acts {
		a := &t.acts[i]
		switch {
		case m.withinProc(m.proc, a):
			own = m.actWithin(own, a)
		case a.kind == actSend:
			m.send(m.does[e.first:], a)
		default:
			e.care |= looking
			m.does, e.first = m.does[:e.first], 0
			return
		}
	}
	e.next = m.configuration(m.proc, own)
	e.last = uint32(len(m.does))
}

// send plans a send behind the others of the event.
func (m *planner) send(before []done, a *act) {
	d := packetDeed(a.packet())
	for k := range before {
		if before[k].proc == a.to {
			before[k].deed = m.both(before[k].deed, d)
			return
		}
	}
	m.does = append(m.does, done{proc: a.to, deed: d})
}

// plans are those of the configurations of a proc, by number.
type plans struct {
	dropped atomic.Bool // some plans are not remembered
	chunks  atomic.Pointer[[]*planChunk]
	_       [56]byte // read all the time, so not in a cache line with what changes
	bytes   atomic.Int64
	mu      sync.Mutex // held by who makes chunks
}

const planChunkBits = 9

type planChunk [1 << planChunkBits]atomic.Pointer[plan]

// slot is the place of a plan, nil if there is none yet.
func (s *plans) slot(number uint32) *atomic.Pointer[plan] {
	p := s.chunks.Load()
	if p == nil || int(number>>planChunkBits) >= len(*p) {
		return nil
	}
	return &(*p)[number>>planChunkBits][number&(1<<planChunkBits-1)]
}

// grow makes the place of a plan.
func (s *plans) grow(number uint32) *atomic.Pointer[plan] {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []*planChunk
	if p := s.chunks.Load(); p != nil {
		list = *p
	}
	for len(list) <= int(number>>planChunkBits) {
		list = append(list, new(planChunk))
	}
	s.chunks.Store(&list)
	return s.slot(number)
}
