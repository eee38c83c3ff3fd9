package errmgr

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/errmgr/policy"
	"github.com/domino-check/domino/spec/trace"
)

// down is a notice of the failure detector. Whose node has failed has failed with it; a notice
// about one rank alone names the life that has ended.
func (h *head) down(in *core.Input, out []core.Effect) []core.Effect {
	var f policy.Fault
	again := false
	for _, p := range in.Procs {
		switch {
		case p == h.c.store:
			out = h.storeFailed(out)
			again = h.s.Work.Stage == restoring
		case h.c.isRank(p):
			if h.news(core.Rank(p), in.Incarnation, &out) {
				f.Lost = append(f.Lost, policy.Lost{Rank: core.Rank(p), Life: in.Incarnation})
			}
		case h.c.isNode(p) && h.node(p).Up:
			f.Nodes = append(f.Nodes, p)
			f.Lost = append(f.Lost, h.lostWith(p)...)
		}
	}
	out = h.withoutNodes(f.Nodes, out)
	if h.s.Work.Stage == aborting || h.s.Aborted {
		return h.whileAborting(f, out)
	}
	if len(f.Lost) == 0 && !h.needs(f.Nodes) && !again {
		return h.unawaited(f.Nodes, out)
	}
	return h.fault(f, out)
}

// storeFailed gives up what was on its way to the store. What is stable there is there again when
// it is back; who waits for a file asks again in the next episode.
func (h *head) storeFailed(out []core.Effect) []core.Effect {
	for _, id := range h.s.Keeper.Open() {
		out = h.void(id, out)
	}
	return out
}

// whileAborting notes who fails when the job is given up: nobody answers for it, and who is gone is
// not waited for.
func (h *head) whileAborting(f policy.Fault, out []core.Effect) []core.Effect {
	for _, l := range f.Lost {
		h.lose(l)
	}
	w := &h.s.Work
	before := len(w.Waiting)
	w.Waiting = slices.DeleteFunc(slices.Clone(w.Waiting), func(p core.Proc) bool {
		return slices.Contains(f.Nodes, p)
	})
	if len(w.Waiting) == 0 && before > 0 {
		return h.gathered(out)
	}
	return out
}

// lostWith are the ranks that a node takes with it, those that were being started there too.
func (h *head) lostWith(p core.Proc) (list []policy.Lost) {
	for r := range h.s.Ranks {
		if k := &h.s.Ranks[r]; k.Node == p && (k.Up || k.Starting) {
			// whether one that was being started there has lived nobody knows
			list = append(list, policy.Lost{Rank: core.Rank(r), Life: k.Life})
		}
	}
	return list
}

// news reports whether a rank that is reported dead in a life was not known to be: failures have
// the key of rank and life. Who is known to be dead, or was dead before it ran again, is no news,
// and a life that nobody can have had is an error of who reports it.
func (h *head) news(r core.Rank, life core.Incarnation, out *[]core.Effect) bool {
	k := &h.s.Ranks[r]
	switch {
	case life > k.Most:
		*out = append(*out, core.DropInput(core.Proc(r), core.MsgID{}, "a life that is to come"))
	case k.Up && life == k.Life, k.Starting && life > k.Life:
		// Deviation: W12, the key is the rank: who is being started has failed already
		if !k.Starting || !h.c.has(W12) {
			return true
		}
		*out = h.rule(trace.RuleDuplicate, core.Proc(r), *out)
	case k.Up || k.Starting:
		// Deviation: W14, a report about an older life counts
		if h.c.has(W14) {
			return true
		}
		*out = h.rule(trace.RuleStale, core.Proc(r), *out)
	default:
		*out = h.rule(trace.RuleDuplicate, core.Proc(r), *out)
	}
	return false
}

// reported is a report of a rank about others. The detector of the head looks at every rank itself,
// over the daemons: what a rank says is believed if that has said it, and otherwise only a hint, or
// two ranks of which the link is cut would each have the other one stopped.
func (h *head) reported(from core.Proc, m *Message, out []core.Effect) []core.Effect {
	var f policy.Fault
	for i, r := range m.Ranks {
		if i >= len(m.Lives) || int(r) >= len(h.s.Ranks) || core.Proc(r) == from {
			out = append(out, core.DropInput(from, core.MsgID{}, "a report about nobody else"))
			continue
		}
		// Deviation: W15, ranks are believed
		if h.news(r, m.Lives[i], &out) && h.c.has(W15) {
			f.Lost = append(f.Lost, policy.Lost{Rank: r, Life: m.Lives[i]})
		}
	}
	if len(f.Lost) == 0 {
		return out
	}
	return h.fault(f, out)
}

