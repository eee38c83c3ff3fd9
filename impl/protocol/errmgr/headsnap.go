package errmgr

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/errmgr/sstore"
	"github.com/domino-check/domino/spec/trace"
)

// taking is a snapshot for which ranks stand still.
type taking struct {
	Stage takingStage
	Snap  SnapID
}

// takingStage is how far it is.
type takingStage uint8

// The stages. None is the zero value.
const (
	reserving takingStage = iota + 1 // the number is being written
	standing                         // the ranks stand still, or are about to
)

// reserve writes the number of the next snapshot, before anybody hears of it: none comes twice,
// whatever becomes of it and of the head.
func (h *head) reserve(out []core.Effect) []core.Effect {
	h.s.Wanted = false
	h.s.Pause = taking{Stage: reserving}
	h.s.Numbers++
	return append(out, core.Effect{Kind: core.Persist, Key: recordSeq,
		Value: core.Encode(h.s.Keeper.Last + 1)})
}

// reserved begins the snapshot. Where an episode has begun meanwhile the number is not used.
func (h *head) reserved(out []core.Effect) []core.Effect {
	if h.s.Numbers > 0 {
		return out
	}
	if h.s.Pause.Stage != reserving {
		h.s.Keeper.Last++
		return out
	}
	ranks, _ := h.running()
	var homes []core.Proc
	for _, r := range ranks {
		homes = append(homes, h.s.Ranks[r].Node)
	}
	id := h.s.Keeper.Begin(h.s.Episode, ranks, homes)
	h.s.Pause = taking{Stage: standing, Snap: id}
	m := h.message(Quiesce)
	m.Snap = id
	return h.toRanks(m, h.snap(trace.SnapReserved, id, h.c.head, out))
}

// endPause lets everybody go on who stands still for a snapshot, which comes to nothing.
func (h *head) endPause(out []core.Effect) []core.Effect {
	p := h.s.Pause
	if p.Stage == standing {
		return h.void(p.Snap, out)
	}
	// as for one that is void: nobody who goes on without going back asks again
	h.s.Wanted = h.s.Wanted || p.Stage == reserving && h.c.Hold
	h.s.Pause = taking{}
	return out
}

// goOn ends the pause of a snapshot.
func (h *head) goOn(id SnapID, out []core.Effect) []core.Effect {
	m := h.message(Resume)
	m.Snap = id
	m.Ranks, m.Lives = h.running()
	return h.toRanks(m, out)
}

// void gives a snapshot up that is not established. Its record may be on its way already: behind it
// comes that it is deleted.
func (h *head) void(id SnapID, out []core.Effect) []core.Effect {
	s := h.s.Keeper.Snap(id)
	if s == nil {
		return out
	}
	if s.State == sstore.Recording {
		out = append(out, core.Effect{Kind: core.Persist, Key: id.RecordKey()})
	}
	holders := h.holders(s)
	held := h.tokens()
	h.s.Keeper.Void(id)
	h.s.Wanted = h.s.Wanted || h.c.Hold // outputs may wait for it
	out = h.snap(trace.SnapVoid, id, h.c.head, h.returned(held, out))
	if h.s.Pause.Snap == id && h.s.Pause.Stage == standing {
		h.s.Pause = taking{}
		if !h.c.has(W11) { // Deviation: W11, the pause does not end
			out = h.goOn(id, out)
		}
	}
	m := h.message(Void)
	m.Snap = id
	for _, p := range holders {
		out = append(out, core.SendTo(p, m))
	}
	return out
}

