package world

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// StateName names a state by its content, as 16 hexadecimal digits, for links and to compare
// states of two runs: the numbers of a vector depend on what the world has met, the name does not.
// It has half the bits of a hash that is hard to forge; nothing that is judged rests on it.
func (w *World) StateName(state []uint32) string {
	h := sha256.New()
	b := w.budgets(state)
	part(h, core.Encode([]uint32{b.faults, b.harms}))
	if b.over {
		part(h, []byte("over"))
	}
	for p := range core.Proc(w.procs) {
		c := w.of(state, p)
		part(h, w.locals.at(c.local).content)
		e := *w.envs.at(c.env)
		if e.Line > 0 {
			part(h, core.Encode(*w.histories.at(e.Line - 1)))
			e.Line = 1
		}
		part(h, core.Encode(&e))
		w.nameInbox(h, w.inboxes.at(c.inbox))
	}
	if w.monitors.word > 0 {
		for i, number := range *w.monitors.memories.at(state[w.monitors.word]) {
			part(h, (*w.monitors.each[i].at(number)).AppendKey(nil))
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// nameInbox adds what is on its way to a proc. Where order is not kept the messages of a channel
// are in the order of their numbers, so their contents are put in order.
func (w *World) nameInbox(h hash.Hash, box *inbox) {
	for i := range box.channels {
		c := &box.channels[i]
		part(h, core.Encode([]uint32{uint32(c.from), uint32(c.inc), uint32(len(c.messages))}))
		var contents [][]byte
		for _, number := range c.messages {
			message := w.packets.at(number).message
			contents = append(contents, core.Encode(w.messages.at(message).value))
		}
		if !w.Model.KeepsOrder() {
			slices.SortFunc(contents, bytes.Compare)
		}
		for _, content := range contents {
			part(h, content)
		}
	}
}

// part adds some bytes with their length, so that no two lists of parts look alike.
func part[B ~[]byte | ~string](h hash.Hash, content B) {
	n := len(content)
	h.Write([]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}) // it returns no error
	h.Write([]byte(content))
}

// Sort says what kind of event it is that a step is about: "message", "program", "storage",
// "detector", "timer", "restart", or "fault".
func Sort(step uint64) string {
	switch c := eventCode(step); c.kind() {
	case deliver, cut:
		return "message"
	case advance:
		return "program"
	case persisted, erase:
		return "storage"
	case told, expire, kill:
		return "detector"
	case tick:
		return "timer"
	case restart:
		return "restart"
	}
	return "fault"
}
