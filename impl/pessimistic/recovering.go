package pessimistic

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// restore begins a later life ([RADIC] Fig. 4.5): the image and the log are at the logger.
func (l *layer) restore(in core.Input, out []core.Effect) []core.Effect {
	l.reset(in.Incarnation)
	l.s.Fetching = true
	return l.fetch(out)
}

func (l *layer) fetch(out []core.Effect) []core.Effect {
	return append(out, core.SendTo(l.logger(l.rank), &Message{Kind: LogFetch, Life: l.s.Life}))
}

// fetched continues from the image: what is logged will be replayed, what is not is asked of the senders.
func (l *layer) fetched(m *Message, out []core.Effect) []core.Effect {
	s := &l.s
	if m.Life != s.Life || !s.Fetching {
		return append(out, core.DropInput(l.logger(l.rank), core.MsgID{}, "not asked for in this life"))
	}
	s.Fetching = false
	if !m.Found {
		s.Halted = true
		return append(out, core.Effect{Kind: core.Halt,
			Reason: fmt.Sprintf("unrecoverable: rank %d failed when its logger had lost image and log", l.rank)})
	}
	out = l.load(m.Image, out)
	l.setReplay(m.Entries)
	for _, q := range l.peers[l.rank] {
		out = l.reconnect(q, out)
	}
	pulls := s.Pulls
	s.Pulls = nil
	for _, p := range pulls {
		out = l.pull(p, out)
	}
	if s.Bare && !l.together(l.rank) {
		s.Bare = false
		out = l.save(out)
	}
	return l.recovered(out)
}

// recovered declares the end of a recovery, when everything that was logged is delivered again.
func (l *layer) recovered(out []core.Effect) []core.Effect {
	if len(l.s.Replay) > 0 {
		return out
	}
	return append(out, core.Effect{Kind: core.Recovered})
}

// load puts the image in the place of the program's and the layer's state. No image is the initial state.
func (l *layer) load(encoded []byte, out []core.Effect) []core.Effect {
	s := &l.s
	var i image
	if len(encoded) > 0 {
		if err := core.Decode(encoded, &i); err != nil {
			panic(fmt.Sprintf("invariant: an image is what a checkpoint wrote: rank %d: %v", l.rank, err))
		}
		l.app.Load(i.App)
		s.RSN, s.Sent = i.RSN, i.Sent
		s.LineRSN, s.LineSent = i.RSN, i.Sent
		for q := range s.Out {
			s.Out[q].Last, s.Out[q].Buffer = i.Last[q], i.Saved[q]
			s.In[q].Taken, s.In[q].Stable = i.Taken[q], i.Taken[q]
			s.In[q].Highest = max(s.In[q].Highest, i.Taken[q])
		}
	}
	for q := range s.Out {
		for _, m := range s.Out[q].Buffer {
			out = append(out, core.Effect{Kind: core.Log, ID: m.Payload.ID, To: core.Proc(q)})
		}
	}
	out = append(out, core.Effect{Kind: core.Resume, Sent: i.Sent, Received: uint32(i.RSN)})
	if len(encoded) > 0 {
		out = append(out, core.Effect{Kind: core.Commit, Sent: i.Sent, Received: uint32(i.RSN)})
	}
	return out
}

// setReplay takes over the log. Behind a hole nothing is stable: the logger acknowledges without holes, so nobody depends on it.
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
		in := &s.In[e.Source]
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

// reconnect asks a rank for what it has sent and is not stable here, and sends it again what it may not have: what was on its way
// to or from the former life is lost.
func (l *layer) reconnect(q core.Rank, out []core.Effect) []core.Effect {
	if l.inside(l.rank, q) || l.protocol == RBML && l.has(M16) {
		return out
	}
	if l.has(M1) && !l.named[l.rank][q] {
		return out // Deviation: M1 asks only whom a receive names, a wildcard names nobody
	}
	out = append(out, core.SendTo(q.Proc(), &Message{Kind: Pull, Life: l.s.Life, SSN: l.s.In[q].Taken}))
	return l.resend(q, false, out)
}

// newLogger protects the rank again: its logger has lost image and log. Until the new image is there nothing else could.
func (l *layer) newLogger(out []core.Effect) []core.Effect {
	s := &l.s
	switch {
	case s.Halted:
		return out
	case s.Fetching:
		s.Bare = true // what the old logger answered may still arrive
		return l.fetch(out)
	case l.has(M15):
		// Deviation: M15 gives the new logger what is in the temporary buffer, and no image.
		for _, e := range s.Unstable {
			out = append(out, core.SendTo(l.logger(l.rank), &Message{Kind: LogPut, Life: s.Life, RSN: s.Acked, Entries: []Entry{e}}))
		}
		return out
	}
	if l.together(l.rank) {
		return append(out, core.DropInput(l.logger(l.rank), core.MsgID{}, "no image of one rank of a node alone"))
	}
	s.Saving = false
	return l.save(out)
}
