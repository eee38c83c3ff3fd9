package printed_test

import (
	"bytes"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/none"
	"github.com/domino-check/domino/impl/protocol/pessimistic"
	"github.com/domino-check/domino/impl/protocol/pessimistic/printed"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// request is what a scenario with the program asks for.
func request(t *testing.T, program string) protocol.Request {
	t.Helper()
	names, programs, err := script.Parse(program, 1)
	if err != nil {
		t.Fatal(err)
	}
	return protocol.Request{Layout: trace.Layout{Names: names, Ranks: len(names)},
		Programs: programs}
}

// setup is a protocol in a form.
func setup(t *testing.T, name, variant, program string) *core.Setup {
	t.Helper()
	list := protocol.List(printed.Beside(pessimistic.Protocols()))
	p, err := list.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	r := request(t, program)
	r.Variant = variant
	s, err := p.Make(r)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var forms = []struct{ name, variant string }{{"sbml", "published"}, {"rbml", "published"},
	{"rbml", "published-measured"}, {"hmpl", "published"}}

// Aim: without failures nothing is wrong with the text, whatever programs and checkpoints do.
// Method: all runs of programs that receive by name, by wildcard and by posts, that answer each
// other, and of two that checkpoint at the same time.
func TestWithoutFailures(t *testing.T) {
	for _, program := range []string{
		"a: send b x; send b y; recv b\nb: recv a; recv a; send a z; output",
		"a: send b x; recv b\nb: recv * ordered; recv * ordered; send a y; send c y\n" +
			"c: send b x; recv b",
		"a: send b x\nb: post a ordered; post c ordered; wait; send d y\nc: send b x\nd: recv b",
		"a: send b x; checkpoint; recv b\nb: send a y; checkpoint; recv a",
	} {
		if strings.Contains(program, "post") && !effort.Long() {
			t.Log(program + "\n" + effort.More)
			continue
		}
		for _, f := range forms {
			t.Run(f.name+" "+f.variant, func(t *testing.T) {
				r := request(t, program)
				baseline, err := none.NewSetup(r.Layout, r.Programs)
				if err != nil {
					t.Fatal(err)
				}
				out, err := world.Check(t.Context(), world.Case{
					Setup: setup(t, f.name, f.variant, program), Baseline: baseline,
					Model: fault.Model{Checkpoints: 1}}, checker.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if out.Verdict != spec.Holds {
					t.Errorf("%s: %v, %s", program, out.Verdict, out.Reason)
				}
			})
		}
	}
}

// Aim: what the table of the package says of messages. Method: one run without failures of three
// messages, and one with a checkpoint, each in order; messages by kind.
func TestMessages(t *testing.T) {
	const three, save = "a: send b x; send b x; send b x\nb: recv a; recv a; recv a\nc: output",
		"a: checkpoint\nb: output\nc: output"
	tests := []struct {
		name, variant, program string
		want                   map[string]int
	}{
		{"sbml", "published", three, map[string]int{"M": 3, "Ack": 3, "AckOfAck": 3}},
		{"sbml", "repaired", three, map[string]int{"Data": 3, "Order": 3, "OrderOk": 3}},
		{"rbml", "published", three, map[string]int{"M": 3, "Put": 3, "Saved": 3}},
		{"rbml", "repaired", three, map[string]int{"Data": 3, "LogPut": 3, "LogAck": 3,
			"Confirm": 3}},
		{"hmpl", "published", three, map[string]int{"M": 3, "Put": 3, "Saved": 3, "Erase": 3}},
		{"hmpl", "repaired", three, map[string]int{"Data": 3, "LogPut": 3, "LogAck": 3,
			"Confirm": 3}},
		{"hmpl", "published", save, map[string]int{"Freeze": 2, "Flushed": 2, "Image": 1,
			"Stored": 1, "Allow": 2}},
		{"hmpl", "repaired", save, map[string]int{"Save": 1, "SaveOk": 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name+" "+tt.variant, func(t *testing.T) {
			s := setup(t, tt.name, tt.variant, tt.program)
			model := fault.Model{}
			w, err := world.New(world.Config{Setup: s, Model: model,
				Facts: world.FactsOf(s, &model, nil)})
			if err != nil {
				t.Fatal(err)
			}
			if got := kinds(t, w); !maps.Equal(got, tt.want) {
				t.Errorf("messages (-want +got):\n%s", cmp.Diff(tt.want, got))
			}
		})
	}
}

// kinds takes the first event again and again, to the end, and counts the messages.
func kinds(t *testing.T, w *world.World) map[string]int {
	t.Helper()
	var schedule []string
	for {
		run, err := w.Replay(schedule)
		if err != nil || run.Violation != nil {
			t.Fatalf("after %q: %v, %+v", schedule, err, run.Violation)
		}
		texts, x := w.Enabled(run.States[len(run.States)-1])
		if len(x.Steps) == 0 {
			count := map[string]int{}
			for _, e := range run.Trace.Events {
				if e.Kind == trace.Emitted {
					count[e.Text]++
				}
			}
			return count
		}
		schedule = append(schedule, texts[0])
	}
}

// Aim: options that the text says nothing about are refused.
func TestOptions(t *testing.T) {
	r := request(t, "a: send b x\nb: recv a")
	r.Options = "buffer=1"
	if _, err := printed.HMPL.Setup(r); err == nil {
		t.Error("a buffer of one message is taken")
	}
}

// Aim: the fixed layout of messages and the codec say the same. Method: each kind that has a header
// there and back, and every header cut short.
func TestHeaders(t *testing.T) {
	payload := core.Payload{ID: core.MsgID{From: 3, Number: 300}}
	for _, m := range []*printed.Message{
		{Kind: printed.M, SSN: 1, Payload: payload}, {Kind: printed.Ack, SSN: 200, RSN: 2},
		{Kind: printed.AckOfAck, SSN: 3}, {Kind: printed.Saved, RSN: 4},
		{Kind: printed.Erase, SSN: 5}, {Kind: printed.Put,
			Entries: []printed.Entry{{Peer: 2, SSN: 1, RSN: 9, Payload: payload}}},
	} {
		header, ok := m.AppendHeader(nil)
		got := new(printed.Message)
		if err := got.ParseHeader(header, 0); !ok || err != nil ||
			!bytes.Equal(core.Encode(got), core.Encode(m)) {
			t.Errorf("%+v: %v, %v, %+v", m, ok, err, got)
		}
		for n := range header {
			if got.ParseHeader(header[:n], 0) == nil {
				t.Errorf("%+v: %d of %d bytes are a header", m, n, len(header))
			}
		}
	}
	if _, ok := (&printed.Message{Kind: printed.Freeze}).AppendHeader(nil); ok {
		t.Error("a message without a fixed layout has one")
	}
}
