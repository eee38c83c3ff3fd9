package camel

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/causal"
	"github.com/domino-check/domino/spec/trace"
)

// contribute executes a contribution of the program ([CAMEL] Alg. 2 l. 21-27). The number is the
// count of contributions of this rank; one that the recovery has found to be done needs no work.
func (l *layer) contribute(in core.Input, out []core.Effect) []core.Effect {
	g := l.state(in.Group)
	g.Started++
	if !l.root(in.Group) && g.Started <= g.Done && !l.Has(C7) {
		return l.leave(in.Group, g.Started, out)
	}
	children := len(l.Children(in.Group))
	if children == 0 && !l.Has(C5) { // nothing to wait for, and nothing to be made of it
		e := l.contribution(in.Group, g.Started, l.S.Deliveries, in.Payload)
		return l.sent(&e, l.Log(e, out))
	}
	r := l.round(in.Group, g.Started)
	r.ID, r.Past = in.Payload.ID, l.S.Deliveries
	data := in.Payload.Data
	later := len(r.Parts) < children
	if later {
		data = l.Own(data)
	}
	r.Parts = append(r.Parts, causal.Part{Child: l.Rank, Data: data})
	return l.verify(in.Group, r, later, out)
}

// contribution is what this rank sends to its parent.
func (l *layer) contribution(group core.Group, number, past uint32, p core.Payload) causal.Entry {
	return causal.Entry{Kind: causal.Contribution, From: l.Rank, To: l.tree(group).Parent(l.Rank),
		Group: group, Number: number, Past: past, Epoch: l.S.Saving.Wanted, Dets: l.Piggyback(),
		Payload: p}
}

// sent sends a contribution that is in the log.
func (l *layer) sent(e *causal.Entry, out []core.Effect) []core.Effect {
	if l.IsMuted(e.To) {
		return out
	}
	return l.Transmit(e, e.To, out)
}

// leave stands for a contribution that is not made again. What determinants it carried, its
// receiver must be able to get back after a failure of its own: only the logs bring them.
func (l *layer) leave(group core.Group, number uint32, out []core.Effect) []core.Effect {
	e := causal.Entry{Kind: causal.Contribution, To: l.tree(group).Parent(l.Rank), Group: group,
		Number: number, Epoch: l.S.Saving.Wanted,
		Dets: l.Piggyback(), Bare: true}
	// Deviation: C19 forgets the determinants with the contribution
	if len(e.Dets) == 0 || l.Has(C19) {
		return out
	}
	l.S.Log = append(l.S.Log, e)
	return l.sent(&e, out)
}

// round is the accumulation of a round, begun if there is none.
func (l *layer) round(group core.Group, number uint32) *causal.Round {
	g := l.state(group)
	if l.Has(C5) { // Deviation: C5 accumulates whatever comes next
		if len(g.Open) == 0 {
			g.Open = []causal.Round{{Number: number}}
		}
		g.Open[0].Number = number
		return &g.Open[0]
	}
	i, found := slices.BinarySearchFunc(g.Open, number, func(r causal.Round, n uint32) int {
		return int(r.Number) - int(n)
	})
	if !found {
		r := causal.Round{Number: number}
		if last := len(l.spare) - 1; last >= 0 {
			r.Parts, l.spare = l.spare[last], l.spare[:last]
		}
		g.Open = slices.Insert(g.Open, i, r)
	}
	return &g.Open[i]
}

// contributionArrives takes the contribution of a child's subtree from the network ([CAMEL] Alg. 2
// l. 28-39). Its determinants stay here: whoever depends on the result depends on this rank, too.
func (l *layer) contributionArrives(from core.Rank, m *causal.Message,
	out []core.Effect) []core.Effect {
	if reason := l.Refuse(from, m); reason != "" {
		return append(out, core.DropInput(from.Proc(), core.MsgID{}, reason))
	}
	l.Hear(from, m.Inc)
	out = l.Accept(from, m.Dets, out)
	g, children := l.state(m.Group), l.Children(m.Group)
	if len(g.From) == 0 {
		g.From = make([]uint32, len(children))
	}
	child := slices.Index(children, from)
	known := g.From[child]
	if l.Has(C4) && !l.root(m.Group) {
		known = 0 // Deviation: C4 notes nothing of what comes to others than the root
	}
	if m.Number <= known || !l.root(m.Group) && m.Number <= g.Done {
		return append(out, core.DropInput(from.Proc(), core.MsgID{}, "received already"))
	}
	g.From[child] = m.Number
	if l.root(m.Group) {
		e := causal.Entry{Kind: causal.Contribution, To: l.Rank, From: from, Group: m.Group,
			Number: m.Number, Past: m.Past,
			Epoch: l.Images(), Dets: l.Listed(m.Dets), Payload: m.Payload}
		if l.Has(C19) {
			e.Dets = nil // Deviation: C19
		}
		if !l.Has(C11) { // Deviation: C11 keeps nothing at the root
			g.Kept = append(g.Kept, e)
			out = append(out, core.KeptPayload(part(&e), e.Payload))
		}
	}
	r := l.round(m.Group, m.Number)
	r.Parts = append(r.Parts, causal.Part{Child: from, Data: m.Payload.Data})
	return l.verify(m.Group, r, true, out)
}

