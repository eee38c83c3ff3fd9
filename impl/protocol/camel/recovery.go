package camel

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/causal"
)

// Replays implements causal.Extension: a multicast goes to every member that fails, straight from
// the root.
func (l *layer) Replays(e *causal.Entry, to core.Rank) bool {
	if e.Kind == causal.Multicast {
		// Deviation: C1 looks for a receiver, which a multicast has none of
		return l.tree(e.Group).Has(to) && to != l.Rank && !l.Has(C1)
	}
	return e.To == to
}

// Answer implements causal.Extension: how far reductions are complete, and what the root keeps of
// its child. A parent tells what it does not need any more, and others nothing: what a rank need
// not contribute to again, because the root has given it back, they may have to.
func (l *layer) Answer(to core.Rank, m *causal.Message) {
	m.Rounds = make([]uint32, len(l.trees))
	for i := range l.trees {
		group := core.Group(i + 1)
		g := l.state(group)
		if t := l.tree(group); l.root(group) || t.Has(to) && t.Parent(to) == l.Rank {
			m.Rounds[i] = g.Done
		}
		if !l.root(group) {
			continue
		}
		if l.Has(C8) {
			// Deviation: C8 gives the round that the root has contributed to
			m.Rounds[i] = g.Started
		}
		for _, e := range g.Kept {
			// Deviation: C12 gives back complete rounds alone
			if e.From == to && !(l.Has(C12) && e.Number > g.Done) {
				m.Seeds = append(m.Seeds, e)
			}
		}
	}
}

// Answered implements causal.Extension. Contributions that the root has had are put back into the
// log and are not made again: what they were made of may be released already.
func (l *layer) Answered(_ core.Rank, m *causal.Message, out []core.Effect) []core.Effect {
	for i, done := range m.Rounds {
		group := core.Group(i + 1)
		if l.root(group) || !l.tree(group).Has(l.Rank) {
			continue
		}
		g := l.state(group)
		g.Done = max(g.Done, done)
		if l.Has(C7) {
			// Deviation: C7 advances the counter, and the program contributes again under later
			// numbers
			g.Started = max(g.Started, done)
		}
	}
	for _, e := range m.Seeds {
		g := l.state(e.Group)
		g.Done = max(g.Done, e.Number)
		e.From, e.Dets, e.Epoch = l.Rank, slices.Clone(e.Dets), min(e.Epoch, l.S.Saving.Wanted)
		if !slices.ContainsFunc(l.S.Log, func(o causal.Entry) bool {
			return o.Kind == causal.Contribution && o.Group == e.Group && o.Number == e.Number
		}) {
			out = l.LogOwn(e, out)
		}
	}
	return out
}

// Running implements causal.Extension: the children learn again what may be released, and the
// parent gets what may have been lost on its way. So it is at a root: 1. a round is complete while
// the root is at a checkpoint, behind its marks, and in its image, 2. the line is committed, 3. the
// root fails, and the acknowledgements on their way with it.
func (l *layer) Running(out []core.Effect) []core.Effect {
	for i := range l.S.Log { // of the image, and what the root has given back
		if e := &l.S.Log[i]; e.Kind == causal.Contribution && e.Number > l.state(e.Group).Done &&
			!l.IsMuted(e.To) {
			out = l.Transmit(e, e.To, out)
		}
	}
	for i := range l.trees {
		group := core.Group(i + 1)
		g := l.state(group)
		if g.Done == 0 {
			continue
		}
		g.Open = slices.DeleteFunc(slices.Clone(g.Open), func(r causal.Round) bool {
			return r.Number <= g.Done
		})
		if !l.Has(C10) { // Deviation: C10 forgets an acknowledgement that was not passed on
			out = l.tellChildren(group, g.Done, out)
		}
	}
	return out
}

// Prune implements causal.Extension: what the root has had before the recovery line, it has in its
// image.
func (l *layer) Prune(out []core.Effect) []core.Effect {
	for i := range l.S.Groups {
		g := &l.S.Groups[i]
		g.Kept = slices.DeleteFunc(g.Kept, func(e causal.Entry) bool {
			if e.Epoch >= l.S.Saving.Pruned {
				return false
			}
			out = append(out, core.Forgotten(part(&e)))
			l.Free(&e.Payload)
			return true
		})
	}
	return out
}

func (l *layer) Restored() {
	for i := range l.S.Groups {
		g := &l.S.Groups[i]
		g.Kept = nil
		if l.Has(C14) {
			g.Open = nil // Deviation: C14 saves no half accumulated round
		}
	}
}
