package world

import (
	"encoding/binary"
	"slices"

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
	message uint32
}

// channel is what is in flight from one incarnation of one proc.
type channel struct {
	from     core.Proc
	inc      core.Incarnation
	messages []uint32 // packets, oldest first
}

// head is one message that can be delivered now.
type head struct {
	channel int
	index   int
	input   uint32
	popped  uint32 // inbox without it, plus 1; 0 = not computed
}

// inbox is one distinct content of all channels to a proc.
type inbox struct {
	channels []channel // by sender, then incarnation; none is empty
	heads    []head
	oldest   uint64 // least recovery round of any message in it, 0 when none has a round
}

// internMessage numbers a message by its canonical bytes and keeps a copy decoded from them: the original belongs to
// the machine that sent it.
func (w *World) internMessage(m core.Message) uint32 {
	content := core.Encode(m)
	number, fresh := w.messages.number(content)
	if fresh {
		value := w.Setup.NewMessage()
		if err := core.Decode(content, value); err != nil {
			panic(err.Error())
		}
		w.messageInfo = append(w.messageInfo, message{value: value, round: value.Describe().Stamp.Round})
	}
	return number
}

func (w *World) internPacket(k packet) uint32 {
	var content []byte
	content = binary.BigEndian.AppendUint16(content, uint16(k.from))
	content = binary.BigEndian.AppendUint32(content, uint32(k.inc))
	content = binary.BigEndian.AppendUint32(content, k.message)
	number, fresh := w.packets.number(content)
	if fresh {
		w.packetInfo = append(w.packetInfo, k)
	}
	return number
}

// internInbox numbers a content; the channels must be in order and not empty.
func (w *World) internInbox(channels []channel) uint32 {
	var content []byte
	for _, c := range channels {
		content = binary.BigEndian.AppendUint32(content, uint32(len(c.messages)))
		for _, m := range c.messages {
			content = binary.BigEndian.AppendUint32(content, m)
		}
	}
	number, fresh := w.inboxes.number(content)
	if fresh {
		w.inboxInfo = append(w.inboxInfo, inbox{channels: channels, heads: w.headsOf(channels), oldest: w.oldestRound(channels)})
	}
	return number
}

// oldestRound is the least recovery round of the messages in the channels, 0 when none has a round.
func (w *World) oldestRound(channels []channel) uint64 {
	var oldest uint64
	for _, c := range channels {
		for _, m := range c.messages {
			if round := w.messageInfo[w.packetInfo[m].message].round; round != 0 && (oldest == 0 || round < oldest) {
				oldest = round
			}
		}
	}
	return oldest
}

// headsOf lists what can be delivered: the oldest message of each channel, or each distinct one where order is not kept.
func (w *World) headsOf(channels []channel) []head {
	var heads []head
	for i, c := range channels {
		for j, m := range c.messages {
			if j > 0 && (!w.Model.Unordered || slices.Contains(c.messages[:j], m)) {
				continue
			}
			k := w.packetInfo[m]
			input := w.internInput(core.Input{Kind: core.Received, From: k.from, Message: w.messageInfo[k.message].value})
			heads = append(heads, head{channel: i, index: j, input: input})
		}
	}
	return heads
}

// push appends a packet to its channel.
func (w *World) push(number, p uint32) uint32 {
	key := pair(number, p)
	if next, ok := w.pushes.get(key); ok {
		return next
	}
	k := w.packetInfo[p]
	channels := slices.Clone(w.inboxInfo[number].channels)
	i, found := slices.BinarySearchFunc(channels, k, func(c channel, k packet) int {
		if c.from != k.from {
			return int(c.from) - int(k.from)
		}
		return int(c.inc) - int(k.inc)
	})
	if found {
		channels[i].messages = append(slices.Clone(channels[i].messages), p)
	} else {
		channels = slices.Insert(channels, i, channel{from: k.from, inc: k.inc, messages: []uint32{p}})
	}
	next := w.internInbox(channels)
	w.pushes.put(key, next)
	return next
}

// pop removes a head.
func (w *World) pop(number uint32, i int) uint32 {
	h := w.inboxInfo[number].heads[i]
	if h.popped != 0 {
		return h.popped - 1
	}
	channels := slices.Clone(w.inboxInfo[number].channels)
	c := &channels[h.channel]
	c.messages = slices.Delete(slices.Clone(c.messages), h.index, h.index+1)
	if len(c.messages) == 0 {
		channels = slices.Delete(channels, h.channel, h.channel+1)
	}
	next := w.internInbox(channels)
	w.inboxInfo[number].heads[i].popped = next + 1
	return next
}

// without removes every channel for which drop is true.
func (w *World) without(number uint32, drop func(channel) bool) uint32 {
	channels := w.inboxInfo[number].channels
	if !slices.ContainsFunc(channels, drop) {
		return number
	}
	return w.internInbox(slices.DeleteFunc(slices.Clone(channels), drop))
}

// dead reports whether the sender of a channel is gone.
func (w *World) dead(state []uint32, c channel) bool {
	return uint32(c.inc) < w.envInfo[state[envWord(c.from)]].Inc
}