// withoutNodes forgets nodes: their disks are gone with them.
func (h *head) withoutNodes(nodes []core.Proc, out []core.Effect) []core.Effect {
	for _, p := range nodes {
		h.node(p).Up = false
		out = h.forget(p, out)
	}
	if len(nodes) > 0 && !h.s.Open {
		out = h.grant(h.completed(out))
	}
	return out
}

// needs reports whether what is going on can not go on without the nodes, though no rank is lost.
func (h *head) needs(nodes []core.Proc) bool {
	if len(nodes) == 0 {
		return false
	}
	// who answers for a failure may wait for them, or read files there: it begins again
	return h.s.Open || slices.ContainsFunc(nodes, h.s.Move.involves)
}

// fault opens an episode, or adds to the one that is open. What was going on ends first: nobody may
// stay in a pause that never ends.
func (h *head) fault(f policy.Fault, out []core.Effect) []core.Effect {
	if h.s.Open && h.s.Status.Owner != "" && h.c.has(W16) {
		// Deviation: W16, the owner goes on: there is an episode already
		for _, l := range f.Lost {
			h.lose(l)
		}
		return out
	}
	if h.bystander(f) && h.c.has(M8) {
		// Deviation: M8, it is left to the migration
		for _, l := range f.Lost {
			h.lose(l)
		}
		return out
	}
	f = h.endMove(f, &out)
	out = h.endPause(out)
	out = h.overtake(f, out)
	if !h.s.Open {
		return out // a migration has ended, and nobody is lost
	}
	return h.stabilise(out)
}

// overtake makes the fault one of the open episode if that has no owner yet, and of the next one
// otherwise.
func (h *head) overtake(f policy.Fault, out []core.Effect) []core.Effect {
	s := &h.s.Status
	was := s.Group
	for _, l := range f.Lost {
		h.lose(l)
		h.s.Ranks[l.Rank].Failed = true
	}
	switch {
	case len(f.Lost) == 0 && !h.s.Open:
		return out
	case !h.s.Open:
		h.s.Episode++
		h.s.Open = true
		*s, was = policy.Status{Episode: h.s.Episode}, policy.Fault{}
		s.Join(f)
	case s.Owner == "":
		s.Join(f)
	default:
		restoring := s.Order.Kind == policy.RestoreAll && h.s.Work.Stage >= fencing
		out = h.unpin(out)
		out = h.rule(policy.Failed.String()+" "+s.Owner, h.c.head, out)
		h.s.Episode++
		*s = s.Overtaken(h.s.Episode, f)
		if restoring {
			s.Join(h.unowned())
		}
		was = policy.Fault{}
	}
	for _, l := range s.Group.Lost {
		k := &h.s.Ranks[l.Rank]
		k.Up, k.Starting, k.Waits = false, false, false // nobody lets it run any more
		if k.Failed && !slices.Contains(was.Ranks(), l.Rank) {
			out = h.rule(trace.RuleOpened, core.Proc(l.Rank), out)
		}
	}
	for _, p := range s.Group.Nodes {
		if !slices.Contains(was.Nodes, p) {
			out = h.rule(trace.RuleOpened, p, out)
		}
	}
	return h.abandon(out)
}

// lose notes that a rank has failed.
func (h *head) lose(l policy.Lost) {
	k := &h.s.Ranks[l.Rank]
	k.Life, k.Most = max(k.Life, min(l.Life, k.Most)), max(k.Most, l.Life)
	k.Up, k.Starting, k.Stopped, k.Waits = false, false, false, false
}

// unowned are all ranks, when an owner is overtaken that has stopped them: those that it has
// restarted wait for it. Whoever comes next answers for them, too, and starts them where they were.
func (h *head) unowned() (f policy.Fault) {
	for r := range h.s.Ranks {
		k := &h.s.Ranks[r]
		if !k.Gone {
			f.Lost = append(f.Lost, policy.Lost{Rank: core.Rank(r), Life: k.Life})
			k.Stopped = k.Stopped || k.Up || k.Starting
		}
	}
	return f
}

// abandon makes every snapshot void that is not established: some of its files may be lost, and
// where ranks roll back it is of a future that will not come.
func (h *head) abandon(out []core.Effect) []core.Effect {
	// Deviation: W3, it is copied on, and may become established later. W2 is nothing without that
	if h.c.has(W3) || h.c.has(W2) {
		return out
	}
	for _, id := range h.s.Keeper.Open() {
		out = h.void(id, out)
	}
	return out
}

