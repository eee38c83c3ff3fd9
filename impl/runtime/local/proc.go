package local

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// proc is one proc in all its lives, and what surrounds it.
type proc struct {
	id      core.Proc
	machine core.Machine // of the life; nil while it is down
	wake    chan struct{}
	rng     *rand.Rand
	busy    bool   // it is not waiting
	granted *offer // what it is let go to do, where a schedule is enforced

	up    bool
	stand stand            // if it is not up
	back  bool             // it has rolled back, and starts again by itself
	inc   core.Incarnation // the live one, or the one that the next restart will be
	life  int              // changes with every stop and start
	// when it does something next; of a proc that is down, when it restarts
	readyAt time.Duration
	stopAt  time.Duration // when it follows its group, where members stop one by one

	inbox   []*channel // by sender, then incarnation; none is empty
	store   []write    // stable records by key
	writing []write    // in progress, oldest first
	pending []notice   // failures that it has not been told of, by group
	timers  []timer    // by name
	watches []watch    // watchdogs, by proc
	holding trace.Holding
	host    *proc    // whose node it runs on, where procs are launched
	tickets []ticket // of a proc that is down: who starts it
	kills   []stopping

	// Of the machine as it is between two steps.
	version   int // changes with every step
	choices   []core.Choice
	recovers  bool
	sent      uint32   // messages, in its program's past
	heard     []uint32 // see heard; nil where nobody asks
	performed int      // effects in all lives
}

// notice is one failure that the detector will report.
type notice struct {
	group core.Proc // its first proc
	life  core.Incarnation
	due   time.Duration
}

type timer struct {
	name string
	due  time.Duration
}

// live is the goroutine of a proc.
func (r *run) live(p *proc) {
	r.wait(p, -1)
	for {
		o := r.next(p)
		if o == nil {
			return
		}
		r.commit(p, o, r.attempt(p, o))
	}
}

// next waits until there is something to do, and says what; nil when the run is over.
func (r *run) next(p *proc) *offer {
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		if r.over {
			return nil
		}
		if o := r.pick(p); o != nil {
			return o
		}
		p.busy = false
		r.busy--
		due := time.Duration(-1)
		if r.config.Real {
			due = r.dueAt(p)
		}
		r.turn()
		r.mu.Unlock()
		r.wait(p, due)
		r.mu.Lock()
	}
}

// wait blocks until somebody releases the proc, real time has come for what is due (never when it
// is negative), or the run is over.
func (r *run) wait(p *proc, due time.Duration) {
	var clock <-chan time.Time
	if due >= 0 {
		t := time.NewTimer(due - r.clock())
		defer t.Stop()
		clock = t.C
	}
	select {
	case <-p.wake:
	case <-r.done:
	case <-clock:
		r.mu.Lock()
		defer r.mu.Unlock()
		if p.busy { // somebody has released it in the meantime
			<-p.wake
			return
		}
		p.busy = true
		r.busy++
	}
}

// dueAt is when the proc has something to do next, negative for never.
func (r *run) dueAt(p *proc) time.Duration {
	due := time.Duration(-1)
	for o := range r.offers(p) {
		if due < 0 || o.due < due {
			due = o.due
		}
	}
	return due
}

// attempt is one local step that has not happened yet.
type attempt struct {
	machine  core.Machine // after the step
	before   core.Machine // a copy
	inc      core.Incarnation
	events   []trace.Event
	acts     []act
	choices  []core.Choice
	recovers bool
	sent     uint32
	heard    []uint32
	same     bool   // nothing has changed but for what is sent
	failed   string // how the machine panics
}

// act is one effect on which the environment acts, with its message encoded: that of the effect
// belongs to the machine.
type act struct {
	effect core.Effect
	first  int // events of the step before it
	packet packet
}

