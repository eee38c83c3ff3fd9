package printed

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// BARRIER ([CAMEL] Alg. 1 l. 37, 49), "global synchronization": nobody leaves it before all are in
// it. Who sends its determinants enters it, and the new incarnation is the last one, when it has
// all of them; so it lets everybody go.

// restore reinstates process X from its latest checkpoint, and has the system call FAILURE of all
// others. Nothing says whether the program runs before the barrier; here it does not.
func (l *Layer) restore(in core.Input, out []core.Effect) []core.Effect {
	l.reset()
	out, err := l.load(in.Records, out)
	if err != nil {
		return append(out, core.Halted(err.Error()))
	}
	// "it will be incremented every time a process fails" (section 2.3.1); the system counts
	l.S.Inc = in.Incarnation
	l.S.IncMap[l.Rank] = l.S.Inc
	l.S.Recovering, l.S.Collecting = true, true
	for _, q := range l.others() {
		out = l.NetSend(Message{Kind: Failure, Sender: l.Rank, Inc: l.S.Inc}, q, out)
	}
	if l.allDets() {
		return l.leaveAll(out)
	}
	return out
}

// leaveAll ends the barrier, at the last process to enter it.
func (l *Layer) leaveAll(out []core.Effect) []core.Effect {
	l.S.Collecting, l.S.AllDets = false, make([]bool, l.ranks)
	for _, q := range l.others() {
		l.S.Awaited[q] = true
		out = l.NetSend(Message{Kind: Leave, Inc: l.S.Inc}, q, out)
	}
	if l.S.Saving.Line > 0 {
		out = l.move(out)
	}
	out = l.extension.Advanced(out)
	return l.recovered(out)
}

// leave goes on with FAILURE behind its barrier.
func (l *Layer) leave(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	if m.Inc < l.S.IncMap[from] || !l.S.Barrier || l.S.BarrierFor != from {
		return Drop(m, from, "in no such barrier", out)
	}
	l.S.Barrier, l.S.BarrierFor = false, 0
	return l.replay(from, out)
}

// replayed notes that the log of a process has been sent again.
func (l *Layer) replayed(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	if l.S.Collecting || m.Inc < l.S.IncMap[from] {
		return Drop(m, from, "for another life", out)
	}
	l.S.Awaited[from] = false
	return l.recovered(out)
}

// recovered declares the end of the recovery. The paper tolerates one failure at a time (section
// 2.3.1) and does not say when one is over; here, when this process has again what it held for
// others: all logs have been sent again, and all receptions are repeated that are recorded. Nothing
// but the count of failures depends on it.
func (l *Layer) recovered(out []core.Effect) []core.Effect {
	if !l.S.Recovering || l.S.Collecting || l.S.RSN < l.S.RsnMap.highest() {
		return out
	}
	if slices.Contains(l.S.Awaited, true) || l.untaken() {
		return out
	}
	l.S.Recovering = false
	return append(out, core.Effect{Kind: core.Declare, What: trace.Recovered})
}

// untaken reports whether a result waits for the program, which counts as received with the last
// contribution to it.
func (l *Layer) untaken() bool {
	return slices.ContainsFunc(l.S.Arrived, func(queue []Message) bool {
		return slices.ContainsFunc(queue, func(m Message) bool { return m.Kind == Reduction })
	})
}
