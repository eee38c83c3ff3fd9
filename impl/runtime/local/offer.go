package local

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/plan"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// kind is the kind of an event.
type kind uint8

const (
	start kind = iota
	deliver
	advance
	persisted
	told
	tick
	expire
	restart
	cut
	stop
	checkpoint
	suspect
	lose
	duplicate
	erase
	kill
	refuse
	vanish
	spoil
)

// offer is one event that can happen.
type offer struct {
	kind  kind
	fault bool
	due   time.Duration

	channel *channel // deliver, lose, duplicate, cut
	packet  *packet  // deliver, lose, duplicate
	// advance, told, tick: which of several, kill: the outcome, vanish, spoil: the place of the
	// record
	index int
	way   int // spoil: how
	// suspect: who, told: of whom, expire: about whom, kill: who is stopped, restart: who has
	// launched it
	group   core.Proc
	spoil   *plan.Spoil // refuse, vanish, spoil: of the plan, nil where a schedule asks
	request *request    // checkpoint, suspect, false expire: of the plan, nil where a schedule asks

	// When it is picked:
	input core.Input
	inc   core.Incarnation // of the proc, at a restart the new one
	life  int
	cut   int // effects after which the proc stands still, where a schedule says so; 0 = none
}

// request is one of the plan.
type request struct {
	plan.Request
	ignored useless // when nothing came of it
}

// offers are the events of a proc that can happen now or, when their time comes, later; those of
// one proc in the order of the world.
func (r *run) offers(p *proc) iter.Seq[offer] {
	return func(yield func(offer) bool) {
		switch {
		case p.up:
			_ = r.arrivals(p, yield) && r.steps(p, yield) && r.ends(p, yield) &&
				r.asked(p, yield) && r.harmed(p, yield)
		case p.stand.still:
			_ = (!r.erases(p) || yield(offer{kind: erase, due: p.writing[0].due})) &&
				(!r.follows(p) || yield(offer{kind: stop, due: p.stopAt})) && r.harmed(p, yield)
		case r.launched(p):
			_ = r.starts(p, yield) && r.harmed(p, yield)
		default:
			_ = (!r.mayRestart(p) || yield(offer{kind: restart, due: p.readyAt})) &&
				r.harmed(p, yield)
		}
	}
}

// arrivals are what the network can bring.
func (r *run) arrivals(p *proc, yield func(offer) bool) bool {
	for _, c := range p.inbox {
		for _, k := range r.heads(c) {
			if k.ignored == (useless{p.version, r.gone}) {
				continue
			}
			if !yield(offer{kind: deliver, channel: c, packet: k, due: max(k.due, p.readyAt)}) {
				return false
			}
		}
	}
	return true
}

// steps are what the program, the store, the detector and the timers can do.
func (r *run) steps(p *proc, yield func(offer) bool) bool {
	for i := range p.choices {
		if !yield(offer{kind: advance, index: i, due: p.readyAt}) {
			return false
		}
	}
	if i := p.puts(); i >= 0 &&
		!yield(offer{kind: persisted, due: max(p.writing[i].due, p.readyAt)}) {
		return false
	}
	if r.erases(p) && !yield(offer{kind: erase, due: p.writing[0].due}) {
		return false
	}
	for i, n := range p.pending {
		if i > 0 && (r.config.Model.Joint || p.pending[i-1].group == n.group) ||
			!r.tellable(p, i) {
			continue
		}
		if !yield(offer{kind: told, index: i, group: n.group, due: max(n.due, p.readyAt)}) {
			return false
		}
	}
	for i, t := range p.timers {
		if !yield(offer{kind: tick, index: i, due: max(t.due, p.readyAt)}) {
			return false
		}
	}
	return r.expiries(p, yield) && r.stops(p, yield)
}

