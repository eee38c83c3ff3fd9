package link_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/link"
	"github.com/domino-check/domino/impl/protocol/part/sendlog"
	"github.com/domino-check/domino/spec/trace"
)

// question is the control message of a small protocol.
type question struct {
	_    struct{} `cbor:",toarray"`
	Text string
}

func (q *question) Describe() trace.Wire { return trace.Wire{Kind: "Question", Text: q.Text} }

type message = link.Message[question, *question]

// draw is any message of a program.
func draw(t *rapid.T) link.Data {
	number := rapid.OneOf(rapid.Just(uint32(0)), rapid.Uint32())
	rank := rapid.Map(rapid.Uint16(), func(x uint16) core.Rank { return core.Rank(x) })
	d := link.Data{Number: number.Draw(t, "number"), Index: number.Draw(t, "index"),
		Life:  core.Incarnation(number.Draw(t, "life")),
		Phase: number.Draw(t, "phase"), Vector: rapid.SliceOfN(number, 0, 6).Draw(t, "vector"),
		Payload: core.Payload{ID: core.MsgID{From: 3, Number: number.Draw(t, "id")}}}
	for range rapid.IntRange(0, 4).Draw(t, "dets") {
		d.Dets = append(d.Dets, link.Det{Receiver: rank.Draw(t, "receiver"),
			Place: number.Draw(t, "place"), Sender: rank.Draw(t, "sender"),
			Number: number.Draw(t, "number"),
			ID:     core.MsgID{From: rank.Draw(t, "from"), Number: number.Draw(t, "id")},
			Past:   number.Draw(t, "past")})
	}
	if len(d.Vector) == 0 {
		d.Vector = nil
	}
	return d
}

// TestHeader: what a header is parsed to is what was written, into whatever message, and every cut
// or longer header is refused.
func TestHeader(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := message{Data: draw(t)}
		header, ok := want.AppendHeader(nil)
		if !ok {
			t.Fatalf("no header for %+v", want)
		}
		got := message{Data: draw(t), Control: new(question)}
		if err := got.ParseHeader(header, 3); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(core.Encode(&want), core.Encode(&got)); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		for n := range header {
			if err := new(message).ParseHeader(header[:n], 3); err == nil {
				t.Fatalf("%d of %d bytes are a header", n, len(header))
			}
		}
		if err := new(message).ParseHeader(append(header, 0), 3); err == nil {
			t.Fatal("a byte too many")
		}
	})
}

// TestLongHeader: what is too long for the data path leaves the buffer as it was.
func TestLongHeader(t *testing.T) {
	for _, d := range []link.Data{
		{Vector: make([]uint32, core.MaxHeader)},
		{Dets: make([]link.Det, core.MaxHeader/4)},
	} {
		buf, ok := d.AppendHeader([]byte("before"))
		if ok || !bytes.Equal(buf, []byte("before")) {
			t.Errorf("%d numbers, %d determinants: %v, %d bytes", len(d.Vector), len(d.Dets), ok,
				len(buf))
		}
	}
}

// TestControl: a control message goes by the codec, and is itself again behind it.
func TestControl(t *testing.T) {
	e := link.Say(4, question{Text: "why"})
	m := e.Message.(*message)
	if _, ok := m.AppendHeader(nil); ok || e.To != 4 {
		t.Errorf("%+v has a header", e)
	}
	var again message
	if err := core.Decode(core.Encode(m), &again); err != nil ||
		again.Describe() != (trace.Wire{Kind: "Question", Text: "why"}) {
		t.Errorf("%+v, %v", again, err)
	}
}

// TestArrivals compares a channel with a set: messages arrive in any order and any number of times,
// and are taken in the order of their numbers, each once.
func TestArrivals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := link.New(2)
		here, taken := map[uint32]bool{}, uint32(0)
		for range rapid.IntRange(0, 30).Draw(t, "events") {
			if n := rapid.Uint32Range(0, 6).Draw(t, "number"); n > 0 {
				want := n > taken && !here[n]
				if got := c.Accept(1, &link.Data{Number: n}); got != want {
					t.Fatalf("message %d is new: %v, want %v", n, got, want)
				}
				here[n] = true
			} else if got := c.Sources(nil); slices.Contains(got, 1) != here[taken+1] {
				t.Fatalf("sources %v with %v here and %d taken", got, here, taken)
			} else if len(got) > 0 {
				taken++
				if d := c.Take(1); d.Number != taken {
					t.Fatalf("took %d, want %d", d.Number, taken)
				}
			}
		}
	})
}

