package world

import (
	"slices"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/impl/core"
)

// cause is what the environment does with an event that leads to a local step: what surrounds the
// proc, or is on its way to it, changes, a budget is spent, others stop.
type cause struct {
	what   change
	value  uint32
	budget uint32
	harm   uint32
	also   func(*checker.Expansion) // nil = nothing
}

// change is what a cause changes of the proc.
type change uint8

const (
	unchanged change = iota
	newInbox
	newEnv
)

// of is the configuration with the change.
func (c *cause) of(own configuration) configuration {
	switch c.what {
	case newInbox:
		own.inbox = inboxNumber(c.value)
	case newEnv:
		own.env = c.value
	}
	return own
}

// begin does to the successor what the environment does besides the change, and returns the proc
// with the change.
func (c *cause) begin(w *World, x *checker.Expansion, p core.Proc) configuration {
	own := c.of(*w.of(x.Now(), p))
	w.spent(x, c.budget, c.harm)
	if c.also == nil {
		return own
	}
	w.put(x, p, own)
	c.also(x)
	return *w.of(x.Now(), p)
}

// happen adds an event of the environment alone.
func (w *World) happen(x *checker.Expansion, p core.Proc, s checker.Step, c cause) {
	x.Add(s)
	w.put(x, p, c.begin(w, x, p))
}

// step adds the event of a local transition, and the crashes inside it.
func (w *World) step(state []uint32, p core.Proc, tr uint32, s checker.Step, x *checker.Expansion,
	c cause) {
	if c.also == nil {
		s.Violation = w.judge(state, p, tr)
	}
	if k := eventCode(s.Code).kind(); k != deliver && k != advance {
		w.alone.took(w.transitions.at(tr))
	}
	x.Add(s)
	own := c.begin(w, x, p)
	if c.also != nil { // what others have come to is to be seen
		x.Steps[len(x.Steps)-1].Violation = w.judge(x.Now(), p, tr)
	}
	w.perform(x, p, tr, own)
	if w.left(state, failures) > 0 || w.Model.Staggered || w.stillness(state) {
		w.cutShort(state, p, tr, eventCode(s.Code), x, c)
	}
}

// perform moves a proc, of which the rest is given, to the end of a local transition and does what
// its effects ask for.
func (w *World) perform(x *checker.Expansion, p core.Proc, tr uint32, own configuration) {
	t := w.transitions.at(tr)
	w.performPart(x, p, t, len(t.acts), own)
	if t.watched {
		word := w.monitors.word
		x.Set(word, w.observe(x.At(word), tr).next)
	}
}

// performPart does so many of the effects. Its proc is numbered once, when all is done to it that
// nobody else looks at.
func (w *World) performPart(x *checker.Expansion, p core.Proc, t *transition, acts int,
	own configuration) {
	own.local = t.next
	for i := range acts {
		a := &t.acts[i]
		switch {
		case w.withinProc(p, a):
			own = w.actWithin(own, a)
		case a.kind == actSend:
			w.touch(x, a.to, packetDeed(a.packet()))
		case a.kind == actWatch && a.to != p:
			own.env = w.envStep(own.env, w.watching(x.Now(), a.to))
		default:
			w.put(x, p, own)
			w.act(x, p, a)
			own = *w.of(x.Now(), p)
		}
	}
	w.put(x, p, own)
}

// withinProc reports whether an effect changes nothing but its proc, and looks at nobody else.
func (w *World) withinProc(p core.Proc, a *act) bool {
	switch a.kind {
	case actSend:
		return a.to == p
	case actRollback:
		return !w.Setup.Launched // it may have asked for starts, which end
	case actChange, actNothing, actRenew:
		return true
	}
	return false
}

// actWithin is the proc after an effect that changes nothing else.
func (w *World) actWithin(own configuration, a *act) configuration {
	switch a.kind {
	case actSend:
		own.inbox = w.push(own.inbox, a.packet())
	case actChange, actRenew:
		own.env = w.envStep(own.env, a.value)
	case actRollback:
		own = w.rolledBack(own, opBack)
	}
	return own
}

// rolledBack is the proc when it has rolled back, by an operation: opStop where it starts again
// only when somebody launches it, so that it has stopped.
func (w *World) rolledBack(own configuration, kind opKind) configuration {
	op := operation{Kind: kind, A: w.envs.at(own.env).Inc + 1,
		Round: w.locals.at(own.local).round}
	own.local, own.env = deadLocal, w.envStep(own.env, w.plain(op))
	return own
}

// act does one effect that others see, or that depends on them.
func (w *World) act(x *checker.Expansion, p core.Proc, a *act) {
	switch a.kind {
	case actRollback:
		kind := opBack
		if w.launched(p) {
			kind = opStop
		}
		w.put(x, p, w.rolledBack(*w.of(x.Now(), p), kind))
		w.endTickets(x, p)
	case actWatch:
		w.touch(x, p, operationDeed(w.watching(x.Now(), a.to)))
	case actLaunch:
		if up, _ := w.seems(x.Now(), a.to); !up {
			w.touch(x, a.to, operationDeed(a.value))
		}
	case actExit:
		members := w.withHosted(x.Now(), w.group(p))
		w.crash(x, members, slices.Repeat([]operation{{Kind: opStop}}, len(members)))
	}
}
