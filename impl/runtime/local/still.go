package local

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// A proc that a failure strikes inside a step stands still there, until it stops with its group, as
// in the modelled world: see still.go of package checker/world.

// stand is how a proc stands still.
type stand struct {
	still   bool
	life    core.Incarnation // in which it does
	adopted []*proc          // by then
	survive fault.Survival   // of what it has in flight
}

// standStill ends the step that is the last in the schedule after so many of its effects: they are
// done. Whoever is bound to stop anyway costs nothing.
func (r *run) standStill(p *proc, adopted []*proc, effects int, free bool, s fault.Survival) {
	r.out.Schedule[len(r.out.Schedule)-1] += trace.CutShort(effects)
	if r.recovered = false; !free {
		r.left.failures--
	}
	inc := p.inc
	if !p.up { // it has rolled back
		inc--
	} else {
		r.record([]trace.Event{{Kind: trace.Crashed, Proc: p.id, Incarnation: inc}})
	}
	p.stand = stand{still: true, life: inc, adopted: adopted, survive: s}
	p.up, p.back, p.inc, p.kills = false, false, r.lifeAfter(p), nil
	p.idle()
	p.life++
	p.stopAt = r.clock() + r.pace.delay(p.rng, r.pace.restarts[p.id])
	r.fellSilent(p)
}

// idle takes from a proc what it would do by itself.
func (p *proc) idle() {
	p.timers, p.watches, p.choices = nil, nil, nil
	p.recovers, p.sent, p.heard = false, 0, nil
	p.version++
	p.holding = trace.Holding{}
}

// there reports whether a proc has a process: it is up, stands still, or has rolled back.
func (p *proc) there() bool { return p.up || p.stand.still || p.back }

// seems reports whether a proc seems to be up to others, and in which life; of one that does not
// the next one.
func (p *proc) seems() (up bool, inc core.Incarnation) {
	if p.stand.still {
		return true, p.stand.life
	}
	return p.up, p.inc
}

// unitOf are those who stop at one time with a proc.
func (r *run) unitOf(p *proc) []*proc {
	if r.config.Model.Staggered {
		return []*proc{p}
	}
	return r.group(p)
}

// standing is the first who stands still of those who stop with a proc, nil if nobody does.
func (r *run) standing(p *proc) *proc {
	for _, q := range r.unitOf(p) {
		if q.stand.still {
			return q
		}
	}
	return nil
}

// roots are the procs with which others stop without another failure.
func (r *run) roots() (list []*proc) {
	for _, p := range r.procs {
		if p.stand.still || r.config.Model.Staggered && p.up && r.halfStopped(p) {
			list = append(list, p)
		}
	}
	return list
}

// follows reports whether the stop of a proc, with its group unless members stop one by one, is
// bound to happen: it stands still, but not only because its node is bound to stop, or it has to
// follow its group.
func (r *run) follows(p *proc) bool {
	if p.up {
		return slices.Contains(r.roots(), p)
	}
	unit := r.unitOf(p)
	return r.standing(p) == p && !slices.ContainsFunc(r.roots(), func(q *proc) bool {
		return !slices.Contains(unit, q) && slices.Contains(r.victims([]*proc{q}), p)
	})
}

// bound are the procs that are there and stop without another failure.
func (r *run) bound() (list []*proc) {
	for _, p := range r.roots() {
		list = append(list, r.victims([]*proc{p})...)
	}
	return slices.DeleteFunc(list, func(p *proc) bool { return !p.there() })
}

// fall is such a stop, with one of its outcomes; it reports whether there is that one.
func (r *run) fall(p *proc, choose func(outcomes int) int) bool {
	procs := r.victims([]*proc{p})
	all := r.fates(procs)
	n := choose(len(all))
	if n >= len(all) {
		return false
	}
	r.out.Schedule = append(r.out.Schedule, r.layout.CrashName("stop", r.unit([]*proc{p}), n))
	s := fault.Prefix
	if p.stand.still {
		s = p.stand.survive
	}
	r.crash(procs, all[n], s)
	return true
}