// stabilise has the runtime repaired: the nodes stop who is declared failed, for a false alarm may
// be the reason, and copy nothing any more.
func (h *head) stabilise(out []core.Effect) []core.Effect {
	s := &h.s.Status
	to := h.hosting()
	if h.s.Blind {
		to = h.up()
	}
	waiting := to
	if h.s.Work.Stage == stabilising { // the group has grown: two answers of one node are due
		waiting = slices.Concat(h.s.Work.Waiting, to)
	}
	h.s.Work = work{Stage: stabilising, Waiting: slices.DeleteFunc(slices.Clone(waiting),
		func(p core.Proc) bool { return !h.node(p).Up })}
	out = h.recall(out)
	if h.c.has(W17) && h.stack.Has("sustain") {
		// Deviation: W17, ranks are told before anybody has claimed the fault
		out = h.toRanks(h.sustain(), out)
	}
	m := h.message(Stabilise)
	m.Nodes = s.Group.Nodes
	for _, l := range s.Group.Lost {
		m.Ranks, m.Lives = append(m.Ranks, l.Rank), append(m.Lives, l.Life)
	}
	for _, p := range to {
		out = append(out, core.SendTo(p, m))
	}
	if len(h.s.Work.Waiting) == 0 {
		return h.gathered(out)
	}
	return out
}

// all sends a message to everybody whom the work waits for, and goes on at once if that is nobody.
func (h *head) all(m *Message, out []core.Effect) []core.Effect {
	for _, p := range h.s.Work.Waiting {
		out = append(out, core.SendTo(p, m))
	}
	if len(h.s.Work.Waiting) == 0 {
		return h.gathered(out)
	}
	return out
}

// acknowledged is the answer of one of those whom the work waits for.
func (h *head) acknowledged(from core.Proc, m *Message, out []core.Effect) []core.Effect {
	w := &h.s.Work
	want := map[stage]Kind{stabilising: StableAck, fencing: FenceAck, sustaining: SustainAck,
		aborting: AbortAck}
	i := slices.Index(w.Waiting, from)
	if m.Epoch != h.s.Episode || i < 0 || want[w.Stage] != m.Kind {
		return append(out, core.DropInput(from, core.MsgID{}, "nobody waits for it"))
	}
	for i, r := range m.Ranks {
		// a daemon that has stopped a rank knows which life was the last
		if k := &h.s.Ranks[r]; i < len(m.Lives) && m.Lives[i] != core.NoLife && !k.Up {
			k.Life, k.Most = m.Lives[i], m.Lives[i]
		}
	}
	w.Waiting = slices.Delete(slices.Clone(w.Waiting), i, i+1)
	if len(w.Waiting) > 0 {
		return out
	}
	return h.gathered(out)
}

// gathered goes on when everybody has answered.
func (h *head) gathered(out []core.Effect) []core.Effect {
	switch h.s.Work.Stage {
	case stabilising:
		h.s.Status.Stable, h.s.Blind = true, false
		out = h.rule(trace.RuleStabilised, h.c.head, out)
		order, log := h.stack.Walk(h.view(), &h.s.Status, nil)
		return h.carry(order, h.entries(log, out))
	case fencing:
		out = h.rule(trace.RuleFenced, h.c.head, out)
		return h.restart(out)
	case sustaining:
		return h.sustained(out)
	case aborting:
		if out = h.rule(trace.RuleAborted, h.c.head, out); h.s.Status.Owner == "" {
			return out // a former life has claimed it
		}
		return h.end(policy.Event{Kind: policy.Done}, out)
	}
	return out
}

// end tells the owner how its order went.
func (h *head) end(e policy.Event, out []core.Effect) []core.Effect {
	order, log := h.stack.Step(h.view(), &h.s.Status, e, nil)
	out = h.entries(log, out)
	if order.Kind != policy.Nothing {
		return h.carry(order, out)
	}
	h.s.Open, h.s.Status, h.s.Work = false, policy.Status{}, work{}
	for r := range h.s.Ranks {
		h.s.Ranks[r].Failed = false
	}
	if h.s.Aborted {
		return out
	}
	return h.grant(out)
}

// carry begins to carry out an order.
func (h *head) carry(order policy.Order, out []core.Effect) []core.Effect {
	switch order.Kind {
	case policy.RestoreAll:
		return h.restoreAll(order, out)
	case policy.RestoreSome:
		return h.restoreSome(order, out)
	case policy.RunThrough:
		return h.runThrough(out)
	case policy.Abort:
		return h.abort(out)
	}
	return h.end(policy.Event{Kind: policy.NotDone, Reason: "an order for no failure"}, out)
}
