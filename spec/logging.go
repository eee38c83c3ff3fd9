package spec

import (
	"fmt"

	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// stable reports whether the place of a message among the deliveries of its receiver can be had
// again when the receiver fails now: its recovery line holds the delivery, or somebody who is up
// keeps the place, or a line that covers it.
func stable(f *Facts, v View, id trace.MsgID, to trace.Proc) bool {
	receiver := v.Observed(to)
	if receiver.Line != nil && receiver.Line.Received(id) || coveredBy(f, v, id, to, receiver) {
		return true
	}
	for p := range f.procs() {
		if c, ok := v.Observed(p).Holding.Copy(id, to); ok && (c.Covered || c.Order != 0) {
			return true
		}
	}
	return false
}

// coveredBy reports whether somebody keeps a line that holds the delivery, although the rank has
// not declared it yet. While the rank is down nobody can tell what such a newer line holds; it will
// be declared when the rank resumes from it.
func coveredBy(f *Facts, v View, id trace.MsgID, to trace.Proc, receiver Observed) bool {
	declared := 0
	if receiver.Line != nil {
		declared = len(receiver.Line.Delivered)
	}
	for p := range f.procs() {
		line, ok := v.Observed(p).Holding.Image(to)
		if !ok || int(line.Received) <= declared {
			continue
		}
		if receiver.History == nil || len(receiver.History.Delivered) < int(line.Received) {
			return true
		}
		prefix := trace.History{Delivered: receiver.History.Delivered[:line.Received]}
		if prefix.Received(id) {
			return true
		}
	}
	return false
}

// lineKept reports whether somebody who is up keeps a line of the rank.
func lineKept(f *Facts, v View, rank trace.Proc) bool {
	for p := range f.procs() {
		if _, ok := v.Observed(p).Holding.Image(rank); ok {
			return true
		}
	}
	return false
}

// gaveUp reports whether a rank has declared that it can not be recovered; GivesNotUp judges
// whether it was right.
func gaveUp(f *Facts, v View) bool {
	for r := range f.ranks() {
		if h := v.Observed(r.Proc()).Holding; f.KeepsLines && h != nil && h.Halted {
			return true
		}
	}
	return false
}

// NoOrphan: nobody has received what its sender does not send.
var NoOrphan = register(Property{
	Name: "no-orphan", Kind: Always, Global: true,
	Source: "[RADIC] section 4.2.3, design section 4",
	Doc: "a message that is sent again is the one that whoever is up has received " +
		"under its name",
	// Where a rank that lives may depend on a lost state until it hears of the failure, that is no
	// orphan yet: 1. p sends m to q and fails. 2. p sends another m, as it may, for nobody has
	// logged what made it send the first. 3. q hears of the failure, and goes back. There
	// orphans-end says that it does. Everywhere else q either goes back before p sends again (all
	// of a group stop with the failed one, and restart from one line: that has received nothing
	// that p sends behind it) or never, and then p has to send the same, whatever programs do that
	// are not deterministic at all. Who is deterministic by promise sends the same anyhow
	// (send-determinism); with policies fenced-out and outputs-agree look.
	Applies: func(f *Facts) bool {
		return !f.Undo.Orphans && (f.Needs == promise.Piecewise ||
			f.Needs == promise.NoDeterminism && f.RollsBack > promise.FailedOnly &&
				len(f.Policies) == 0)
	},
	Needs: "Needs no more than a piecewise deterministic program, and not Undo.Orphans; with one " +
		"that is not deterministic RollsBack more than the failed ranks, and no policies",
	Event: func(f *Facts, v View, e trace.Event) string {
		c, collective := f.Layout.Collectives[e.ID]
		// nobody receives a contribution: the result has its name
		if e.Kind != trace.Sent || c.Round > 0 {
			return ""
		}
		for r := range f.ranks() {
			h := v.Observed(r.Proc()).History
			if h == nil {
				continue
			}
			for _, d := range h.Delivered {
				if d.ID == e.ID && (d.Digest != e.Digest || r.Proc() != e.Peer && !collective) {
					return fmt.Sprintf(
						"%s is an orphan: it has received %s with payload %x, which %s now sends "+
							"to %s with payload %x", f.name(r.Proc()),
						f.label(e.ID), d.Digest, f.name(e.Proc), f.name(e.Peer), e.Digest)
				}
			}
		}
		return ""
	},
})

// Recoverable: whatever a failure of the receiver takes is still somewhere.
var Recoverable = register(Property{
	Name: "recoverable", Kind: Always, Global: true,
	Source: "[RADIC] section 4.2.1, design section 1.4",
	Doc: "a message is stable at its receiver, or its sender has a copy: when it leaves, and " +
		"when its sender comes back after it",
	Applies: func(f *Facts) bool { return f.KeepsCopies && f.Layout.Holdings },
	Needs:   "KeepsCopies, declared (Kept, Forgotten)",
	Event: func(f *Facts, v View, e trace.Event) string {
		switch {
		case e.Kind == trace.Emitted && !e.ID.IsZero():
			if _, ok := v.Observed(e.Proc).Holding.Copy(e.ID, e.Peer); !ok &&
				!f.Layout.SameCluster(e.Proc, e.Peer) && !stable(f, v, e.ID, e.Peer) &&
				!unprotected(f, v, e.Peer) {
				return fmt.Sprintf("%s leaves %s, which keeps no copy of it", f.label(e.ID),
					f.As(Missing, f.name(e.Proc)))
			}
		case e.Kind == trace.Resumed || e.Kind == trace.Restored && !f.Fetches:
			return lostBehind(f, v, e.Proc)
		}
		return ""
	},
})

// unprotected reports whether a copy of a message would be of no use to its receiver: nobody who is
// up keeps an image of it. Proof: 1. When the receiver fails now it can not come back at all; it
// gives up, and gives-not-up judges that. 2. When it does not fail, the next image that anybody
// keeps of it comes from the receiver itself, and holds what was ever stable there and is not
// delivered yet; so a sender that has let its copy go when it was told so need not have it back.
// What an image would lose nevertheless is waited for in vain after the next failure, and
// terminates says so. 3. It was protected until its keeper failed, and protected wants it to be so
// again at the end; a sender that keeps no copies at all is seen in all that time.
func unprotected(f *Facts, v View, receiver trace.Proc) bool {
	return f.KeepsLines && !lineKept(f, v, receiver)
}

// lostBehind says which delivery of others neither they nor the restarted sender, which will not
// send it again, could repeat.
func lostBehind(f *Facts, v View, sender trace.Proc) string {
	self := v.Observed(sender)
	if self.History == nil {
		return ""
	}
	for r := range f.ranks() {
		h := v.Observed(r.Proc()).History
		if h == nil || f.Layout.SameCluster(r.Proc(), sender) {
			continue
		}
		for _, d := range h.Delivered {
			if d.ID.From.Proc() != sender || d.ID.Number > self.History.Sent ||
				unprotected(f, v, r.Proc()) {
				continue
			}
			if _, ok := self.Holding.Copy(d.ID, r.Proc()); !ok && !stable(f, v, d.ID, r.Proc()) {
				return fmt.Sprintf(
					"%s is back behind its send of %s and has no copy, and the delivery to %s is "+
						"not stable", f.name(sender), f.label(d.ID), f.name(r.Proc()))
			}
		}
	}
	return ""
}

// regained reports whether the failure of the sender, which kept the place of a delivery, is the
// one at a time that such a protocol survives: it is down, or back and has still to learn the place
// again from the receiver. What a later life sends for the first time can not be told from that, so
// of those this says nothing.
func regained(f *Facts, v View, id trace.MsgID, to trace.Proc) bool {
	sender := v.Observed(id.From.Proc())
	if !f.Holes || sender.Up && sender.Incarnation == 0 {
		return false
	}
	c, ok := sender.Holding.Copy(id, to)
	return !sender.Up || sender.History == nil || sender.History.Sent < id.Number || ok &&
		c.Order == 0
}

// OutputStable: the outside world sees nothing that a failure could take back.
var OutputStable = register(Property{
	Name: "output-stable", Kind: Always, Global: true, Source: "design sections 1.3 and 4",
	Doc:     "an output leaves only when every delivery before it is stable",
	Applies: func(f *Facts) bool { return f.Needs == promise.Piecewise && f.Layout.Holdings },
	Needs: "Needs a piecewise deterministic program, and declares what it keeps " +
		"(Kept, Forgotten)",
	Event: func(f *Facts, v View, e trace.Event) string {
		h := v.Observed(e.Proc).History
		if e.Kind != trace.Released || h == nil || f.KeepsLines && !lineKept(f, v, e.Proc) {
			return ""
		}
		for _, d := range h.Delivered {
			if !stable(f, v, d.ID, e.Proc) && !regained(f, v, d.ID, e.Proc) {
				return fmt.Sprintf("%s puts out what depends on %s, whose delivery is not stable",
					f.name(e.Proc), f.label(d.ID))
			}
		}
		return ""
	},
})

// Protected: nobody stays without protection.
var Protected = register(Property{
	Name: "protected", Kind: Final, Source: "[RADIC] section 2.3.2, design section 2",
	Doc: "when nothing can happen any more, somebody who is up keeps a recovery line of " +
		"every rank that has not given up, nor waits in its recovery for one that has; and a " +
		"cluster that rolls back as one has given up as one",
	Applies: func(f *Facts) bool { return f.KeepsLines },
	Needs:   "KeepsLines: images in the memory of others (Kept, Forgotten)",
	End: func(f *Facts, v View) string {
		if lone(f, v) {
			return ""
		}
		for r := range f.ranks() {
			o := v.Observed(r.Proc())
			if q, alone := leftAlone(f, v, r.Proc()); alone {
				return fmt.Sprintf("%s goes on, and %s of its cluster has given up",
					f.name(r.Proc()), f.name(q))
			}
			if gaveUp(f, v) && o.History != nil && o.History.Recovering {
				// its recovery waits for good for somebody who has given up, and its end would
				// protect it
				continue
			}
			if h := o.Holding; !lineKept(f, v, r.Proc()) && (h == nil || !h.Halted) {
				return fmt.Sprintf(
					"nobody keeps an image of %s, so its next failure can not be survived",
					f.name(r.Proc()))
			}
		}
		return ""
	},
})

// leftAlone finds a rank with which the rank rolls back as one, and which has given up alone.
func leftAlone(f *Facts, v View, rank trace.Proc) (mate trace.Proc, alone bool) {
	own := v.Observed(rank).Holding
	if f.RollsBack != promise.Cluster || own != nil && own.Halted {
		return 0, false
	}
	for r := range f.ranks() {
		h := v.Observed(r.Proc()).Holding
		if f.Layout.SameCluster(r.Proc(), rank) && h != nil && h.Halted {
			return r.Proc(), true
		}
	}
	return 0, false
}

// BuffersDrain: what is stable costs no memory at its sender.
var BuffersDrain = register(Property{
	Name: "buffers-drain", Kind: Final, Depth: Thrift,
	Source: "[RADIC] section 4.2.4, design section 4",
	Doc: "when nothing can happen any more, no sender has a copy of a message that is stable " +
		"at its receiver",
	Applies: func(f *Facts) bool { return f.KeepsLines && f.KeepsCopies },
	Needs:   "KeepsLines and KeepsCopies (Kept, Forgotten)",
	End: func(f *Facts, v View) string {
		if gaveUp(f, v) {
			return ""
		}
		for r := range f.ranks() {
			h := v.Observed(r.Proc()).Holding
			if h == nil {
				continue
			}
			for _, c := range h.Copies {
				if c.Order == 0 && stable(f, v, c.ID, c.To) {
					return fmt.Sprintf("%s still has a copy of %s, which is stable at %s",
						f.name(r.Proc()), f.label(c.ID), f.name(c.To))
				}
			}
		}
		return ""
	},
})