// holders are the procs that may have files of a snapshot.
func (h *head) holders(s *sstore.Snapshot) (list []core.Proc) {
	for i := range s.Parts {
		p := &s.Parts[i]
		for _, q := range slices.Concat([]core.Proc{p.Home}, p.Holders, p.Asked) {
			if q == h.c.store || h.c.isNode(q) && h.node(q).Up {
				list = append(list, q)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// localDone is a file that is on its node.
func (h *head) localDone(from core.Proc, m *Message, out []core.Effect) []core.Effect {
	if m.Missing {
		return h.void(m.Snap, out)
	}
	all, err := h.s.Keeper.Wrote(m.Snap, m.Ranks[0], m.File)
	if err != nil {
		return append(out, core.DropInput(from, core.MsgID{}, err.Error()))
	}
	if !all {
		return out
	}
	if h.s.Pause.Snap == m.Snap {
		h.s.Pause = taking{}
		out = h.goOn(m.Snap, out)
	}
	if h.s.Keeper.Complete(h.rules(), m.Snap) {
		out = h.record(m.Snap, out)
	}
	return h.grant(out)
}

// copyDone is a file that was copied, or was not. For want of a file a snapshot that is not
// established comes to nothing, those before stay, and there will be another one.
func (h *head) copyDone(from core.Proc, m *Message, out []core.Effect) []core.Effect {
	held := h.tokens()
	s := h.s.Keeper.Snap(m.Snap)
	if s != nil && m.Missing {
		left := h.s.Keeper.Failed(m.Snap, m.Ranks[0], from)
		out = h.returned(held, out)
		switch {
		case s.State != sstore.Established:
			out = h.void(m.Snap, out)
		case !left && !s.Bad: // who was to copy it had the last replica
			s.Bad = true
			out = h.snap(trace.SnapBad, m.Snap, m.Ranks[0].Proc(), out)
		}
		return h.grant(out)
	}
	complete, err := h.s.Keeper.Copied(h.rules(), m.Snap, m.Ranks[0], from, m.File)
	out = h.returned(held, out)
	if err != nil {
		return append(out, core.DropInput(from, core.MsgID{}, err.Error()))
	}
	if complete {
		out = h.record(m.Snap, out)
	}
	return h.grant(out)
}

// record writes the commit record.
func (h *head) record(id SnapID, out []core.Effect) []core.Effect {
	out = append(out, core.Effect{Kind: core.Persist, Key: id.RecordKey(),
		Value: h.s.Keeper.Record(id)})
	if h.c.has(W4) { // Deviation: W4, it counts before the record is durable
		return h.established(id.RecordKey(), out)
	}
	return out
}

// established goes on when a commit record is durable.
func (h *head) established(key string, out []core.Effect) []core.Effect {
	name := key[len(sstore.RecordPrefix):]
	id, err := sstore.ParseSnap(name)
	if err != nil {
		panic("invariant: the head writes the records of snapshots: " + err.Error())
	}
	if h.s.Keeper.Establish(id) != nil {
		return out // it is void by now, and so is its record
	}
	h.s.Ever = true
	out = h.snap(trace.SnapEstablished, id, h.c.head, out)
	if h.s.Pause.Snap == id && h.s.Pause.Stage == standing {
		h.s.Pause = taking{}
		out = h.goOn(id, out)
	}
	m := h.message(Keep)
	m.Snap = id
	if h.c.Store != sstore.Central {
		for _, p := range h.holders(h.s.Keeper.Snap(id)) {
			if p != h.c.store {
				out = append(out, core.SendTo(p, m))
			}
		}
	}
	if h.c.covers() {
		covered := h.message(Covered)
		covered.Snap = id
		out = h.toRanks(covered, out)
	}
	return h.grant(h.retire(out))
}

// retire deletes what newer snapshots make superfluous: first the record, then the files.
func (h *head) retire(out []core.Effect) []core.Effect {
	before := slices.Clone(h.s.Keeper.Snaps)
	held := h.tokens()
	for _, id := range h.s.Keeper.Retire(&h.c.rules) {
		out = append(out, core.Effect{Kind: core.Persist, Key: id.RecordKey()})
		out = h.snap(trace.SnapRetired, id, h.c.head, out)
		h.s.Tries = slices.DeleteFunc(h.s.Tries, func(t tries) bool { return t.Snap == id })
		m := h.message(DropFile)
		m.Snap = id
		i := slices.IndexFunc(before, func(s sstore.Snapshot) bool { return s.ID == id })
		for _, p := range h.holders(&before[i]) {
			out = append(out, core.SendTo(p, m))
		}
	}
	return h.returned(held, out)
}

// rules are those of the keeper as nodes are now, some of them taken for gone. A node that is being
// emptied is there until it is drained: as long as it is, one replica beside it is not enough.
func (h *head) rules(gone ...core.Proc) *sstore.Rules {
	rules := h.c.rules
	switch v := &h.s.Move; v.Stage {
	case draining:
		rules.Leaving = v.Nodes
	case retiring: // up as far as a failure goes, but nothing is to come there any more
		rules.Leaving, gone = v.Nodes, slices.Concat(gone, v.Nodes)
	}
	var domains []int
	for k := range h.s.Nodes {
		d := -k - 1 // its own
		if h.c.Domains != nil {
			d = h.c.Domains[k]
		}
		if h.s.Nodes[k].Up && !slices.Contains(gone, h.c.node(k)) &&
			!slices.Contains(domains, d) {
			domains = append(domains, d)
		}
	}
	rules.Left = max(1, len(domains))
	return &rules
}

// completed records snapshots for which fewer replicas are enough, since there are fewer nodes.
func (h *head) completed(out []core.Effect) []core.Effect {
	for _, id := range h.s.Keeper.Open() {
		if h.s.Keeper.Complete(h.rules(), id) {
			out = h.record(id, out)
		}
	}
	return out
}

// token is a file that may be copied.
type token struct {
	snap SnapID
	rank core.Rank
}

// tokens are those that are out.
func (h *head) tokens() (list []token) {
	for i := range h.s.Keeper.Snaps {
		s := &h.s.Keeper.Snaps[i]
		for j := range s.Parts {
			if len(s.Parts[j].Asked) > 0 {
				list = append(list, token{s.ID, s.Parts[j].Rank})
			}
		}
	}
	return list
}

// returned declares which tokens are back.
func (h *head) returned(held []token, out []core.Effect) []core.Effect {
	now := h.tokens()
	for _, t := range held {
		if !slices.Contains(now, t) {
			out = h.snap(trace.SnapReturned, t.snap, core.Proc(t.rank), out)
		}
	}
	return out
}

// grant gives tokens away, as long as nobody has to be stopped.
func (h *head) grant(out []core.Effect) []core.Effect {
	if h.s.Open || h.s.Aborted {
		return out
	}
	for _, c := range h.s.Keeper.Grant(h.rules(), h.up()) {
		out = h.snap(trace.SnapGranted, c.Snap, core.Proc(c.Rank), out)
		m := h.message(Copy)
		m.Snap, m.Ranks, m.Nodes = c.Snap, []core.Rank{c.Rank}, c.To
		out = append(out, core.SendTo(c.From, m))
	}
	return out
}

// recall takes every token back: the nodes stop copying.
func (h *head) recall(out []core.Effect) []core.Effect {
	held := h.tokens()
	for i := range h.s.Keeper.Snaps {
		s := &h.s.Keeper.Snaps[i]
		for j := range s.Parts {
			s.Parts[j].Asked, s.Parts[j].From = nil, 0
		}
	}
	return h.returned(held, out)
}

// forget counts on nothing that a node has. What nobody has any more is bad.
func (h *head) forget(p core.Proc, out []core.Effect) []core.Effect {
	held := h.tokens()
	gone := slices.Concat(h.rules().Leaving, []core.Proc{p})
	void, degraded := h.s.Keeper.Lost(h.rules(gone...), p)
	out = h.returned(held, out)
	for _, id := range void {
		out = h.void(id, out)
	}
	for _, id := range degraded {
		word := trace.SnapDegraded
		if !slices.Contains(h.usable(), id) {
			h.s.Keeper.Bad(id)
			word = trace.SnapBad
		}
		out = h.snap(word, id, h.c.head, out)
	}
	return out
}
