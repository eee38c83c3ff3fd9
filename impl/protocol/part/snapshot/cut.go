package snapshot

import "slices"

// Cut is the channels into one member while a cut goes through the group, by member, or by those
// that send to it (Wired). It is plain data; nil is the one of a member that has taken none.
type Cut[M any] []Channel[M]

// Channel is what is known of one channel since our own image.
type Channel[M any] struct {
	_        struct{} `cbor:",toarray"`
	Marked   bool     `json:"marked"`   // its marker is here
	Last     uint32   `json:"last"`     // where messages are counted: the last one before the marker
	Messages []M      `json:"messages"` // that were on their way, as far as they are here
}

// Open is the cut at the moment of our own image: the marker of every other member is to come.
// Where this one is none of them self is -1.
func Open[M any](members, self int) Cut[M] {
	c := make(Cut[M], members)
	if self >= 0 {
		c[self].Marked = true
	}
	return c
}

// Record takes a message that has arrived on a channel that keeps order: before the marker it was
// on its way.
func (c Cut[M]) Record(from int, m M) {
	if ch := &c[from]; !ch.Marked {
		ch.Messages = append(ch.Messages, m)
	}
}

// Mark takes the marker of a member, which has sent so many messages before it; on channels that
// keep order the count is not looked at.
func (c Cut[M]) Mark(from int, last uint32) {
	c[from].Marked, c[from].Last = true, last
}

// Marked reports whether all markers are here: with them, on channels that keep order, everything
// that was on its way.
func (c Cut[M]) Marked() bool {
	return !slices.ContainsFunc(c, func(ch Channel[M]) bool { return !ch.Marked })
}

// Forget drops the messages, which are in the image now.
func (c Cut[M]) Forget() {
	for i := range c {
		c[i].Messages = nil
	}
}

// Counted is what was on its way on a channel that does not keep order, if its receiver had taken
// the messages up to a number at its own image; whole is false while some of it is still to come.
// Messages are in the order of their numbers, which count from 1, and the protocol has put there
// every one that has arrived and was not taken, no matter whether before the marker.
func (ch *Channel[M]) Counted(taken uint32, number func(*M) uint32) (list []M, whole bool) {
	for i := range ch.Messages {
		if n := number(&ch.Messages[i]); n > taken && n <= ch.Last {
			list = append(list, ch.Messages[i])
		}
	}
	return list, ch.Marked && len(list) >= int(ch.Last)-int(min(taken, ch.Last))
}
