package errmgr

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// dispatch sends a message of the program. To a rank that is gone nothing leaves; what may have to
// be sent again is kept.
func (j *job) dispatch(to core.Rank, l logged, out []core.Effect) []core.Effect {
	if j.isDead(to) {
		return out
	}
	j.s.Out[to]++
	l.Number, l.Last = j.s.Out[to], j.s.Last
	if j.logs {
		j.s.Log[to] = append(j.s.Log[to], l)
	}
	return append(out, j.message(to, l))
}

// message is a message of the program, between the lives that are known.
func (j *job) message(to core.Rank, l logged) core.Effect {
	return core.SendTo(to.Proc(), &Message{Kind: App, Epoch: j.s.Epoch, Number: l.Number,
		Group: l.Group, Part: l.Part, Life: j.s.Life, ToLife: j.s.Lives[to], Payload: l.Payload})
}

// foreign says why a message is none between the present lives of two ranks, or "".
//
// The life of the sender is not learnt from it. 1. b, restarted from an image, sends to a, who has
// not heard of that from the head. 2. a answers the new life, behind messages to the old one that
// are lost. 3. b takes the answer, and then refuses those, which a sends again, as old.
func (j *job) foreign(from core.Rank, m *Message) string {
	switch {
	case m.ToLife != j.s.Life:
		return "for another life"
	case m.Life < j.s.Lives[from]:
		return "of a former life"
	case j.isDead(from):
		return "of a rank that is gone"
	}
	return ""
}

// arrived takes a message of another program.
func (j *job) arrived(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	why := j.foreign(from, m)
	if why == "" && m.Number <= j.s.Got[from] {
		why = "received before"
	}
	if why == "" {
		j.s.Got[from] = m.Number
		why = j.put(from, m)
	}
	if why != "" {
		return append(out, core.DropInput(from.Proc(), m.Payload.ID, why))
	}
	return out
}

// deliver gives the program the next message of a rank, or of a group.
func (j *job) deliver(source core.Rank, out []core.Effect) []core.Effect {
	p := core.Pop(j.box(source))
	j.soil()
	out, e := core.Add(out, core.Deliver)
	e.From, e.Payload = p.ID.From.Proc(), p
	return out
}

// replay sends ranks that have restarted again what they are to receive: everything since the
// snapshot, of which they know themselves what they have.
func (j *job) replay(m *Message, out []core.Effect) []core.Effect {
	j.rewire(m)
	for _, r := range m.Ranks {
		if r == j.rank {
			continue
		}
		for _, l := range j.s.Log[r] {
			out = append(out, j.message(r, l))
		}
	}
	return out
}

// covered is the news that a snapshot is established: what was sent before it need not be sent
// again, because every rank that restarts from it, or from a newer one, has received it.
func (j *job) covered(s SnapID, out []core.Effect) []core.Effect {
	for r := range j.s.Log {
		j.s.Log[r] = slices.DeleteFunc(slices.Clone(j.s.Log[r]), func(l logged) bool {
			return l.Last.Compare(s) < 0
		})
	}
	i := slices.IndexFunc(j.s.Marks, func(k mark) bool { return k.Snap == s })
	if i < 0 {
		return out
	}
	k := j.s.Marks[i]
	j.s.Marks = slices.Clone(j.s.Marks[i+1:])
	j.s.Dirty, j.s.Asked = !k.Clean && j.s.Dirty, false
	out, e := core.Add(out, core.Commit)
	e.Sent, e.Received = k.Sent, k.Received
	return out
}

// ruled declares a step of the answer to a failure.
func ruled(word string, about core.Proc, episode uint32) core.Effect {
	return core.Effect{Kind: core.Declare, What: trace.Ruled, Key: word, To: about,
		Stamp: trace.Stamp{Round: uint64(episode)}}
}

// snapped declares a stage of a snapshot, or of the part of it that somebody has.
func snapped(word string, s SnapID, about core.Proc, digest uint64) core.Effect {
	return core.Effect{Kind: core.Declare, What: trace.Snapped, Key: word, To: about,
		Digest: digest, Stamp: trace.Stamp{Date: uint64(s.Seq), Phase: uint64(s.Epoch)}}
}
