package errmgr

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/errmgr/policy"
	"github.com/domino-check/domino/impl/protocol/errmgr/sstore"
	"github.com/domino-check/domino/spec/trace"
)

// move is a migration: everybody stands still, the images of the movers are carried to their new
// nodes, everybody else learns of it, the decision becomes durable, and only then the old bodies
// stop and the new ones start. Before the decision the old body is the rank, after it the new one.
type move struct {
	Stage   moveStage
	For     Prediction // to be tried again when a target is lost
	Ranks   []core.Rank
	Nodes   []core.Proc // given up
	Placed  []policy.Placement
	Waiting []core.Proc
}

// moveStage is how far a migration is.
type moveStage uint8

// The stages. None is the zero value.
const (
	carrying   moveStage = iota + 1 // the others stand still, and images are carried
	rewiring                        // the others learn where the movers will be
	committing                      // the decision is being written
	stopping                        // the old bodies
	starting                        // the new ones
	draining                        // the old nodes
	retiring                        // that they are empty is written down
)

// involves reports whether the migration can not go on without a node.
func (m *move) involves(p core.Proc) bool {
	return m.Stage != 0 && m.Stage < draining &&
		slices.ContainsFunc(m.Placed, func(q policy.Placement) bool { return q.Node == p })
}

// foretold is a prediction of the oracle. It is answered at once if it makes no sense, and waits
// for what is going on to end otherwise; a migration to a node that will fail ends at once.
func (h *head) foretold(p *Prediction, out []core.Effect) []core.Effect {
	if reason := p.Refused(h.view()); reason != "" {
		return h.answer(p, reason, out)
	}
	for _, n := range p.Nodes {
		h.node(n).Predicted = true
	}
	target := slices.ContainsFunc(p.Nodes, h.s.Move.involves) && h.s.Move.Stage <= committing
	// Deviation: W18, a migration goes on to a node that is predicted to fail
	if target && h.c.has(W18) {
		return h.answer(p, "ranks move", out)
	}
	h.s.Queue = append(h.s.Queue, *p)
	if target {
		return h.cancel(true, out)
	}
	return out
}

// answer tells the oracle what becomes of its prediction.
func (h *head) answer(p *Prediction, reason string, out []core.Effect) []core.Effect {
	m := h.message(Answer)
	m.Prediction.ID, m.Reason = p.ID, reason
	return append(out, core.SendTo(h.c.oracle, m))
}

// predicted asks the policies about a prediction. That none claims it changes nothing.
func (h *head) predicted(p *Prediction, out []core.Effect) []core.Effect {
	v := h.view()
	if reason := p.Refused(v); reason != "" {
		return h.answer(p, reason, out) // what it is about has failed meanwhile, say
	}
	for _, n := range p.Nodes {
		out = h.rule(trace.RulePredicted, n, out)
	}
	for _, r := range p.Ranks {
		out = h.rule(trace.RulePredicted, core.Proc(r), out)
	}
	orders, log := h.stack.Predict(v, p, nil)
	out = h.entries(log, out)
	reason := "nobody claims it"
	for _, order := range orders {
		switch order.Kind {
		case policy.Snapshot:
			h.s.Wanted = true
		case policy.Migrate:
			reason = "ranks move"
			out = h.migrate(order, p, out)
		}
	}
	return h.answer(p, reason, out)
}

// migrate begins a migration, if there are nodes to move to.
func (h *head) migrate(order policy.Order, p *Prediction, out []core.Effect) []core.Effect {
	placed, ok := h.stack.Place(h.view(), order.Ranks, order.Hints)
	for _, q := range placed {
		ok = ok && !h.node(q.Node).Predicted && q.Node != h.s.Ranks[q.Rank].Node
	}
	if !ok {
		return h.rule(policy.Failed.String()+" "+policy.Migration, h.c.head, out)
	}
	h.s.Moves++
	h.s.Move = move{Stage: carrying, For: *p, Ranks: order.Ranks, Nodes: order.Nodes,
		Placed: placed}
	m := h.about(Quiesce)
	for r := range h.s.Ranks {
		if h.s.Ranks[r].Up {
			h.s.Move.Waiting = append(h.s.Move.Waiting, core.Proc(r))
		}
	}
	for _, r := range order.Ranks {
		out = h.rule(trace.RuleMigrating, core.Proc(r), out)
	}
	out = h.toRanks(m, out)
	for _, q := range placed {
		c := h.about(Carry)
		c.Ranks, c.Nodes = []core.Rank{q.Rank}, []core.Proc{q.Node}
		out = append(out, core.SendTo(h.s.Ranks[q.Rank].Node, c))
	}
	return out
}

