package world

import (
	"errors"
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// Run is one run of the world, step by step.
type Run struct {
	Schedule  []string        // the identities of the events, in order
	Trace     trace.Trace     // the evidence
	States    [][]uint32      // before the first step and after each one
	Violation *spec.Violation // the first one that the run shows, nil if it shows none
	Complete  bool            // nothing but faults could happen at the end
	Loop      int             // steps at the end that are repeated for ever, 0 for none
	Fairly    bool            // it does not come to rest in fair order either, see GoOn

	codes []uint64 // of the steps
	torso bool     // it does not begin at the start
}

// Also lists what a run breaks beside its Violation: of each property the first time, the deepest
// properties first.
func (w *World) Also(r *Run) (list []spec.Violation) {
	if w.Facts == nil || r.Violation == nil {
		return nil
	}
	properties, found := w.Judge(r)
	for i := range properties { // the deepest first
		at := slices.IndexFunc(found, func(v spec.Violation) bool {
			return v.Property == properties[i].Name && v.Property != r.Violation.Property
		})
		if at >= 0 {
			list = append(list, found[at])
		}
	}
	return list
}

// Judge asks every property of a run, the deepest first, and lists all that breaks one.
func (w *World) Judge(r *Run) (asked []spec.Property, found []spec.Violation) {
	if w.Facts == nil {
		return nil, nil
	}
	asked, _ = spec.Select(w.Facts) // the world has taken them
	found, _ = spec.Judge(w.Facts, &r.Trace, asked, r.Complete)
	if r.Complete && w.isQuiet(r) {
		quiet, _ := spec.JudgeQuiet(w.Facts, w.quietOf(r), w.calm)
		found = append(found, quiet...)
	}
	return asked, found
}

// About says what the violation of a run is about; nil where no property says so.
func (w *World) About(r *Run, v *spec.Violation) []spec.Ref {
	if w.Facts == nil || v == nil {
		return nil
	}
	properties, _ := w.Facts.Properties() // the world has taken them
	i := slices.IndexFunc(properties, func(p spec.Property) bool { return p.Name == v.Property })
	if i < 0 {
		return nil
	}
	var quiet *spec.Quiet
	if properties[i].Kind == spec.FailureFree && r.Complete {
		quiet = w.quietOf(r)
	}
	return spec.About(w.Facts, &r.Trace, &properties[i], v, quiet)
}

// ErrStale is returned when an event of a schedule is not enabled where the schedule has it.
var ErrStale = errors.New("stale schedule")

// Follow runs the steps with the codes that a search returned.
func (w *World) Follow(codes []uint64) (*Run, error) {
	r := w.begin()
	for i, c := range codes {
		texts, x := w.Enabled(r.last())
		found := -1
		for j, s := range x.Steps {
			if s.Code == c {
				found = j
			}
		}
		if found < 0 {
			return r, fmt.Errorf("step %d of the path is not enabled: %w", i+1, ErrStale)
		}
		w.take(r, texts[found], x.Steps[found].Code, x.Steps[found].Violation, x.State(found, nil))
	}
	w.end(r)
	return r, w.Err()
}

// Replay runs a schedule by the identities of its events, and a line ForEver before those that are
// repeated or, at its end, the line Fairly. An event that is not enabled is ErrStale, with the step
// and what was enabled instead; the run up to there is returned.
func (w *World) Replay(schedule []string) (*Run, error) { return w.replay(w.begin(), schedule) }

// ReplayFrom is Replay from a state on, with no evidence of what came before: for runs that are to
// be looked at only. What compares a run with its beginning does not hold of them.
func (w *World) ReplayFrom(state []uint32, schedule []string) (*Run, error) {
	r := &Run{Trace: trace.Trace{Layout: *w.layout}, torso: true}
	r.States = append(r.States, slices.Clone(state))
	return w.replay(r, schedule)
}

func (w *World) replay(r *Run, schedule []string) (*Run, error) {
	loop, fairly := -1, false
	for i, text := range schedule {
		if text == ForEver && loop < 0 {
			loop = i
			continue
		}
		if fairly = text == Fairly; fairly {
			break
		}
		texts, x := w.Enabled(r.last())
		found := -1
		for j, t := range texts {
			if t == text {
				found = j
			}
		}
		if found < 0 {
			return r, fmt.Errorf("step %d: %q is not enabled: %w", i+1, text, ErrStale)
		}
		w.take(r, text, x.Steps[found].Code, x.Steps[found].Violation, x.State(found, nil))
		if r.Violation != nil {
			break
		}
	}
	w.end(r)
	if loop >= 0 && loop < len(r.Schedule) {
		w.judgeLoop(r, loop)
	}
	if fairly {
		w.GoOn(r)
	}
	return r, w.Err()
}

func (w *World) begin() *Run {
	r := &Run{Trace: trace.Trace{Layout: *w.layout}}
	initial := make([]uint32, w.Words())
	if n := w.Initial(initial); n != 0 {
		v := w.Violation(n)
		r.Violation = &v
	}
	r.States = append(r.States, initial)
	for p := range core.Proc(w.procs) {
		from, input := w.blank(p, 0), w.internInput(core.Input{Kind: core.Start})
		r.Trace.Events = append(r.Trace.Events,
			w.transitions.at(w.transition(from, input)).events...)
	}
	return r
}

func (r *Run) last() []uint32 { return r.States[len(r.States)-1] }

// take appends one step to the run.
func (w *World) take(r *Run, text string, c uint64, violation int, next []uint32) {
	before := r.last()
	r.Schedule, r.codes = append(r.Schedule, text), append(r.codes, c)
	for _, e := range w.evidence(before, next, eventCode(c)) {
		e.Step = len(r.Schedule)
		r.Trace.Events = append(r.Trace.Events, e)
	}
	r.States = append(r.States, append([]uint32(nil), next...))
	if violation != 0 && r.Violation == nil {
		v := w.Violation(violation)
		v.Step = len(r.Schedule)
		r.Violation = &v
	}
}

func (w *World) end(r *Run) {
	_, x := w.Enabled(r.last())
	for _, s := range x.Steps {
		if !s.Fault {
			return
		}
	}
	r.Complete = true
	if r.Violation != nil {
		return
	}
	if n := w.Terminal(r.last()); n != 0 {
		v := w.Violation(n)
		r.Violation = &v
		return
	}
	if !r.torso {
		w.judgeQuiet(r)
	}
}

// evidence is what a step shows: what the environment did, then what the proc did.
func (w *World) evidence(before, next []uint32, c eventCode) []trace.Event {
	p, cutAfter := c.proc(), c.cut()
	var events []trace.Event
	inc := func(state []uint32, q core.Proc) core.Incarnation {
		return core.Incarnation(w.env(state, q).Inc)
	}
	switch c.kind() {
	case deliver, duplicate:
		box := w.inbox(before, p)
		h := box.head(c.arg())
		wire := w.inputs.at(h.input).Message.Describe()
		events = append(events, trace.Event{Kind: trace.Arrived, Proc: p,
			Incarnation: inc(before, p), Text: wire.Kind, ID: wire.ID,
			Stamp: wire.Stamp, Peer: box.channels[h.channel].from})
	case lose, cut:
		for _, n := range w.lostBy(before, c) {
			k := w.packets.at(n)
			wire := w.messages.at(k.message).value.Describe()
			events = append(events, trace.Event{Kind: trace.Lost, Proc: p,
				Incarnation: inc(before, p), Peer: k.from, ID: wire.ID, Stamp: wire.Stamp,
				Text: wire.Kind})
		}
	case told:
		events = append(events, trace.Event{Kind: trace.Told, Proc: p, Incarnation: inc(before, p),
			Text: w.names(w.notice(w.envOf(before, p), w.pendingIndex(before, p, c.arg())))})
	}
	if c.kind() == kill { // it stops before its end is known
		q, _ := splitKill(c.arg())
		for _, s := range w.killed(before, p, q) {
			if !w.of(before, s).still {
				events = append(events, trace.Event{Kind: trace.Crashed, Proc: s,
					Incarnation: inc(before, s)})
			}
		}
	}
	if tr, ok := w.localStep(before, c); ok {
		local := w.transitions.at(tr).events
		if cutAfter != 0 {
			local = w.eventsOf(tr, cutAfter)
		}
		events = append(events, local...)
	}
	for q := range core.Proc(w.procs) {
		stopped := w.env(before, q).Up || cutAfter != 0 && q == p
		if life, shown := lastLife(events, q, inc(before, q)); stopped &&
			!w.env(next, q).Up && !shown {
			events = append(events, trace.Event{Kind: trace.Crashed, Proc: q, Incarnation: life})
		}
	}
	return events
}

// lostBy are the messages that the network loses in a step: one, or all of a channel.
func (w *World) lostBy(state []uint32, c eventCode) []packetNumber {
	box := w.inbox(state, c.proc())
	if c.kind() == cut {
		return box.channel(c.arg()).messages
	}
	h := box.head(c.arg())
	return box.channels[h.channel].messages[h.index : h.index+1]
}

// lastLife is the incarnation of a proc at the end of a step with the events, one that was in the
// given one before, and whether its end is among them: it has rolled back. One that is renewed has
// ended one life and begun the next.
func lastLife(events []trace.Event, q core.Proc, before core.Incarnation) (life core.Incarnation,
	ended bool) {
	life = before
	for _, e := range events {
		if e.Proc == q && (e.Kind == trace.Crashed || e.Kind == trace.Restored) {
			life, ended = e.Incarnation, e.Kind == trace.Crashed
		}
	}
	return life, ended
}

// localStep is the local transition of an event, if it has one.
func (w *World) localStep(state []uint32, c eventCode) (uint32, bool) {
	p, a := c.proc(), c.arg()
	here, number := w.localOf(state, p), w.envOf(state, p)
	switch c.kind() {
	case deliver, duplicate:
		return w.transition(here, w.inbox(state, p).head(a).input), true
	case advance:
		return w.transition(here, w.locals.at(here).choices[a]), true
	case persisted:
		return w.transition(here, w.persistedInput(number, p)), true
	case told:
		return w.transition(here, w.toldInput(state, p, w.pendingIndex(state, p, a))), true
	case suspect:
		return w.transition(here, w.suspectInput(state, core.Proc(a))), true
	case tick:
		return w.transition(here, w.tickInput(number, a)), true
	case checkpoint:
		return w.transition(here, w.checkpointInput()), true
	case expire:
		return w.transition(here, w.silenceInput(core.Proc(a))), true
	case restart:
		return w.restore(state, p, core.Proc(a)), true
	case kill:
		q, _ := splitKill(a)
		return w.transition(here, w.killedInput(state, p, q)), true
	case refuse:
		return w.transition(here, w.refusedInput(number)), true
	}
	return 0, false
}

// pendingIndex is the index of a notice by the first proc of its group.
func (w *World) pendingIndex(state []uint32, p core.Proc, group int) int {
	return slices.Index(w.env(state, p).Pending, core.Proc(group))
}

// eventsOf is the evidence of a step that a crash cuts off after some of its effects.
func (w *World) eventsOf(tr uint32, effects int) []trace.Event {
	t := w.transitions.at(tr)
	return t.events[:t.acts[effects].first]
}
