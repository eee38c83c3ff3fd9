package epochs

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/sendlog"
)

// join enters a recovery: nothing of the program runs, what has arrived is dropped, and what the
// last recovery had found out is not so any more. A rank that is on its way back joins when it is
// there.
func (l *layer) join(m *message, out []core.Effect) []core.Effect {
	if m.Round <= l.s.Round || l.s.Going {
		return append(out, core.DropInput(l.recoveryProcess(), core.MsgID{}, "old round"))
	}
	l.s.Round, l.s.Frozen, l.s.Unjoined, l.s.Frontier, l.s.Owes = m.Round, true, false, 0, true
	for q := range l.s.Peers {
		p, ch := &l.s.Peers[q], &l.s.Channels[q]
		p.Again, p.Upto, p.Orphans = 0, 0, nil
		if l.has(EP11) {
			continue
		}
		for i := range ch.Arrived {
			out = append(out, core.DropInput(core.Proc(q), ch.Arrived[i].Payload.ID,
				"before this round"))
		}
		ch.Arrived = nil
	}
	if l.s.Writing != nil {
		return out // it is told of together with the others
	}
	return l.report(out)
}

// report tells the recovery process where the rank is, and where it can go back to.
func (l *layer) report(out []core.Effect) []core.Effect {
	l.s.Owes = false
	m := l.out.New(message{Kind: report, Round: l.s.Round, Incarnation: l.s.Incarnation,
		Fresh: l.s.Fresh, Marks: slices.Clone(l.s.Images), Present: l.present(l.app.Image())})
	for q := range l.s.Peers {
		m.Received = append(m.Received, slices.Clone(l.s.Peers[q].Received))
	}
	return append(out, core.SendTo(l.recoveryProcess(), m))
}

// mine reports whether a message of the recovery process is about this round and this life.
func (l *layer) mine(m *message) bool {
	return m.Round == l.s.Round && m.Incarnation == l.s.Incarnation && l.s.Frozen && !l.s.Going
}

// goBack makes durable where this rank, which lives, goes back to.
func (l *layer) goBack(m *message, out []core.Effect) []core.Effect {
	if !l.mine(m) {
		return append(out, core.DropInput(l.recoveryProcess(), core.MsgID{}, "of a former life"))
	}
	l.s.Going, l.s.Failed = true, m.To
	to := aim{Round: l.s.Round, Life: l.s.Incarnation, Last: l.s.Last}
	for _, have := range l.s.Images {
		if have.Number <= m.Number {
			to.Kept = append(to.Kept, have.Number)
		}
	}
	l.s.Return = to
	return append(out, core.Effect{Kind: core.Persist, Key: backKey, Value: core.Encode(&to)})
}

// leave goes back. The images that are undone go, too, sooner or later: their numbers are void.
func (l *layer) leave(out []core.Effect) []core.Effect {
	if !l.s.Going {
		return out
	}
	var target mark
	for _, m := range l.s.Images {
		if slices.Contains(l.s.Return.Kept, m.Number) {
			target = m
		} else {
			out = append(out, core.Effect{Kind: core.Persist, Key: fmt.Sprint(imageKey, m.Number)})
		}
	}
	return append(out, core.Undone(l.s.Failed.Proc(), uint64(l.s.Round), target.Sends,
		target.Deliveries), core.Effect{Kind: core.Rollback})
}

// resume goes on: everybody is where the line is. What others have not taken is sent again when its
// phase comes, and what they have beyond what was sent here is not sent.
func (l *layer) resume(m *message, out []core.Effect) []core.Effect {
	if !l.mine(m) {
		return append(out, core.DropInput(l.recoveryProcess(), core.MsgID{}, "of a former life"))
	}
	l.s.Frozen, l.s.Fresh = false, false
	for q := range l.s.Peers {
		p := &l.s.Peers[q]
		p.Again, p.Upto = m.Counts[q], l.s.Channels[q].Sent
		p.Orphans = slices.Clone(m.Again[q])
	}
	out = l.open(m, out)
	if l.s.Wanted {
		return l.checkpoint(out)
	}
	return out
}

// open raises the frontier: what waits for a phase up to it leaves first, in the order of dates,
// then the program may send.
func (l *layer) open(m *message, out []core.Effect) []core.Effect {
	if m.Round != l.s.Round || l.s.Frozen {
		return append(out, core.DropInput(l.recoveryProcess(), core.MsgID{}, "of a former life"))
	}
	for q := range l.s.Peers {
		p := &l.s.Peers[q]
		for _, e := range sendlog.After(p.Log, uint64(p.Again)) {
			if e.Data.Number > p.Upto || e.Data.Phase > m.Phase {
				break
			}
			d := e.Data
			d.Life, p.Again = l.s.Round, d.Number
			out = append(out, core.SendTo(core.Proc(q), l.out.New(message{Kind: app, Data: d})))
		}
	}
	l.s.Frontier = max(l.s.Frontier, m.Phase)
	return out
}
