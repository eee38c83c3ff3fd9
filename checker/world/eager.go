package world

import (
	"slices"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/fault"
)

// Eager deliveries: a partial-order reduction by singleton persistent sets that proves itself while it runs.
//
// Definitions. a is the delivery of the oldest message of a channel to proc r in local state s. a commutes at s when for every
// input b that r can meet before a: b leads s to s', a is still possible there, both orders end in the same local state with the
// same messages in the same order on every channel and the same evidence in the same order, and a commutes at s'. The debt of
// a at s is what it sends: while r has not taken a, nobody can have received that.
//
// A receive or the end of a program, as a program step, may be a as well: of the global properties only gate-sound and
// line-consistent look at what was received, and both become stricter when more was. Everything that is said of
// deliveries holds of them, without a channel.
//
// Claim. In a global state without any fault budget left, if a commutes at the state of r, shows global properties nothing, and its
// channel is alive and the only one from its sender, then {a} is a persistent set: nothing but events of r depends on a (others
// only append to its channel and take from channels to which a appends at the end), and all events of r that can come first
// commute with it. So exploring a alone keeps terminal states and violations.
//
// Which b can come first is not known beforehand. But when a is taken first, each such b is met later, at a state after a and
// with the debt of a still in flight. So each local step that the search meets is checked as a square against the
// state before a; its early form, b before a, counts as met too, because other deliveries may have been taken first there. When
// a square fails after a was taken first somewhere, the pass was not sound: the delivery is banned and the search starts again
// (Sound, Restart). Passes end, because bans only grow.
//
// Handing over. The last of several reports triggers something visible, whichever comes last. If b before a makes a the
// visible one, a path b, x, a is represented by a, x, b, as long as r does nothing else in between: so a visible
// node is allowed behind a square whose evidence agrees, and any step met at its end with its debt in flight bans it.
//
// The cycle condition (an event must not be put off for ever) is the business of the search: see checker/depthfirst.go.
type eagerness struct {
	used    bool // some search reduces: every step it takes must be met
	on      bool // and the state at hand is one where that matters
	nodes   []node
	byPair  table // (state before, input) -> node
	steps   []step
	byStep  table // (local, input) -> step
	at      []place
	shadows table // (local, input) -> index into shadow: steps run only to compare, not part of any run
	shadow  []transition
	unsound bool
	visit   uint32
	opened  uint32 // squares opened so far, from 1
}

// node is one delivery at one local state.
type node struct {
	before, input, after uint32
	debt                 []act
	parents              []uint32 // nodes that commute only if this one does
	visible, bad, used   bool
}

// step is a local step that was met, with the nodes at whose end it starts and whose square has not been closed.
type step struct {
	from, input uint32
	open        []uint32
	earlier     []uint32 // its early forms before deliveries taken first
	visited     uint32
	quiet       uint32 // value of eagerness.opened at which nothing was open here or in earlier forms
}

// place lists what starts and ends at a local state.
type place struct{ ends, starts []uint32 } // nodes, steps

// Sound reports whether every delivery that was taken first since the last Restart still counts as commuting.
func (w *World) Sound() bool { return !w.eager.unsound }

// Restart forgets which deliveries were taken first; bans stay.
func (w *World) Restart() {
	w.eager.unsound = false
	for i := range w.eager.nodes {
		w.eager.nodes[i].used = false
	}
}

// reducible reports whether the argument above applies to the state at all.
func (w *World) reducible(state []uint32) bool {
	return state[budgetWord] == 0 && !w.Model.Unordered && !w.Model.Staggered
}

// expand puts a single eager delivery into x, if there is one.
func (g *eagerness) expand(w *World, state []uint32, x *checker.Expansion) bool {
	if w.eagerRestart(state, x) {
		return true
	}
	for p := range core.Proc(w.procs) {
		if !w.envInfo[state[envWord(p)]].Up {
			continue
		}
		number := state[inboxWord(p)]
		for i := range w.inboxInfo[number].heads {
			input := w.inboxInfo[number].heads[i].input
			if !w.soleChannel(state, number, i) || !g.commutes(w, state[localWord(p)], input) {
				continue
			}
			tr := w.transition(state[localWord(p)], input)
			g.meet(w, state, tr)
			next := x.Add(state, checker.Step{Code: code(deliver, p, i)})
			next[inboxWord(p)] = w.pop(number, i)
			w.perform(next, p, tr)
			x.Reduced = true
			return true
		}
		if g.programStep(w, state, p, x) {
			return true
		}
	}
	return false
}

// programStep puts a single eager program step of p into x, if there is one: a receive or the end of the program. A send is
// never taken first: whether it comes before or after another rank's is just what causal-replay asks.
func (g *eagerness) programStep(w *World, state []uint32, p core.Proc, x *checker.Expansion) bool {
	here := state[localWord(p)]
	for i, input := range w.localInfo[here].choices {
		if !g.commutes(w, here, input) {
			continue
		}
		tr := w.transition(here, input)
		g.meet(w, state, tr)
		w.perform(x.Add(state, checker.Step{Code: code(advance, p, i)}), p, tr)
		x.Reduced = true
		return true
	}
	return false
}

