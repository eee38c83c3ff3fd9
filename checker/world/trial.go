package world

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// trial is a local step that is looked at, whether any run takes it or not: nothing that it shows
// counts as seen.
type trial struct {
	transition
	failed bool     // it can not be compared with anything
	notes  []string // what properties say of its events
	looks  bool     // some property wants to look at another proc
	broken bool     // some property is broken
}

// try is the trial of a local step, made once.
func (w *World) try(from, input uint32) *trial {
	key := pair(from, input)
	t, ok := w.alone.trials[key]
	if !ok {
		t = w.rehearsed(from, input)
		w.alone.trials[key] = t
	}
	return t
}

// rehearsed makes a trial, of what the search has met if it has. No search is under way.
func (w *World) rehearsed(from, input uint32) (t *trial) {
	t = new(trial)
	if from == deadLocal {
		t.failed = true
		return t
	}
	w.alone.trying, w.alone.troubled = true, false
	defer func() {
		t.failed = t.failed || recover() != nil || w.alone.troubled && !t.looks
		w.alone.trying = false
	}()
	l, in := *w.locals.at(from), *w.inputs.at(input)
	if n, ok := w.known.get(pair(from, input)); ok && w.transitions.at(n).tellable(in.Kind) {
		t.transition = w.reshown(w.transitions.at(n), t)
		return t
	}
	first, again := w.execute(l, in, w.masters.copy(w, from))
	m, effects := first.machine, first.effects
	for i := range effects {
		if w.Setup.Wrong(&effects[i]) != "" {
			t.failed = true
			return t
		}
	}
	r := w.recorder(l, t)
	r.evidence.After = core.HistoryOf(m)
	if event, ok := r.evidence.OfInput(&in); ok {
		r.event(event)
	}
	t.transition = r.record(effects)
	t.from, t.input = from, input
	t.next = w.internLocal(local{proc: l.proc, inc: r.from.inc, round: r.round,
		evaluated: r.evaluated, holding: r.holding}, m, first.choices)
	w.masters.keep(t.next, m)
	t.longer = r.round > l.round || r.evaluated > l.evaluated ||
		grown(l.history, w.locals.at(t.next).history)
	t.watched = w.monitors.watch(t.events)
	t.failed = w.Twice && w.difference(l, in, t.next, effects, again) != ""
	return t
}

// tellable reports whether all that a step shows can be told from its events, so that no machine
// has to run for what properties say of it. An image that a step loads brings its own past.
func (t *transition) tellable(k core.InputKind) bool {
	return t.violation == 0 && k != core.Restore && !slices.ContainsFunc(t.acts, act.ends) &&
		!slices.ContainsFunc(t.events, func(e trace.Event) bool { return e.Kind == trace.Resumed })
}

// reshown shows the events of a step to properties again: those of one that a search has taken to
// the trial of it, those of a trial, when a search takes it, to all.
func (w *World) reshown(t *transition, as *trial) transition {
	r := w.recorder(*w.locals.at(t.from), as)
	for _, e := range t.events {
		r.event(e)
	}
	told := *t
	told.checks, told.visible, told.violation = r.t.checks, r.t.visible, r.t.violation
	return told
}

// tried is the trial of a step that has been made before any search takes it, nil if there is none
// that tells all.
func (w *World) tried(from, input uint32) *transition {
	t := w.alone.trials[pair(from, input)]
	if t == nil || t.failed || t.broken || !t.tellable(w.inputs.at(input).Kind) {
		return nil
	}
	return &t.transition
}

// note asks all properties about an event of a trial.
func (r *recorder) note(e trace.Event) {
	w, t := r.world, r.trial
	if w.Facts == nil {
		return
	}
	v := &ownView{self: e.Proc, own: r.observed()}
	say := func(p *spec.Property, words ...string) {
		if words[0] != "" {
			t.notes = append(t.notes, fmt.Sprintf("%d %s %q", len(t.events), p.Name, words))
			t.broken = t.broken || p.Kind == spec.Always
		}
	}
	for i := range w.local {
		say(&w.local[i], w.local[i].Event(w.Facts, v, e))
	}
	for i := range w.pairs {
		key, value := w.pairs[i].Relate(w.Facts, v, e)
		say(&w.pairs[i], key, value)
	}
	for _, p := range w.sights.left() {
		say(&p, p.Event(w.Facts, v, e))
	}
	if !w.global(e) {
		return
	}
	r.t.checks = append(r.t.checks, check{event: e, self: v.own})
	for i := range w.always {
		looked := v.looked
		v.looked = false
		if m := w.always[i].Event(w.Facts, v, e); !v.looked { // or see opinion
			say(&w.always[i], m)
		}
		v.looked = v.looked || looked
	}
	t.looks = t.looks || v.looked || len(w.always) > 0 && w.alone.lines.Load()
}

// ownView shows one proc and notes whether another one is wanted.
type ownView struct {
	self   core.Proc
	own    spec.Observed
	looked bool
}

// Observed implements spec.View.
func (v *ownView) Observed(p trace.Proc) spec.Observed {
	if p == v.self {
		return v.own
	}
	v.looked = true
	return spec.Observed{}
}

// same reports whether two trials of one input do the same.
func (t *trial) same(u *trial) bool {
	return slices.Equal(t.acts, u.acts) && slices.Equal(t.events, u.events) &&
		t.watched == u.watched
}
