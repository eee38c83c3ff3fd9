package pessimistic_test

import (
	"testing"

	"github.com/domino-check/domino/checker/square"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol/pessimistic"
	"github.com/domino-check/domino/spec/trace"
)

// TestCommutes holds each claim of SBML, and what it asks for, against the square of both orders.
func TestCommutes(t *testing.T) {
	const text = "p: recv q; recv r\nq: send p\nr: send p"
	arrives := func(from core.Proc, m pessimistic.Message) core.Input {
		m.Payload = core.Payload{ID: core.MsgID{From: core.Rank(from), Number: 1},
			Data: make([]byte, 8)}
		return core.Input{Kind: core.Received, From: from, Message: &m}
	}
	data := func(from core.Proc, life core.Incarnation) core.Input {
		return arrives(from, pessimistic.Message{Kind: pessimistic.Data, SSN: 1, Life: life})
	}
	takes := func(r core.Rank) core.Input {
		return core.Input{Kind: core.Advance, Choice: core.ReceiveChoice(r, -1)}
	}
	recall := func(p core.Proc) core.Input {
		return arrives(p, pessimistic.Message{Kind: pessimistic.Recall, Life: 1})
	}
	recalled := func(p core.Proc) core.Input {
		return arrives(p, pessimistic.Message{Kind: pessimistic.Recalled, Life: 1})
	}
	recorded := arrives(1, pessimistic.Message{Kind: pessimistic.OrderOk, SSN: 1, RSN: 1})
	start := core.Input{Kind: core.Start}
	again := []core.Input{{Kind: core.Restore, Incarnation: 1}, recalled(1), recalled(2),
		data(1, 0)}
	for _, tt := range []struct {
		name   string
		errata core.Switches
		before []core.Input
		step   core.Input
		other  core.Input
		claims bool
	}{
		{"the end, a failure", 0, []core.Input{start, data(1, 0), data(2, 0), takes(1), takes(2)},
			core.Input{Kind: core.Advance}, recall(1), true},
		{"a place is recorded, a failure", 0, []core.Input{start, data(1, 0), takes(1)}, recorded,
			recall(2), true},
		{"a place is recorded, a receive", 0,
			[]core.Input{start, data(1, 0), data(2, 0), takes(1)}, recorded, takes(2), true},
		{"the place of a former life, a receive", 0, again, recorded, takes(1), true},
		{"the place of a former life is taken, a receive",
			core.Switches(0).With(pessimistic.M25), again, recorded, takes(1), false},
		{"a receive, a failure of its sender", 0, []core.Input{start, data(1, 0)}, takes(1),
			recall(1), false},
		{"a message, a copy of it", 0, []core.Input{start}, data(1, 1), data(1, 0), false},
	} {
		names, programs, err := script.Parse(text, 1)
		if err != nil {
			t.Fatal(err)
		}
		s, err := pessimistic.NewSetup(pessimistic.SBML, trace.Layout{Names: names, Ranks: 3},
			programs, pessimistic.Options{Errata: tt.errata})
		if err != nil {
			t.Fatal(err)
		}
		c := square.Case{New: func() core.Machine { return s.New(0) }, Before: tt.before,
			Step: tt.step, Other: tt.other, Claims: tt.claims}
		if problem := c.Wrong(); problem != "" {
			t.Errorf("%s: %s", tt.name, problem)
		}
	}
}
