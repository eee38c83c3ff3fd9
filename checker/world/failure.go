package world

import (
	"slices"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
)

// Budgets are counters of four bits.
type budget uint

const (
	failures budget = 4 * iota
	checkpoints
	losses
	duplicates
	suspicions
	torn
)

func initialBudget(m *fault.Model) uint32 {
	return uint32(m.Failures)<<failures | uint32(m.Checkpoints)<<checkpoints | uint32(
		m.Loss)<<losses |
		uint32(m.Duplicates)<<duplicates | uint32(m.Suspicions)<<suspicions | uint32(m.Torn)<<torn
}

func spend(b budget, n int) uint32             { return uint32(n) << b }
func (w *World) group(p core.Proc) []core.Proc { return w.groups[p] }

// mayRestart reports whether no member of the group of p is still in an older life.
func (w *World) mayRestart(state []uint32, p core.Proc) bool {
	if w.launched(p) {
		return len(w.env(state, p).Tickets) > 0
	}
	if w.placed[p] {
		if _, hosted := w.host(state, p); !hosted {
			return false
		}
	}
	inc := w.of(state, p).inc
	return !slices.ContainsFunc(w.group(p), func(q core.Proc) bool {
		c := w.of(state, q)
		return lags(c.up, c.still, c.inc, inc)
	})
}

// lags reports whether a proc has not left a life older than the next one of a mate.
func lags(up, still bool, inc, next uint32) bool {
	return up && inc < next || still && inc <= next
}

// restarts adds the restart of a proc that is down, if it is possible.
func (w *World) restarts(state []uint32, p core.Proc, x *checker.Expansion) {
	switch {
	case w.launched(p):
		w.launches(state, p, x)
	case w.mayRestart(state, p):
		w.startsAgain(state, p, x)
	}
}

// startsAgain adds the restart of a proc that may restart, and that nobody launches.
func (w *World) startsAgain(state []uint32, p core.Proc, x *checker.Expansion) {
	w.step(state, p, w.restore(state, p, noProc), code(restart, p, 0).step(), x,
		cause{what: newEnv, value: w.started(state, p, 0)})
}

// retold are the nodes that a watcher is told of again when it restarts itself, where procs are
// launched: those that are down. Its life before may have taken the news with it, and nobody who is
// down for good would ever answer the new one.
func (w *World) retold(state []uint32, p core.Proc) (list []core.Proc) {
	if !w.Setup.Launched || !slices.Contains(w.Setup.Watchers, p) {
		return nil
	}
	for _, q := range w.Setup.Local {
		if up, _ := w.seems(state, q); !up && !slices.Contains(w.group(p), q) {
			list = append(list, q)
		}
	}
	return list
}

// started is the env of a proc that starts again, on the node of a host, which is given plus 1. A
// new process has not known those who are up again by now.
func (w *World) started(state []uint32, p core.Proc, host uint32) uint32 {
	again := w.retold(state, p)
	number := w.envOf(state, p)
	var useful uint32 // notices, by index
	for i, g := range w.envs.at(number).Pending {
		if slices.ContainsFunc(w.group(g), func(q core.Proc) bool {
			up, _ := w.seems(state, q)
			return !up
		}) {
			useful |= 1 << min(i, 31)
		}
	}
	key := pair(number, useful)
	if next, ok := w.starts.get(key); ok && host == 0 && again == nil {
		return next
	}
	e := *w.envs.at(number)
	op := operation{Kind: opStart, A: host}
	for i, g := range e.Pending {
		if useful>>min(i, 31)&1 != 0 {
			op.Procs = append(op.Procs, g)
			if len(e.Ended) > 0 {
				op.Lives = append(op.Lives, e.Ended[i])
			}
		}
	}
	e.apply(op)
	for _, q := range again {
		e.remind(w.group(q)[0], w.of(state, q).inc)
	}
	next := w.internEnv(e)
	if host == 0 && again == nil {
		w.starts.put(key, next)
	}
	return next
}

