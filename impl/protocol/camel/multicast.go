package camel

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/causal"
)

// multicast executes a multicast of the program, at the root ([CAMEL] Alg. 2 l. 1-9): one logged
// copy, whoever may need it.
func (l *layer) multicast(in core.Input, out []core.Effect) []core.Effect {
	l.S.SSN++
	g := l.state(in.Group)
	g.Sent++
	e := causal.Entry{Kind: causal.Multicast, From: l.Rank, SSN: l.S.SSN, Group: in.Group,
		Number: g.Sent, Past: l.S.Deliveries,
		Epoch: l.S.Saving.Wanted, Life: l.S.Inc, Dets: l.Piggyback(), Payload: in.Payload}
	out = l.Log(e, out)
	for _, child := range l.Children(in.Group) {
		if !l.IsMuted(child) {
			out = l.Transmit(&e, child, out)
		}
	}
	return out
}

// multicastArrives takes a multicast from the network ([CAMEL] Alg. 2 l. 10-20). Lives are compared
// hop by hop: what a dead root sent is dropped, because it will send it again; what somebody passed
// on is valid, whatever became of the root, because it was accepted with its determinants, which
// are in the answer to the root.
func (l *layer) multicastArrives(from core.Rank, m *causal.Message,
	out []core.Effect) []core.Effect {
	reason := l.Refuse(from, m)
	if l.Has(C2) && reason == causal.Dead {
		reason = "" // Deviation: C2 drops no multicast for its age
	}
	if reason != "" {
		return append(out, core.DropInput(from.Proc(), m.Payload.ID, reason))
	}
	l.Hear(from, m.Inc)
	g, e := l.state(m.Group), causal.Entry{Kind: causal.Multicast, From: m.Origin, SSN: m.SSN,
		Group: m.Group, Number: m.Number,
		Past: m.Past, Epoch: m.Round, Life: m.For, Payload: m.Payload}
	out = l.Accept(m.Origin, m.Dets, out)
	if l.Has(C3) {
		return l.unordered(from, e, out) // Deviation: C3
	}
	waiting := func(w causal.Entry) bool { return w.Number == e.Number }
	// Deviation: C18 stops a duplicate at whoever has it
	if e.Number <= g.Received && l.again(e) && !l.Has(C18) {
		out = l.pass(e, out)
	}
	if e.Number <= g.Received || slices.ContainsFunc(g.Early, waiting) {
		return append(out, core.DropInput(from.Proc(), m.Payload.ID, "received already"))
	}
	if e.Number == g.Received+1 && len(g.Early) == 0 {
		g.Received++
		return l.accept(e, out)
	}
	g.Early = append(g.Early, e)
	for {
		i := slices.IndexFunc(g.Early, func(w causal.Entry) bool {
			return w.Number == g.Received+1
		})
		if i < 0 {
			return out
		}
		next := g.Early[i]
		g.Early = slices.Delete(g.Early, i, i+1)
		g.Received++
		out = l.accept(next, out)
	}
}

// accept queues a multicast for the program and passes it on, without determinants and without a
// copy ([CAMEL] Alg. 2 l. 18-19). A child that is recovering gets it, too: nothing but the root's
// log would send it otherwise, and that may have been sent already.
func (l *layer) accept(e causal.Entry, out []core.Effect) []core.Effect {
	c := l.GroupChannel(e.Group)
	c.Arrived = append(c.Arrived, e)
	return l.pass(e, out)
}

// again reports whether this life of the root has not sent the multicast before. After its failure
// the root sends all of them again, and each goes down the whole tree once: 1. r sends m, y passes
// it on to z, 2. r restarts, 3. z fails, and the copy on its way with it, 4. z recovers, and finds
// nothing in r's new log, 5. r sends m again, which y has. Nobody else will send m to z.
func (l *layer) again(e causal.Entry) bool {
	g := l.state(e.Group)
	return e.Life > g.Life || e.Life == g.Life && e.Number > g.Passed
}

// pass sends a multicast to the children.
func (l *layer) pass(e causal.Entry, out []core.Effect) []core.Effect {
	g := l.state(e.Group)
	if e.Life > g.Life {
		g.Life, g.Passed = e.Life, 0
	}
	g.Passed = max(g.Passed, e.Number)
	for _, child := range l.Children(e.Group) {
		out = l.Transmit(&e, child, out)
	}
	return out
}

// Got implements causal.Extension. With erratum C3 nobody counts them.
func (l *layer) Got(g core.Group, multicasts uint32) bool {
	return l.root(g) || !l.tree(g).Has(l.Rank) || l.state(g).Received >= multicasts || l.Has(C3)
}

// unordered accepts multicasts in any order, once each.
func (l *layer) unordered(from core.Rank, e causal.Entry, out []core.Effect) []core.Effect {
	waiting := func(w causal.Entry) bool { return w.SSN == e.SSN }
	if slices.ContainsFunc(l.GroupChannel(e.Group).Arrived, waiting) || l.Delivered(&e) {
		return append(out, core.DropInput(from.Proc(), e.Payload.ID, "received already"))
	}
	return l.accept(e, out)
}
