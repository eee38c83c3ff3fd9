package kootoueg

import (
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/snapshot"
)

// voidKey is the record with the number of the last image that was given up.
const voidKey = "void"

// restore begins a later life at the permanent image, or at a tentative one whose root may have
// decided (K7).
func (l *layer) restore(in core.Input, out []core.Effect) []core.Effect {
	l.begin()
	l.s.Life = in.Incarnation
	line, tentative, err := l.find(in.Records)
	if err != nil {
		return append(out, core.Halted(err.Error()))
	}
	if line != 0 {
		img := new(image)
		if err := snapshot.Load(in.Records, l.rank.Proc(), line, img); err != nil {
			return append(out, core.Halted(err.Error()))
		}
		l.load(img)
		l.s.Line = l.point(img.App)
		l.s.Line.Number, l.s.Line.Of = line, img.Of
		if img.Of.Root == l.rank {
			l.s.Own = img.Of
		}
		out = append(out, core.Effect{Kind: core.Commit, Sent: l.s.Line.Position[0],
			Received: l.s.Line.Position[1]})
	}
	if tentative == nil {
		return l.announce(out)
	}
	l.load(tentative)
	l.s.Mode = doubtful
	t := &tree{Image: l.point(tentative.App), Parent: tentative.Of.Root, Stable: true, Said: true}
	t.Image.Number, t.Image.Of = l.s.Last, tentative.Of
	l.s.Tree = t
	return append(out, say(tentative.Of.Root, Control{Kind: Ask, Of: tentative.Of}))
}

// find looks for the permanent image, and for one above it of which this rank does not know whether
// it counts. It sets the number of the last image.
func (l *layer) find(records []core.Record) (line uint32, tentative *image, err error) {
	void := uint32(0)
	for _, r := range records {
		var n uint32
		if r.Key == voidKey && !r.Torn {
			if err := core.Decode(r.Value, &void); err != nil {
				return 0, nil, fmt.Errorf("record %s: %w", voidKey, err)
			}
		} else if found, _ := fmt.Sscanf(r.Key, snapshot.ImageKey+"%d", &n); found == 1 {
			l.s.Last = max(l.s.Last, n)
		}
	}
	self := l.rank.Proc()
	line, _ = snapshot.Last(records, snapshot.CommitKey, self)
	l.s.Last = max(l.s.Last, line, void)
	last, value := snapshot.Last(records, snapshot.ImageKey, self)
	if last <= line || l.s.Last > last || last == void {
		return line, nil, nil // above a tentative image there is one only when it was decided
	}
	tentative = new(image)
	if err := core.Decode(value, tentative); err != nil {
		return 0, nil, fmt.Errorf("image %d: %w", last, err)
	}
	if tentative.Of.Root == l.rank || l.has(KT6) { // Deviation: KT6
		return line, nil, nil // a root without a record has not decided
	}
	return line, tentative, nil
}

// load puts the program and the channels where an image has them.
func (l *layer) load(img *image) {
	l.app.Load(img.App)
	l.s.Own = img.Own
	l.s.Channels = img.Channels
}

// announce tells all others where this rank is now, and waits for them (K5).
func (l *layer) announce(out []core.Effect) []core.Effect {
	l.s.Mode, l.s.Await = recovering, l.others()
	for _, q := range l.others() {
		out = append(out, say(q, l.where(q)))
	}
	return l.recovered(out)
}

// where is what this rank tells another one about where it is or, when it is prepared, will be.
func (l *layer) where(to core.Rank) Control {
	c := Control{Kind: Back, Life: l.s.Life, Sent: l.s.Line.Sent.Of(to),
		Taken: l.s.Line.Taken.Of(to), Failed: l.rank, Of: l.s.Own}
	if l.s.Mode == prepared {
		c.Prepared, c.Life, c.Failed = true, c.Life+1, l.s.Failed
	}
	return c
}

// back hears that a rank has gone back, or will: what is left of its messages is what counts.
// Whoever has received more of them has to go back as well (K5).
func (l *layer) back(from core.Rank, c Control, out []core.Effect) []core.Effect {
	if t := l.s.Tree; t != nil {
		return l.undecided(from, c, out)
	}
	p := l.peer(from)
	if p.Known && c.Life < p.Life {
		return append(out, core.DropInput(from.Proc(), core.MsgID{}, "of another life"))
	}
	// What is not the first word of this life says nothing new about messages: the sender may have
	// sent more of them since.
	first := !p.Known || c.Life > p.Life
	if first {
		p.Known, p.Life, p.Back = true, c.Life, false
		l.forget(from)
	}
	again := p.Back || c.Prepared
	p.Back = p.Back || !c.Prepared
	l.s.Acks = without(l.s.Acks, from)
	if first && l.s.Mode == running && l.s.Channels.Of(from).Taken > c.Sent && !l.has(KT7) {
		return l.prepare(asker{from, c.Life, c.Prepared}, c.Failed, out)
	}
	out = l.reply(asker{from, c.Life, c.Prepared}, out)
	if !c.Prepared && l.s.Mode < prepared {
		out = l.resend(from, c.Taken, out)
	}
	switch {
	case again || !contains(l.s.Await, from):
	case l.has(KT9):
		return l.here(from, out) // Deviation: KT9 takes it for an answer
	default:
		// What this rank has said may be lost with the former life of the other one.
		out = append(out, say(from, l.where(from)))
	}
	return out
}

