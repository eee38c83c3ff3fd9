package optimistic

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/domino-check/domino/impl/core"
)

// logKey is the prefix of records of the reception log, and endsKey the record of the incarnation
// end table.
const (
	logKey  = "log/"
	endsKey = "ends"
)

// key names the record of a reception. No two receptions have the same: what is behind the end of
// an incarnation gets the number of a later one when it happens again.
func (r *reception) key() string {
	return fmt.Sprintf("%s%d.%d", logKey, r.Incarnation, r.Interval)
}

// loggedAs is the interval of the reception whose record has the key, if it is one.
func loggedAs(key string) (interval uint32, ok bool) {
	name, ok := strings.CutPrefix(key, logKey)
	if !ok {
		return 0, false
	}
	_, text, _ := strings.Cut(name, ".")
	n, err := strconv.ParseUint(text, 10, 32)
	return uint32(n), err == nil
}

// send gives a message its number and its dependencies, and lets it go. A message to another unit
// is kept until the recovery line of its receiver holds it; one inside is sent again by the replay.
func (l *layer) send(in core.Input, out []core.Effect) []core.Effect {
	d := &l.sending.Data
	vector := append(d.Vector[:0], l.s.Vector...)
	if l.has(VA4) { // Deviation: VA4 names its own interval alone
		clear(vector)
		Vector(vector).Set(l.rank, l.s.Vector[2*l.rank], l.s.Vector[2*l.rank+1])
	}
	if l.alone() {
		vector = vector[:0] // nobody else has a state of his own
	}
	d.Life, d.Vector, d.Payload = core.Incarnation(l.life()), vector, in.Payload
	l.s.Channels.Number(&l.Keeper, in.To, d, !l.inside(in.To))
	if !l.inside(in.To) {
		out = append(out, core.Logged(in.Payload.ID, in.To.Proc(), 0))
	}
	out, e := core.Add(out, core.SendMessage)
	e.To, e.Message = in.To.Proc(), &l.sending
	return out
}

// arrive takes a message of a program from the network.
func (l *layer) arrive(from core.Rank, d *Data, out []core.Effect) []core.Effect {
	switch {
	case l.s.Mode == leaving:
		// it will be asked for again
		return append(out, core.DropInput(from.Proc(), d.Payload.ID, "about to go back"))
	case l.s.Mode == joining: // the channels are not what they will be
		l.hold(from, d)
		return out
	case l.alone() && uint32(d.Life) != l.life():
		return append(out, core.DropInput(from.Proc(), d.Payload.ID, "of another life"))
	case len(d.Vector) != len(l.s.Vector) && !l.alone():
		return append(out, core.DropInput(from.Proc(), d.Payload.ID, "no vector of these ranks"))
	case l.orphan(d) && !l.has(OP7): // Deviation: OP7 has forgotten the ends
		return append(out, core.DropInput(from.Proc(), d.Payload.ID, "an orphan"))
	case !l.s.Ends.KnownIn(d.Vector) && !l.has(OP4): // Deviation: OP4 does not hold it
		l.hold(from, d)
		if l.inside(from) { // a checkpoint does not wait until it is let in
			l.s.Saving.Record(l, from, l.s.Held[len(l.s.Held)-1].Data)
		}
		return out
	}
	if !l.s.Channels.Accept(from, d) {
		return append(out, core.DropInput(from.Proc(), d.Payload.ID, "a duplicate"))
	}
	if l.inside(from) {
		ch := &l.s.Channels[from]
		at := slices.IndexFunc(ch.Arrived, func(a Data) bool { return a.Number == d.Number })
		l.s.Saving.Record(l, from, ch.Arrived[at])
	}
	return out
}

// hold keeps a message for later.
func (l *layer) hold(from core.Rank, d *Data) {
	own := *d
	own.Vector = slices.Clone(d.Vector)
	l.s.Held = append(l.s.Held, held{From: from, Data: own})
}

// orphan reports whether a message was sent in an interval that depends on a lost one.
func (l *layer) orphan(d *Data) bool {
	_, lost := l.s.Ends.LostIn(d.Vector)
	return lost
}

// deliver begins an interval with the next message of a rank, and writes that down without waiting.
func (l *layer) deliver(from core.Rank, out []core.Effect) []core.Effect {
	d := l.s.Channels.Take(from)
	_, interval := l.s.Vector.At(l.rank)
	r := reception{Incarnation: l.incarnation(), Interval: interval + 1, From: from, Data: d}
	again := len(l.s.Replay) > 0
	if again {
		r.Incarnation = l.s.Replay[0].Incarnation
		l.s.Replay = slices.Delete(l.s.Replay, 0, 1)
	}
	if !l.has(OP3) { // Deviation: OP3 depends on nothing but itself
		l.s.Vector.Merge(d.Vector)
	}
	l.s.Vector.Set(l.rank, r.Incarnation, r.Interval)
	out, e := core.Add(out, core.Deliver)
	e.From, e.Payload, e.Stamp = from.Proc(), d.Payload, d.Stamp()
	if again || l.alone() {
		return out
	}
	return l.record(r, out)
}

// record writes a reception to the log.
func (l *layer) record(r reception, out []core.Effect) []core.Effect {
	if l.inside(r.From) {
		r.Data.Payload.Data = nil
	}
	out = l.persist(r.key(), core.Encode(&r), out)
	r.Data = Data{Number: r.Data.Number}
	l.s.Logged = append(l.s.Logged, r)
	return out
}

// persist writes a record.
func (l *layer) persist(key string, value []byte, out []core.Effect) []core.Effect {
	l.s.Writing++
	return append(out, core.Effect{Kind: core.Persist, Key: key, Value: value})
}