// about is a message of the present migration.
func (h *head) about(kind Kind) *Message {
	m := h.message(kind)
	m.Move, m.Ranks = h.s.Moves, h.s.Move.Ranks
	return m
}

// moved is an answer in a migration. Each stage waits for one kind from everybody.
func (h *head) moved(from core.Proc, m *Message, out []core.Effect) []core.Effect {
	v := &h.s.Move
	who := from
	switch {
	case m.Kind == Carried && len(m.Ranks) == 1:
		who = core.Proc(m.Ranks[0]) // its image is at the target
	case m.Kind == Restored && v.Stage == starting && m.Move == h.s.Moves:
		k := &h.s.Ranks[from]
		k.Life, k.Most, k.Up, k.Starting = m.Life, m.Life, true, false
	case m.Kind == ReleaseAck && m.Move == h.s.Moves:
		h.ended(m)
	}
	want := map[Kind]moveStage{Still: carrying, Carried: carrying, RewireAck: rewiring,
		ReleaseAck: stopping, Restored: starting, DrainAck: draining}
	i := slices.Index(v.Waiting, who)
	// a node that is emptied does not know for which migration
	if m.Move != h.s.Moves && m.Kind != DrainAck || i < 0 || want[m.Kind] != v.Stage {
		return append(out, core.DropInput(from, core.MsgID{}, "nobody waits for it"))
	}
	if m.Missing { // the image did not arrive well
		return h.cancel(true, out)
	}
	v.Waiting = slices.Delete(slices.Clone(v.Waiting), i, i+1)
	if len(v.Waiting) > 0 {
		return out
	}
	return h.stepped(out)
}

// ended notes the lives that a node has ended.
func (h *head) ended(m *Message) {
	for i, r := range m.Ranks {
		if k := &h.s.Ranks[r]; i < len(m.Lives) && m.Lives[i] != core.NoLife && !k.Up {
			k.Life, k.Most = m.Lives[i], max(k.Most, m.Lives[i])
		}
	}
}

// stepped goes on to the next stage of a migration when everybody has answered.
func (h *head) stepped(out []core.Effect) []core.Effect {
	switch v := &h.s.Move; v.Stage {
	case carrying:
		return h.rewire(out)
	case rewiring:
		return h.commit(out)
	case stopping:
		return h.launch(out)
	case starting:
		return h.wake(out)
	case draining:
		v.Stage = retiring
		h.s.Drained = append(h.s.Drained, v.Nodes...)
		return h.giveNodesUp(out)
	}
	return out
}

// retired ends a migration: a head that restarts knows by now, too, that nothing is to be asked of
// the old nodes, nor expected there.
func (h *head) retired(out []core.Effect) []core.Effect {
	for _, p := range h.s.Move.Nodes {
		h.node(p).Up = false
		out = h.rule(trace.RuleDrained, p, out)
	}
	out = h.completed(out)
	h.s.Move = move{}
	return h.rule(policy.Completed.String()+" "+policy.Migration, h.c.head, out)
}

// rewire tells the others where the movers will be: nobody may need the old node to reach them.
func (h *head) rewire(out []core.Effect) []core.Effect {
	v := &h.s.Move
	if h.c.has(M2) { // Deviation: M2, the images are kept as a snapshot
		s := sstore.Snapshot{ID: SnapID{Epoch: h.s.Episode, Seq: h.s.Keeper.Last + 1},
			State: sstore.Established}
		for _, q := range v.Placed {
			s.Parts = append(s.Parts, sstore.Part{Rank: q.Rank, Home: q.Node, Local: true})
		}
		h.s.Keeper.Snaps = append(h.s.Keeper.Snaps, s)
	}
	v.Stage = rewiring
	if h.c.has(M5) { // Deviation: M5, nobody is told
		return h.commit(out)
	}
	m := h.about(Rewire)
	for _, q := range v.Placed {
		m.Nodes, m.Lives = append(m.Nodes, q.Node), append(m.Lives, h.s.Ranks[q.Rank].Most+1)
	}
	for r := range h.s.Ranks {
		if h.s.Ranks[r].Up && !slices.Contains(v.Ranks, core.Rank(r)) {
			v.Waiting = append(v.Waiting, core.Proc(r))
			out = append(out, core.SendTo(core.Proc(r), m))
		}
	}
	if len(v.Waiting) == 0 {
		return h.commit(out)
	}
	return out
}