// restore is the local step with which a proc that is down starts again, by the launcher where
// procs are launched. It depends on the envs of p and of whose records it reads, and on its host;
// up to two of these it is remembered.
func (w *World) restore(state []uint32, p, launcher core.Proc) uint32 {
	owners := w.owners(p)
	key := pair(uint32(p)<<24|w.envOf(state, p), w.envOf(state, owners[0]))
	known := len(owners) == 1 || len(owners) == 2 && owners[1] == p
	host := core.Proc(0)
	// its host counts as well; there is no room for more
	if w.placed[p] {
		if host = launcher; !w.launched(p) {
			host, _ = w.host(state, p)
		}
		key = pair(uint32(p)<<24|w.envOf(state, p), ^uint32(host))
		known = len(owners) == 1 && owners[0] == p || w.launched(p)
	}
	known = known && w.envOf(state, p) < 1<<24 && p < 1<<8
	if known {
		if tr, ok := w.restores.get(key); ok {
			return tr
		}
	}
	e := w.env(state, p)
	inc := core.Incarnation(e.Inc)
	in := core.Input{Kind: core.Restore, From: host, Incarnation: inc}
	if w.launched(p) {
		i, _ := e.ticket(launcher)
		in.Records = []core.Record{{Owner: launcher, Key: e.Tickets[i].Key,
			Value: e.Tickets[i].Value}}
	} else {
		in.Records = w.records(state, p)
	}
	from, input := w.blank(p, inc), w.internInput(in)
	tr := w.transition(from, input)
	if known {
		w.restores.put(key, tr)
	}
	return tr
}

// Kinds of what the environment asks of a proc, in the keys of World.asked.
const (
	askPersisted = iota << 60
	askTold
	askTick
	askSuspect
	askCheckpoint
	askSilence
	askKilled
	askRefused
	askReceived
)

// receivedInput is the arrival of a packet.
func (w *World) receivedInput(number packetNumber) uint32 {
	return w.input(askReceived|uint64(number), func() core.Input {
		k := w.packets.at(number)
		return core.Input{Kind: core.Received, From: k.from,
			Message: w.messages.at(k.message).value}
	})
}

// persistedInput is the input that the oldest put or read of the env of p leads to.
func (w *World) persistedInput(number uint32, p core.Proc) uint32 {
	return w.input(askPersisted|uint64(p)<<32|uint64(number), func() core.Input {
		e := w.envs.at(number)
		i := e.puts()
		if e.Writing[i].Read {
			return core.Input{Kind: core.Loaded, Key: e.Writing[i].Key, Records: e.loaded(i, p)}
		}
		return core.Input{Kind: core.Persisted, Key: e.Writing[i].Key}
	})
}

// toldInput is the i-th notice of the env of p. The life that has failed is the newest that is over
// of a group that does not stop but by failures; where procs are launched, that may be another one
// than the one that the notice is about, which the env knows.
func (w *World) toldInput(state []uint32, p core.Proc, i int) uint32 {
	number := w.envOf(state, p)
	e := w.envs.at(number)
	life := w.newestOver(state, e.Pending[i])
	if len(e.Ended) > 0 {
		life = e.Ended[i]
	}
	return w.input(askTold|uint64(life)<<44|uint64(i)<<32|uint64(number), func() core.Input {
		return core.Input{Kind: core.Down, Procs: w.notice(number, i),
			Incarnation: core.Incarnation(life)}
	})
}

// newestOver is the newest life of a proc that seems to be over.
func (w *World) newestOver(state []uint32, p core.Proc) uint32 {
	_, inc := w.seems(state, p)
	return inc - 1
}

func (w *World) tickInput(number uint32, i int) uint32 {
	return w.input(askTick|uint64(i)<<32|uint64(number), func() core.Input {
		return core.Input{Kind: core.Tick, Timer: w.envs.at(number).Timers[i]}
	})
}

// suspectInput falsely reports a proc that lives, and so the life in which it is.
func (w *World) suspectInput(state []uint32, q core.Proc) uint32 {
	_, life := w.seems(state, q)
	return w.input(askSuspect|uint64(life)<<32|uint64(q), func() core.Input {
		return core.Input{Kind: core.Down, Procs: w.group(q),
			Incarnation: core.Incarnation(life)}
	})
}

func (w *World) checkpointInput() uint32 {
	return w.input(askCheckpoint, func() core.Input { return core.Input{Kind: core.Checkpoint} })
}

// change is a plain operation on an env.
func (w *World) change(number uint32, op operation) cause {
	return cause{what: newEnv, value: w.envStep(number, w.plain(op))}
}

