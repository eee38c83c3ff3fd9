package pessimistic_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/pessimistic"
)

// drawMessage draws a message of a kind that has a fixed layout, with all the fields that the kind
// carries.
func drawMessage(t *rapid.T) *pessimistic.Message {
	number := func(label string) uint32 { return rapid.Uint32().Draw(t, label) }
	id := func() (p core.Payload) {
		p.ID = core.MsgID{From: core.Rank(rapid.Uint16().Draw(t, "from")), Number: number("number")}
		return p
	}
	m := &pessimistic.Message{Kind: rapid.SampledFrom(
		[]pessimistic.Kind{pessimistic.Data, pessimistic.Confirm, pessimistic.LogPut,
			pessimistic.LogAck,
			pessimistic.Order, pessimistic.OrderOk}).Draw(t, "kind")}
	switch m.Kind {
	case pessimistic.Data:
		m.Life, m.SSN, m.Number, m.Payload = core.Incarnation(number("life")),
			pessimistic.SSN(number("ssn")), number("checkpoint"), id()
	case pessimistic.Confirm:
		m.SSN = pessimistic.SSN(number("ssn"))
	case pessimistic.LogPut:
		m.Life, m.RSN = core.Incarnation(number("life")), pessimistic.RSN(number("acked"))
		m.Entries = []pessimistic.Entry{{RSN: pessimistic.RSN(number("rsn")),
			Prev:   pessimistic.RSN(number("prev")),
			Source: core.Rank(rapid.Uint16().Draw(t, "source")),
			SSN:    pessimistic.SSN(number("ssn")), Sent: number("sent"),
			Posted: rapid.Bool().Draw(t, "posted"), Bare: rapid.Bool().Draw(t, "bare"),
			Payload: id()}}
	case pessimistic.LogAck:
		m.Life, m.RSN = core.Incarnation(number("life")), pessimistic.RSN(number("rsn"))
	case pessimistic.Order:
		m.Prev, m.Sent, m.Found = pessimistic.RSN(number("prev")), number("sent"),
			rapid.Bool().Draw(t, "posted")
		fallthrough
	case pessimistic.OrderOk:
		m.Life, m.SSN, m.RSN = core.Incarnation(number("life")), pessimistic.SSN(number("ssn")),
			pessimistic.RSN(number("rsn"))
	}
	return m
}

// Aim: a header says the whole message. Method: random messages of every kind with a fixed layout
// are read back, into a message that was used before; what is cut off or longer is refused; a
// message of another kind has no layout.
func TestHeader(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, read := drawMessage(t), drawMessage(t)
		header, ok := m.AppendHeader([]byte{0xff})
		if !ok || header[0] != 0xff || len(header) > 1<<10 {
			t.Fatalf("header %x, %t", header, ok)
		}
		header = header[1:]
		if err := read.ParseHeader(header, 5); err != nil {
			t.Fatal(err)
		}
		if m.Kind != pessimistic.LogPut {
			read.Entries = nil // room
		}
		if diff := cmp.Diff(m, read); diff != "" {
			t.Fatalf("read back (-want +got):\n%s", diff)
		}
		if got, want := read.Content().ID, m.Content().ID; got != want {
			t.Fatalf("content %v, want %v", got, want)
		}
		for n := range header {
			if read.ParseHeader(header[:n], 5) == nil {
				t.Fatalf("%d of %d bytes are accepted", n, len(header))
			}
		}
		if read.ParseHeader(append(header, 0), 5) == nil {
			t.Fatal("a byte more is accepted")
		}
	})
	for kind := pessimistic.Data; kind <= pessimistic.Lost; kind++ {
		m := &pessimistic.Message{Kind: kind, Entries: make([]pessimistic.Entry, 2)}
		switch _, ok := m.AppendHeader(nil); kind {
		case pessimistic.Data, pessimistic.Confirm, pessimistic.LogAck, pessimistic.Order,
			pessimistic.OrderOk:
		default:
			if ok {
				t.Errorf("kind %d has a fixed layout", kind)
			}
		}
	}
}

// FuzzHeader: other bytes are refused, or they are the one header of the message that is read.
//
//	go test -run '^$' -fuzz FuzzHeader ./impl/protocol/pessimistic
func FuzzHeader(f *testing.F) {
	for seed := range 40 {
		header, _ := rapid.Custom(drawMessage).Example(seed).AppendHeader(nil)
		f.Add(header)
	}
	f.Add([]byte{})
	f.Add([]byte{byte(pessimistic.Confirm), 0x80, 0}) // a zero in two bytes
	f.Add([]byte{byte(pessimistic.Confirm), 0xff, 0xff, 0xff, 0xff, 0x10})
	f.Fuzz(func(t *testing.T, header []byte) {
		m := new(pessimistic.Message)
		if m.ParseHeader(header, 1) != nil {
			return
		}
		if again, ok := m.AppendHeader(nil); !ok || !bytes.Equal(again, header) {
			t.Fatalf("%x is read as %+v, which is %x", header, m, again)
		}
	})
}