// ends are the cuts of channels, and the stop of a proc whose group is stopping.
func (r *run) ends(p *proc, yield func(offer) bool) bool {
	for _, c := range p.inbox {
		if c.keep == 0 || r.config.Model.FromDead == fault.Prefix && r.dead(c) &&
			(r.config.Schedule != nil || r.allIgnored(p, c)) {
			if !yield(offer{kind: cut, channel: c}) {
				return false
			}
		}
	}
	return !r.follows(p) || yield(offer{kind: stop, due: p.stopAt})
}

// allIgnored reports whether the proc has no use for anything in the channel.
func (r *run) allIgnored(p *proc, c *channel) bool {
	return r.config.Model.KeepsIgnored() && !slices.ContainsFunc(c.packets, func(k *packet) bool {
		return k.ignored != useless{p.version, r.gone}
	})
}

// asked are the requests of the plan that are due.
func (r *run) asked(p *proc, yield func(offer) bool) bool {
	for _, q := range r.requests {
		if q.Proc != p.id || q.After > p.performed || q.ignored == (useless{p.version, r.gone}) {
			continue
		}
		if q.Expires {
			if !r.mistakes(p, q, yield) {
				return false
			}
			continue
		}
		o := offer{kind: checkpoint, fault: true, request: q, due: p.readyAt}
		if q.Suspicious {
			o.kind, o.group = suspect, q.Suspect
		}
		if r.mayAsk(p, &o) && !yield(o) {
			return false
		}
	}
	return true
}

// mayAsk reports whether the model allows a request now.
func (r *run) mayAsk(p *proc, o *offer) bool {
	if o.kind == checkpoint {
		return r.left.checkpoints > 0 && slices.Contains(r.setup.Initiators, p.id)
	}
	if o.kind == expire {
		return r.mayMistake(p, o.group)
	}
	g := r.setup.Group(o.group)
	up, _ := r.procs[o.group].seems()
	return up && r.left.suspicions > 0 && slices.Contains(r.setup.Watchers, p.id) &&
		g[0] == o.group && !slices.Contains(g, p.id)
}

// pick chooses what the proc does next of what is due, nil when nothing is.
func (r *run) pick(p *proc) *offer {
	if r.config.Schedule != nil {
		o := p.granted
		p.granted = nil
		return o
	}
	for !r.over {
		var ready []offer
		for o := range r.offers(p) {
			if o.due <= r.clock() {
				ready = append(ready, o)
			}
		}
		if len(ready) == 0 {
			return nil
		}
		o := ready[p.rng.IntN(len(ready))]
		if o.kind == deliver {
			r.unreliable(p, &o)
		}
		if r.direct(p, &o) {
			r.strike()
			r.rouse()
			continue
		}
		r.prepare(p, &o)
		return &o
	}
	return nil
}

// unreliable lets the network lose or double a message instead of delivering it.
func (r *run) unreliable(p *proc, o *offer) {
	one := func(in int) bool { return in > 0 && p.rng.IntN(in) == 0 }
	switch {
	case r.left.losses > 0 && one(r.config.Plan.Lost):
		o.kind, o.fault = lose, true
	case r.left.duplicates > 0 && one(r.config.Plan.Doubled):
		o.kind, o.fault = duplicate, true
	}
}

// prepare gives an offer its input. A message is decoded later.
func (r *run) prepare(p *proc, o *offer) {
	o.inc, o.life = p.inc, p.life
	switch o.kind {
	case deliver, duplicate:
		o.input = core.Input{Kind: core.Received, From: o.packet.from}
	case advance:
		o.input = core.Input{Kind: core.Advance, Choice: p.choices[o.index]}
	case persisted:
		o.input = p.done()
	case refuse:
		o.input = core.Input{Kind: core.Refused, Key: p.writing[p.puts()].key}
	case kill:
		o.input = r.killed(p, r.procs[o.group])
	case told:
		o.input = core.Input{Kind: core.Down, Procs: r.report(p, o.index),
			Incarnation: r.failedLife(p, o.index)}
	case tick:
		o.input = core.Input{Kind: core.Tick, Timer: p.timers[o.index].name}
	case expire:
		o.input = core.Input{Kind: core.Tick, Timer: core.Silence, From: o.group}
	case restart:
		o.input = r.restored(p, o)
	case checkpoint:
		o.input = core.Input{Kind: core.Checkpoint}
	case suspect:
		o.input = core.Input{Kind: core.Down, Procs: r.setup.Group(o.group)}
		_, o.input.Incarnation = r.procs[o.group].seems()
	}
}

