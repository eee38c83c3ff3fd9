package printed

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/causal/printed"
)

// This file is [CAMEL] Algorithm 2, in its order. X is l.Rank.

// sendMulticastMsg is SENDMULTICASTMSG (l. 1-9).
func (l *layer) sendMulticastMsg(in core.Input, out []core.Effect) []core.Effect {
	msg := printed.Message{Kind: printed.Multicast, Payload: in.Payload, Past: l.S.Deliveries,
		Epoch: l.S.Saving.Line}
	msg.Sender = l.Rank                  // l. 2
	msg.Group = in.Group                 // l. 3
	l.S.SSN++                            //
	msg.SSN = l.S.SSN                    // l. 4
	msg.Inc = l.S.Inc                    // l. 5
	msg.Dets = slices.Clone(l.S.DetBuf)  // l. 6
	out = l.Store(msg, out)              // l. 7
	return l.sendMsgToChildren(msg, out) // l. 8
}

// receiveMulticastMsg is RECEIVEMULTICASTMSG (l. 10-20). What the program has a part in, l. 13-14
// and 17, is done when it takes the message, as in Algorithm 1. Others do not wait for that: the
// message goes down the tree when it is here.
func (l *layer) receiveMulticastMsg(from core.Rank, m *printed.Message,
	out []core.Effect) []core.Effect {
	msg := *m
	if reason := l.OutOfOrder(from, &msg); reason != "" { // l. 11-12
		if !l.Unreachable() {
			// "during recovery multicast messages are always propagated, regardless whether the
			// multicast has actually reached all nodes" (section 6); the lines return (C18)
			msg.Dets = nil
			out = l.sendMsgToChildren(msg, out)
		}
		return printed.Drop(m, from, reason, out)
	}
	if l.Beyond(&msg) {
		return l.Postpone(from, &msg, out)
	}
	if out, crossed := l.Crossed(&msg, out); crossed {
		return out
	}
	out = l.Piggybacked(&msg, out) // l. 15-16
	l.S.RsnMap.Receive(&msg)
	queue := l.Queue(msg.Group)
	*queue = append(slices.Clip(*queue), msg) // l. 13-14, 17: printed.processMsg
	msg.Dets = nil                            // l. 18
	return l.sendMsgToChildren(msg, out)      // l. 19
}

// sendReductionMsg is SENDREDUCTIONMSG (l. 21-27).
func (l *layer) sendReductionMsg(in core.Input, out []core.Effect) []core.Effect {
	g := l.state(in.Group)
	msg := printed.Message{Kind: printed.Reduction, Payload: in.Payload, Past: l.S.Deliveries,
		Epoch: l.S.Saving.Line}
	msg.Sender = l.Rank  // l. 22
	msg.Group = in.Group // l. 23
	g.RedSSN++           //
	msg.SSN = g.RedSSN   // l. 24
	msg.Inc = l.S.Inc    // l. 25
	if l.old(&msg) {
		return out
	}
	return l.verifyReductionMsg(msg, out) // l. 26
}

// old reports whether a reduction is complete, so that its messages "are old and should be
// discarded" (section 3.1). Those "to R must be kept all the time as they are necessary to recover
// R", so whoever sends to the root makes its own again, if it can.
func (l *layer) old(msg *printed.Message) bool {
	g := msg.Group
	return l.Rank != l.rootMap(g) && l.parentMap(g) != l.rootMap(g) &&
		msg.SSN <= l.state(g).Done
}

// receiveReductionMsg is RECEIVEREDUCTIONMSG (l. 28-39) up to OUTOFORDER. Its conditions are those
// of Algorithm 1; only the root has numbers of contributions, so the others must know otherwise
// which ones they have had: "this message is a duplicate and can easily be discarded by the
// standard mechanism" (section 3.1; C4).
func (l *layer) receiveReductionMsg(from core.Rank, m *printed.Message,
	out []core.Effect) []core.Effect {
	msg := *m
	if reason := l.OutOfOrder(from, &msg); reason != "" { // l. 29-30
		return printed.Drop(m, from, reason, out)
	}
	if l.old(&msg) {
		return printed.Drop(m, from, "old: its reduction is complete", out)
	}
	if l.Beyond(&msg) {
		return l.Postpone(from, &msg, out)
	}
	if out, crossed := l.Crossed(&msg, out); crossed {
		return out
	}
	l.S.RsnMap.Receive(&msg)
	g := l.state(msg.Group)
	g.Waiting = append(slices.Clip(g.Waiting), msg)
	return l.Advanced(out)
}

// accept is RECEIVEREDUCTIONMSG from OUTOFORDER on.
func (l *layer) accept(msg *printed.Message, out []core.Effect) []core.Effect {
	if l.Rank == l.rootMap(msg.Group) { // l. 31
		r := l.result(msg)
		l.Number(msg, printed.Det{ID: r.id, Index: r.index, Past: r.past}, &out) // l. 32-33
	}
	out = l.Piggybacked(msg, out)          // l. 35-36
	msg.Dets = nil                         // l. 37
	return l.verifyReductionMsg(*msg, out) // l. 38
}

// result is the evidence of a reduction; one to which the root does not contribute has none.
func (l *layer) result(msg *printed.Message) (r result) {
	if list := l.results[msg.Group-1]; int(msg.SSN) <= len(list) {
		r = list[msg.SSN-1]
	}
	return r
}