// TestLog: what was sent is there until it is pruned, and a clone does not change with it.
func TestLog(t *testing.T) {
	var k sendlog.Keeper
	c := link.New(3)
	for n := range uint32(5) {
		d := link.Data{Vector: []uint32{n},
			Payload: core.Payload{ID: core.MsgID{From: 0, Number: n + 1}}}
		if c.Number(&k, 2, &d, n != 2); d.Number != n+1 {
			t.Fatalf("message %d has number %d", n+1, d.Number)
		}
		d.Vector[0] = 99 // the log has its own
	}
	image := c.Clone(false)
	out := c.Prune(&k, 2, 2, nil)
	if len(out) != 2 || out[1].What != trace.Pruned || out[1].ID.Number != 2 || out[1].To != 2 {
		t.Errorf("pruned %+v", out)
	}
	var left []uint32
	for _, e := range c.After(2, 0) {
		left = append(left, e.Data.Number, e.Data.Vector[0])
	}
	if !slices.Equal(left, []uint32{4, 3, 5, 4}) || len(image.After(2, 0)) != 4 ||
		len(c.After(2, 4)) != 1 {
		t.Errorf("left %v, image %v", left, image)
	}
	sent, taken := c.Counts()
	if !slices.Equal(sent, []uint32{0, 0, 5}) || !slices.Equal(taken, []uint32{0, 0, 0}) {
		t.Errorf("counts %v %v", sent, taken)
	}
}

// TestPlain: of few ranks channels and numbers are encoded as plain lists by rank are; of many only
// those that something was sent to are there, and they are read back.
func TestPlain(t *testing.T) {
	type plain struct {
		_       struct{} `cbor:",toarray"`
		Sent    uint32
		Taken   uint32
		Arrived []link.Data
		Log     []link.Entry
	}
	for _, ranks := range []int{1, 3, core.Dense, core.Dense + 1, 60_000} {
		c, to := link.New(ranks), core.Rank(ranks-1)
		c.Number(new(sendlog.Keeper), to, &link.Data{}, true)
		c.Accept(to, &link.Data{Number: 1})
		sent, taken := c.Numbers()
		sent.Set(to, 7)
		taken.Set(0, 0)
		if ranks <= core.Dense {
			list, numbers := make([]plain, ranks), make([]uint32, ranks)
			list[to] = plain{Sent: 1, Arrived: []link.Data{{Number: 1}},
				Log: []link.Entry{{Data: link.Data{Number: 1}}}}
			numbers[to] = 7
			if !bytes.Equal(core.Encode(c), core.Encode(list)) ||
				!bytes.Equal(core.Encode(sent), core.Encode(numbers)) {
				t.Errorf("%d ranks: %x and %x, want %x and %x", ranks, core.Encode(c),
					core.Encode(sent), core.Encode(list), core.Encode(numbers))
			}
		} else if len(c) != 1 || len(sent) != 1 || len(taken) != 1 {
			t.Errorf("%d ranks: %d channels, %d and %d numbers", ranks, len(c), len(sent),
				len(taken))
		}
		var channels link.Channels
		var numbers link.Numbers
		if err := errors.Join(core.Decode(core.Encode(c), &channels),
			core.Decode(core.Encode(sent), &numbers)); err != nil {
			t.Fatal(err)
		}
		if channels.Of(to).Sent != 1 || channels.Next(to) == nil || numbers.Of(to) != 7 ||
			len(channels.After(to, 0)) != 1 || len(channels) != len(c) {
			t.Errorf("%d ranks: read back %v and %v", ranks, channels, numbers)
		}
	}
}

// TestForeignNumbers: lists that do not ascend, or do not fit each other, are none.
func TestForeignNumbers(t *testing.T) {
	for _, ranks := range [][]core.Rank{{5, 5}, {6, 5}, {5}, {5, 6, 7}} {
		var s link.Numbers
		if err := core.Decode(core.Encode(map[string]any{"ranks": ranks,
			"values": []uint32{1, 2}}), &s); err == nil {
			t.Errorf("ranks %v of two values are read as %v", ranks, s)
		}
	}
}
