package radic_test

import (
	"strings"
	"testing"

	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/pessimistic"
	"github.com/domino-check/domino/impl/protocol/radic"
	"github.com/domino-check/domino/spec/fault"
)

// Aim: what is beyond the promises is refused before anything is searched, with the reason; what is
// within them is not. Method: the largest model that is taken, and one more, counted by hand.
func TestLimits(t *testing.T) {
	const alone, talk, apart = "a:", "a: send b m\nb: recv a\nc:", "a:\nb:\nc:"
	far := func(n int) fault.Model { return fault.Model{Failures: n, Settled: true} }
	tests := []struct {
		name     string
		program  string
		protocol pessimistic.Protocol
		options  radic.Options
		fine     fault.Model
		more     fault.Model
		want     string // part of the reason
	}{
		{"one node is left", alone, pessimistic.RBML, radic.Options{Nodes: 3, Spares: 1},
			fault.Model{Failures: 2}, fault.Model{Failures: 3}, "one has to be left"},
		{"one leaves, one is left", alone, pessimistic.RBML, radic.Options{Nodes: 3, Leaves: 1},
			fault.Model{Failures: 1}, fault.Model{Failures: 2}, "one has to be left"},
		{"no spare, a guest", talk, pessimistic.SBML, radic.Options{}, far(1), far(2),
			"may share a node"},
		{"one spare, no guest", talk, pessimistic.SBML, radic.Options{Nodes: 4, Spares: 1}, far(2),
			far(3), "may share a node"},
		{"guests that do not talk", apart, pessimistic.SBML, radic.Options{}, far(2), far(3),
			"one has to be left"},
		{"a node leaves, nobody talks", apart, pessimistic.SBML, radic.Options{Leaves: 1},
			far(1), far(2), "one has to be left"},
		{"a node leaves with orders", talk, pessimistic.SBML, radic.Options{Leaves: 1, Spares: 3},
			fault.Model{}, far(1), "what its ranks were told after their last checkpoint"},
		{"a node that lives is given up", alone, pessimistic.RBML,
			radic.Options{Nodes: 3, Zombies: true}, fault.Model{Suspicions: 2},
			fault.Model{Suspicions: 2, Failures: 1}, "start nothing again"},
		{"a node that lives is suspected", alone, pessimistic.RBML,
			radic.Options{Nodes: 3, Zombies: true}, fault.Model{Suspicions: 1, Failures: 2},
			fault.Model{Suspicions: 3}, "the model has 3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			setup, err := newSetup(tt.program, tt.protocol, nil, tt.options)
			if err != nil {
				t.Fatal(err)
			}
			if got := world.Beyond(setup, &tt.fine); got != "" {
				t.Errorf("%+v is refused: %s", tt.fine, got)
			}
			if got := world.Beyond(setup, &tt.more); !strings.Contains(got, tt.want) {
				t.Errorf("%+v: got %q, want %q", tt.more, got, tt.want)
			}
		})
	}
}

// Aim: an observer that looks for a rank asks the nodes that came later, too. Method: single steps:
// everybody who was there from the start names the node where the rank is not.
func TestObserverAsksWhoCameLater(t *testing.T) {
	setup, err := newSetup("a: recv b\nb: send a m\nc:", pessimistic.RBML, nil,
		radic.Options{Joins: 1})
	if err != nil {
		t.Fatal(err)
	}
	const n1, n2, joined = core.Proc(6), core.Proc(7), core.Proc(9)
	b := setup.New(1)
	b.Step(core.Input{Kind: core.Start}, nil)
	step := func(from core.Proc, m *radic.Message) (asked core.Proc) {
		for _, e := range b.Step(core.Input{Kind: core.Received, From: from, Message: m}, nil) {
			if e.Kind == core.SendMessage && e.Message.Describe().Kind == "WhereIs" {
				asked = e.To
			}
		}
		return asked
	}
	last := step(0, &radic.Message{Kind: radic.Moved, At: n1})
	for range 3 {
		next := step(last, &radic.Message{Kind: radic.Where, About: 0,
			Rows: []radic.Row{{Rank: 0, Host: n1, Protector: n2}}})
		if next == 0 {
			t.Fatalf("%d was asked, and nobody after it", last)
		}
		last = next
	}
	if last != joined {
		t.Errorf("the last one that was asked is %d, want %d", last, joined)
	}
}
