package causal

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/sendlog"
)

// Messages of programs and what comes with each of them have a fixed layout: the kind, then numbers
// as core.Fields reads them, those of each determinant at the end. With more determinants than fit
// they go by the codec, like everything else.

// fixed reports whether messages of a kind have a fixed layout, with a payload, and of a group.
func (k Kind) fixed() (layout, payload, group bool) {
	switch k {
	case App:
		return true, true, false
	case Ack:
		return true, false, false
	case Multicast, Contribution:
		return true, true, true
	case Completed:
		return true, false, true
	}
	return false, false, false
}

// AppendHeader implements core.Framed.
func (m *Message) AppendHeader(buf []byte) ([]byte, bool) {
	layout, payload, group := m.Kind.fixed()
	if !layout {
		return buf, false
	}
	before := len(buf)
	number := func(list ...uint32) {
		for _, x := range list {
			buf = binary.AppendUvarint(buf, uint64(x))
		}
	}
	buf = append(buf, byte(m.Kind))
	number(uint32(m.Inc), uint32(m.To), m.Seq)
	if payload {
		number(uint32(m.SSN), m.Past, m.Round, uint32(m.Origin), uint32(m.Payload.ID.From),
			m.Payload.ID.Number)
	}
	if group {
		number(uint32(m.Group), m.Number, uint32(m.For))
	}
	number(uint32(len(m.Dets)))
	for i := range m.Dets {
		d := &m.Dets[i]
		number(uint32(d.Recver), uint32(d.RSN), uint32(d.Sender), uint32(d.SSN), uint32(d.Group),
			uint32(d.ID.From), d.ID.Number, d.Index, d.Past)
		if buf = binary.AppendUvarint(buf, uint64(d.Holders)); len(buf)-before > core.MaxHeader {
			return buf[:before], false
		}
	}
	return buf, true
}

// ParseHeader implements core.Framed. The room for determinants is used again.
func (m *Message) ParseHeader(header []byte, _ core.Proc) error {
	room := m.Dets[:0]
	*m = Message{}
	if len(header) > 0 {
		m.Kind = Kind(header[0])
		header = header[1:]
	}
	layout, payload, group := m.Kind.fixed()
	if !layout {
		return fmt.Errorf("causal: header of kind %d, which has no fixed layout", m.Kind)
	}
	f := core.ReadFields(header)
	m.Inc, m.To, m.Seq = core.Incarnation(f.Uint32()), core.Incarnation(f.Uint32()), f.Uint32()
	if payload {
		m.SSN, m.Past, m.Round, m.Origin = SSN(f.Uint32()), f.Uint32(), f.Uint32(), f.Rank()
		m.Payload.ID = core.MsgID{From: f.Rank(), Number: f.Uint32()}
	}
	if group {
		m.Group, m.Number, m.For = f.Group(), f.Uint32(), core.Incarnation(f.Uint32())
	}
	for range f.Uint(core.MaxHeader) {
		room = append(room, Det{Recver: f.Rank(), RSN: RSN(f.Uint32()), Sender: f.Rank(),
			SSN: SSN(f.Uint32()), Group: f.Group(),
			ID: core.MsgID{From: f.Rank(), Number: f.Uint32()}, Index: f.Uint32(), Past: f.Uint32(),
			Holders: Ranks(f.Uint(1<<64 - 1))})
	}
	m.Dets = room
	return f.End("causal")
}

// Content implements core.Framed.
func (m *Message) Content() *core.Payload { return &m.Payload }

// Relayed implements core.Relayed: a multicast is passed on, and waits in the queue of its group;
// of contributions the program gets the result alone.
func (m *Message) Relayed() bool {
	_, payload, group := m.Kind.fixed()
	return payload && group
}

// data is what a layer needs beside its state to work without allocation.
type data struct {
	sendlog.Keeper
	none    sendlog.Keeper // of bytes that nobody lends
	scratch core.Scratch[Message]
	names   []Det   // what acknowledgements of this step name
	lists   [][]Det // of entries that have left the log
	room    []Det   // for more of them
	// own determinants up to it need not travel any more: a bound below which piggyback does not
	// look
	enough RSN
	marked int // ranks below it have come to checkpoint Wanted, or are this one
}

// begin comes at the beginning of a step.
func (d *data) begin() {
	d.scratch.Begin()
	d.names = d.names[:0]
}

// named are the determinants without their holders, valid until the next step.
func (d *data) named(dets []Det) []Det {
	first := len(d.names)
	for _, det := range dets {
		det.Holders = 0
		d.names = append(d.names, det)
	}
	return slices.Clip(d.names[first:])
}

// list is an empty list for so many determinants of a new entry of the log.
func (d *data) list(n int) []Det {
	if n == 0 {
		return nil
	}
	if last := len(d.lists) - 1; last >= 0 && cap(d.lists[last]) >= n {
		list := d.lists[last]
		d.lists[last] = nil
		d.lists = d.lists[:last]
		return list
	}
	if !d.Copies() {
		return make([]Det, 0, n)
	}
	if len(d.room) < n {
		d.room = make([]Det, max(n, 256))
	}
	list := d.room[:0:n]
	d.room = d.room[n:]
	return list
}

// maxLists bounds the lists that wait to be used again.
const maxLists = 1 << 14

// Listed are the determinants of a message for longer than its step.
func (d *data) Listed(dets []Det) []Det { return append(d.list(len(dets)), dets...) }

// drop gives back what an entry that leaves the log had for itself.
func (d *data) drop(e *Entry) {
	if !d.Copies() {
		return // whoever searches shares entries between states
	}
	d.Free(&e.Payload)
	if cap(e.Dets) > 0 && len(d.lists) < maxLists {
		d.lists = append(d.lists, e.Dets[:0])
	}
}

// Own returns bytes of the program that are kept for later steps: a copy, which must not be read in
// this one, if the program may use its own again.
func (d *data) Own(bytes []byte) []byte {
	if !d.Copies() {
		return bytes
	}
	return d.Copy(bytes)
}

// Holding implements core.Recycler: what was delivered has left the queue, and determinants name
// messages without their bytes.
func (l *Layer) Holding() bool { return false }

// Release implements core.Recycler.
func (l *Layer) Release() {
	for i := range l.S.Log {
		l.drop(&l.S.Log[i])
	}
	l.S.Log = nil
}
