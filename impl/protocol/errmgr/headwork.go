package errmgr

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/errmgr/policy"
	"github.com/domino-check/domino/spec/trace"
)

// stage is how far the work for an owner is.
type stage uint8

// The stages.
const (
	stabilising stage = iota + 1
	recording         // the ruling is being written
	fencing
	restoring
	sustaining
	aborting
)

// work is what is being done for the owner of an episode.
type work struct {
	Stage   stage
	Waiting []core.Proc // who is to answer
	Snap    SnapID      // that ranks restart from; none is their start
	Placed  []policy.Placement
}

// ruling is the record of a decision: after a restart of the head it says what is void.
type ruling struct {
	_       struct{} `cbor:",toarray"`
	Episode uint32
	Owner   string
	Snap    SnapID
}

// The keys of the records of a head, beside those of snapshots.
const (
	recordSeq    = "seq"
	recordRuling = "ruling"
	recordMove   = "mig"
	recordAbort  = "abort"
	// the nodes that have been given up
	recordDrained = "drained"
)

// restoreAll begins to restart every member of one snapshot, which is selected once and named in
// every message: whoever asked for the newest would sooner or later get another one.
func (h *head) restoreAll(order policy.Order, out []core.Effect) []core.Effect {
	out = h.pick(order.Back, out)
	w := &h.s.Work
	members := h.s.Keeper.Members(&h.c.rules, w.Snap)
	var lost []core.Rank
	for _, r := range members {
		k := &h.s.Ranks[r]
		if (k.Up || k.Stopped) && h.node(k.Node).Up {
			w.Placed = append(w.Placed, policy.Placement{Rank: r, Node: k.Node})
		} else {
			lost = append(lost, r)
		}
	}
	return h.ruled(lost, out)
}

// restoreSome begins to restart the ranks alone.
func (h *head) restoreSome(order policy.Order, out []core.Effect) []core.Effect {
	return h.ruled(order.Ranks, h.pick(0, out))
}

// pick selects a snapshot, some of the newest passed over.
func (h *head) pick(back int, out []core.Effect) []core.Effect {
	list := append(h.usable(), SnapID{})
	for _, id := range list[:min(back, len(list)-1)] {
		h.s.Keeper.Bad(id)
		out = h.snap(trace.SnapExhausted, id, h.c.head, out)
	}
	h.s.Work = work{Stage: recording, Snap: list[min(back, len(list)-1)]}
	id := h.s.Work.Snap
	if i := slices.IndexFunc(h.s.Tries, func(t tries) bool { return t.Snap == id }); i >= 0 {
		h.s.Tries[i].N++
	} else {
		h.s.Tries = append(h.s.Tries, tries{Snap: id, N: 1})
	}
	out = h.snap(trace.SnapSelected, id, h.c.head, out)
	if id.None() {
		return out
	}
	h.s.Keeper.Pin(id)
	return h.snap(trace.SnapPinned, id, h.c.head, out)
}

// ruled finds nodes for ranks that have lost theirs, and makes the decision durable.
func (h *head) ruled(lost []core.Rank, out []core.Effect) []core.Effect {
	w := &h.s.Work
	placed, ok := h.place(lost)
	if !ok && h.c.has(W19) {
		return out
	}
	if !ok {
		return h.end(policy.Event{Kind: policy.NotDone, Reason: "no node"}, h.unpin(out))
	}
	w.Placed = append(w.Placed, placed...)
	slices.SortFunc(w.Placed, func(a, b policy.Placement) int { return int(a.Rank) - int(b.Rank) })
	return h.write(out)
}

// place finds a node for each of the ranks.
func (h *head) place(ranks []core.Rank) ([]policy.Placement, bool) {
	v := h.view()
	for r := range v.Ranks {
		// those that were stopped start where they were
		v.Ranks[r].Alive = v.Ranks[r].Alive || h.s.Ranks[r].Stopped
	}
	placed, ok := h.stack.Place(v, ranks, nil)
	// Deviation: W19, a node that has no room is none
	return placed, ok && (!h.c.has(W19) || h.roomy(v, placed))
}

