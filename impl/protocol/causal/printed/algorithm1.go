package printed

import (
	"cmp"
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// This file is [CAMEL] Algorithm 1, in its order. X is l.Rank.

// sendMsg is SENDMSG (l. 1-9).
func (l *Layer) sendMsg(in core.Input, out []core.Effect) []core.Effect {
	msg := Message{Kind: App, Payload: in.Payload, Past: l.S.Deliveries, Epoch: l.S.Saving.Line}
	msg.Sender = l.Rank                    // l. 2
	msg.Recver = in.To                     // l. 3
	msg.SSN = increment(&l.S.SSN)          // l. 4
	msg.Inc = l.S.Inc                      // l. 5
	msg.Dets = slices.Clone(l.S.DetBuf)    // l. 6
	out = l.Store(msg, out)                // l. 7
	return l.NetSend(msg, msg.Recver, out) // l. 8
}

// Store puts a message into msgLog (l. 7).
func (l *Layer) Store(msg Message, out []core.Effect) []core.Effect {
	l.S.MsgLog = append(slices.Clip(l.S.MsgLog), msg)
	if msg.Kind == App {
		out = append(out, core.Logged(msg.Payload.ID, msg.Recver.Proc(), 0))
	}
	return append(out, core.Kept(msg.Item(l.Rank)))
}

// receiveMsg is RECEIVEMSG (l. 10-18) as far as the network drives it; the rest is processMsg. In
// the paper's programs a message that arrives is processed. Ours ask for messages, so that one may
// have to wait for the program, and is numbered when that takes it.
func (l *Layer) receiveMsg(from core.Rank, msg *Message, out []core.Effect) []core.Effect {
	if reason := l.OutOfOrder(from, msg); reason != "" { // l. 11-12
		return Drop(msg, from, reason, out)
	}
	if l.Beyond(msg) {
		return l.Postpone(from, msg, out)
	}
	if out, crossed := l.Crossed(msg, out); crossed {
		return out
	}
	out = l.Piggybacked(msg, out) // l. 15-16
	l.S.RsnMap.Receive(msg)
	c := &l.S.Arrived[from]
	*c = append(slices.Clip(*c), *msg)
	return out
}

// Piggybacked stores the determinants of a message and acknowledges them to its sender (l. 15-16).
// With none there is nothing to acknowledge.
func (l *Layer) Piggybacked(msg *Message, out []core.Effect) []core.Effect {
	if len(msg.Dets) == 0 {
		return out
	}
	for _, det := range msg.Dets {
		at, found := slices.BinarySearchFunc(l.S.DetLog, det, compareDets)
		if found {
			continue
		}
		l.S.DetLog = slices.Insert(slices.Clone(l.S.DetLog), at, det)
		out = append(out, core.Kept(det.item()))
	}
	return l.NetSend(Message{Kind: DetAck, Inc: l.S.Inc, Dets: msg.Dets}, msg.Sender, out)
}

// compareDets orders the set detLog.
func compareDets(a, b Det) int {
	return cmp.Or(cmp.Compare(a.Recver, b.Recver), cmp.Compare(a.RSN, b.RSN),
		cmp.Compare(a.Sender, b.Sender), cmp.Compare(a.Group, b.Group),
		cmp.Compare(a.SSN, b.SSN), cmp.Compare(a.ID.From, b.ID.From),
		cmp.Compare(a.ID.Number, b.ID.Number), cmp.Compare(a.Index, b.Index),
		cmp.Compare(a.Past, b.Past))
}

// processMsg is the rest of RECEIVEMSG, when the program takes the message (l. 13-14, 17). A result
// of a reduction has been numbered with its contributions.
func (l *Layer) processMsg(source core.Rank, out []core.Effect) []core.Effect {
	queue := source
	if g, ok := core.SourceGroup(source); ok {
		queue = core.Rank(l.ranks + int(g) - 1)
	}
	msg := core.Pop(&l.S.Arrived[queue])
	l.S.Deliveries++
	if msg.Kind != Reduction {
		l.Number(&msg, Det{ID: msg.Payload.ID, Index: l.S.Deliveries, Past: msg.Past}, &out)
	}
	out = append(out, core.Effect{Kind: core.Deliver, From: msg.Sender.Proc(),
		Payload: msg.Payload, Stamp: core.Stamp{Date: uint64(msg.Past)}}) // l. 17
	out = l.extension.Advanced(out)
	return l.recovered(out)
}

// Number gives a message its number, and makes the determinant, with the evidence (l. 13-14; with a
// group, [CAMEL] Alg. 2 l. 32-33).
func (l *Layer) Number(msg *Message, evidence Det, out *[]core.Effect) {
	rsn := increment(&l.S.RSN)
	l.S.RsnMap.assign(msg.Sender, msg.key(), msg.SSN, rsn) // l. 13
	det := evidence
	det.Sender, det.Recver, det.Group, det.SSN, det.RSN = msg.Sender, l.Rank, msg.key(), msg.SSN,
		rsn
	l.S.DetBuf = append(slices.Clip(l.S.DetBuf), det) // l. 14
	*out = append(*out, core.Kept(det.item()))
}

// receiveDetAck is RECEIVEDETACK (l. 19-21).
func (l *Layer) receiveDetAck(m *Message, out []core.Effect) []core.Effect {
	l.S.DetBuf = slices.DeleteFunc(slices.Clone(l.S.DetBuf), func(det Det) bool { // l. 20
		acknowledged := slices.Contains(m.Dets, det)
		if acknowledged {
			out = append(out, core.Forgotten(det.item()))
		}
		return acknowledged
	})
	return out
}

// empty is CHECKPOINT without l. 26 (l. 23-25); see storecheckpoint.go for when.
func (l *Layer) empty(out []core.Effect) []core.Effect {
	for _, det := range l.S.DetLog {
		out = append(out, core.Forgotten(det.item()))
	}
	l.S.DetLog = nil // l. 23
	for _, det := range l.S.DetBuf {
		out = append(out, core.Forgotten(det.item()))
	}
	l.S.DetBuf = nil // l. 24
	for i := range l.S.MsgLog {
		msg := &l.S.MsgLog[i]
		if msg.Kind == App {
			out = append(out, core.Pruned(msg.Payload.ID, msg.Recver.Proc()))
		}
		out = append(out, core.Forgotten(msg.Item(l.Rank)))
	}
	l.S.MsgLog = nil // l. 25
	return out
}

// failure is FAILURE up to the barrier (l. 28-37); what comes after it is in replay. The system
// calls it by a message of the new incarnation. One that is called again, because that one has
// failed, too, takes the place of the call that waits: the paper does not say what else could end
// the wait.
func (l *Layer) failure(y core.Rank, call *Message, out []core.Effect) []core.Effect {
	if call.Inc <= l.S.IncMap[y] {
		return Drop(call, y, "a later life is known", out)
	}
	if l.S.Saving.Recording {
		l.S.Saving.Calls = append(slices.Clip(l.S.Saving.Calls), *call)
		return out
	}
	var dets []Det // l. 29
	// l. 30: the number that the system gives to the new incarnation, which is INCREMENT for whom
	// it has called each time
	l.S.IncMap[y] = call.Inc
	for _, det := range l.S.DetLog { // l. 31-35
		if det.Recver == y {
			dets = append(dets, det)
		}
	}
	answer := Message{Kind: Dets, Sender: l.Rank, Inc: l.S.Inc, Dets: dets,
		For: call.Inc, Line: l.S.Saving.Line}
	l.extension.Tell(&answer)
	out = l.NetSend(answer, y, out)       // l. 36
	l.S.Barrier, l.S.BarrierFor = true, y // l. 37
	return l.repeatSaved(y, out)
}

// replay is FAILURE after the barrier (l. 38-42). A set has no order; the order of the sends is the
// one in which channels that respect FIFO ordering have brought the messages (section 2.2).
func (l *Layer) replay(y core.Rank, out []core.Effect) []core.Effect {
	for i := range l.S.MsgLog { // l. 38
		if msg := l.S.MsgLog[i]; l.extension.Bound(&msg, y) { // l. 39
			msg.Inc = l.S.Inc
			out = l.NetSend(msg, y, out) // l. 40
		}
	}
	return l.NetSend(Message{Kind: Replayed, Inc: l.S.Inc}, y, out)
}

// receiveDets is RECEIVEDETS (l. 44-51). How a response is told from one to a former life, is left
// open; here it names the life (S9).
func (l *Layer) receiveDets(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	if !l.S.Collecting || m.For != l.S.Inc {
		return Drop(m, from, "not asked for", out)
	}
	if m.Line > l.S.Saving.Line {
		// the checkpoint was completed while this process restarted before it: the image is there
		return append(out, core.Effect{Kind: core.Rollback})
	}
	l.S.IncMap[from] = max(l.S.IncMap[from], m.Inc)
	for _, det := range m.Dets { // l. 45
		l.S.RsnMap.assign(det.Sender, det.Group, det.SSN, det.RSN) // l. 46
	}
	l.extension.Told(m)
	l.S.AllDets[from] = true
	if l.allDets() { // l. 48
		return l.leaveAll(out) // l. 49
	}
	return out
}

// allDets is ALLDETS: all other processes have responded.
func (l *Layer) allDets() bool {
	return !slices.ContainsFunc(l.others(), func(q core.Rank) bool { return !l.S.AllDets[q] })
}
