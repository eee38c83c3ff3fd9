package world

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sync/atomic"

	"github.com/domino-check/domino/impl/core"
)

// message is one distinct message content.
type message struct {
	value core.Message // immutable
	round uint64       // recovery round that it is stamped with
}

// packet is a message with its sender.
type packet struct {
	from    core.Proc
	inc     core.Incarnation
	message messageNumber
}

// channel is what is in flight from one incarnation of one proc.
type channel struct {
	from     core.Proc
	inc      core.Incarnation
	messages []packetNumber // packets, oldest first; ascending where order is not kept
}

// name is the channel in the code of an event.
func (c *channel) name() int { return int(c.from)<<16 | int(c.inc&0xffff) }

// head is one message that can be delivered now.
type head struct {
	channel int
	index   int
	name    int // in the code of an event: the channel or, where order is not kept, the packet
	input   uint32
	popped  atomic.Uint32 // inbox without it, plus 1; 0 = not computed
}

// inbox is one distinct content of all channels to a proc.
type inbox struct {
	channels []channel // by sender, then incarnation; none is empty
	heads    []head
	oldest   uint64 // least recovery round of any message in it, 0 when none has a round
}

// head is the one with the name.
func (b *inbox) head(name int) *head {
	for i := range b.heads {
		if b.heads[i].name == name {
			return &b.heads[i]
		}
	}
	return nil
}

// channel is the one with the name.
func (b *inbox) channel(name int) *channel {
	for i := range b.channels {
		if b.channels[i].name() == name {
			return &b.channels[i]
		}
	}
	return nil
}

// internMessage numbers a message by its canonical bytes and keeps a copy decoded from them: the
// original belongs to the machine that sent it.
func (w *World) internMessage(m core.Message) messageNumber {
	content := core.Encode(m)
	if number, ok := w.messages.find(content); ok {
		return number
	}
	value := w.Setup.NewMessage()
	if err := core.Decode(content, value); err != nil {
		panic(err.Error())
	}
	return w.messages.intern(content, message{value: value, round: value.Describe().Stamp.Round})
}

func (w *World) internPacket(k packet) packetNumber {
	var content []byte
	content = binary.BigEndian.AppendUint16(content, uint16(k.from))
	content = binary.BigEndian.AppendUint32(content, uint32(k.inc))
	content = binary.BigEndian.AppendUint32(content, uint32(k.message))
	if number, ok := w.packets.find(content); ok {
		return number
	}
	return w.packets.intern(content, k)
}

// internInbox numbers a content; the channels must be in order and not empty.
func (w *World) internInbox(channels []channel) inboxNumber {
	var room [256]byte
	content := room[:0]
	for _, c := range channels {
		content = binary.BigEndian.AppendUint32(content, uint32(len(c.messages)))
		for _, m := range c.messages {
			content = binary.BigEndian.AppendUint32(content, uint32(m))
		}
	}
	if number, ok := w.inboxes.find(content); ok {
		return number
	}
	return w.inboxes.intern(content, inbox{channels: channels, heads: w.headsOf(channels),
		oldest: w.oldestRound(channels)})
}

// oldestRound is the least recovery round of the messages in the channels, 0 when none has a round.
func (w *World) oldestRound(channels []channel) uint64 {
	var oldest uint64
	for _, c := range channels {
		for _, m := range c.messages {
			if round := w.messages.at(w.packets.at(m).message).round; round != 0 &&
				(oldest == 0 || round < oldest) {
				oldest = round
			}
		}
	}
	return oldest
}

// headsOf lists what can be delivered: the oldest message of each channel, or each distinct one
// where order is not kept.
func (w *World) headsOf(channels []channel) []head {
	count := 0
	for _, c := range channels {
		count += len(c.messages)
	}
	heads := make([]head, 0, count) // not to be moved: readers write popped
	for i := range channels {
		c := &channels[i]
		for j, m := range c.messages {
			if j > 0 && (w.Model.KeepsOrder() || slices.Contains(c.messages[:j], m)) {
				continue
			}
			heads = heads[:len(heads)+1]
			h := &heads[len(heads)-1]
			h.channel, h.index, h.name = i, j, c.name()
			h.input = w.receivedInput(m)
			if !w.Model.KeepsOrder() {
				h.name = int(m)
			}
		}
	}
	return heads
}

// inbox is what is in flight to a proc.
func (w *World) inbox(state []uint32, p core.Proc) *inbox {
	return w.inboxes.at(w.inboxOf(state, p))
}

// push appends a packet to its channel.
func (w *World) push(number inboxNumber, p packetNumber) inboxNumber {
	key := pair(uint32(number), uint32(p))
	if next, ok := w.pushes.get(key); ok {
		return inboxNumber(next)
	}
	k := w.packets.at(p)
	channels := slices.Clone(w.inboxes.at(number).channels)
	i, found := slices.BinarySearchFunc(channels, k, func(c channel, k *packet) int {
		return cmp.Or(cmp.Compare(c.from, k.from), cmp.Compare(c.inc, k.inc))
	})
	switch {
	case !found:
		channels = slices.Insert(channels, i,
			channel{from: k.from, inc: k.inc, messages: []packetNumber{p}})
	case !w.Model.KeepsOrder():
		j, known := slices.BinarySearch(channels[i].messages, p)
		if known && w.Model.Set {
			break
		}
		channels[i].messages = slices.Insert(slices.Clone(channels[i].messages), j, p)
	default:
		channels[i].messages = append(slices.Clone(channels[i].messages), p)
	}
	return inboxNumber(w.pushes.put(key, uint32(w.internInbox(channels))))
}

// pop removes a head.
func (w *World) pop(number inboxNumber, h *head) inboxNumber {
	if popped := h.popped.Load(); popped != 0 {
		return inboxNumber(popped - 1)
	}
	channels := slices.Clone(w.inboxes.at(number).channels)
	c := &channels[h.channel]
	c.messages = slices.Delete(slices.Clone(c.messages), h.index, h.index+1)
	if len(c.messages) == 0 {
		channels = slices.Delete(channels, h.channel, h.channel+1)
	}
	next := w.internInbox(channels)
	h.popped.Store(uint32(next) + 1)
	return next
}

// without removes one incarnation's channel, or all channels of a sender when inc is everyLife.
func (w *World) without(number inboxNumber, from core.Proc, inc core.Incarnation) inboxNumber {
	gone := func(c channel) bool { return c.from == from && (inc == everyLife || c.inc == inc) }
	if !slices.ContainsFunc(w.inboxes.at(number).channels, gone) {
		return number
	}
	key := uint64(number)<<32 | uint64(from)<<16 | uint64(inc&0xffff)
	if next, ok := w.cuts.get(key); ok {
		return inboxNumber(next)
	}
	next := w.internInbox(slices.DeleteFunc(slices.Clone(w.inboxes.at(number).channels), gone))
	return inboxNumber(w.cuts.put(key, uint32(next)))
}

// everyLife stands for all incarnations of a sender.
const everyLife = core.Incarnation(1<<16 - 1)

// dead reports whether the sender of a channel is gone.
func (w *World) dead(state []uint32, c *channel) bool {
	return uint32(c.inc) < w.of(state, c.from).inc
}
