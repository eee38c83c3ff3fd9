package world

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol/none"
	"github.com/domino-check/domino/spec/trace"
)

// idealSetup is the transparent protocol with the programs.
func idealSetup(t *testing.T, text string) *core.Setup {
	t.Helper()
	names, programs, err := script.Parse(text, 1)
	if err != nil {
		t.Fatal(err)
	}
	s, err := none.NewSetup(trace.Layout{Names: names, Ranks: len(names),
		Clusters: make([]int, len(names))}, programs)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// twistedHost is a rank with a fault in how its receives are matched, between its first send
// and its first delivery.
type twistedHost struct {
	core.Machine
	choices func(list []core.Choice) []core.Choice
}

func (m *twistedHost) Choices(buf []core.Choice) []core.Choice {
	list := m.Machine.Choices(buf)
	if h := m.History(); h.Sent == 0 || len(h.Delivered) > 0 {
		return list
	}
	return m.choices(list)
}

// History is that of the rank.
func (m *twistedHost) History() *trace.History { return core.HistoryOf(m.Machine) }

// second lets the receive that was posted second take what the first one ought to take from b.
func second(list []core.Choice) (out []core.Choice) {
	for _, c := range list {
		if src, ok := c.Source(); ok && src == 1 && c.Posted() == 0 {
			c = core.ReceiveChoice(src, 1)
		}
		out = append(out, c)
	}
	return out
}

// TestHostFaults: a host that matches posted receives out of order is found by the definition that
// shares nothing with it, before anything is compared with its runs; the right one passes.
func TestHostFaults(t *testing.T) {
	s := idealSetup(t, "a: post *; post b; send c x; wait\nb: send a m\n"+
		"c: recv a; send a n")
	if _, err := Oracle(t.Context(), s, checker.Options{}); err != nil {
		t.Fatal(err)
	}
	plain := s.New
	s.New = func(p core.Proc) core.Machine {
		if p != 0 {
			return plain(p)
		}
		return &twistedHost{plain(p), func(list []core.Choice) []core.Choice {
			return second(list)
		}}
	}
	_, err := Oracle(t.Context(), s, checker.Options{})
	if !errors.Is(err, ErrMatching) || !strings.Contains(err.Error(), "no open receive takes it") {
		t.Errorf("%v", err)
	}
}

// TestMatching holds the runs of many programs against the definition: named, from anyone, posted
// with sends in between, with loops.
func TestMatching(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		text := randomProgram(r, 2+r.IntN(3), 1+r.IntN(6))
		if _, err := Oracle(t.Context(), idealSetup(t, text),
			checker.Options{MaxStates: 20_000}); err != nil && !errors.Is(err, checker.ErrBound) {
			t.Fatalf("%v\n%s", err, text)
		}
	}
}

// TestMismatch gives histories of one rank with what is wrong, "" for nothing.
func TestMismatch(t *testing.T) {
	const text = "a: post b; send b x; post *; send c y; wait; recv *; output\n" +
		"b: recv a; send a m; send a n\nc: recv a; send a o"
	s := idealSetup(t, text)
	m, n, o := trace.MsgID{From: 1, Number: 1}, trace.MsgID{From: 1, Number: 2},
		trace.MsgID{From: 2, Number: 1}
	tests := []struct {
		name      string
		sent      uint32
		delivered []trace.MsgID
		done      bool
		want      string
	}{
		{"nothing", 0, nil, false, ""},
		{"sends while receives are open", 2, nil, false, ""},
		{"all by b, c last", 2, []trace.MsgID{m, n, o}, true, ""},
		{"c into the second", 2, []trace.MsgID{o, m, n}, true, ""},
		{"the first send is behind no receive", 0, []trace.MsgID{m}, false, ""},
		{"c before the second is open", 0, []trace.MsgID{o}, false, "0 messages are sent"},
		{"too many sends", 3, nil, false, "3 messages are sent"},
		{"out of order", 2, []trace.MsgID{n, m}, false, "behind a later message"},
		{"twice", 2, []trace.MsgID{m, m}, false, "behind a later message"},
		{"c twice", 2, []trace.MsgID{o, {From: 2, Number: 2}}, false, "no open receive"},
		{"ends early", 2, []trace.MsgID{m, n}, true, "ended before"},
		{"does not send", 1, []trace.MsgID{m, o}, false, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := &trace.History{Sent: tt.sent, Done: tt.done}
			for _, id := range tt.delivered {
				h.Delivered = append(h.Delivered, trace.Delivery{ID: id})
			}
			got := mismatch(&s.Layout, s.Programs, 0, h)
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