// commit makes the decision durable.
func (h *head) commit(out []core.Effect) []core.Effect {
	v := &h.s.Move
	v.Stage = committing
	if h.c.has(M3) { // Deviation: M3, the old bodies are stopped before the decision
		out = h.stop(out)
	}
	if h.c.has(M4) { // Deviation: M4, the new bodies are started before it
		for _, q := range v.Placed {
			out = append(out, core.SendTo(q.Node, h.releaseOf(q)))
		}
	}
	return h.decide(out)
}

// release stops the old bodies, now that nothing can be taken back.
func (h *head) release(out []core.Effect) []core.Effect {
	v := &h.s.Move
	out = h.rule(trace.RuleCommitted, h.c.head, out)
	v.Stage = stopping
	for _, r := range v.Ranks {
		k := &h.s.Ranks[r]
		k.Up = false
		if !slices.Contains(v.Waiting, k.Node) {
			v.Waiting = append(v.Waiting, k.Node)
		}
	}
	slices.Sort(v.Waiting)
	return h.stop(out)
}

// stop has the old bodies stopped, node by node.
func (h *head) stop(out []core.Effect) []core.Effect {
	for _, p := range h.up() {
		m := h.about(Release)
		m.Ranks = nil
		for _, r := range h.s.Move.Ranks {
			if h.s.Ranks[r].Node == p {
				m.Ranks, m.Lives = append(m.Ranks, r), append(m.Lives, h.s.Ranks[r].Life)
			}
		}
		if len(m.Ranks) > 0 {
			m.Missing = true // stop them
			out = append(out, core.SendTo(p, m))
		}
	}
	return out
}

// launch starts the new bodies.
func (h *head) launch(out []core.Effect) []core.Effect {
	v := &h.s.Move
	v.Stage = starting
	for _, q := range v.Placed {
		k := &h.s.Ranks[q.Rank]
		k.Node, k.Starting = q.Node, true
		k.Most++
		v.Waiting = append(v.Waiting, core.Proc(q.Rank))
		out = append(out, core.SendTo(q.Node, h.releaseOf(q)))
	}
	slices.Sort(v.Waiting)
	return out
}

// releaseOf is the message that starts a mover at its new node.
func (h *head) releaseOf(q policy.Placement) *Message {
	m := h.about(Release)
	m.Ranks = []core.Rank{q.Rank}
	m.Lives = []core.Incarnation{h.s.Ranks[q.Rank].Most}
	return m
}

// wake ends the pause, and has the old nodes emptied: what is there is not counted on any more.
func (h *head) wake(out []core.Effect) []core.Effect {
	v := &h.s.Move
	out = h.catchUp(h.wakeAll(out))
	v.Stage = draining
	if h.c.has(M7) { // Deviation: M7, what the old node has is counted on
		return h.stepped(out)
	}
	return out // see next
}

// drain has the old nodes emptied, when nothing is copied any more: as long as there are replicas
// to be made elsewhere they still have theirs.
func (h *head) drain(out []core.Effect) []core.Effect {
	v := &h.s.Move
	if v.Stage != draining || len(v.Waiting) > 0 {
		return out
	}
	if out = h.grant(out); len(h.tokens()) > 0 {
		return out
	}
	for _, p := range v.Nodes {
		if !h.node(p).Up {
			continue
		}
		v.Waiting = append(v.Waiting, p)
		out = h.forget(p, out)
		out = append(out, core.SendTo(p, h.about(Drain)))
	}
	if len(v.Waiting) == 0 {
		return h.stepped(out)
	}
	return out
}