// roomy reports whether there is room at each of the nodes.
func (h *head) roomy(v *policy.View, placed []policy.Placement) bool {
	for i, p := range placed {
		load := 0
		for r := range v.Ranks {
			if v.Ranks[r].Node == p.Node && v.Ranks[r].Alive {
				load++
			}
		}
		for _, q := range placed[:i] {
			if q.Node == p.Node {
				load++
			}
		}
		if load >= v.Nodes[p.Node-h.c.first].Room {
			return false
		}
	}
	return true
}

// fence stops every rank before any of them restarts, when all go back: a survivor of the old
// future would talk to those of the new one. Where some restart alone the others go on.
func (h *head) fence(out []core.Effect) []core.Effect {
	if h.s.Status.Order.Kind == policy.RestoreSome {
		return h.restart(out)
	}
	h.s.Work.Stage, h.s.Work.Waiting, h.s.Wanted = fencing, h.hosting(), false
	for r := range h.s.Ranks {
		if k := &h.s.Ranks[r]; k.Up {
			k.Up, k.Stopped = false, true
		}
	}
	return h.all(h.message(Fence), out)
}

// restart starts the ranks where they are placed.
func (h *head) restart(out []core.Effect) []core.Effect {
	w := &h.s.Work
	w.Stage, w.Waiting = restoring, nil
	for _, p := range w.Placed {
		w.Waiting = append(w.Waiting, core.Proc(p.Rank))
	}
	out = h.startAll(out)
	if len(w.Waiting) == 0 {
		return h.resume(out)
	}
	return out
}

// startAll has the placed ranks started that are not yet.
func (h *head) startAll(out []core.Effect) []core.Effect {
	for _, p := range h.s.Work.Placed {
		k := &h.s.Ranks[p.Rank]
		if k.Starting || k.Up {
			continue
		}
		k.Node, k.Starting, k.Gone = p.Node, true, false
		k.Most++
		out = h.start(p, out)
		if h.c.has(W2) { // Deviation: W2, one after the other, each from what is the newest then
			break
		}
	}
	return out
}

// start has one rank started, with the sources of its file in the order in which they are asked.
func (h *head) start(p policy.Placement, out []core.Effect) []core.Effect {
	w := &h.s.Work
	m := h.message(Restart)
	m.Snap, m.Ranks = w.Snap, []core.Rank{p.Rank}
	if newest := h.usable(); h.c.has(W2) && len(newest) > 0 {
		m.Snap = newest[0] // W2, see startAll
	}
	m.Lives = []core.Incarnation{h.s.Ranks[p.Rank].Most}
	if s := h.s.Keeper.Snap(m.Snap); s != nil {
		if part := s.Part(p.Rank); part != nil {
			m.File = part.File
		}
		m.Sources = h.s.Keeper.Sources(&h.c.rules, m.Snap, p.Rank, p.Node, h.up())
	}
	return append(out, core.SendTo(p.Node, m))
}

// restored is the answer of a rank that runs from what it was given, and waits. One that the head
// did not ask for in this episode is stopped by the next fence, or was: it may not go on.
func (h *head) restored(from core.Proc, m *Message, out []core.Effect) []core.Effect {
	if m.Move != 0 {
		return h.moved(from, m, out)
	}
	w := &h.s.Work
	i := slices.Index(w.Waiting, from)
	if m.Epoch != h.s.Episode || w.Stage != restoring || i < 0 || m.Snap != w.Snap {
		return append(out, core.DropInput(from, core.MsgID{}, "nobody waits for it"))
	}
	k := &h.s.Ranks[from]
	k.Life, k.Most, k.Up, k.Starting, k.Stopped = m.Life, m.Life, true, false, false
	k.Waits = true
	w.Waiting = slices.Delete(slices.Clone(w.Waiting), i, i+1)
	if len(w.Waiting) > 0 {
		return h.startAll(out)
	}
	return h.resume(out)
}

// resume lets the ranks run, when all that were to restart have.
func (h *head) resume(out []core.Effect) []core.Effect {
	w, some := &h.s.Work, h.s.Status.Order.Kind == policy.RestoreSome
	replay := h.message(Replay)
	replay.Snap = w.Snap
	for _, p := range w.Placed {
		replay.Ranks = append(replay.Ranks, p.Rank)
		replay.Lives = append(replay.Lives, h.s.Ranks[p.Rank].Life)
	}
	for r := range h.s.Ranks {
		k := &h.s.Ranks[r]
		switch {
		case slices.Contains(replay.Ranks, core.Rank(r)):
		case some && k.Up:
			out = append(out, core.SendTo(core.Proc(r), replay))
		case !some:
			k.Gone = true // no member of the snapshot
		}
	}
	return h.end(policy.Event{Kind: policy.Done}, h.unpin(h.letGo(out)))
}

