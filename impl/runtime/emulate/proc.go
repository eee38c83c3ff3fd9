package emulate

import (
	"fmt"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// proc is one proc in all its lives, and the node that it has if nobody else's is meant.
type proc struct {
	// what whoever sends to it looks at, together in memory
	id     core.Proc
	node   core.Proc // on whose node it runs, or did last
	life   int32     // how often it has stopped
	begun  int32     // item of what it does now, if busy; -1: it takes a step, or still sends
	events agenda    // its own, in a run by windows
	due    int64     // the earliest window that it is listed in
	// the node whose processor, cards and disk it has, as long as it runs on the node of its own
	box core.Proc
	up  bool
	// it waits for an input, and others have the cores of the node that it was made for
	asleep, crowded bool
	asked           bool // for a checkpoint, and it has not begun with that

	busy     bool        // until the work event with the number
	steps    bool        // what it does is the program step choice
	own      bool        // the disk is its own
	choice   core.Choice // of that step
	machine  core.Machine
	number   uint64 // of its newest event
	until    uint64
	inbox    []int32    // items, not begun, oldest first
	free     moment     // when all that its last step asks for is done
	core     processor  // its own, where nodes have no number of them
	computer *processor // on which its last step has computed before it sends
	out      network
	in       network

	restarts int // that have begun
	born     moment
	watches  []watch // in the order in which they were started
	watched  int     // watchdogs that it has started
	// who has adopted it, if it starts again only where somebody has
	host   core.Proc
	hosted bool

	inc  core.Incarnation // of the life, or of the last one
	next core.Incarnation // of a proc that is down: the least that its next life may have
	// when each life has ended with its node; negative: without
	ends     []moment
	cores    []processor            // of its node
	channels map[core.Proc]*channel // of its life, by addressee
	timers   []timer                // that are set
	store    []record               // by key
	under    []int32                // writes and reads in progress, oldest first
	settled  moment                 // when the newest of them is done
	disk     *disk                  // of its node, or its own
	keep     *disk                  // of its node, for what others give it
}

// timer is the newest setting of a timer.
type timer struct {
	name string
	set  int // times that it has been set
}

// begin starts a life: the first input takes no time.
func (r *Run) begin(p *proc, in core.Input) {
	p.machine, p.born = r.setup.New(p.id), r.now
	if h, ok := p.machine.(tuned); ok && !r.config.Keep {
		h.Tune(nil, true)
	}
	r.input = in
	r.step(p)
	r.plan(p)
}

// tuned is a machine that keeps histories for the judge unless it is told not to.
type tuned interface{ Tune(core.Buffers, bool) }

// offer puts an input before a proc, if that is still who it was meant for.
func (r *Run) offer(p *proc, i int32) {
	switch what := &r.items[i]; {
	case what.kind == core.Tick && !p.expired(what.rest) || p.life != what.toLife:
		r.release(i)
	case p.up:
		p.asleep = p.crowded && !p.busy && len(p.inbox) == 0
		p.inbox = append(p.inbox, i)
		r.plan(p)
	case what.kind == core.Received || what.kind == core.Down:
		p.inbox = append(p.inbox, i) // for its next life
	default:
		r.release(i)
	}
}

// expired reports whether a timer is still set as it was.
func (p *proc) expired(what *rest) bool {
	if what.input.Timer == core.Silence {
		return p.barks(what)
	}
	for _, t := range p.timers {
		if t.name == what.input.Timer {
			return t.set == what.set
		}
	}
	return false
}

// plan lets a proc that does nothing begin with what comes next: an input before a program step.
func (r *Run) plan(p *proc) {
	if p.busy || !p.up {
		return
	}
	takes := lasting(r.config.Costs.Step)
	switch {
	case p.free > r.now: // it still sends
		p.busy = true
		r.put(p, work, p.free, -1)
		p.until = p.number
		return
	case len(p.inbox) > 0:
		p.begun = core.Pop(&p.inbox)
		switch what := &r.items[p.begun]; what.kind {
		case core.Received:
			takes += lasting(r.link(r.nodeOf(what.from), p.node).Overhead)
		case core.Checkpoint:
			p.asked = false
		}
		if p.asleep {
			takes += lasting(r.config.Costs.Wake)
			p.asleep = false
		}
	default:
		r.choices = p.machine.Choices(r.choices[:0])
		if len(r.choices) == 0 {
			return
		}
		choice := r.choices[0]
		if r.config.Choose != nil {
			var ok bool
			if choice, ok = r.config.Choose(r, p.id, r.choices); !ok {
				return
			}
		}
		p.steps, p.choice = true, choice
		takes = lasting(r.config.Costs.Operation)
	}
	p.busy = true
	r.put(p, work, r.compute(p, r.now, takes), -1)
	p.until = p.number
}

// compute is when a processor of a proc is done with something that takes so long, and computes is
// when it is done with what its program computes.
func (r *Run) compute(p *proc, now, takes moment) moment {
	r.result.Busy += int64(takes)
	if p.computer != nil { // it goes on where it is: nobody waits for what comes so much later
		return p.computer.computing.serve(now, takes)
	}
	if r.config.Costs.Cores == 0 {
		if takes == 0 {
			return max(now, p.core.others.free)
		}
		return p.core.serve(now, takes)
	}
	cores := r.coresOf(p)
	if takes == 0 && len(cores) == 1 {
		return max(now, cores[0].others.free)
	}
	return first(cores, now, func(c *processor) moment { return c.others.free }).serve(now, takes)
}

func (r *Run) computes(p *proc, now, takes moment) moment {
	r.result.Busy += int64(takes)
	if r.config.Costs.Cores == 0 {
		p.computer = &p.core
	} else {
		p.computer = first(r.coresOf(p), now, (*processor).free)
	}
	return p.computer.compute(now, takes)
}

// coresOf are those of the node of a proc.
func (r *Run) coresOf(p *proc) []processor { return r.procs[r.procs[p.node].box].cores }

// nodeOf is the proc on whose node a proc runs.
func (r *Run) nodeOf(p core.Proc) core.Proc {
	if r.direct {
		return p
	}
	return r.procs[p].node
}

// finish is the end of what a proc has begun, unless it has stopped since.
func (r *Run) finish(p *proc, number uint64) {
	if !p.busy || p.until != number {
		return
	}
	p.busy = false
	switch {
	case p.begun >= 0:
		i := p.begun
		p.begun = -1
		r.input = r.items[i].input()
		r.release(i)
		r.step(p)
	case p.steps:
		p.steps = false
		r.input = core.Input{Kind: core.Advance, Choice: p.choice}
		r.step(p)
	}
	r.plan(p)
}

// step hands the input to a machine and performs the effects in order.
func (r *Run) step(p *proc) {
	in := &r.input
	r.result.Steps++
	v, life := core.Evidence{Proc: p.id, Incarnation: p.inc}, p.life
	if r.shown(0) {
		if event, ok := v.OfInput(in); ok {
			r.note(event)
		}
	}
	if p.life != life { // somebody was only waiting for that
		return
	}
	p.free = r.now
	first := len(r.effects)
	r.effects = p.machine.Step(*in, r.effects)
	if r.shown(0) {
		v.After = core.HistoryOf(p.machine)
	}
	if r.config.Stepped != nil {
		more := r.config.Stepped(r, p.id, in, r.effects[first:])
		p.free = r.compute(p, r.now, span(more.Copied, r.config.Costs.Copy)+lasting(more.Takes))
		if more.Computes > 0 {
			p.free = r.computes(p, p.free, lasting(more.Computes))
		}
	}
	if in.Kind == core.Restore && r.shown(0) {
		r.note(v.Restarted())
	}
	for i := first; i < len(r.effects); i++ {
		e := &r.effects[i]
		if words := e.Wrong(len(r.procs)); words != "" {
			panic("of protocol " + r.setup.Protocol + " " + words)
		}
		if r.shown(e.Kind) {
			if event, ok := v.Of(e); ok {
				r.note(event)
			}
		}
		if p.life != life || r.over {
			break // who watches has ended it
		}
		if r.perform(p, e); p.life != life || r.over {
			break
		}
	}
	clear(r.effects[first:])
	r.effects = r.effects[:first]
	p.computer = nil
	if in.Kind == core.Received {
		r.recycle(in.Message)
	}
}

// shown reports whether an effect of a kind is evidence in this run.
func (r *Run) shown(k core.EffectKind) bool {
	switch k {
	case core.SendMessage, core.Deliver, core.ProgramSent:
		return r.config.Keep
	}
	return r.config.Keep || r.config.Observe != nil
}

// perform is one effect.
func (r *Run) perform(p *proc, e *core.Effect) {
	switch e.Kind {
	case core.SendMessage:
		r.send(p, e)
	case core.Persist:
		r.write(p, e)
	case core.Read:
		r.read(p, e)
	case core.SetTimer:
		r.setTimer(p, e)
	case core.ProgramDone:
		r.result.Ended = max(r.result.Ended, int64(r.now))
	case core.Kill:
		r.order()
		r.schedule(&r.procs[e.To], stop, r.now.plus(lasting(r.config.Costs.Stop)),
			item{from: p.id, fromLife: p.life})
	case core.Launch:
		r.order()
		r.schedule(&r.procs[e.To], ready, r.now.plus(lasting(r.config.Costs.Launch)),
			item{from: p.id, fromLife: p.life, toLife: -1,
				rest: &rest{record: record{key: e.Key, value: e.Value}}})
	case core.Rollback:
		r.order()
		r.down(p, false)
		p.next = p.inc + 1
		r.restart(p)
	case core.Watch:
		r.watch(p, e)
	case core.Unwatch:
		r.unwatch(p, e.To)
	case core.Exit:
		r.Crash(p.id)
		p.restarts++ // for good
	case core.Declare:
		switch e.What {
		case trace.Adopted:
			r.adopt(p, &r.procs[e.To])
		case trace.Disowned:
			r.disown(p, &r.procs[e.To])
		}
	case core.Renew:
		panic(fmt.Sprintf("asks for effect %d, which is not emulated", e.Kind))
	}
}

// setTimer sets a timer, again if it is set already.
func (r *Run) setTimer(p *proc, e *core.Effect) {
	takes := r.ticks(e.Ticks)
	if r.config.Timer != nil {
		if d, ok := r.config.Timer(p.id, e.Timer, e.Ticks); ok {
			takes = lasting(d)
		}
	}
	at := -1
	for i := range p.timers {
		if p.timers[i].name == e.Timer {
			at = i
		}
	}
	if at < 0 {
		at = len(p.timers)
		p.timers = append(p.timers, timer{name: e.Timer})
	}
	p.timers[at].set++
	what := told(p.id, p.life, core.Input{Kind: core.Tick, Timer: e.Timer})
	what.rest.set = p.timers[at].set
	r.schedule(p, arrive, r.now.plus(takes), what)
}

// ticks is how long so many ticks are.
func (r *Run) ticks(n uint64) moment {
	return lasting(time.Duration(min(n, 1<<20)) * r.config.Costs.Tick)
}

// crashed is the event of a proc that has stopped.
func (p *proc) crashed() trace.Event {
	return trace.Event{Kind: trace.Crashed, Proc: p.id, Incarnation: p.inc}
}
