package causal_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/causal"
)

// fixed are the kinds that have a fixed layout.
var fixed = []causal.Kind{causal.App, causal.Ack, causal.Multicast, causal.Contribution,
	causal.Completed}

// drawMessage draws a message of a kind that has a fixed layout, with all the fields that the kind
// carries.
func drawMessage(t *rapid.T) *causal.Message {
	number := func(label string) uint32 { return rapid.Uint32().Draw(t, label) }
	rank := func(label string) core.Rank { return core.Rank(rapid.Uint16().Draw(t, label)) }
	m := &causal.Message{Kind: causal.Ack, Inc: core.Incarnation(number("inc")),
		To: core.Incarnation(number("to")), Seq: number("seq")}
	m.Kind = rapid.SampledFrom(fixed).Draw(t, "kind")
	if m.Kind != causal.Ack && m.Kind != causal.Completed {
		m.SSN, m.Past, m.Round, m.Origin = causal.SSN(number("ssn")), number("past"),
			number("round"), rank("origin")
		m.Payload.ID = core.MsgID{From: rank("from"), Number: number("number")}
	}
	if m.Kind != causal.App && m.Kind != causal.Ack {
		m.Group, m.Number, m.For = core.Group(rank("to group")), number("of group"),
			core.Incarnation(number("life"))
	}
	for range rapid.IntRange(0, 30).Draw(t, "determinants") {
		m.Dets = append(m.Dets, causal.Det{Recver: rank("receiver"), RSN: causal.RSN(number("rsn")),
			Sender: rank("sender"), SSN: causal.SSN(number("of")), Group: core.Group(rank("group")),
			ID: core.MsgID{From: rank("whose"), Number: number("which")}, Index: number("index"),
			Past: number("before"), Holders: causal.Ranks(rapid.Uint64().Draw(t, "holders"))})
	}
	return m
}

// Aim: a header says the whole message. Method: random messages of all kinds with a fixed layout
// are read back, into a message that was used before; what is cut off or longer is refused; a
// message with more determinants than fit, or of another kind, has no layout.
func TestHeader(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, read := drawMessage(t), drawMessage(t)
		header, ok := m.AppendHeader([]byte{0xff})
		if len(header) > 1+core.MaxHeader || header[0] != 0xff {
			t.Fatalf("header of %d bytes", len(header))
		}
		if !ok {
			if len(header) != 1 || len(m.Dets) < 15 {
				t.Fatalf("%d determinants do not fit, and %x is left", len(m.Dets), header)
			}
			return
		}
		header = header[1:]
		if err := read.ParseHeader(header, 5); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(m, read, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("read back (-want +got):\n%s", diff)
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
	for kind := causal.App; kind <= causal.Completed; kind++ {
		if _, ok := (&causal.Message{Kind: kind}).AppendHeader(nil); ok !=
			slices.Contains(fixed, kind) {
			t.Errorf("kind %d has a fixed layout: %t", kind, ok)
		}
	}
	many := &causal.Message{Kind: causal.App, Dets: make([]causal.Det, core.MaxHeader/10)}
	if header, ok := many.AppendHeader([]byte{1}); ok || len(header) != 1 {
		t.Errorf("%d determinants fit into %d bytes", len(many.Dets), len(header))
	}
}

// FuzzHeader: other bytes are refused, or they are the one header of the message that is read.
//
//	go test -run '^$' -fuzz FuzzHeader ./impl/protocol/causal
func FuzzHeader(f *testing.F) {
	for seed := range 40 {
		header, _ := rapid.Custom(drawMessage).Example(seed).AppendHeader(nil)
		f.Add(header)
	}
	f.Add([]byte{})
	f.Add([]byte{byte(causal.Ack), 0, 0, 0, 0xff, 0xff, 3}) // as many determinants as that
	f.Fuzz(func(t *testing.T, header []byte) {
		m := new(causal.Message)
		if m.ParseHeader(header, 1) != nil || len(header) > core.MaxHeader {
			return
		}
		if again, ok := m.AppendHeader(nil); !ok || !bytes.Equal(again, header) {
			t.Fatalf("%x is read as %+v, which is %x", header, m, again)
		}
	})
}
