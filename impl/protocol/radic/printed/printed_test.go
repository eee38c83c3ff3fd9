package printed_test

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/radic"
	"github.com/domino-check/domino/impl/protocol/radic/printed"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// setup is radic-hmpl in a form.
func setup(t *testing.T, variant, options, program string) *core.Setup {
	t.Helper()
	names, programs, err := script.Parse(program, 1)
	if err != nil {
		t.Fatal(err)
	}
	list := protocol.List(printed.Beside(radic.Protocols()))
	p, err := list.Find("radic-hmpl")
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.Make(protocol.Request{Layout: trace.Layout{Names: names, Ranks: len(names)},
		Programs: programs, Variant: variant, Options: options})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Aim: what a failure costs the control plane, as the table of the package says. Method: one run of
// two ranks in order, in which N1 with a fails first; messages of the control plane by kind. The
// checkpoint as printed (2.3.4) flushes channels, so b looks for a. In the second run N1 was the
// protector of b, too, and the protector of a is the new one of both.
func TestMessages(t *testing.T) {
	tests := []struct {
		name, variant, options string
		want                   map[string]int
	}{
		{"spare", "published", "nodes=4 spares=1", map[string]int{"Ask": 1, "Answer": 1,
			"Transfer": 1, "Adopted": 1, "Restored": 1, "Own": 1, "Moved": 1, "WhereIs": 1,
			"Where": 1, "Learn": 1}},
		{"spare", "repaired", "nodes=4 spares=1", map[string]int{"Probe": 1, "Ask": 1, "Answer": 1,
			"Transfer": 1, "Adopted": 1, "Link": 1, "Linked": 1}},
		{"basic", "published", "nodes=3 ring=-1", map[string]int{"Restored": 1, "Own": 1,
			"SetProtector": 2, "Protect": 2, "Begin": 2, "Renewed": 2, "Moved": 1, "WhereIs": 1,
			"Where": 1, "Learn": 1}},
		{"basic", "repaired", "nodes=3 ring=-1", map[string]int{"Probe": 1, "Transfer": 1,
			"Adopted": 1, "Link": 1, "Linked": 1, "NewLogger": 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name+" "+tt.variant, func(t *testing.T) {
			s := setup(t, tt.variant, tt.options, "a: output\nb: output")
			model := fault.Model{Failures: 1}
			w, err := world.New(world.Config{Setup: s, Model: model,
				Facts: world.FactsOf(s, &model, nil)})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, kinds(t, w)); diff != "" {
				t.Errorf("messages (-want +got):\n%s", diff)
			}
		})
	}
}

// kinds lets N1 fail, takes the first event again and again, to the end, and counts the messages of
// the control plane.
func kinds(t *testing.T, w *world.World) map[string]int {
	t.Helper()
	schedule := []string{"crash N1"}
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
			maps.DeleteFunc(count, func(kind string, _ int) bool { return below[kind] })
			return count
		}
		schedule = append(schedule, texts[0])
	}
}

// below are the messages of the logging protocols.
var below = map[string]bool{"Fetch": true, "Fetched": true, "Freeze": true, "Flushed": true,
	"Allow": true, "Image": true, "Stored": true, "Connect": true, "LogFetch": true,
	"LogData": true, "Save": true, "SaveOk": true}

// Aim: FIFO answers of a spare: the second protector is answered when the first one has what it
// asked for, and is told that the spare is busy. Method: the machine of the spare alone.
func TestFIFO(t *testing.T) {
	s := setup(t, "published", "nodes=4 spares=1", "a: output\nb: output")
	spare := core.Proc(len(s.Layout.Names) - 1)
	n2, n4 := spare-3, spare-1
	m := s.New(spare)
	m.Step(core.Input{Kind: core.Start}, nil)
	step := func(from core.Proc, kind printed.Kind, row printed.Row) (answers []string) {
		for _, e := range m.Step(core.Input{Kind: core.Received, From: from,
			Message: &printed.Message{Kind: kind, Rows: []printed.Row{row}}}, nil) {
			if e.Kind == core.SendMessage {
				wire := e.Message.Describe()
				answers = append(answers, s.Layout.Names[e.To]+" "+wire.Kind+" "+wire.Text)
			}
		}
		return answers
	}
	a := printed.Row{Rank: 0, Host: spare, Protector: n2}
	got := [][]string{step(n2, printed.Ask, a),
		step(n4, printed.Ask, printed.Row{Rank: 1, Host: spare, Protector: n4}),
		step(n2, printed.Transfer, a)}
	want := [][]string{{"N2 Answer free"}, nil, {"N2 Adopted ", "N4 Answer busy"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
}

// Aim: options that the text says too little about are refused, and those that it is about not.
func TestOptions(t *testing.T) {
	names, programs, err := script.Parse("a: send b x\nb: recv a", 1)
	if err != nil {
		t.Fatal(err)
	}
	for options, ok := range map[string]bool{"": false, "nodes=3": true, "nodes=4 ring=-1": true,
		"nodes=3 spares=2 capacity=1": true, "nodes=3 joins=1": false, "nodes=3 leaves=1": false,
		"nodes=3 rejoin=yes": false, "nodes=3 zombies=yes": false, "nodes=3 buffer=1": false,
		"nodes=3 heartbeat=1 watchdog=2": false} {
		_, err := printed.HMPL.Setup(protocol.Request{Programs: programs, Options: options,
			Layout: trace.Layout{Names: names, Ranks: len(names)}})
		if (err == nil) != ok {
			t.Errorf("options %q: %v, want accepted: %t", options, err, ok)
		}
	}
}