// attempt runs the machine. It is called without the lock: machines run in parallel.
func (r *run) attempt(p *proc, o *offer) (a *attempt) {
	a = &attempt{machine: p.machine, inc: o.inc}
	r.trying[p.id].Store(o)
	defer r.trying[p.id].Store(nil)
	if o.kind == restart {
		a.machine = r.setup.New(p.id)
	}
	defer func() {
		if failure := recover(); failure != nil {
			what := "panics on %s: %v"
			if _, ok := failure.(wrong); ok {
				what = "of protocol " + r.setup.Protocol + ", on %s, %v"
			}
			a.failed = fmt.Sprintf("%s "+what, r.layout.Name(p.id), o.input.Name(r.layout), failure)
		}
	}()
	if o.packet != nil {
		o.input.Message = r.decode(o.packet)
	}
	if o.kind != restart && o.kind != start && r.revocable(o) {
		a.before = r.setup.New(p.id)
		core.Clone(a.machine, a.before)
	}
	a.step(p.id, o.input, r.setup)
	a.choices = a.machine.Choices(nil)
	h := core.HistoryOf(a.machine)
	a.recovers = h != nil && h.Recovering
	if h != nil && r.config.Model.Settled {
		a.sent, a.heard = h.Sent, heard(h, r.layout.Ranks)
	}
	if o.kind == restart {
		v := core.Evidence{Proc: p.id, Incarnation: a.inc, After: h}
		a.events = append([]trace.Event{v.Restarted()}, a.events...)
		for i := range a.acts {
			a.acts[i].first++
		}
	}
	if a.before != nil && (r.config.Model.KeepsIgnored() || o.kind == checkpoint) {
		a.same = bytes.Equal(core.EncodeState(a.before), core.EncodeState(a.machine))
	}
	return a
}

// revocable reports whether a step may turn out to be impossible, or no event: somebody else may
// crash while it is running, or nothing comes of it.
func (r *run) revocable(o *offer) bool {
	return r.config.Parallel || r.config.Model.KeepsIgnored() || o.kind == checkpoint
}

// decode makes a message of its bytes.
func (r *run) decode(k *packet) core.Message {
	m := r.setup.NewMessage()
	if err := core.Decode([]byte(k.data), m); err != nil {
		panic(err.Error())
	}
	return m
}

// wrong is what a step panics with that asks for what nobody can do.
type wrong string

// step hands the input to the machine, one of the setup, and takes the effects apart.
func (a *attempt) step(p core.Proc, in core.Input, s *core.Setup) {
	v := core.Evidence{Proc: p, Incarnation: a.inc}
	if event, ok := v.OfInput(&in); ok {
		a.events = append(a.events, event)
	}
	effects := a.machine.Step(in, nil)
	v.After = core.HistoryOf(a.machine)
	for i := range effects {
		e := &effects[i]
		if words := s.Wrong(e); words != "" {
			panic(wrong(words))
		}
		if e.Acts() {
			x := act{effect: *e, first: len(a.events)}
			if e.Kind == core.SendMessage {
				x.packet = packet{from: v.Proc, inc: v.Sender(e),
					data: string(core.Encode(e.Message)), wire: e.Message.Describe()}
				x.effect.Message = nil
			}
			a.acts = append(a.acts, x)
		}
		if e.Kind == core.Renew {
			a.events = append(a.events, v.Renewed()...)
		} else if event, ok := v.Of(e); ok {
			a.events = append(a.events, event)
		}
	}
}

// commit makes a step happen, unless it can not happen any more.
func (r *run) commit(p *proc, o *offer, a *attempt) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.over:
		p.machine = a.before
		return
	case !r.possible(p, o):
		r.out.Undone++
		if p.life == o.life && a.before != nil {
			p.machine = a.before
		}
		return
	case a.failed != "":
		r.out.Panic = a.failed
		r.out.Schedule = append(r.out.Schedule, r.name(p, o, nil))
		if e, ok := r.noticed(p, o); ok {
			r.record([]trace.Event{e})
		}
		r.end("")
		return
	case r.idle(o, a):
		o.ignore(p, r)
		return
	}
	r.take(p, o, a)
	r.strike()
	r.rouse()
	if len(r.out.Schedule) >= r.maxSteps() {
		r.end(fmt.Sprintf("limit of %d steps", r.maxSteps()))
	}
	if r.inFlight > r.maxInFlight() {
		r.end(fmt.Sprintf("limit of %d messages in flight", r.maxInFlight()))
	}
}

func (r *run) maxSteps() int {
	if r.config.MaxSteps == 0 {
		return DefaultSteps
	}
	return r.config.MaxSteps
}

func (r *run) maxInFlight() int {
	if r.config.MaxInFlight == 0 {
		return DefaultInFlight
	}
	return r.config.MaxInFlight
}