// notice is who the detector reports to a proc with the env: the i-th group that failed, or all of
// them when it reports jointly.
func (w *World) notice(number uint32, i int) []core.Proc {
	pending := w.envs.at(number).Pending
	if !w.Model.Joint {
		return w.group(pending[i])
	}
	var procs []core.Proc
	for i, g := range pending {
		if i == 0 || pending[i-1] != g {
			procs = append(procs, w.group(g)...)
		}
	}
	return procs
}

// tellable reports whether the detector may give p its i-th notice now: at any time, or after the
// last message that arrives from the dead incarnations, as the end of a TCP stream does.
func (w *World) tellable(state []uint32, p core.Proc, i int) bool {
	if w.Model.DetectAny {
		return true
	}
	channels := w.inbox(state, p).channels
	if len(channels) == 0 {
		return true
	}
	pending := w.env(state, p).Pending
	if !w.Model.Joint {
		pending = pending[i : i+1]
	}
	for c := range channels {
		if w.dead(state, &channels[c]) && slices.ContainsFunc(pending, func(g core.Proc) bool {
			return slices.Contains(w.group(g), channels[c].from)
		}) {
			return false
		}
	}
	return true
}

// faults adds what the environment may do within its budgets, and the stops of half-stopped groups.
func (w *World) faults(state []uint32, reduce checker.Reduction, x *checker.Expansion) {
	if n := w.left(state, failures); n > 0 && w.mayFail(state) {
		putOff := reduce.Has(checker.Crashes) && !w.Model.KeepToDead && !w.Model.Staggered &&
			!w.Model.Set && !w.Model.KeepsIgnored()
		c := crashing{World: w, state: state, x: x, putOff: putOff}
		c.sets(0, nil, min(n, w.Model.Together()))
	}
	if w.Model.Staggered {
		for p := range core.Proc(w.procs) {
			if w.of(state, p).up && w.halfStopped(state, p) {
				w.crashVariants(state, w.victims(state, []core.Proc{p}), code(stop, p, 0), nil, x)
			}
		}
	}
	if w.left(state, checkpoints) > 0 {
		w.spontaneous(state, x)
	}
	if w.left(state, suspicions) > 0 {
		w.suspects(state, x)
	}
	if w.left(state, losses) > 0 || w.left(state, duplicates) > 0 {
		w.unreliable(state, x)
	}
	w.harms(state, x)
}

func (w *World) spontaneous(state []uint32, x *checker.Expansion) {
	input := w.checkpointInput()
	for _, p := range w.Setup.Initiators {
		if !w.of(state, p).up {
			continue
		}
		tr := w.transition(w.localOf(state, p), input)
		if t := w.transitions.at(tr); len(t.acts) == 0 && t.next == w.localOf(state, p) {
			continue // ignored: no use in spending the budget
		}
		w.step(state, p, tr, code(checkpoint, p, 0).fault(), x,
			cause{budget: spend(checkpoints, 1)})
	}
}

func (w *World) suspects(state []uint32, x *checker.Expansion) {
	w.falseExpiries(state, x)
	for _, p := range w.Setup.Watchers {
		if !w.of(state, p).up {
			continue
		}
		for q := range core.Proc(w.procs) {
			g := w.group(q)
			if up, _ := w.seems(state, q); !up || g[0] != q || slices.Contains(g, p) ||
				slices.Contains(w.Setup.Certain, q) {
				continue
			}
			tr := w.transition(w.localOf(state, p), w.suspectInput(state, q))
			w.step(state, p, tr, code(suspect, p, int(q)).fault(), x,
				cause{budget: spend(suspicions, 1)})
		}
	}
}

func (w *World) unreliable(state []uint32, x *checker.Expansion) {
	for p := range core.Proc(w.procs) {
		number := w.inboxOf(state, p)
		box := w.inboxes.at(number)
		for i := range box.heads {
			h := &box.heads[i]
			if w.left(state, losses) > 0 {
				w.happen(x, p, code(lose, p, h.name).fault(), cause{what: newInbox,
					value: uint32(w.pop(number, h)), budget: spend(losses, 1)})
			}
			if w.left(state, duplicates) > 0 && w.of(state, p).up {
				tr := w.transition(w.localOf(state, p), h.input)
				w.step(state, p, tr, code(duplicate, p, h.name).fault(), x,
					cause{budget: spend(duplicates, 1)})
			}
		}
	}
}
