package optimistic

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/snapshot"
)

// announced takes what another rank says about itself when it goes on after a restart, or in answer
// to ours: the ends that it knows, and what it has of us. What it lacks is sent again.
func (l *layer) announced(from core.Rank, c *Control, out []core.Effect) []core.Effect {
	if l.s.Mode != joining { // all members cut with the same table
		out = l.learn(c.Ends, out)
	}
	if l.s.Mode != running {
		// It is answered by the announcement with which the recovery here ends.
		return append(out, core.DropInput(from.Proc(), core.MsgID{}, "it recovers"))
	}
	out = l.covered(from, c.Line, out)
	out = l.again(from, c.Have, out)
	if c.Kind == Announce && (l.incarnation() > 0 || l.s.Ends.Beyond(c.Ends)) {
		// what this rank has announced may have been lost when that one failed
		out = l.tell(from, Tell, out)
	}
	return l.saved(out)
}

// again sends what is kept for a rank behind a number.
func (l *layer) again(to core.Rank, number uint32, out []core.Effect) []core.Effect {
	if l.has(OP9) {
		return out // Deviation: OP9 sends nothing again
	}
	entries := l.s.Channels.After(to, number)
	for i := range entries {
		out = append(out, core.SendTo(to.Proc(), &Message{Data: entries[i].Data}))
	}
	return out
}

// tell says to a rank of another unit where this one is.
func (l *layer) tell(to core.Rank, kind Kind, out []core.Effect) []core.Effect {
	ch := &l.s.Channels[to]
	have := ch.Taken
	for i := range ch.Arrived {
		if ch.Arrived[i].Number == have+1 {
			have++
		}
	}
	ends := l.s.Ends.Clone()
	if l.has(OP10) { // Deviation: OP10 announces its own end alone
		ends = make(Ends, l.ranks)
		ends[l.rank] = slices.Clone(l.s.Ends[l.rank])
	}
	return say(out, to, Control{Kind: kind, Ends: ends, Have: have, Line: l.s.Peers[to].Covered})
}

// learn adds to the table what another rank knows, and does what follows from it.
func (l *layer) learn(ends Ends, out []core.Effect) []core.Effect {
	before := l.s.Ends.Clone()
	if !l.s.Ends.Merge(ends) {
		return out
	}
	for q := range l.s.Peers {
		if len(l.s.Ends[q]) > len(before[q]) { // it has forgotten what it was asked
			l.s.Peers[q].Stable, l.s.Peers[q].Asked = 0, 0
		}
	}
	if l.s.Mode == leaving {
		return l.persist(endsKey, core.Encode(&l.s.Ends), out)
	}
	return l.retreat(l.release(out))
}

// release discards messages that have turned out to be orphans, and lets in those whose
// incarnations are known now.
func (l *layer) release(out []core.Effect) []core.Effect {
	for q := range l.s.Channels {
		ch := &l.s.Channels[q]
		ch.Arrived = slices.DeleteFunc(ch.Arrived, func(d Data) bool {
			if !l.orphan(&d) || l.has(OP5) { // Deviation: OP5 forgets these
				return false
			}
			out = append(out, core.DropInput(core.Proc(q), d.Payload.ID, "an orphan"))
			return true
		})
	}
	waiting := l.s.Held
	l.s.Held = nil
	for i := range waiting {
		out = l.arrive(waiting[i].From, &waiting[i].Data, out)
	}
	return out
}

// retreat undoes what depends on lost intervals. What has been repeated so far may be no orphan
// although what is still to be repeated is: then a rank alone ends the repetition there.
func (l *layer) retreat(out []core.Effect) []core.Effect {
	if r, lost := l.s.Ends.LostIn(l.s.Vector); lost {
		return l.leave(r, out)
	}
	at := slices.IndexFunc(l.s.Replay, func(r reception) bool { return l.orphan(&r.Data) })
	switch {
	case at < 0:
		return out
	case len(l.mates()) > 1:
		r, _ := l.s.Ends.LostIn(l.s.Replay[at].Data.Vector)
		return l.leave(r, out)
	}
	l.s.Replay = l.s.Replay[:at]
	l.s.Ends[l.rank] = append(l.s.Ends[l.rank], l.s.Vector.interval(l.rank)+uint32(at))
	return l.start(out)
}

