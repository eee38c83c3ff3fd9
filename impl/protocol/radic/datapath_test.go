package radic_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol/pessimistic"
	"github.com/domino-check/domino/impl/protocol/radic"
	"github.com/domino-check/domino/spec/trace"
)

// carried are messages of the protocol below, with a fixed layout and without.
var carried = []*pessimistic.Message{
	{Kind: pessimistic.Data, Life: 3, SSN: 700,
		Payload: core.Payload{ID: core.MsgID{From: 1, Number: 5}, Data: []byte("payload")}},
	{Kind: pessimistic.Confirm, SSN: 9},
	{Kind: pessimistic.LogPut, Life: 1, RSN: 4,
		Entries: []pessimistic.Entry{{RSN: 5, Source: 2, SSN: 8, Sent: 6, Posted: true,
			Payload: core.Payload{ID: core.MsgID{From: 2, Number: 7}, Data: []byte("log")}}}},
	{Kind: pessimistic.LogAck, Life: 1, RSN: 1 << 30},
	{Kind: pessimistic.Pull, Life: 2, SSN: 3},
}

func threeNodes(t testing.TB) *core.Setup {
	t.Helper()
	names, programs, err := script.Parse("a: send b\nb: recv a; send c\nc: recv b", 1)
	if err != nil {
		t.Fatal(err)
	}
	below, err := pessimistic.NewSetup(pessimistic.HMPL, trace.Layout{Names: names, Ranks: 3},
		programs, pessimistic.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := radic.NewSetup(below, nil, radic.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// header is written by hand: where the sender runs, its life, where it takes the receiver to be,
// the header of the message below.
func header(t testing.TB, m *pessimistic.Message) []byte {
	t.Helper()
	b := binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(nil, 300), 1<<20), 7)
	b, ok := m.AppendHeader(b)
	if !ok {
		t.Fatal("no fixed layout")
	}
	return b
}

// Aim: a carried message is the same whether it came in its fixed layout or by the codec, and
// whatever else it is asked for. Method: headers written by hand, with the payload behind them, are
// compared with the message that the codec reads from what it is encoded as; other lengths are
// refused; what has no layout below has none here.
func TestHeader(t *testing.T) {
	s := threeNodes(t)
	read := s.NewMessage().(*radic.Message)
	for _, m := range carried[:4] {
		h := header(t, m)
		if err := read.ParseHeader(h, 1); err != nil {
			t.Fatal(err)
		}
		read.Content().Data = m.Content().Data
		if again, ok := read.AppendHeader([]byte{1}); !ok || !bytes.Equal(again[1:], h) {
			t.Errorf("%x is read as %x", h, again)
		}
		if got, want := read.Describe(), m.Describe(); got != want {
			t.Errorf("described as %v, want %v", got, want)
		}
		want := &radic.Message{Kind: radic.Carried, Host: 300, Life: 1 << 20, At: 7,
			Wire: m.Describe(), Body: core.Encode(m)}
		got := s.NewMessage().(*radic.Message)
		if err := core.Decode(core.Encode(read), got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(radic.Message{}),
			cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("by the codec (-want +got):\n%s", diff)
		}
		if _, ok := got.AppendHeader(nil); ok {
			t.Error("what came by the codec has a fixed layout")
		}
		for n := range len(h) {
			if read.ParseHeader(h[:n], 1) == nil {
				t.Errorf("%d of %d bytes are accepted", n, len(h))
			}
		}
		if read.ParseHeader(append(h, 0), 1) == nil {
			t.Error("a byte more is accepted")
		}
	}
	if new(radic.Message).ParseHeader(header(t, carried[0]), 1) == nil {
		t.Error("a message that nothing can be carried in carries something")
	}
	if _, ok := (&radic.Message{Kind: radic.Probe}).AppendHeader(nil); ok {
		t.Error("a message of the control plane has a fixed layout")
	}
}

// FuzzHeader: other bytes are refused, or they are the one header of the message that is read.
//
//	go test -run '^$' -fuzz FuzzHeader ./impl/protocol/radic
func FuzzHeader(f *testing.F) {
	s := threeNodes(f)
	for _, m := range carried[:4] {
		f.Add(header(f, m))
	}
	f.Add([]byte{})
	f.Add([]byte{0x80, 0, 1, 1, byte(pessimistic.Confirm), 1})
	f.Fuzz(func(t *testing.T, header []byte) {
		m := s.NewMessage().(*radic.Message)
		if m.ParseHeader(header, 1) != nil {
			return
		}
		if again, ok := m.AppendHeader(nil); !ok || !bytes.Equal(again, header) {
			t.Fatalf("%x is read as %x", header, again)
		}
	})
}
