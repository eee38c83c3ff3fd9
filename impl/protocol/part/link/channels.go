package link

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/sendlog"
)

// Entry is one message in the log of its sender. What a message carries is kept with it: sent again
// it is the same message, but for the life of its sender.
type Entry struct {
	_    struct{} `cbor:",toarray"`
	Data Data     `json:"data"`
}

// Number implements sendlog.Numbered.
func (e *Entry) Number() uint64 { return uint64(e.Data.Number) }

// Content implements sendlog.Entry.
func (e *Entry) Content() *core.Payload { return &e.Data.Payload }

// Log is what was sent to one rank.
type Log = sendlog.Log[Entry, *Entry]

// Channel is what a rank keeps about one other rank.
type Channel struct {
	_ struct{} `cbor:",toarray"`
	// Rank is the other one. It is not part of the encoding, where the place tells it.
	Rank    core.Rank `cbor:"-" json:"-"`
	Sent    uint32    `json:"sent"`    // number of the last message to it
	Taken   uint32    `json:"taken"`   // number of the last message of it that the program has
	Arrived []Data    `json:"arrived"` // of it, here and not taken, ascending numbers
	Log     Log       `json:"log"`     // to it, ascending numbers
}

// About implements core.Ranked.
func (c *Channel) About() *core.Rank { return &c.Rank }

// table is what Channels stand on.
type table = core.ByRank[Channel, *Channel]

// Channels is what a rank keeps about others, by ascending ranks. It is plain data. Of whom there
// is no entry nothing was sent to or has arrived.
type Channels table

// New is what a rank keeps at the beginning: of up to core.Dense ranks an entry for each, of more
// none, until it sends something to one or something comes from it.
func New(ranks int) Channels { return Channels(core.NewByRank[Channel](ranks)) }

// Complete has an entry for each of so many ranks, at the place of its rank, for protocols that
// keep more about every pair of ranks anyhow.
func Complete(ranks int) Channels {
	c := make(Channels, ranks)
	for q := range c {
		c[q].Rank = core.Rank(q)
	}
	return c
}

// At is the entry about a rank, which is made if there is none; then others may move.
func (c *Channels) At(r core.Rank) *Channel { return (*table)(c).At(r) }

// Find is the entry about a rank, nil if there is none. It is valid until the next At.
func (c Channels) Find(r core.Rank) *Channel { return table(c).Find(r) }

// Of is what there is about a rank: the zero value where there is no entry. It is to be read only.
func (c Channels) Of(r core.Rank) Channel {
	if ch := c.Find(r); ch != nil {
		return *ch
	}
	return Channel{Rank: r}
}

// MarshalCBOR writes the entries: of up to core.Dense ranks as a plain list.
func (c Channels) MarshalCBOR() ([]byte, error) { return table(c).MarshalCBOR() }

// UnmarshalCBOR reads what MarshalCBOR has written.
func (c *Channels) UnmarshalCBOR(b []byte) error { return (*table)(c).UnmarshalCBOR(b) }

// kept is a copy of a list, nil for an empty one, so that equal states have equal bytes.
func kept[E any](list []E) []E {
	if len(list) == 0 {
		return nil
	}
	return slices.Clone(list)
}

// Number gives the next message to a rank its number, and puts it into the log if it is to be kept:
// then the log owns what it carries.
func (c *Channels) Number(k *sendlog.Keeper, to core.Rank, d *Data, keep bool) {
	ch := c.At(to)
	ch.Sent++
	d.Number = ch.Sent
	if keep {
		e := Entry{Data: *d}
		e.Data.Vector, e.Data.Dets = kept(d.Vector), kept(d.Dets)
		ch.Log.Append(k, e)
	}
}

// Accept puts a message that has arrived in its place; new is false for one that is here or taken
// already. It takes over what the message carries, which is valid during the step alone.
func (c *Channels) Accept(from core.Rank, d *Data) (new bool) {
	ch := c.At(from)
	if d.Number <= ch.Taken {
		return false
	}
	at := len(ch.Arrived)
	for at > 0 && ch.Arrived[at-1].Number >= d.Number {
		at--
	}
	if at < len(ch.Arrived) && ch.Arrived[at].Number == d.Number {
		return false
	}
	own := *d
	own.Vector, own.Dets = kept(d.Vector), kept(d.Dets)
	if at == len(ch.Arrived) {
		ch.Arrived = append(ch.Arrived, own)
	} else {
		ch.Arrived = slices.Insert(ch.Arrived, at, own)
	}
	return true
}

// Next is the message of a rank that may be taken now, nil if that is not here.
func (c Channels) Next(from core.Rank) *Data {
	if ch := c.Find(from); ch != nil {
		return ch.next()
	}
	return nil
}

func (c *Channel) next() *Data {
	if len(c.Arrived) > 0 && c.Arrived[0].Number == c.Taken+1 {
		return &c.Arrived[0]
	}
	return nil
}

// Sources appends the ranks of which a message may be taken, as core.Layer wants them.
func (c Channels) Sources(buf []core.Rank) []core.Rank {
	for q := range c {
		if c[q].next() != nil {
			buf = append(buf, c[q].Rank)
		}
	}
	return buf
}

// Take takes the next message of a rank.
func (c Channels) Take(from core.Rank) Data {
	ch := c.Find(from)
	d := core.Pop(&ch.Arrived)
	ch.Taken = d.Number
	return d
}

// Counts are the numbers of the last messages that were sent and taken, by rank, where there is an
// entry for each (Complete).
func (c Channels) Counts() (sent, taken []uint32) {
	for q := range c {
		sent, taken = append(sent, c[q].Sent), append(taken, c[q].Taken)
	}
	return sent, taken
}

// Numbers are those of the last messages that were sent and taken.
func (c Channels) Numbers() (sent, taken Numbers) {
	sent, taken = make(Numbers, len(c)), make(Numbers, len(c))
	for i := range c {
		sent[i] = Number{c[i].Rank, c[i].Sent}
		taken[i] = Number{c[i].Rank, c[i].Taken}
	}
	return sent, taken
}

// After are the logged messages to a rank with higher numbers, in their order: a part of the log.
func (c Channels) After(to core.Rank, number uint32) []Entry {
	ch := c.Find(to)
	if ch == nil {
		return nil
	}
	return sendlog.After[Entry, *Entry](ch.Log, uint64(number))
}

// Prune removes what the log has for a rank up to a number, and declares it. A nil keeper leaves
// the bytes where they are, because something else may refer to them.
func (c Channels) Prune(k *sendlog.Keeper, to core.Rank, number uint32,
	out []core.Effect) []core.Effect {
	ch := c.Find(to)
	if ch == nil {
		return out
	}
	ch.Log.Prune(k, func(e *Entry) bool {
		if e.Data.Number > number {
			return false
		}
		out = append(out, core.Pruned(e.Data.Payload.ID, to.Proc()))
		return true
	})
	return out
}

// Clone is an independent copy, for an image; what has arrived is part of it only when asked for.
func (c Channels) Clone(arrived bool) Channels {
	list := slices.Clone(c)
	for q := range list {
		list[q].Log = slices.Clone(c[q].Log)
		if list[q].Arrived = nil; arrived {
			list[q].Arrived = slices.Clone(c[q].Arrived)
		}
	}
	return list
}

// Release gives the bytes of all logs back, see core.Recycler.
func (c Channels) Release(k *sendlog.Keeper) {
	for q := range c {
		c[q].Log.Release(k)
	}
}