// undecided is what a rank does that hears of a failure while a checkpoint is under way: the root
// ends it, and the others ask. What they have heard waits until they know.
func (l *layer) undecided(from core.Rank, c Control, out []core.Effect) []core.Effect {
	t := l.s.Tree
	out = l.later(from, c, out)
	switch {
	case t.Image.Of.Root == from && c.Life > t.Image.Of.Life:
		return l.decided(from, Control{Kind: Decision, Of: t.Image.Of, Yes: c.Of == t.Image.Of},
			out)
	case t.Image.Of.Root == from:
		return out // it lives, and decides
	}
	return l.wound(out)
}

// prepare stops this rank, which has to go back, and asks all others whether they have to because
// of that.
func (l *layer) prepare(a asker, failed core.Rank, out []core.Effect) []core.Effect {
	l.s.Mode, l.s.Askers, l.s.Await = prepared, []asker{a}, l.others()
	l.s.Failed = failed
	for _, q := range l.others() {
		out = append(out, say(q, l.where(q)))
	}
	return out
}

// forget drops what has arrived of a rank and was not received.
func (l *layer) forget(from core.Rank) {
	if ch := l.s.Channels.Find(from); ch != nil {
		ch.Arrived = nil
	}
}

// reply answers a Back: from which life on this rank counts, and who below it is prepared.
func (l *layer) reply(a asker, out []core.Effect) []core.Effect {
	ch := l.s.Channels.Of(a.Rank)
	c := Control{Kind: Ready, Life: a.Life, Prepared: a.Prepared, Now: l.s.Life,
		Sent: ch.Sent, Taken: ch.Taken}
	if l.s.Mode >= prepared {
		c.Now, c.Sent, c.Taken = l.s.Life+1, l.s.Line.Sent.Of(a.Rank), l.s.Line.Taken.Of(a.Rank)
		c.Ranks = with(append([]core.Rank(nil), l.s.Named...), l.rank)
	}
	return append(out, say(a.Rank, c))
}

// ready is the answer of a rank.
func (l *layer) ready(from core.Rank, c Control, out []core.Effect) []core.Effect {
	// An answer to a rank that was prepared is none to its next life: whoever has given it may have
	// failed since, and what it has said of that was said to the former life.
	wanted := Control{Life: l.s.Life}
	if l.s.Mode == prepared {
		wanted = Control{Life: l.s.Life + 1, Prepared: true}
	}
	if l.s.Mode != prepared && l.s.Mode != recovering || c.Life != wanted.Life ||
		c.Prepared != wanted.Prepared && !l.has(KT8) { // Deviation: KT8
		return append(out, core.DropInput(from.Proc(), core.MsgID{}, "of another life"))
	}
	p := l.peer(from)
	if p.Known && c.Now < p.Life {
		return append(out, core.DropInput(from.Proc(), core.MsgID{}, "of another life"))
	}
	if taken := l.s.Line.Taken.Of(from); taken > c.Sent {
		return append(out, core.Halted(fmt.Sprintf("permanent images are not consistent: %d has "+
			"sent %d, and %d are received", from, c.Sent, taken)))
	}
	if !p.Known || c.Now > p.Life {
		p.Known, p.Life, p.Back = true, c.Now, false
		l.forget(from)
	}
	l.s.Named = with(l.s.Named, c.Ranks...)
	if l.s.Mode == recovering && contains(l.s.Await, from) {
		out = l.resend(from, c.Taken, out)
	}
	return l.here(from, out)
}

// here notes that a rank has answered.
func (l *layer) here(from core.Rank, out []core.Effect) []core.Effect {
	l.s.Await = without(l.s.Await, from)
	return l.recovered(out)
}

// recovered goes on when all others have answered: who has gone back lets those go that are
// prepared (K5), who is prepared answers.
func (l *layer) recovered(out []core.Effect) []core.Effect {
	if len(l.s.Await) > 0 {
		return out
	}
	switch l.s.Mode {
	case prepared:
		for _, a := range l.s.Askers {
			out = l.reply(a, out)
		}
		l.s.Askers = nil
	case recovering:
		for _, q := range l.s.Named {
			if q != l.rank {
				out = append(out, say(q, Control{Kind: Rollback}))
			}
		}
		l.s.Mode, l.s.Named = running, nil
		return l.drain(out)
	}
	return out
}

// rollback goes back, when the root says so. One that comes late may be meant for a former life,
// which is gone: whoever is prepared goes back sooner or later, so it does no harm.
func (l *layer) rollback(from core.Rank, out []core.Effect) []core.Effect {
	if l.s.Mode != prepared {
		return append(out, core.DropInput(from.Proc(), core.MsgID{}, "of another life"))
	}
	l.s.Mode = leaving
	return l.leave(out)
}

// leave restarts this rank from its permanent image, as soon as it is durable which one that is.
func (l *layer) leave(out []core.Effect) []core.Effect {
	if l.s.Voids > 0 {
		return out
	}
	return append(out, core.Undone(l.s.Failed.Proc(), uint64(l.s.Life+1), l.s.Line.Position[0],
		l.s.Line.Position[1]), core.Effect{Kind: core.Rollback})
}

// voided goes on when it is durable that an image does not count.
func (l *layer) voided(out []core.Effect) []core.Effect {
	l.s.Voids--
	switch {
	case l.s.Mode == doubtful:
		return append(out, core.Effect{Kind: core.Rollback})
	case l.s.Mode == leaving:
		return l.leave(out)
	}
	return out
}