// part is what the root keeps of a child's contribution.
func part(e *causal.Entry) trace.Item {
	return trace.Item{Sort: trace.Part, ID: e.Payload.ID, Peer: e.To.Proc(), Number: e.Number}
}

// verify passes a round on when it is complete ([CAMEL] Alg. 3 l. 7-24). Bytes of the own part that
// were kept from an earlier step are the layer's own.
func (l *layer) verify(group core.Group, r *causal.Round, own bool,
	out []core.Effect) []core.Effect {
	g, root := l.state(group), l.root(group)
	if len(r.Parts) < 1+len(l.Children(group)) {
		return out
	}
	done := *r
	g.Open = slices.DeleteFunc(g.Open, func(o causal.Round) bool {
		return o.Number == done.Number
	})
	payload := core.Payload{ID: done.ID, Data: l.combined(group, &done, own)}
	if root {
		c := l.GroupChannel(group)
		c.Arrived = append(c.Arrived, causal.Entry{Kind: causal.Contribution, From: l.Rank,
			Group: group, Number: done.Number, Past: done.Past, Epoch: l.Images(),
			Payload: payload})
		g.Done = done.Number
		return l.tellChildren(group, done.Number, out)
	}
	e := l.contribution(group, done.Number, done.Past, payload)
	return l.sent(&e, l.LogOwn(e, out))
}

// combined is what all parts of a round come to. In a real run it is made in the place of the own
// part, and those of the children are given back; the root keeps them.
func (l *layer) combined(group core.Group, done *causal.Round, own bool) []byte {
	kind, parts := l.tree(group).Combine, done.Parts
	if !l.Has(C12) && !l.Has(C5) && !l.Has(C4) {
		// Deviation: C12 agglomerates in the order of arrival
		place := func(p causal.Part) int {
			return slices.Index(l.Children(group), p.Child) // -1: the own part
		}
		slices.SortStableFunc(parts, func(a, b causal.Part) int { return place(a) - place(b) })
	}
	all := parts[0].Data
	if kind == core.Concat || !l.Copies() || !own || parts[0].Child != l.Rank {
		all = slices.Clone(all)
	}
	for _, p := range parts[1:] {
		if kind == core.Concat {
			all = append(all, p.Data...)
		} else {
			core.CombineInto(kind, all, p.Data)
		}
	}
	if !l.Copies() {
		return all
	}
	for i := range parts {
		if p := &parts[i]; p.Child != l.Rank && !l.root(group) {
			l.Free(&core.Payload{Data: p.Data})
		}
		parts[i] = causal.Part{}
	}
	if len(l.spare) < maxSpare {
		l.spare = append(l.spare, parts[:0])
	}
	return all
}

// maxSpare bounds the lists that wait to be used again.
const maxSpare = 64

// tellChildren sends how far the reductions of a group are complete ([CAMEL] Alg. 3 l. 25-29).
func (l *layer) tellChildren(group core.Group, number uint32, out []core.Effect) []core.Effect {
	for _, child := range l.Children(group) {
		out = append(out, core.SendTo(child.Proc(), l.Fresh(causal.Message{
			Kind: causal.Completed, Inc: l.S.Inc, To: l.Life(child), Group: group,
			Number: number})))
	}
	return out
}

// completed releases what is kept for complete rounds ([CAMEL] Alg. 3 l. 30-39), up to the number:
// an acknowledgement may have been lost with its receiver. Who sends to the root keeps it: the root
// will need it after a failure.
func (l *layer) completed(group core.Group, number uint32, out []core.Effect) []core.Effect {
	g := l.state(group)
	if l.root(group) {
		return out
	}
	g.Done = max(g.Done, number)
	g.Open = slices.DeleteFunc(g.Open, func(r causal.Round) bool { return r.Number <= g.Done })
	// Deviation: C9a compares with the root's number, which nobody stores
	if !l.keeps(group) && !l.Has(C9a) {
		out = l.release(group, number, out)
	}
	return l.tellChildren(group, number, out)
}

// keeps reports whether this rank keeps what it contributes: whoever sends to the root does.
func (l *layer) keeps(group core.Group) bool {
	// Deviation: C9b releases at the root's children, too
	return l.tree(group).Parent(l.Rank) == l.tree(group).Root() && !l.Has(C9b)
}

// Stays implements causal.Extension. What is released when the round is complete is in the log for
// the time of a round trip, and not counted.
func (l *layer) Stays(g core.Group) bool { return l.keeps(g) }

// release removes logged contributions. The determinants that they carried stay: 1. w contributes
// with a determinant of its own, t holds that, too, and says so, 2. the round is complete, and w
// releases, 3. t fails, 4. w fails, and nobody knows what the result depends on.
func (l *layer) release(group core.Group, number uint32, out []core.Effect) []core.Effect {
	for i := range l.S.Log {
		e := &l.S.Log[i]
		if e.Kind != causal.Contribution || e.Group != group || e.Number > number || e.Bare {
			continue
		}
		if l.Has(C10) && e.Number != number {
			continue // Deviation: C10 releases the acknowledged round alone
		}
		out = append(out, core.Forgotten(e.Item(l.Rank)))
		l.Free(&e.Payload)
		e.Bare, e.Payload = true, core.Payload{}
	}
	// Deviation: C19
	l.S.Log = slices.DeleteFunc(l.S.Log, func(e causal.Entry) bool {
		return e.Bare && (len(e.Dets) == 0 || l.Has(C19))
	})
	return out
}
