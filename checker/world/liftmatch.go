package world

import (
	"slices"
	"strings"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// way is one event of the world that may be the recorded one, or none for what is no event there.
type way struct {
	code  eventCode
	state []uint32
	none  bool
}

// expand lists what can happen in the present state.
func (l *lifter) expand() *checker.Expansion {
	x := checker.NewExpansion(l.Words())
	l.Expand(l.state, checker.Unreduced, x)
	return x
}

// ways are the events that may be what a log offers next, the likeliest first.
func (l *lifter) ways(h nextHead, x *checker.Expansion) (list []way) {
	if h.failure >= 0 {
		return l.crashes(&l.recording.Stopped[h.failure], x)
	}
	s := h.step
	for j, e := range x.Steps {
		c := eventCode(e.Code)
		if c.proc() != s.Proc || c.cut() != 0 && (c.cut() != s.Effects || !s.Last) ||
			!l.suits(c, s) {
			continue
		}
		next := x.State(j, nil)
		if l.unlikeStep(c, next, s) == "" {
			list = append(list, way{code: c, state: next})
		}
	}
	if len(list) == 0 && l.ignored(s) {
		list = append(list, way{state: l.state, none: true})
	}
	return list
}

// suits reports whether an event is of the kind of a step, and about the same.
func (l *lifter) suits(c eventCode, s *Recorded) bool {
	p, a, e := c.proc(), c.arg(), l.env(l.state, c.proc())
	switch c.kind() {
	case deliver, duplicate:
		box := l.inbox(l.state, p)
		return s.Kind == core.Received && box.channels[box.head(a).channel].from == s.From
	case advance:
		choice := l.locals.at(l.localOf(l.state, p)).choices[a]
		return s.Kind == core.Advance && l.inputs.at(choice).Choice == s.Choice
	case persisted:
		w := &e.Writing[e.puts()]
		return w.Key == s.Name && (s.Kind == core.Loaded && w.Read ||
			s.Kind == core.Persisted && !w.Read)
	case refuse:
		return s.Kind == core.Refused && e.Writing[e.puts()].Key == s.Name
	case told:
		return s.Kind == core.Down && !s.False
	case suspect:
		return s.Kind == core.Down && s.False && slices.Contains(s.Procs, core.Proc(a))
	case tick:
		return s.Kind == core.Tick && e.Timers[a] == s.Name
	case expire:
		return s.Kind == core.Tick && s.Name == core.Silence && core.Proc(a) == s.From
	case checkpoint:
		return s.Kind == core.Checkpoint
	case restart:
		return s.Kind == core.Restore && (!l.launched(p) || core.Proc(a) == s.From)
	case kill:
		q, _ := splitKill(a)
		return s.Kind == core.Killed && q == s.From
	case vanish:
		return s.Harm == RecordLost
	case spoil:
		_, how := splitSpoil(a)
		return s.Harm == RecordChanged && how == 0 || s.Harm == RecordHalved && how == 1
	}
	return false
}

// unlikeStep says how what an event shows, or where it leads, is not what was recorded.
func (l *lifter) unlikeStep(c eventCode, next []uint32, s *Recorded) string {
	if s.Harm != NoHarm {
		return ""
	}
	shown, want := ownEvents(l.evidence(l.state, next, c), s), ownEvents(s.Events, s)
	if s.Last && c.cut() == 0 && len(want) < len(shown) && l.coveredByCrash(c, s) {
		shown = shown[:len(want)] // the rest was not performed, and is lost in the crash
	}
	if why := l.unlike(shown, want); why != "" {
		return "shows something else: " + why
	}
	if c.cut() == 0 && !l.reached(next, s) {
		return "leads to another state of " + l.layout.Name(s.Proc)
	}
	return ""
}

// ownEvents are those of the proc of a step, without its end: when somebody stops is recorded by
// others.
func ownEvents(events []trace.Event, s *Recorded) (list []trace.Event) {
	for _, e := range events {
		if e.Proc == s.Proc && e.Kind != trace.Crashed {
			list = append(list, e)
		}
	}
	return list
}

// coveredByCrash reports whether the crash of its proc right behind an event may take back what a
// step has not performed of it. At the end of a run that was ended everybody stops, and no crash
// follows.
func (l *lifter) coveredByCrash(c eventCode, s *Recorded) bool {
	i := l.failureOf(c.proc())
	if i < 0 {
		return !l.recording.Complete
	}
	tr, ok := l.localStep(l.state, c)
	if !ok || l.recording.Stopped[i].Ordered || l.Model.FromDead == fault.Every {
		return false
	}
	acts := l.transitions.at(tr).acts
	return !slices.ContainsFunc(acts[min(s.Effects, len(acts)):], func(a act) bool {
		return a.firm
	})
}

// beyond says why a head is a step that the world can not have: one that was cut short where the
// world takes it as a whole. Who stops by an order, or because its node exits, stops there between
// two steps.
func (l *lifter) beyond(h nextHead, x *checker.Expansion) string {
	if h.failure >= 0 || !h.step.Last || l.failureOf(h.step.Proc) < 0 {
		return ""
	}
	s := h.step
	f := &l.recording.Stopped[l.failureOf(s.Proc)]
	for j, e := range x.Steps {
		c := eventCode(e.Code)
		if c.proc() != s.Proc || c.cut() != 0 || !l.suits(c, s) {
			continue
		}
		shown := ownEvents(l.evidence(l.state, x.State(j, nil), c), s)
		want := ownEvents(s.Events, s)
		if len(want) >= len(shown) || l.unlike(shown[:len(want)], want) != "" {
			continue
		}
		if f.Ordered {
			return l.layout.Name(s.Proc) + " stops inside a step, and not by a failure of its own"
		}
	}
	return ""
}

// failureOf is the first failure to come in which a proc stops, -1 if there is none.
func (l *lifter) failureOf(p core.Proc) int {
	for i := range l.done {
		if f := &l.recording.Stopped[i]; !l.done[i] && slices.Contains(f.Procs, p) {
			return i
		}
	}
	return -1
}

// reached reports whether the machine of a step is in the recorded state.
func (l *lifter) reached(state []uint32, s *Recorded) bool {
	content := l.Content(state, s.Proc)
	return s.State == 0 || content == nil || core.StateDigest(content) == s.State
}

// ignored reports whether a step is no event of the world, as nothing has come of it: a request for
// a checkpoint to somebody who does not heed it.
func (l *lifter) ignored(s *Recorded) bool {
	if s.Kind != core.Checkpoint || !l.of(l.state, s.Proc).up {
		return false
	}
	here := l.localOf(l.state, s.Proc)
	t := l.transitions.at(l.transition(here, l.checkpointInput()))
	return len(t.acts) == 0 && t.next == here &&
		l.unlike(ownEvents(t.events, s), ownEvents(s.Events, s)) == ""
}

// take uses what a log offers, by one of its ways, and goes on from there; it takes it back if that
// leads nowhere.
func (l *lifter) take(h nextHead, y way) bool {
	state, codes, at, done := l.state, len(l.codes), slices.Clone(l.at), slices.Clone(l.done)
	if !y.none {
		l.codes = append(l.codes, uint64(y.code))
		l.state = y.state
	}
	if h.failure < 0 {
		l.at[h.proc]++
	} else {
		f := &l.recording.Stopped[h.failure]
		l.done[h.failure] = f.Ordered || l.gone(f) // an order is carried out when it is answered
	}
	l.silently(h)
	if l.search() {
		return true
	}
	l.state, l.codes, l.at, l.done = state, l.codes[:codes], at, done
	return false
}

// silently does what leaves no trace: a delete is stable at once, and of what comes from the dead
// nothing is left when all know that they are.
func (l *lifter) silently(h nextHead) {
	for again := !l.recording.Held; again; {
		again = false
		x := l.expand()
		for j, e := range x.Steps {
			c := eventCode(e.Code)
			if c.kind() == cut && l.cutOff(c) || c.kind() == erase && h.failure < 0 &&
				c.proc() == core.Proc(h.proc) && !h.step.Last {
				l.codes, l.state = append(l.codes, e.Code), x.State(j, nil)
				again = true
				break
			}
		}
	}
}

// cutOff reports whether a channel comes from a life that all know to be over.
func (l *lifter) cutOff(c eventCode) bool {
	k := l.inbox(l.state, c.proc()).channel(c.arg())
	for i := range l.done {
		f := &l.recording.Stopped[i]
		at := slices.Index(f.Procs, k.from)
		if l.done[i] && at >= 0 && k.inc <= f.Lives[at] {
			return true
		}
	}
	return false
}

// ends reports whether the run of the world ends here as the recorded one.
func (l *lifter) ends(x *checker.Expansion) bool {
	return !l.recording.Complete || !slices.ContainsFunc(x.Steps, func(s checker.Step) bool {
		return !s.Fault
	})
}

// behind reports whether all failures are used that a step with the epoch is behind.
func (l *lifter) behind(epoch uint64) bool {
	for i := range l.done {
		if e := l.recording.Stopped[i].Epoch; !l.done[i] && e != 0 && e <= epoch {
			return false
		}
	}
	return true
}

// ready reports whether all is used that a failure is behind.
func (l *lifter) ready(f *Stopped) bool {
	for p, at := range l.at {
		if steps := l.recording.Steps[p]; at < len(steps) &&
			(f.Epoch == 0 || steps[at].Epoch < f.Epoch) {
			return false
		}
	}
	return true
}

// gone reports whether all who stop in a failure have.
func (l *lifter) gone(f *Stopped) bool { return len(l.remaining(f)) == 0 }

// remaining are those who have yet to stop.
func (l *lifter) remaining(f *Stopped) (list []core.Proc) {
	for i, p := range f.Procs {
		_, life := l.seems(l.state, p)
		if l.env(l.state, p).Back {
			life-- // the one that it has ended itself
		}
		if l.of(l.state, p).there && core.Incarnation(life) <= f.Lives[i] {
			list = append(list, p)
		}
	}
	return list
}

// crashes are the events that may be a failure, or a part of it: those that stop most first, and of
// these the ones that leave most of what was being written.
func (l *lifter) crashes(f *Stopped, x *checker.Expansion) (list []way) {
	remaining := l.remaining(f)
	if len(remaining) == 0 || f.Ordered {
		return []way{{state: l.state, none: true}}
	}
	sizes := map[eventCode]int{}
	for j, e := range x.Steps {
		c := eventCode(e.Code)
		if c.kind() != crash && c.kind() != stop || c.cut() != 0 {
			continue
		}
		next := x.State(j, nil)
		stopped := l.stoppedBy(next)
		if len(stopped) > 0 && !slices.ContainsFunc(stopped, func(p core.Proc) bool {
			return !slices.Contains(remaining, p) && !l.orderedUnheard(p)
		}) {
			sizes[c] = len(stopped)
			list = append(list, way{code: c, state: next})
		}
	}
	slices.Reverse(list)
	slices.SortStableFunc(list, func(a, b way) int { return sizes[b.code] - sizes[a.code] })
	return list
}

// orderedUnheard reports whether a proc is stopped by order of somebody who has failed before it
// heard so, and has done its last step. In the world to stop somebody and to hear of it is one
// event: it stops with its node.
func (l *lifter) orderedUnheard(p core.Proc) bool {
	steps := l.recording.Steps[p]
	if at := l.at[p]; at < len(steps) && steps[at].Kind != core.Restore {
		return false
	}
	return slices.ContainsFunc(l.unheard, func(i int) bool {
		f := &l.recording.Stopped[i]
		at := slices.Index(f.Procs, p)
		return at >= 0 && core.Incarnation(l.of(l.state, p).inc) <= f.Lives[at]
	})
}

// stoppedBy are the procs that an event stops.
func (l *lifter) stoppedBy(next []uint32) (list []core.Proc) {
	for p := range core.Proc(l.procs) {
		if l.of(l.state, p).there && !l.of(next, p).there {
			list = append(list, p)
		}
	}
	return list
}

// misfit says why a step is none of those that the world offers.
func (l *lifter) misfit(h nextHead, texts []string, x *checker.Expansion) string {
	var list []string
	for j, e := range x.Steps {
		c := eventCode(e.Code)
		if c.proc() != h.step.Proc || c.cut() != 0 || !l.suits(c, h.step) {
			continue
		}
		if why := l.unlikeStep(c, x.State(j, nil), h.step); why != "" {
			list = append(list, texts[j]+" "+why)
		}
	}
	switch {
	case len(list) > 0:
		return strings.Join(list, "; ")
	case len(l.ways(h, x)) > 0:
		return "it is possible, but none of the ways to go on from there is"
	}
	return "nothing of the kind is possible"
}
