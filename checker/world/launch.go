package world

import (
	"cmp"
	"slices"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/impl/core"
)

// Procs that others start and stop (core.Setup.Launched). Nobody whom Layout.Hosted names starts
// again by itself: a Launch leaves a ticket in the env of its target, if that is down, and the
// restart uses it up. One at a time from each who launches, and the newest; of several that have
// launched one proc, any one does. A ticket lives as long as the life that gave it: whatever ends
// that takes the ticket away, and so does its own Kill of the target.
//
// Where a proc runs is what was done, not what anybody believes: its first life on the node that
// Layout.Nodes names, each later one with who launched it (env.Host). So one that was started
// elsewhere does not stop with the node that it ran on before, and who has launched it before can
// not stop it.
//
// A kill is an event of its own, at any time after it was asked for. It ends with every outcome of
// the writes in progress, takes what was in flight as a crash does, and the same event gives the
// answer. It is no failure: it costs nothing and nobody else is told. One that was asked for twice
// before it is done is done once.
//
// A failure is noticed proc by proc and life by life, the lives of one proc in their order. Who
// stops because its node does is not noticed on its own. A watcher that restarts is told again of
// the nodes that are down.

// ticket is a start that was asked for.
type ticket struct {
	_     struct{} `cbor:",toarray"`
	By    core.Proc
	Key   string
	Value []byte
}

// launch is what is done to an env where procs are launched.
func (e *env) launch(op operation) {
	switch p := core.Proc(op.A); op.Kind {
	case opKill:
		if i, found := slices.BinarySearch(e.Kills, p); !found {
			e.Kills = slices.Insert(e.Kills, i, p)
		}
	case opKilled:
		e.Kills = slices.DeleteFunc(e.Kills, func(q core.Proc) bool { return q == p })
	case opTicket:
		t := ticket{By: p, Key: op.Key, Value: op.Value}
		i, found := e.ticket(p)
		if found {
			e.Tickets[i] = t
			return
		}
		e.Tickets = slices.Insert(e.Tickets, i, t)
	case opTaken:
		e.Tickets = slices.DeleteFunc(e.Tickets, func(t ticket) bool { return t.By == p })
	}
}

// ticket is the place of the one that a proc has given.
func (e *env) ticket(by core.Proc) (i int, found bool) {
	return slices.BinarySearchFunc(e.Tickets, by, func(t ticket, by core.Proc) int {
		return cmp.Compare(t.By, by)
	})
}

// notice adds the failure of a group; with a life, plus 1, behind those of its lives before.
func (e *env) notice(group core.Proc, life uint32) {
	i, found := slices.BinarySearch(e.Pending, group)
	if life == 0 {
		if !found {
			e.Pending = slices.Insert(e.Pending, i, group)
		}
		return
	}
	for ; i < len(e.Pending) && e.Pending[i] == group; i++ {
		if e.Ended[i] == life-1 {
			return // another member of the group was noticed
		}
	}
	e.Pending, e.Ended = slices.Insert(e.Pending, i, group), slices.Insert(e.Ended, i, life-1)
}

// remind adds the failure of a life, which is given plus 1, unless it is there.
func (e *env) remind(group core.Proc, life uint32) {
	for i, g := range e.Pending {
		if g == group && e.Ended[i] == life-1 {
			return
		}
	}
	e.notice(group, life)
}

// launched reports whether the proc starts again only when somebody launches it.
func (w *World) launched(p core.Proc) bool {
	return w.placed[p] && w.Setup.Launched
}

// firstHost is who runs the node that a proc is on in its first life, plus 1; 0 = nobody.
func (w *World) firstHost(p core.Proc) uint32 {
	if !w.launched(p) || int(p) >= min(w.layout.Ranks, len(w.layout.Nodes)) {
		return 0
	}
	return uint32(w.layout.Nodes[p]) + 1
}

// launches adds the starts of a proc that somebody has launched.
func (w *World) launches(state []uint32, p core.Proc, x *checker.Expansion) {
	for _, t := range w.env(state, p).Tickets {
		w.step(state, p, w.restore(state, p, t.By), code(restart, p, int(t.By)).step(), x,
			cause{what: newEnv, value: w.started(state, p, uint32(t.By)+1)})
	}
}

// endTickets takes away the starts that a life which is over has asked for.
func (w *World) endTickets(x *checker.Expansion, by core.Proc) {
	if !w.Setup.Launched {
		return
	}
	taken := w.plainDeed(operation{Kind: opTaken, A: uint32(by)})
	for p := range core.Proc(w.procs) {
		if _, found := w.env(x.Now(), p).ticket(by); found {
			w.touch(x, p, taken)
		}
	}
}

// runsOn reports whether a proc is up and runs on the node of another one.
func (w *World) runsOn(state []uint32, p, host core.Proc) bool {
	return w.env(state, p).Host == uint32(host)+1
}

// killed are the procs that stop when p stops q: q, if it runs on the node of p, and what runs on
// the node of q.
func (w *World) killed(state []uint32, p, q core.Proc) []core.Proc {
	if !w.runsOn(state, q, p) {
		return nil
	}
	return w.withHosted(state, []core.Proc{q})
}

// kills adds the stops that a proc has asked for.
func (w *World) kills(state []uint32, p core.Proc, x *checker.Expansion) {
	for _, q := range w.env(state, p).Kills {
		tr := w.transition(w.localOf(state, p), w.killedInput(state, p, q))
		procs := w.killed(state, p, q)
		variant := 0
		goesOn := func(core.Proc) bool { return false } // the node, and its disk with it
		w.outcomes(state, procs, goesOn, func(outcomes []operation, damaged int) {
			s := code(kill, p, killArg(q, variant)).step()
			variant++
			stops := slices.Clone(outcomes)
			c := cause{budget: spend(torn, damaged), also: func(x *checker.Expansion) {
				w.stopKilled(x, p, q, procs, stops)
			}}
			w.step(state, p, tr, s, x, c)
		})
	}
}

// killArg is the argument of a kill: who is stopped, and the outcome of its writes.
func killArg(q core.Proc, outcome int) int { return outcome<<12 | int(q) }

// splitKill is what the argument of a kill says.
func splitKill(arg int) (q core.Proc, outcome int) {
	return core.Proc(arg & (1<<12 - 1)), arg >> 12
}

// stopKilled stops what a kill stops, and takes the ticket of who kills away.
func (w *World) stopKilled(x *checker.Expansion, p, q core.Proc, procs []core.Proc,
	outcomes []operation) {
	for i, s := range procs {
		w.crashProc(x, s, outcomes[i])
	}
	if _, found := w.env(x.Now(), q).ticket(p); found {
		w.touch(x, q, w.plainDeed(operation{Kind: opTaken, A: uint32(p)}))
	}
	w.touch(x, p, w.plainDeed(operation{Kind: opKilled, A: uint32(q)}))
}

// killedInput is the answer to who has stopped q: the life that this ends or, if q does not run on
// the node of p, the newest one that is over.
func (w *World) killedInput(state []uint32, p, q core.Proc) uint32 {
	_, inc := w.seems(state, q)
	life := core.Incarnation(inc)
	if !w.runsOn(state, q, p) {
		life-- // of a first life, which goes on elsewhere: core.NoLife
	}
	return w.input(askKilled|uint64(q)<<32|uint64(life), func() core.Input {
		return core.Input{Kind: core.Killed, From: q, Incarnation: life}
	})
}
