package printed

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/causal/printed"
)

// This file is [CAMEL] Algorithm 3, in its order.

// sendMsgToChildren is SENDMSGTOCHILDREN (l. 1-6).
func (l *layer) sendMsgToChildren(msg printed.Message, out []core.Effect) []core.Effect {
	for _, recver := range l.childrenMap(msg.Group) { // l. 2
		msg.Recver = recver               // l. 3
		out = l.NetSend(msg, recver, out) // l. 4
	}
	return out
}

// verifyReductionMsg is VERIFYREDUCTIONMSG (l. 7-24).
func (l *layer) verifyReductionMsg(msg printed.Message, out []core.Effect) []core.Effect {
	if !l.reductionReady(&msg) { // l. 8
		l.accumulate(msg) // l. 22
		return out
	}
	msg = l.agglomerate(msg) // l. 9
	msg.Sender = l.Rank      // l. 10
	group := msg.Group
	if l.Rank == l.rootMap(group) { // l. 11
		queue := l.Queue(group)
		*queue = append(slices.Clip(*queue), msg) // l. 12: the program takes it from here
		l.state(group).Done = msg.SSN
		return l.sendMsgAckToChildren(msg, out) // l. 13
	}
	msg.Recver = l.parentMap(group)        // l. 15
	msg.Inc = l.S.Inc                      // l. 16
	msg.Dets = slices.Clone(l.S.DetBuf)    // l. 17
	out = l.Store(msg, out)                // l. 18
	return l.NetSend(msg, msg.Recver, out) // l. 19
}

// reductionReady is REDUCTIONREADY: with this one, the contributions of the process and of all its
// children are here. The runtime layer may have to buffer messages "in case of concurrent
// collective operations" (section 6), so each reduction is accumulated on its own (C5).
func (l *layer) reductionReady(msg *printed.Message) bool {
	accumulated := 0
	if at, found := l.round(msg); found {
		accumulated = len(l.state(msg.Group).Rounds[at].Parts)
	}
	return accumulated == len(l.childrenMap(msg.Group))
}

// round is the place of the reduction among those that are accumulated.
func (l *layer) round(msg *printed.Message) (int, bool) {
	return slices.BinarySearchFunc(l.state(msg.Group).Rounds, msg.SSN,
		func(r printed.Round, n uint32) int { return int(r.Number) - int(n) })
}

// accumulate is ACCUMULATE.
func (l *layer) accumulate(msg printed.Message) {
	g := l.state(msg.Group)
	at, found := l.round(&msg)
	if !found {
		g.Rounds = slices.Insert(slices.Clone(g.Rounds), at, printed.Round{Number: msg.SSN})
	}
	g.Rounds[at].Parts = append(slices.Clip(g.Rounds[at].Parts), msg)
}

// agglomerate is AGGLOMERATE. It may be deterministic or not (section 6); here the order is that of
// the tree (C12). The message has the evidence of our own contribution.
func (l *layer) agglomerate(msg printed.Message) printed.Message {
	g := l.state(msg.Group)
	parts := []printed.Message{msg}
	if at, found := l.round(&msg); found {
		parts = append(parts, g.Rounds[at].Parts...)
		g.Rounds = slices.Delete(slices.Clone(g.Rounds), at, at+1)
	}
	var data [][]byte
	for _, m := range append([]core.Rank{l.Rank}, l.childrenMap(msg.Group)...) {
		i := slices.IndexFunc(parts, func(p printed.Message) bool { return p.Sender == m })
		data = append(data, parts[i].Payload.Data)
		if m == l.Rank {
			msg.Past, msg.Payload.ID = parts[i].Past, parts[i].Payload.ID
		}
	}
	msg.Epoch = l.S.Saving.Line
	msg.Payload.Data = core.Combine(l.tree(msg.Group).Combine, data)
	return msg
}

// sendMsgAckToChildren is SENDMSGACKTOCHILDREN (l. 25-29). The overlined message is its identifier
// (section 3.2): of a reduction, its group and ssn. Its sender is the root, since l. 10.
func (l *layer) sendMsgAckToChildren(msg printed.Message, out []core.Effect) []core.Effect {
	id := printed.Message{Kind: printed.MsgAck, Sender: msg.Sender, Group: msg.Group, SSN: msg.SSN,
		Inc: l.S.Inc}
	for _, recver := range l.childrenMap(msg.Group) { // l. 26
		out = l.NetSend(id, recver, out) // l. 27
	}
	return out
}

// receiveMsgAck is RECEIVEMSGACK (l. 30-39).
func (l *layer) receiveMsgAck(from core.Rank, msg *printed.Message,
	out []core.Effect) []core.Effect {
	group := msg.Group // l. 31
	if l.Rank == l.rootMap(group) {
		return printed.Drop(msg, from, "no child of anybody", out)
	}
	// what it confirms need not be stored when it is made again after a failure
	l.state(group).Done = max(l.state(group).Done, msg.SSN)
	if l.parentMap(group) != msg.Sender { // l. 32-33
		// l. 34: "copies of the reduction messages will be eliminated, except for the direct
		// children of the reduction root" (section 3.2)
		l.S.MsgLog = slices.DeleteFunc(slices.Clone(l.S.MsgLog), func(m printed.Message) bool {
			same := m.Kind == printed.Reduction && m.Group == group && m.SSN == msg.SSN
			if same {
				out = append(out, core.Forgotten(m.Item(l.Rank)))
			}
			return same
		})
	}
	return l.sendMsgAckToChildren(*msg, out) // l. 36-38
}