// eagerRestart puts a single restart into x, if one is possible and every watcher is up. Nothing else can happen to a proc that
// is down; its restart reads only stable records of its group, which is down or restarted and has no write in
// progress that was there before, and it enables no restart of a mate that was not enabled before. Whatever it sends or
// declares comes before everything else that the new life does. What a global property sees of it, the recovery line, it compares with
// mates that have done nothing since their own restart, which is the strictest moment.
func (w *World) eagerRestart(state []uint32, x *checker.Expansion) bool {
	for _, p := range w.Setup.Watchers {
		if !w.envInfo[state[envWord(p)]].Up {
			return false
		}
	}
	for p := range core.Proc(w.procs) {
		if w.envInfo[state[envWord(p)]].Up || !w.mayRestart(state, p) {
			continue
		}
		w.restarts(state, p, x)
		x.Reduced = true
		return true
	}
	return false
}

// soleChannel reports whether the channel of a head can not be cut and is the only one from its sender.
func (w *World) soleChannel(state []uint32, number uint32, i int) bool {
	channels := w.inboxInfo[number].channels
	k := w.inboxInfo[number].heads[i].channel
	if w.dead(state, channels[k]) && w.Model.FromDead != fault.Every {
		return false
	}
	from := channels[k].from
	return (k == 0 || channels[k-1].from != from) && (k+1 == len(channels) || channels[k+1].from != from)
}

// commutes reports whether the delivery may be taken first as far as is known, and notes its use.
func (g *eagerness) commutes(w *World, before, input uint32) bool {
	n := &g.nodes[g.node(w, before, input)]
	if n.bad || n.visible {
		return false
	}
	n.used = true
	return true
}

func (g *eagerness) place(local uint32) *place {
	for int(local) >= len(g.at) {
		g.at = append(g.at, place{})
	}
	return &g.at[local]
}

// node finds or makes the node of a delivery, open against every step met at its end.
func (g *eagerness) node(w *World, before, input uint32) uint32 {
	key := pair(before, input)
	if n, ok := g.byPair.get(key); ok {
		return n
	}
	t := g.compute(w, before, input)
	n := uint32(len(g.nodes))
	bad := t.violation != 0 || !onlySends(t.acts) || !subset(w.localInfo[before].choices, input, w.localInfo[t.next].choices)
	g.nodes = append(g.nodes, node{before: before, input: input, after: t.next, debt: t.acts, visible: t.visible, bad: bad})
	g.byPair.put(key, n)
	end := g.place(t.next)
	end.ends = append(end.ends, n)
	for _, s := range end.starts {
		g.steps[s].open = append(g.steps[s].open, n)
	}
	g.opened++
	return n
}

// step finds or makes the record of a local step that was met.
func (g *eagerness) step(from, input uint32) uint32 {
	key := pair(from, input)
	if s, ok := g.byStep.get(key); ok {
		return s
	}
	s := uint32(len(g.steps))
	start := g.place(from)
	start.starts = append(start.starts, s)
	g.steps = append(g.steps, step{from: from, input: input, open: slices.Clone(start.ends)})
	g.byStep.put(key, s)
	g.opened++
	return s
}

// meet is told of every local step in the global state in which the search takes it.
func (g *eagerness) meet(w *World, state []uint32, tr uint32) {
	t := &w.transitionInfo[tr]
	if t.met == 0 {
		t.met = g.step(t.from, t.input) + 1
	}
	g.visit++
	g.check(w, state, w.transitionInfo[tr].met-1)
}

// check closes what squares of a step it can, and those of its early forms; it reports whether none is left open.
func (g *eagerness) check(w *World, state []uint32, s uint32) (quiet bool) {
	if g.steps[s].quiet == g.opened {
		return true
	}
	if g.steps[s].visited == g.visit {
		return false
	}
	g.steps[s].visited = g.visit
	before := g.opened
	// Closing a square may open more of this very step: they are for the next time that it is met, because without a limit a
	// step could be put in front of a delivery for ever.
	kept, known := 0, len(g.steps[s].open)
	for i := range known {
		n := g.steps[s].open[i]
		switch {
		case g.nodes[n].bad:
		case !w.inFlight(state, g.nodes[n].debt):
			g.steps[s].open[kept] = n // here the step comes after the delivery, by causality
			kept++
		default:
			early, possible, ok := g.closes(w, n, s)
			if !ok {
				g.ban(n)
			} else if possible && !slices.Contains(g.steps[s].earlier, early) {
				g.steps[s].earlier = append(g.steps[s].earlier, early)
			}
		}
	}
	g.steps[s].open = slices.Delete(g.steps[s].open, kept, known)
	quiet = len(g.steps[s].open) == 0
	for _, e := range g.steps[s].earlier {
		quiet = g.check(w, state, e) && quiet
	}
	if quiet && g.opened == before {
		g.steps[s].quiet = before
	}
	return quiet
}