// restored is the input of a proc that starts.
func (r *run) restored(p *proc, o *offer) core.Input {
	in := core.Input{Kind: core.Restore, Incarnation: p.inc}
	if !r.launched(p) {
		in.From, in.Records = r.hostOf(p), r.records(p)
	} else if t := p.ticket(o.group); t != nil {
		in.From, in.Records = t.by.id, []core.Record{{Owner: t.by.id, Key: t.key, Value: t.value}}
	}
	return in
}

// direct does what needs no machine.
func (r *run) direct(p *proc, o *offer) bool {
	switch o.kind {
	case erase:
		r.out.Schedule = append(r.out.Schedule, r.name(p, o, nil))
		p.stable(1)
		return true
	case cut, lose:
		r.gone++
		r.out.Schedule = append(r.out.Schedule, r.name(p, o, nil))
		lost := o.channel.packets
		if o.kind == lose {
			lost = []*packet{o.packet}
		}
		r.record(lostEvents(p, lost))
		if o.kind == lose {
			r.left.losses--
			r.pop(p, o.channel, o.packet)
		} else {
			r.drop(p, func(c *channel) bool { return c == o.channel })
		}
		return true
	case vanish, spoil:
		r.out.Schedule = append(r.out.Schedule, r.name(p, o, nil))
		r.damage(p, o)
		return true
	case stop:
		return r.fall(p, r.rng.IntN)
	}
	return false
}

// lostEvents are the evidence of messages to a proc that the network loses.
func lostEvents(p *proc, lost []*packet) (events []trace.Event) {
	for _, k := range lost {
		events = append(events, trace.Event{Kind: trace.Lost, Proc: p.id, Incarnation: p.inc,
			Peer: k.from, ID: k.wire.ID, Stamp: k.wire.Stamp, Text: k.wire.Kind})
	}
	return events
}

// possible reports whether a step that was tentative can still happen, with the input that the
// machine was given.
func (r *run) possible(p *proc, o *offer) bool {
	if p.life != o.life {
		return false
	}
	switch o.kind {
	case deliver, duplicate:
		return slices.Contains(p.inbox, o.channel) &&
			slices.Contains(r.heads(o.channel), o.packet) &&
			(o.kind == deliver || r.left.duplicates > 0)
	case told:
		return o.index < len(p.pending) && p.pending[o.index].group == o.group &&
			r.tellable(p, o.index) && slices.Equal(r.report(p, o.index), o.input.Procs) &&
			r.failedLife(p, o.index) == o.input.Incarnation
	case expire: // a false one is no fault any more when the life is over
		return o.fault && r.mayMistake(p, o.group) || !o.fault && r.mayExpire(p, o.group)
	case restart:
		now := r.restored(p, o)
		return r.mayRestart(p) && o.inc == p.inc && o.input.From == now.From &&
			same(o.input.Records, now.Records)
	case checkpoint:
		return r.mayAsk(p, o)
	case suspect:
		_, life := r.procs[o.group].seems()
		return r.mayAsk(p, o) && life == o.input.Incarnation
	case kill:
		return o.index < len(r.killings(p, r.procs[o.group])) &&
			r.killed(p, r.procs[o.group]).Incarnation == o.input.Incarnation
	case persisted: // a record that it reads may have changed
		return same(o.input.Records, p.done().Records)
	case refuse:
		return r.left.full > 0
	}
	return true // nobody else changes what the proc itself has asked for
}

