package program_test

import (
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/impl/program/script"
)

// queue is a layer with messages that wait in an order of its own.
type queue struct{ order []core.Rank }

func (q *queue) Step(in core.Input, out []core.Effect) []core.Effect {
	if in.Kind != core.Receive {
		return out
	}
	return append(out, core.Effect{Kind: core.Deliver, From: in.From})
}
func (q *queue) State() any                          { return &q.order }
func (q *queue) Ready(core.Rank) bool                { return true }
func (q *queue) Sources(buf []core.Rank) []core.Rank { return append(buf, 1, 2, 3) }
func (q *queue) place(r core.Rank) (place int)       { return indexOf(q.order, r) }
func (q *queue) Before(a, b core.Rank) bool          { return q.place(a) < q.place(b) }
func indexOf(list []core.Rank, r core.Rank) (place int) {
	for list[place] != r {
		place++
	}
	return place
}

// TestQueued: of several receives the one whose message comes first is left, of those that the
// program could take.
func TestQueued(t *testing.T) {
	for text, want := range map[string]core.Choice{
		"a: recv *":                 core.ReceiveChoice(3, -1),
		"a: recv c":                 core.ReceiveChoice(2, -1),
		"a: post c; post b; wait":   core.ReceiveChoice(1, 1),
		"a: post c; post *; wait":   core.ReceiveChoice(3, 1),
		"a: post c; recv b":         core.ReceiveChoice(1, -1),
		"a: post c; send b; recv b": 0,
	} {
		_, programs, err := script.Parse(text+"\nb: send a\nc: send a\nd: send a", 1)
		if err != nil {
			t.Fatal(err)
		}
		h := program.NewHost(0, programs[0], func(core.Application) core.Layer {
			return &queue{order: []core.Rank{3, 1, 2}}
		}).PostsWait()
		h.Step(core.Input{Kind: core.Start}, nil)
		for range 2 { // the posts, which are no receives yet
			if c := h.Choices(nil); len(c) == 1 && c[0] == 0 && want != 0 {
				h.Step(core.Input{Kind: core.Advance}, nil)
			}
		}
		if want == 0 {
			h.Step(core.Input{Kind: core.Advance}, nil)
		}
		if got := h.Choices(nil); len(got) != 1 || got[0] != want {
			t.Errorf("%s: choices %v, want %v", text, got, want)
		}
	}
}