// inFlight reports whether every message of the debt is still on its way.
func (w *World) inFlight(state []uint32, debt []act) bool {
	for i := range debt {
		d := &debt[i]
		need := 1
		for j := range debt[:i] {
			if debt[j].to == d.to && debt[j].packet == d.packet {
				need++
			}
		}
		channels := w.inboxInfo[state[inboxWord(d.to)]].channels
		from := w.packetInfo[d.packet].from
		for j := range channels {
			if channels[j].from != from {
				continue
			}
			for _, m := range channels[j].messages {
				if m == d.packet {
					need--
				}
			}
		}
		if need > 0 {
			return false
		}
	}
	return true
}

// ban marks a node and all that rely on it as not commuting.
func (g *eagerness) ban(n uint32) {
	if g.nodes[n].bad {
		return
	}
	g.nodes[n].bad = true
	g.unsound = g.unsound || g.nodes[n].used
	for _, parent := range g.nodes[n].parents {
		g.ban(parent)
	}
}

// closes compares the two orders of a delivery a and a later step b. It returns the step b before a, whether that can be,
// and whether the orders agree.
func (g *eagerness) closes(w *World, n, s uint32) (early uint32, possible, ok bool) {
	a, b := g.nodes[n], g.steps[s]
	in := w.inputInfo[b.input]
	switch in.Kind {
	case core.Received:
		if first := w.inputInfo[a.input]; first.Kind == core.Received && in.From == first.From {
			return 0, false, true // behind a in its channel
		}
	case core.Advance:
		if !slices.Contains(w.localInfo[a.before].choices, b.input) {
			return 0, false, true // enabled by a
		}
	}
	if a.visible {
		return 0, false, false
	}
	late, first := g.compute(w, b.from, b.input), g.compute(w, a.before, a.input)
	before := g.compute(w, a.before, b.input)
	if w.inputInfo[a.input].Kind == core.Advance && !slices.Contains(w.localInfo[before.next].choices, a.input) {
		return 0, false, false // b takes a away
	}
	last := g.compute(w, before.next, a.input)
	child := g.node(w, before.next, a.input)
	if g.nodes[child].bad || last.next != late.next || before.violation != late.violation || !sameBoth(&first, &late, &before, &last) {
		return 0, false, false
	}
	g.nodes[child].parents = append(g.nodes[child].parents, n)
	return g.step(a.before, b.input), true, true
}

// compute is a local step that need not belong to any run: it leaves no mark on what the search reports.
func (g *eagerness) compute(w *World, from, input uint32) transition {
	key := pair(from, input)
	if t, ok := w.transitions.get(key); ok {
		return w.transitionInfo[t]
	}
	if t, ok := g.shadows.get(key); ok {
		return g.shadow[t]
	}
	w.silent = true
	t := w.run(from, input)
	w.silent = false
	g.shadow = append(g.shadow, t)
	g.shadows.put(key, uint32(len(g.shadow)-1))
	return t
}

// onlySends reports whether a step does nothing but send.
func onlySends(acts []act) bool {
	return !slices.ContainsFunc(acts, func(a act) bool { return a.kind != core.SendMessage })
}

// sameBoth compares what x then late, and early then y, do and show.
func sameBoth(x, late, early, y *transition) bool {
	if len(x.judged)+len(y.judged) == 0 && !slices.Equal(late.judged, early.judged) {
		return false
	}
	if len(x.judged)+len(y.judged) > 0 && !slices.Equal(join(x.judged, late.judged), join(early.judged, y.judged)) {
		return false
	}
	if len(x.acts)+len(y.acts) == 0 && slices.EqualFunc(late.acts, early.acts, act.equal) && !slices.ContainsFunc(late.acts, isRollback) {
		return true // the common case: the delivery only changes the state
	}
	return sameActs(join(x.acts, late.acts), join(early.acts, y.acts))
}

func isRollback(a act) bool { return a.kind == core.Rollback }

// sameActs compares the effects of two orders: the sequence of messages on each channel, and the sequence of everything
// else. A rollback compares equal to nothing.
func sameActs(x, y []act) bool {
	if len(x) != len(y) {
		return false
	}
	lane := func(a act) int {
		if a.kind == core.SendMessage {
			return int(a.to)
		}
		return -1
	}
	byLane := func(a, b act) int { return lane(a) - lane(b) }
	slices.SortStableFunc(x, byLane)
	slices.SortStableFunc(y, byLane)
	for i := range x {
		if isRollback(x[i]) || !x[i].equal(y[i]) {
			return false
		}
	}
	return true
}

func (a act) equal(b act) bool {
	return a.kind == b.kind && a.to == b.to && a.packet == b.packet && a.op.Kind == b.op.Kind && a.op.A == b.op.A && a.op.B == b.op.B && a.op.All == b.op.All && a.op.Key == b.op.Key &&
		string(a.op.Value) == string(b.op.Value)
}

func join[T any](x, y []T) []T { return append(slices.Clone(x), y...) }

// subset reports whether every element of x but one is in y.
func subset(x []uint32, but uint32, y []uint32) bool {
	return !slices.ContainsFunc(x, func(e uint32) bool { return e != but && !slices.Contains(y, e) })
}