// catchUp tells the movers which snapshot is established by now: between their two lives nobody
// would have heard it, and an output may wait for it.
func (h *head) catchUp(out []core.Effect) []core.Effect {
	list := h.usable()
	if !h.c.covers() || len(list) == 0 {
		return out
	}
	m := h.message(Covered)
	m.Snap = list[0]
	for _, r := range h.s.Move.Ranks {
		out = append(out, core.SendTo(r.Proc(), m))
	}
	return out
}

// wakeAll ends the pause of the migration for everybody who runs.
func (h *head) wakeAll(out []core.Effect) []core.Effect {
	m := h.about(Resume)
	m.Ranks = nil
	if h.s.Move.Stage != starting || !h.c.has(M5) {
		m.Ranks, m.Lives = h.running()
	}
	return h.toRanks(m, out)
}

// endMove ends a migration because of a failure. Before the decision it is taken back; after it
// movers that do not run yet are lost, and whoever answers for the failure answers for them.
func (h *head) endMove(f policy.Fault, out *[]core.Effect) policy.Fault {
	v := &h.s.Move
	switch v.Stage {
	case 0:
		return f
	case carrying, rewiring, committing:
		for _, l := range f.Lost {
			h.lose(l)
		}
		*out = h.cancel(len(f.Lost) == 0, *out)
		return f
	}
	if h.c.has(M6) { // Deviation: M6, it is taken back after the decision
		*out = h.cancel(false, *out)
		return f
	}
	for _, q := range v.Placed {
		if k := &h.s.Ranks[q.Rank]; !k.Up && !slices.Contains(f.Ranks(), q.Rank) {
			f.Lost = append(f.Lost, policy.Lost{Rank: q.Rank, Life: k.Most})
		}
	}
	for _, l := range f.Lost {
		h.lose(l)
	}
	if v.Stage < draining {
		*out = h.wakeAll(*out)
	}
	// the old nodes may be all that is left: nothing is ruled before that they count is durable
	if v.Stage == retiring {
		h.s.Drained = slices.DeleteFunc(slices.Clone(h.s.Drained), func(p core.Proc) bool {
			return slices.Contains(v.Nodes, p)
		})
		*out = h.giveNodesUp(*out)
	}
	*out = h.rule(policy.Failed.String()+" "+policy.Migration, h.c.head, *out)
	h.s.Move = move{}
	return f
}

// cancel takes a migration back: who stands still goes on where it is, and the images are
// forgotten. It is tried again if nobody was lost.
func (h *head) cancel(again bool, out []core.Effect) []core.Effect {
	v := h.s.Move
	m := h.about(Drop)
	for _, p := range h.up() {
		if v.involves(p) || slices.ContainsFunc(v.Ranks, func(r core.Rank) bool {
			return h.s.Ranks[r].Node == p
		}) {
			out = append(out, core.SendTo(p, m))
		}
	}
	// Deviation: M1, the pause does not end
	if !h.c.has(M1) {
		out = h.wakeAll(out)
	}
	out = h.rule(trace.RuleCancelled, h.c.head, out)
	out = h.rule(policy.Failed.String()+" "+policy.Migration, h.c.head, out)
	h.s.Move = move{}
	if again {
		h.s.Queue = append([]Prediction{v.For}, h.s.Queue...)
	}
	return out
}

// bystander reports whether only ranks are lost that do not move in the present migration.
func (h *head) bystander(f policy.Fault) bool {
	return h.s.Move.Stage != 0 && !slices.ContainsFunc(f.Lost, func(l policy.Lost) bool {
		return slices.Contains(h.s.Move.Ranks, l.Rank)
	})
}

// unawaited goes on without nodes that were to stop old bodies, or to be emptied, and have failed:
// nothing runs there now.
func (h *head) unawaited(nodes []core.Proc, out []core.Effect) []core.Effect {
	v := &h.s.Move
	before := len(v.Waiting)
	if v.Stage != stopping && v.Stage != draining || before == 0 {
		return out
	}
	v.Waiting = slices.DeleteFunc(slices.Clone(v.Waiting), func(p core.Proc) bool {
		return slices.Contains(nodes, p)
	})
	if len(v.Waiting) == 0 {
		return h.stepped(out)
	}
	return out
}
