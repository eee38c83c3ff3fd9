package spec

import (
	"fmt"

	"github.com/domino-check/domino/spec/trace"
)

// ExactlyOnce: along the surviving past of a rank no message is delivered twice.
var ExactlyOnce = register(Property{
	Name: "exactly-once", Kind: Always, Source: "reliable channels",
	Doc: "no message is delivered twice to a rank along its surviving past",
	Event: func(f *Facts, v View, e trace.Event) string {
		if h := v.Observed(e.Proc).History; e.Kind == trace.Delivered && h != nil &&
			h.Received(e.ID) {
			return fmt.Sprintf("%s is delivered to %s a second time",
				f.As(Duplicate, f.label(e.ID)), f.name(e.Proc))
		}
		return ""
	},
})

// FIFO: deliveries of one channel follow the order of the sends.
var FIFO = register(Property{
	Name: "fifo", Kind: Always, Source: "FIFO channels",
	Doc: "the deliveries of each channel, from a rank or a group, follow the order of its sends",
	Event: func(f *Facts, v View, e trace.Event) string {
		h := v.Observed(e.Proc).History
		if e.Kind != trace.Delivered || h == nil {
			return ""
		}
		for _, d := range h.Delivered {
			if d.ID.From == e.ID.From && d.ID.Number > e.ID.Number &&
				f.Layout.SameChannel(d.ID, e.ID) {
				return fmt.Sprintf("%s is delivered to %s after %s, which was sent later",
					f.As(Late, f.label(e.ID)), f.name(e.Proc), f.As(Culprit, f.label(d.ID)))
			}
		}
		return ""
	},
})

// LegalOrder: what a rank has received is what it can have received without failures.
var LegalOrder = register(Property{
	Name: "legal-order", Kind: Always, Source: "[HydEE] section IV",
	Doc: "the sequence of deliveries of each rank is that of some failure-free run",
	// Where a job may go on without a rank there are more: 1. a receive of p from the rank that is
	// gone ends in an error. 2. p goes on, and sends to q what without failures it sends only when
	// it has received that message. 3. q, which has not been told yet, receives it first. So there
	// the runs in which ranks stop are explored, too.
	//
	// Where a rank may depend on a state that is lost, until it hears of that (Undo.Orphans), it is
	// the same: 1. When somebody sent what an orphan has received, the past in which he did was the
	// only one of his rank. 2. So as long as the pasts that it depends on are one of each rank,
	// they are a part of a run without failures, though not of this one. 3. Who has received from
	// a past that is lost, and then what its rank sends instead, is in no run at all. No later
	// rollback makes that good: its outputs have left, and whom it has told goes by it.
	Applies: explored,
	Needs:   aloneOrWithout,
	Event: func(f *Facts, v View, e trace.Event) string {
		h := v.Observed(e.Proc).History
		if e.Kind != trace.Delivered || h == nil || int(e.Proc) >= f.Layout.Ranks {
			return ""
		}
		before := h.Delivered
		list := append(before[:len(before):len(before)], trace.Delivery{ID: e.ID})
		key := SequenceKey(list)
		if f.Oracle.Legal[e.Proc][key] || runsThrough(f) && f.Oracle.Survivors.Legal[e.Proc][key] {
			return ""
		}
		words, name, last := "", f.name(e.Proc), f.As(Culprit, f.label(e.ID))
		for _, d := range before {
			words += f.As(Holder, f.received(d.ID)) + ", "
		}
		if e.ID.IsZero() { // then it is about the rank
			name, last = f.As(Culprit, name), f.received(e.ID)
		}
		return fmt.Sprintf("%s receives %s%s: no failure-free run delivers in this order",
			name, words, last)
	},
})

// received is a delivered message in a sentence. The sum of a group may come to a rank that has not
// contributed, and so be of no message.
func (f *Facts) received(id trace.MsgID) string {
	if id.IsZero() {
		return "what nobody has sent"
	}
	return f.label(id)
}

// Genuine: nobody receives what was not sent to it.
var Genuine = register(Property{
	Name: "genuine", Kind: Always, Source: "reliable channels",
	Doc: "a delivered message is one that the program sends to this rank, with its payload",
	// what is sent after an error is not what is sent without: then all that may be sent is known
	Applies: func(f *Facts) bool { return explored(f) && (f.Sends || runsThrough(f)) },
	Needs: "Needs a send-deterministic program, or a policy that runs through failures; and " +
		aloneOrWithout,
	Event: func(f *Facts, v View, e trace.Event) string {
		if e.Kind != trace.Delivered {
			return ""
		}
		if runsThrough(f) {
			return f.strange(e)
		}
		fact, ok := f.Oracle.Sent[e.ID]
		c, collective := f.Layout.Collectives[e.ID]
		switch {
		case !ok:
			return fmt.Sprintf("%s receives %s, which no failure-free run sends",
				f.name(e.Proc), f.label(e.ID))
		case collective && !f.Layout.Trees[c.Tree].Has(trace.Rank(e.Proc)):
			return fmt.Sprintf("%s receives %s, and is no member of its group", f.name(e.Proc),
				f.label(e.ID))
		case collective && c.Round > 0:
			// A result is none of the sends: it is made of the contributions of all members. What
			// it is goes into the state of the program, which final-state compares.
			return ""
		case fact.To != e.Proc && !collective: // of a multicast the root is taken to send to itself
			return fmt.Sprintf("%s receives %s, which is for %s", f.name(e.Proc),
				f.label(e.ID), f.As(Expected, f.name(fact.To)))
		case fact.Digest != e.Digest:
			return fmt.Sprintf("%s receives %s with payload %x, want %x", f.name(e.Proc),
				f.label(e.ID), e.Digest, fact.Digest)
		}
		return ""
	},
})
