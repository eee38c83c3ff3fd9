package world_test

import (
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// singleCopy prepares one server with the only copy of a register, and clients each of which
// writes a value of its own and, when that is confirmed, reads. The states differ mostly in what
// clients have seen: the monitor of linearizability has nearly all to do.
func singleCopy(clients int) func() (world.Case, error) {
	return func() (world.Case, error) {
		s := &core.Setup{
			Protocol:   "single-copy",
			NewMessage: func() core.Message { return new(request) },
			Promises:   promise.Promises{Register: true},
			New: func(p core.Proc) core.Machine {
				if p == 0 {
					return new(copyHolder)
				}
				return &asker{value: string(rune('A' - 1 + p))}
			},
		}
		s.Layout.Names = []string{"r"}
		for i := range clients {
			s.Layout.Names = append(s.Layout.Names, "c"+string(rune('1'+i)))
		}
		return world.Case{Setup: s, Model: fault.Model{Unordered: true}}, s.Validate()
	}
}

// request is what a client asks for, or the answer.
type request struct {
	_     struct{} `cbor:",toarray"`
	Write bool
	Value string
}

// Describe implements core.Message.
func (r *request) Describe() trace.Wire {
	if r.Write {
		return trace.Wire{Kind: "Write", Text: r.Value}
	}
	return trace.Wire{Kind: "Read", Text: r.Value}
}

// copyHolder holds what was written last.
type copyHolder struct {
	core.Service
	s struct {
		_     struct{} `cbor:",toarray"`
		Value string   `json:"value"`
	}
}

func (h *copyHolder) State() []any { return []any{&h.s} }

func (h *copyHolder) Step(in core.Input, out []core.Effect) []core.Effect {
	if in.Kind != core.Received {
		return out
	}
	answer := *in.Message.(*request)
	if answer.Write {
		h.s.Value, answer.Value = answer.Value, ""
	} else {
		answer.Value = h.s.Value
	}
	return append(out, core.SendTo(in.From, &answer))
}

// asker is a client.
type asker struct {
	core.Service
	value string
	s     struct {
		_       struct{} `cbor:",toarray"`
		Reading bool     `json:"reading"`
	}
}

func (a *asker) State() []any { return []any{&a.s} }

func (a *asker) Step(in core.Input, out []core.Effect) []core.Effect {
	switch {
	case in.Kind == core.Start:
		out = append(out, core.Effect{Kind: core.Invoke, Key: "write " + a.value})
		return append(out, core.SendTo(0, &request{Write: true, Value: a.value}))
	case in.Kind != core.Received:
		return out
	}
	out = append(out, core.Effect{Kind: core.Return, Key: in.Message.(*request).Value})
	if a.s.Reading {
		return out
	}
	a.s.Reading = true
	out = append(out, core.Effect{Kind: core.Invoke, Key: "read"})
	return append(out, core.SendTo(0, &request{}))
}

// client is the history of a client: its operations, and how many of each other client had ended
// when each of them began.
type client struct {
	open bool
	did  []string
	saw  [][]int
}

// wholeHistory remembers what all clients did and which of their operations overlapped.
var wholeHistory = spec.Property{
	Name: "whole-history", Kind: spec.Monitor,
	Watched: []trace.Kind{trace.Invoked, trace.Returned},
	Memory: &spec.Remembers[[]client]{Observe: func(f *spec.Facts, all *[]client,
		e trace.Event) string {
		if *all == nil {
			*all = make([]client, len(f.Layout.Names))
		}
		c := &(*all)[e.Proc]
		c.did = append(c.did, e.Text)
		if c.open = e.Kind == trace.Invoked; c.open {
			saw := make([]int, len(*all))
			for i, other := range *all {
				saw[i] = len(other.did) / 2
			}
			c.saw = append(c.saw, saw)
		}
		return ""
	}},
}

// TestSingleCopy compares the numbers of states with the published ones of the same service
// elsewhere, where the history of the clients' operations is part of the state; and with those of
// the house, whose memory holds only what the history leaves possible: fewer states, and no other
// answer.
func TestSingleCopy(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		clients    int
		properties []spec.Property
		states     int
	}{{2, []spec.Property{wholeHistory}, 93}, {2, nil, 67}, {4, nil, 62_461},
		{4, []spec.Property{wholeHistory}, 400_233}} {
		if tt.states > 100_000 && !effort.Long() {
			continue
		}
		c, err := singleCopy(tt.clients)()
		if err != nil {
			t.Fatal(err)
		}
		c.Properties = tt.properties
		out, err := world.Check(t.Context(), c, checker.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if out.Verdict != spec.Holds || out.States != tt.states {
			t.Errorf("%d clients, %d properties: %v %s with %d states, want %d", tt.clients,
				len(tt.properties), out.Verdict, out.Reason, out.States, tt.states)
		}
	}
}
