package pessimistic

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// restore begins a later life ([RADIC] Fig. 4.5): the image and the log are at the logger.
func (l *layer) restore(in core.Input, out []core.Effect) []core.Effect {
	l.reset(in.Incarnation)
	l.s.Fetching = true
	if l.follows() {
		l.s.Node.Waiting = true // what the line is, the logger of the first rank knows
		return out
	}
	return l.fetch(out)
}

// follows reports whether another rank of the node says what to restart from.
func (l *layer) follows() bool {
	return l.together(l.rank) && l.first(l.rank) != l.rank && !l.has(M24)
}

func (l *layer) fetch(out []core.Effect) []core.Effect {
	m := &Message{Kind: LogFetch, Life: l.s.Life, Number: l.s.Node.Line, Found: l.follows()}
	return append(out, core.SendTo(l.logger(l.rank), m))
}

// fetched continues from the image: what is logged will be replayed, what is not is asked of the
// senders.
func (l *layer) fetched(m *Message, out []core.Effect) []core.Effect {
	s := &l.s
	if m.Life != s.Life || !s.Fetching {
		return append(out, core.DropInput(l.logger(l.rank), core.MsgID{},
			"not asked for in this life"))
	}
	s.Fetching, s.Logger = false, max(s.Logger, m.Logger)
	if !m.Found {
		for _, q := range l.mates(l.rank) {
			out = append(out, core.SendTo(q.Proc(), &Message{Kind: Lost, Life: s.Life}))
		}
		return l.giveUp(fmt.Sprintf("rank %d failed when its logger had lost image and log",
			l.rank), out)
	}
	s.Node.Line, s.Node.Number = m.Number, m.Number
	out = l.load(m.Image, out)
	l.setReplay(m.Entries)
	if l.first(l.rank) == l.rank {
		for _, q := range l.mates(l.rank) {
			out = append(out, core.SendTo(q.Proc(),
				&Message{Kind: Line, Life: s.Life, Number: m.Number}))
		}
	}
	for _, q := range l.peers(l.rank) {
		out = l.reconnect(q, out)
	}
	waiting := s.Early
	s.Early = nil
	for _, e := range waiting {
		out = l.received(e.From, &e.Message, out)
	}
	if s.Bare {
		s.Bare = false
		out = l.protect(out)
	}
	return l.recovered(out)
}

// giveUp is the typed answer to a failure that has taken every copy.
func (l *layer) giveUp(why string, out []core.Effect) []core.Effect {
	l.s.Halted = true
	return append(out, core.Halted("unrecoverable: "+why))
}

// recovered declares the end of a recovery, when everything that was logged is delivered again.
func (l *layer) recovered(out []core.Effect) []core.Effect {
	if len(l.s.Replay) > 0 {
		return out
	}
	return append(out, core.Effect{Kind: core.Declare, What: trace.Recovered})
}

// load puts the image in the place of the program's and the layer's state. No image is the initial
// state.
func (l *layer) load(encoded []byte, out []core.Effect) []core.Effect {
	s := &l.s
	var i image
	if len(encoded) > 0 {
		if err := decoded(l.config, encoded, &i, &i.Ranks); err != nil {
			panic(fmt.Sprintf("invariant: an image is what a checkpoint wrote: rank %d: %v", l.rank,
				err))
		}
		l.app.Load(i.App)
		s.RSN, s.Sent = i.RSN, i.Sent
		s.LineRSN, s.LineSent = i.RSN, i.Sent
		for k := range i.Last {
			q := named(i.Ranks, k)
			o, in := l.to(q), l.from(q)
			o.Last, o.Buffer = i.Last[k], i.Saved[k]
			in.Taken, in.Stable = i.Taken[k], i.Taken[k]
			in.Highest = max(in.Highest, i.Taken[k])
			if len(i.Waiting) > 0 {
				for _, a := range i.Waiting[k] {
					in.Arrived = inserted(in.Arrived, a)
				}
			}
		}
	}
	for q := range s.Out {
		for _, m := range s.Out[q].Buffer {
			out = append(out, core.Logged(m.Payload.ID, s.Out[q].Rank.Proc(), 0))
		}
	}
	out = append(out, core.Effect{Kind: core.Declare, What: trace.Resumed,
		Sent: i.Sent, Received: uint32(i.RSN)})
	if len(encoded) > 0 {
		out = append(out, core.Effect{Kind: core.Commit, Sent: i.Sent, Received: uint32(i.RSN)})
	}
	return out
}

// setReplay takes over the log. Behind a hole nothing is stable: the logger acknowledges without
// holes, so nobody depends on it.
func (l *layer) setReplay(log []Entry) {
	s := &l.s
	next := s.RSN + 1
	for _, e := range log {
		if !l.has(M12) && !l.has(M13) && !l.has(M15) {
			if e.RSN > next {
				break
			}
			if e.RSN < next {
				continue
			}
		}
		next = e.RSN + 1
		s.Replay = append(s.Replay, e)
		in := l.from(e.Source)
		in.take(e.SSN)
		in.Stable, in.Highest = max(in.Stable, e.SSN), max(in.Highest, e.SSN)
	}
	for q := range s.In { // what came meanwhile and is in the log is received twice
		in := &s.In[q]
		in.Arrived = slices.DeleteFunc(slices.Clone(in.Arrived), func(a arrival) bool {
			return a.SSN <= in.Taken && !l.bare(in, a.SSN) || slices.Contains(in.Extra, a.SSN)
		})
	}
}

// reconnect asks a rank for what it has sent and is not stable here, and sends it again what it may
// not have: what was on its way to or from the former life is lost.
func (l *layer) reconnect(q core.Rank, out []core.Effect) []core.Effect {
	if l.inside(l.rank, q) || l.protocol == RBML && l.has(M16) {
		return out
	}
	if l.has(M1) && !slices.Contains(l.named[l.rank], q) {
		return out // Deviation: M1 asks only whom a receive names, a wildcard names nobody
	}
	out = append(out, core.SendTo(q.Proc(), &Message{Kind: Pull, Life: l.s.Life,
		SSN: l.from(q).Taken}))
	return l.resend(q, false, out)
}

// newLogger protects the rank again: its logger has lost image and log. Until the new image is
// there nothing else could.
func (l *layer) newLogger(m *Message, out []core.Effect) []core.Effect {
	s := &l.s
	if m.Logger <= s.Logger {
		return append(out, core.DropInput(l.logger(l.rank), core.MsgID{}, "known already"))
	}
	s.Logger = m.Logger
	switch {
	case s.Halted:
		return out
	case s.Node.Waiting:
		return out // it will be asked, and have nothing
	case s.Fetching:
		s.Bare = true // what the old logger answered may still arrive
		return l.fetch(out)
	case l.has(M15):
		// Deviation: M15 gives the new logger what is in the temporary buffer, and no image.
		for _, e := range s.Unstable {
			out = append(out, core.SendTo(l.logger(l.rank),
				&Message{Kind: LogPut, Life: s.Life, RSN: s.Acked, Entries: []Entry{e}}))
		}
		return out
	}
	return l.protect(out)
}

// protect gives an image of now to a new logger. In a node, all give one; what the old logger may
// have been told of is lost with it.
func (l *layer) protect(out []core.Effect) []core.Effect {
	l.s.Saving, l.s.Node.Settling = false, false
	if l.together(l.rank) {
		return l.request(true, out)
	}
	return l.save(out)
}