// leave makes the whole unit go back, because an interval of a rank is lost.
func (l *layer) leave(failed core.Rank, out []core.Effect) []core.Effect {
	l.s.Mode, l.s.Failed = leaving, failed
	out = l.persist(endsKey, core.Encode(&l.s.Ends), out)
	return l.goBack(out)
}

// goBack restarts the rank once its log and the end that it goes back for are stable.
func (l *layer) goBack(out []core.Effect) []core.Effect {
	if l.s.Writing > 0 && !l.has(OP12) { // Deviation: OP12 does not wait
		return out
	}
	return append(out, core.Undone(l.s.Failed.Proc(), 0, l.s.Line.Sent, l.s.Line.Received),
		core.Effect{Kind: core.Rollback})
}

// restore begins a later life: at the image, with the receptions that the log has behind it, up to
// the first that is an orphan.
func (l *layer) restore(in core.Input, out []core.Effect) []core.Effect {
	l.reset()
	_, self := l.Group()
	l.s.Lives[self] = in.Incarnation
	img, err := l.s.Saving.Restore(l, in.Records)
	if err != nil {
		return append(out, core.Halted(err.Error()))
	}
	if l.alone() {
		return l.load(img, out)
	}
	begin := uint32(0)
	if img != nil {
		begin = img.Vector.interval(l.rank)
	}
	own, err := l.tail(in.Records, begin)
	if err != nil {
		return append(out, core.Halted(err.Error()))
	}
	l.s.Mode, l.s.Tails, l.s.Image = joining, make([]tail, len(l.mates())), img
	l.s.Tails[self] = tail{Begin: begin, List: own, Line: l.s.Saving.Committed}
	if len(l.mates()) > 1 { // the next one may have become the line, see settle
		next := new(image)
		if snapshot.Load(in.Records, l.rank.Proc(), l.s.Saving.Committed+1, next) == nil {
			l.s.Next = next
		}
	}
	return l.agree(l.join(out))
}

// load puts the program into the state of an image, nil for the initial one.
func (l *layer) load(img *image, out []core.Effect) []core.Effect {
	if img == nil {
		return out
	}
	l.app.Load(img.App)
	l.s.Channels, l.s.Vector = img.Channels, img.Vector
	for _, q := range l.outside() {
		l.s.Peers[q].Covered = img.Channels[q].Taken
	}
	return l.commit(img, out)
}

// start makes the end of the incarnation that is over durable, before anybody hears of it or
// anything new happens. Records of receptions behind it are void.
func (l *layer) start(out []core.Effect) []core.Effect {
	l.s.Mode = starting
	out = l.persist(endsKey, core.Encode(&l.s.Ends), out)
	void := func(r reception) bool {
		lost := l.s.Ends.Lost(l.rank, r.Incarnation, r.Interval)
		if lost {
			out = append(out, core.Effect{Kind: core.Persist, Key: r.key()})
		}
		return lost
	}
	l.s.Logged = slices.DeleteFunc(l.s.Logged, void)
	if l.has(OP2) { // Deviation: OP2 does not wait
		return l.begin(out)
	}
	return out
}

// begin is the first moment of an incarnation: its beginning is announced.
func (l *layer) begin(out []core.Effect) []core.Effect {
	l.s.Mode = running
	l.s.Stable = l.s.Ends.Begin(l.rank)
	if !(l.has(OP6) && l.s.Back) { // Deviation: OP6 says nothing when it was no failure
		for _, q := range l.outside() {
			out = l.again(q, 0, l.tell(q, Announce, out))
		}
	}
	return out
}