// letGo lets every rank run that waits: those that this episode has restarted, and those that an
// episode has that was overtaken, whoever owns this one.
func (h *head) letGo(out []core.Effect) []core.Effect {
	resume := h.message(Resume)
	resume.Ranks, resume.Lives = h.running()
	waited := false
	for r := range h.s.Ranks {
		if k := &h.s.Ranks[r]; k.Waits {
			k.Waits, waited = false, true
			out = append(out, core.SendTo(core.Proc(r), resume))
		}
	}
	if waited {
		out = h.rule(trace.RuleResumed, h.c.head, out)
	}
	return out
}

// refused says that a rank could not be started from the snapshot. Another source of the same
// snapshot is asked; without one the snapshot is bad, and all start again from another one, those
// too that have read theirs.
func (h *head) refused(from core.Proc, m *Message, out []core.Effect) []core.Effect {
	w := &h.s.Work
	if m.Epoch != h.s.Episode || w.Stage != restoring || len(m.Ranks) != 1 ||
		!slices.Contains(w.Waiting, core.Proc(m.Ranks[0])) {
		return append(out, core.DropInput(from, core.MsgID{}, "nobody waits for it"))
	}
	r := m.Ranks[0]
	left := false
	for _, source := range m.Sources {
		left = h.s.Keeper.Failed(w.Snap, r, source)
	}
	if left && len(h.s.Keeper.Sources(&h.c.rules, w.Snap, r, from, h.up())) > 0 {
		return h.start(policy.Placement{Rank: r, Node: from}, out)
	}
	h.s.Keeper.Bad(w.Snap)
	out = h.snap(trace.SnapBad, w.Snap, core.Proc(r), out)
	return h.fault(policy.Fault{}, out)
}

// runThrough goes on without the lost ranks.
func (h *head) runThrough(out []core.Effect) []core.Effect {
	ranks, _ := h.running()
	h.s.Work = work{Stage: sustaining}
	for _, r := range ranks {
		h.s.Work.Waiting = append(h.s.Work.Waiting, core.Proc(r))
	}
	return h.all(h.sustain(), out)
}

// sustain is the up-call: the ranks are gone.
func (h *head) sustain() *Message {
	m := h.message(Sustain)
	m.Ranks = h.s.Status.Group.Ranks()
	return m
}

// sustained is the end of the up-call: every rank knows.
func (h *head) sustained(out []core.Effect) []core.Effect {
	for _, l := range h.s.Status.Group.Lost {
		h.s.Ranks[l.Rank].Gone = true
		out = h.rule(trace.RuleSustained, core.Proc(l.Rank), out)
	}
	out = h.letGo(out)
	return h.end(policy.Event{Kind: policy.Done}, out)
}

// abort gives the job up, durably first: whoever took over would otherwise start what others stop.
func (h *head) abort(out []core.Effect) []core.Effect {
	h.s.Work = work{Stage: aborting}
	h.s.Aborts++
	return append(out, core.Effect{Kind: core.Persist, Key: recordAbort,
		Value: core.Encode(h.s.Episode)})
}

// giveUp stops everybody, when that is durable. The job is over when all that are up have answered:
// until then a node may start what it was told to start before.
func (h *head) giveUp(out []core.Effect) []core.Effect {
	h.s.Aborted = true
	h.s.Wanted, h.s.Queue = false, nil
	for r := range h.s.Ranks {
		k := &h.s.Ranks[r]
		k.Up, k.Starting = false, false
	}
	h.s.Work = work{Stage: aborting, Waiting: h.up()}
	return h.all(h.message(AbortAll), out)
}

// unpin ends the reading of the snapshot.
func (h *head) unpin(out []core.Effect) []core.Effect {
	id := h.s.Work.Snap
	if id.None() || h.s.Keeper.Snap(id) == nil {
		return out
	}
	h.s.Keeper.Unpin(id)
	return h.retire(h.snap(trace.SnapUnpinned, id, h.c.head, out))
}