// same reports whether records are the same.
func same(a, b []core.Record) bool {
	return slices.EqualFunc(a, b, func(a, b core.Record) bool {
		return a.Owner == b.Owner && a.Key == b.Key && a.Torn == b.Torn &&
			string(a.Value) == string(b.Value)
	})
}

// ignore notes that nothing comes of an offer as long as nothing changes.
func (o *offer) ignore(p *proc, r *run) {
	now := useless{p.version, r.gone}
	if o.packet != nil {
		o.packet.ignored = now
	} else if o.request != nil {
		o.request.ignored = now
	}
}

// cause takes away what has led to a step.
func (r *run) cause(p *proc, o *offer) {
	switch o.kind {
	case deliver:
		if !r.config.Model.Set {
			r.pop(p, o.channel, o.packet)
		} else if o.channel.keep > 0 {
			o.channel.keep--
		}
	case duplicate:
		r.left.duplicates--
	case persisted:
		p.stable(p.puts() + 1)
	case told:
		if r.config.Model.Joint {
			p.pending = nil
		} else {
			p.pending = slices.Delete(p.pending, o.index, o.index+1)
		}
	case tick:
		p.timers = slices.Delete(p.timers, o.index, o.index+1)
	case expire:
		if p.unwatch(o.group); o.fault {
			r.left.suspicions--
			r.requested(o)
		}
	case restart:
		var host *proc
		if r.launched(p) {
			host = r.procs[o.input.From]
		}
		r.started(p, host)
	case kill:
		r.stopKilled(p, r.procs[o.group], o.index)
	case refuse:
		r.refuse(p, o)
	case checkpoint:
		r.left.checkpoints--
		r.requested(o)
	case suspect:
		r.left.suspicions--
		r.requested(o)
	}
}

// requested takes a request off the plan.
func (r *run) requested(o *offer) {
	r.requests = slices.DeleteFunc(r.requests, func(q *request) bool { return q == o.request })
}

// name is the name of an event, as the world has it but for the numbers that tell two with one name
// apart.
func (r *run) name(p *proc, o *offer, events []trace.Event) string {
	l, name := r.layout, r.layout.Name(p.id)
	switch o.kind {
	case deliver, lose, duplicate:
		verb := map[kind]string{deliver: "deliver ", lose: "lose ", duplicate: "duplicate "}[o.kind]
		return verb + l.Channel(o.packet.from, o.packet.inc, p.id) + " " + l.Message(o.packet.wire)
	case advance:
		return "step " + name + " " + l.StepName(p.id, events, uint64(o.input.Choice))
	case persisted:
		if o.input.Kind == core.Loaded {
			return "loaded " + name + " " + o.input.Key
		}
		return "persisted " + name + " " + o.input.Key
	case told:
		return "told " + name + " down " + l.NamesOf(o.input.Procs)
	case tick:
		return "tick " + name + " " + o.input.Timer
	case expire:
		return "expire " + name + " hears nothing of " + l.Name(o.group)
	case restart:
		text := fmt.Sprintf("restart %s incarnation %d", name, o.inc)
		if r.launched(p) {
			text += " on " + l.Name(o.group)
		}
		return text
	case kill:
		return l.CrashName("killed "+name, [][]core.Proc{{o.group}}, o.index)
	case refuse:
		return "refused " + name + " " + o.input.Key
	case vanish:
		return "lost record of " + name + " " + p.store[o.index].key
	case spoil:
		return "corrupted record of " + name + " " + p.store[o.index].key + ", " +
			fault.DamageName(o.way)
	case cut:
		return "cut " + l.Channel(o.channel.from, o.channel.inc, p.id)
	case erase:
		return fault.ChangeName(p.writing[0].gone) + " " + name + " " + p.writing[0].key
	case checkpoint:
		return "checkpoint " + name
	case suspect:
		return "suspect " + name + " thinks down " + l.NamesOf(r.setup.Group(o.group))
	}
	return ""
}