// idle reports whether nothing at all comes of a step, so that it is no event: a message that is
// ignored where such messages stay, a checkpoint that is not taken. In a set, to send what is on
// its way already is nothing.
func (r *run) idle(o *offer, a *attempt) bool {
	if !a.same || o.kind != checkpoint && !(o.kind == deliver && r.config.Model.KeepsIgnored()) {
		return false
	}
	if o.kind == checkpoint {
		return len(a.acts) == 0
	}
	quiet := func(e trace.Event) bool { return e.Kind == trace.Dropped }
	if !r.config.Model.Set {
		return len(a.acts) == 0 && !slices.ContainsFunc(a.events, func(e trace.Event) bool {
			return !quiet(e)
		})
	}
	for i := range a.acts {
		switch e := &a.acts[i].effect; e.Kind {
		case core.SendMessage:
			if !r.procs[e.To].has(&a.acts[i].packet) {
				return false
			}
		case core.Persist, core.SetTimer, core.Watch, core.Unwatch, core.Renew, core.Exit,
			core.Commit, core.Rollback, core.Kill, core.Launch, core.Read:
			return false
		}
	}
	return true
}

// take is a step that happens: the cause goes, the effects are performed in order, and the proc may
// crash between two of them.
func (r *run) take(p *proc, o *offer, a *attempt) {
	cut, failure := r.cutAt(p, o, a)
	name := r.name(p, o, a.events)
	var adopted []*proc
	free := cut > 0 && slices.Contains(r.bound(), p)
	r.out.Schedule = append(r.out.Schedule, name)
	if e, ok := r.noticed(p, o); ok {
		r.record([]trace.Event{e})
	}
	if r.cause(p, o); cut > 0 {
		adopted = r.hosted(p)
	}
	events, acts := a.events, len(a.acts)
	if cut > 0 {
		events, acts = a.events[:a.acts[cut].first], cut
	}
	r.record(events)
	r.perform(p, a, acts)
	if p.life == o.life || o.kind == restart {
		p.settle(a)
	}
	p.readyAt = r.clock() + r.pace.delay(p.rng, r.pace.steps[p.id])
	if !p.up { // it has stopped itself
		p.readyAt = r.clock() + r.pace.delay(p.rng, r.pace.restarts[p.id])
	}
	if cut > 0 {
		r.standStill(p, adopted, cut, free, failure.Survive)
	}
}

// settle notes what the machine is like between two steps.
func (p *proc) settle(a *attempt) {
	p.machine, p.choices, p.recovers = a.machine, a.choices, a.recovers
	p.sent, p.heard = a.sent, a.heard
	p.version++
}

// perform does what the first effects of a step ask of the environment.
func (r *run) perform(p *proc, a *attempt, effects int) {
	for i := range effects {
		p.performed++
		switch e := &a.acts[i].effect; e.Kind {
		case core.SendMessage:
			r.push(r.procs[e.To], &a.acts[i].packet)
		case core.Persist:
			r.write(p, e)
		case core.SetTimer:
			r.setTimer(p, e)
		case core.Watch:
			r.startWatch(p, r.procs[e.To])
		case core.Unwatch:
			p.unwatch(e.To)
		case core.Renew:
			r.renew(p)
		case core.Exit:
			r.exit(p)
		case core.Kill:
			r.askKill(p, r.procs[e.To])
		case core.Launch:
			r.launch(p, r.procs[e.To], e)
		case core.Read:
			r.queue(p, write{key: e.Key, read: true})
		case core.Rollback:
			r.leave(p, p.inc+1, fate{}, fault.Prefix)
			p.back = !r.launched(p)
		}
	}
}

// noticed is the event of what the environment does to a proc, if it is one.
func (r *run) noticed(p *proc, o *offer) (trace.Event, bool) {
	e := trace.Event{Proc: p.id, Incarnation: p.inc}
	switch o.kind {
	case deliver, duplicate:
		w := &o.packet.wire
		e.Kind, e.Peer, e.ID, e.Stamp, e.Text = trace.Arrived, o.packet.from, w.ID, w.Stamp, w.Kind
	case told:
		e.Kind, e.Text = trace.Told, r.layout.NamesOf(o.input.Procs)
	default:
		return e, false
	}
	return e, true
}
