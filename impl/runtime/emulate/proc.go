package emulate

import (
	"fmt"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// proc is one proc in all its lives, and the node that it has if nobody else's is meant.
type proc struct {
	id      core.Proc
	machine core.Machine
	node    core.Proc // on whose node it runs, or did last

	up   bool
	inc  core.Incarnation // of the life, or of the last one
	next core.Incarnation // of a proc that is down: the least that its next life may have
	life int              // how often it has stopped
	// when each life has ended with its node; negative: without
	ends []moment
	// the node whose processor, cards and disk it has, as long as it runs on the node of its own
	box core.Proc

	number   uint64 // of its newest event
	inbox    []item // not begun, oldest first
	begun    item   // what it does now, if busy; of a program operation, Advance
	busy     bool   // until the work event with the number
	until    uint64
	free     moment                 // when all that its last step asks for is done
	cores    []processor            // of its node, or its own
	computer *processor             // on which its last step has computed before it sends
	channels map[core.Proc]*channel // of its life, by addressee
	timers   []timer                // that are set
	store    []record               // by key
	under    []int32                // writes and reads in progress, oldest first
	settled  moment                 // when the newest of them is done
	own      bool                   // the disk is its own
	disk     disk                   // of its node, or its own
	out      network
	in       network
}

// timer is the newest setting of a timer.
type timer struct {
	name string
	set  int // times that it has been set
}

// begin starts a life: the first input takes no time.
func (r *Run) begin(p *proc, in core.Input) {
	p.machine = r.setup.New(p.id)
	if h, ok := p.machine.(tuned); ok && !r.config.Keep {
		h.Tune(nil, true)
	}
	r.step(p, in)
	r.plan(p)
}

// tuned is a machine that keeps histories for the judge unless it is told not to.
type tuned interface{ Tune(core.Buffers, bool) }

// offer puts an input before a proc, if that is still who it was meant for.
func (r *Run) offer(p *proc, what item) {
	switch {
	case what.input.Kind == core.Tick && !p.expired(&what):
	case p.life != what.toLife:
	case p.up:
		p.inbox = append(p.inbox, what)
		r.plan(p)
	case what.input.Kind == core.Received || what.input.Kind == core.Down:
		p.inbox = append(p.inbox, what) // for its next life
	}
}

// expired reports whether a timer is still set as it was.
func (p *proc) expired(what *item) bool {
	for _, t := range p.timers {
		if t.name == what.input.Timer {
			return t.set == int(what.bytes)
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
		p.busy, p.begun = true, item{}
		r.put(p, work, p.free, -1)
		p.until = p.number
		return
	case len(p.inbox) > 0:
		p.begun = core.Pop(&p.inbox)
		if p.begun.input.Kind == core.Received {
			takes += lasting(r.link(r.procs[p.begun.from].node, p.node).Overhead)
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
		p.begun = item{input: core.Input{Kind: core.Advance, Choice: choice}}
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
	cores := r.coresOf(p)
	switch {
	case p.computer != nil: // it goes on where it is: nobody waits for what comes so much later
		return p.computer.computing.serve(now, takes)
	case takes == 0 && len(cores) == 1:
		return max(now, cores[0].others.free)
	}
	return first(cores, now, func(c *processor) moment { return c.others.free }).serve(now, takes)
}

func (r *Run) computes(p *proc, now, takes moment) moment {
	r.result.Busy += int64(takes)
	p.computer = first(r.coresOf(p), now, (*processor).free)
	return p.computer.compute(now, takes)
}

// coresOf are those of the node of a proc, or its own.
func (r *Run) coresOf(p *proc) []processor {
	if r.config.Costs.Cores > 0 {
		return r.procs[r.procs[p.node].box].cores
	}
	return p.cores
}

// finish is the end of what a proc has begun, unless it has stopped since.
func (r *Run) finish(p *proc, number uint64) {
	if !p.busy || p.until != number {
		return
	}
	in := p.begun.input
	p.busy, p.begun = false, item{}
	if in.Kind != 0 {
		r.step(p, in)
	}
	r.plan(p)
}

// step hands an input to a machine and performs the effects in order.
func (r *Run) step(p *proc, in core.Input) {
	r.result.Steps++
	v, life := core.Evidence{Proc: p.id, Incarnation: p.inc}, p.life
	if event, ok := v.OfInput(&in); ok {
		r.note(event)
	}
	if p.life != life { // somebody was only waiting for that
		return
	}
	p.free = r.now
	first := len(r.effects)
	r.effects = p.machine.Step(in, r.effects)
	if in.Kind == core.Received {
		defer r.recycle(in.Message)
	}
	v.After = core.HistoryOf(p.machine)
	if r.config.Stepped != nil {
		copied, computes := r.config.Stepped(r, p.id, &in, r.effects[first:])
		p.free = r.compute(p, r.now, span(copied, r.config.Costs.Copy))
		if computes > 0 {
			p.free = r.computes(p, p.free, lasting(computes))
		}
	}
	if in.Kind == core.Restore {
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
		r.result.Ended = int64(r.now)
	case core.Kill:
		r.schedule(&r.procs[e.To], stop, r.now.plus(lasting(r.config.Costs.Stop)),
			item{from: p.id, fromLife: p.life})
	case core.Launch:
		r.schedule(&r.procs[e.To], ready, r.now.plus(lasting(r.config.Costs.Launch)),
			item{from: p.id, fromLife: p.life, toLife: -1,
				record: record{key: e.Key, value: e.Value}})
	case core.Rollback:
		r.down(p, false)
		p.next = p.inc + 1
		r.restart(p)
	case core.Renew, core.Exit, core.Watch, core.Unwatch:
		panic(fmt.Sprintf("asks for effect %d, which is not emulated", e.Kind))
	}
}

// setTimer sets a timer, again if it is set already.
func (r *Run) setTimer(p *proc, e *core.Effect) {
	takes := time.Duration(min(e.Ticks, 1<<20)) * r.config.Costs.Tick
	if r.config.Timer != nil {
		if d, ok := r.config.Timer(p.id, e.Timer, e.Ticks); ok {
			takes = d
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
	r.schedule(p, arrive, r.now.plus(lasting(takes)), item{from: p.id, toLife: p.life,
		bytes: int64(p.timers[at].set),
		input: core.Input{Kind: core.Tick, Timer: e.Timer}})
}

// crashed is the event of a proc that has stopped.
func (p *proc) crashed() trace.Event {
	return trace.Event{Kind: trace.Crashed, Proc: p.id, Incarnation: p.inc}
}
