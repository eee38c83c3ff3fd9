package link

import (
	"encoding/binary"
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// Det is a determinant: Receiver has received message Number of Sender as its Place-th one.
type Det struct {
	_        struct{}   `cbor:",toarray"`
	Receiver core.Rank  `json:"receiver"`
	Place    uint32     `json:"place"` // rsn, from 1
	Sender   core.Rank  `json:"sender"`
	Number   uint32     `json:"number"` // ssn
	ID       core.MsgID `json:"id"`     // evidence
	// receptions of the sender before the send: evidence, for protocols that declare Holders
	Past uint32 `json:"past"`
}

// Data is one message of a program. Every protocol has Number and Life; what else is not zero is
// what it piggybacks.
type Data struct {
	_       struct{}         `cbor:",toarray"`
	Number  uint32           `json:"number"` // place in its channel, from 1
	Life    core.Incarnation `json:"life"`   // of what sends as one: a rank, a group, everybody
	Index   uint32           `json:"index"`  // of an image, an interval, an epoch
	Phase   uint32           `json:"phase"`
	Vector  []uint32         `json:"vector"` // dependencies
	Dets    []Det            `json:"dets"`
	Payload core.Payload     `json:"payload"`
}

// Stamp is what the judge knows of a message.
func (d *Data) Stamp() core.Stamp {
	return core.Stamp{Date: uint64(d.Number), Phase: uint64(d.Index)}
}

// App is the kind of the messages that carry a payload.
const App = "App"

// Describe names the message.
func (d *Data) Describe() trace.Wire {
	text := fmt.Sprint("number ", d.Number)
	for _, part := range []struct {
		name  string
		value uint64
	}{{"life", uint64(d.Life)}, {"index", uint64(d.Index)}, {"phase", uint64(d.Phase)}} {
		if part.value != 0 {
			text += fmt.Sprintf(" %s %d", part.name, part.value)
		}
	}
	if len(d.Vector) > 0 {
		text += fmt.Sprint(" vector ", d.Vector)
	}
	if len(d.Dets) > 0 {
		text += fmt.Sprintf(" %d determinants", len(d.Dets))
	}
	return trace.Wire{Kind: App, ID: d.Payload.ID, Stamp: d.Stamp(), Text: text}
}

// numbers bounds what a list in a header may say that it has.
const numbers = core.MaxHeader

// AppendHeader appends everything but the payload's bytes, as core.Fields reads it. It reports
// false, and appends nothing, when that is too long for the data path.
func (d *Data) AppendHeader(buf []byte) ([]byte, bool) {
	before := len(buf)
	for _, x := range [...]uint32{d.Payload.ID.Number, d.Number, uint32(d.Life), d.Index, d.Phase,
		uint32(len(d.Vector))} {
		buf = binary.AppendUvarint(buf, uint64(x))
	}
	for _, x := range d.Vector {
		buf = binary.AppendUvarint(buf, uint64(x))
		if len(buf)-before > core.MaxHeader {
			return buf[:before], false
		}
	}
	buf = binary.AppendUvarint(buf, uint64(len(d.Dets)))
	for i := range d.Dets {
		t := &d.Dets[i]
		for _, x := range [...]uint32{uint32(t.Receiver), t.Place, uint32(t.Sender), t.Number,
			uint32(t.ID.From), t.ID.Number, t.Past} {
			buf = binary.AppendUvarint(buf, uint64(x))
		}
		if len(buf)-before > core.MaxHeader {
			return buf[:before], false
		}
	}
	if len(buf)-before > core.MaxHeader {
		return buf[:before], false
	}
	return buf, true
}

// ParseHeader sets everything but the payload's bytes from what AppendHeader appended; from is the
// sender. The room of lists is used again. Any other bytes are an error.
func (d *Data) ParseHeader(header []byte, from core.Proc) error {
	vector, dets := d.Vector[:0], d.Dets[:0]
	*d = Data{}
	f := core.ReadFields(header)
	d.Payload.ID = core.MsgID{From: core.Rank(from), Number: f.Uint32()}
	d.Number, d.Life = f.Uint32(), core.Incarnation(f.Uint32())
	d.Index, d.Phase = f.Uint32(), f.Uint32()
	for range f.Uint(numbers) {
		vector = append(vector, f.Uint32())
	}
	for range f.Uint(numbers) {
		dets = append(dets, Det{Receiver: f.Rank(), Place: f.Uint32(), Sender: f.Rank(),
			Number: f.Uint32(), ID: core.MsgID{From: f.Rank(), Number: f.Uint32()},
			Past: f.Uint32()})
	}
	if len(vector) > 0 {
		d.Vector = vector
	}
	if len(dets) > 0 {
		d.Dets = dets
	}
	return f.End("link")
}

// Piggyback is how many numbers a message carries beside that of its channel and its life, which
// every protocol has.
func (d *Data) Piggyback() (count int) {
	for _, x := range [...]uint32{d.Index, d.Phase} {
		if x != 0 {
			count++
		}
	}
	return count + len(d.Vector) + 4*len(d.Dets)
}
