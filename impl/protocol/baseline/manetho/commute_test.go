package manetho

import (
	"testing"

	"github.com/domino-check/domino/checker/square"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/part/link"
	"github.com/domino-check/domino/spec/trace"
)

// brings is a message of the program of a rank, what it tells of itself and what it carries.
func brings(from core.Rank, number uint32, to core.Incarnation, tells uint32,
	dets ...link.Det) core.Input {
	m := &Message{To: to}
	m.Link.Data = link.Data{Number: number, Phase: tells, Dets: dets,
		Payload: core.Payload{ID: core.MsgID{From: from, Number: number}, Data: make([]byte, 8)}}
	return core.Input{Kind: core.Received, From: from.Proc(), Message: m}
}

// says is a control message.
func says(from core.Proc, c control) core.Input {
	c.Lines, c.Stable = make([]uint32, 3), make([]uint32, 3)
	return core.Input{Kind: core.Received, From: from, Message: say(c)}
}

// TestCommutes holds each claim, and what it asks for, against the square of both orders.
func TestCommutes(t *testing.T) {
	const text = "y: send a; recv a; send a; recv b; send b\na: send y; recv y\nb: send y; recv y"
	start := core.Input{Kind: core.Start}
	restart := core.Input{Kind: core.Restore, Incarnation: 1}
	next := core.Input{Kind: core.Advance}
	takes := func(r core.Rank) core.Input {
		return core.Input{Kind: core.Advance, Choice: core.ReceiveChoice(r, -1)}
	}
	request := func(p core.Proc) core.Input {
		lives := make([]core.Incarnation, 3)
		lives[p] = 1
		return says(p, control{Kind: request, Life: 1, Round: 1, Lives: lives})
	}
	answer := func(p core.Proc, dets ...link.Det) core.Input {
		return says(p, control{Kind: answer, For: 1, Round: 1, Dets: dets})
	}
	recorded := link.Det{Receiver: 0, Place: 1, Sender: 1, Number: 1,
		ID: core.MsgID{From: 1, Number: 1}}
	third := link.Det{Receiver: 2, Place: 1, Sender: 1, Number: 1}
	back := []core.Input{restart, answer(1, recorded), answer(2)}
	sent := []core.Input{start, next}
	// y has told a of its reception by its second message
	told := []core.Input{start, next, brings(1, 1, 0, 0), takes(1), next, brings(2, 1, 0, 0)}
	all := append(append([]core.Input{}, told...), takes(2), next)
	after := func(list []core.Input, more ...core.Input) []core.Input {
		return append(append([]core.Input{}, list...), more...)
	}
	for _, tt := range []struct {
		name    string
		options string
		errata  core.Switches
		before  []core.Input
		step    core.Input
		other   core.Input
		claims  bool
	}{
		{"the end, a request", "keep=family", 0, all, next, request(1), true},
		{"a recorded receive, a request", "keep=family", 0, after(back, next, brings(1, 1, 1, 0)),
			takes(1), request(2), true},
		{"a new receive, a request", "keep=family", 0, after(sent, brings(1, 1, 0, 0)), takes(1),
			request(2), false},
		{"a message to a former life", "keep=family", 0, back, brings(1, 1, 0, 0), next, true},
		{"an answer, a request", "keep=family", 0, []core.Input{restart}, answer(1, recorded),
			request(2), false},
		{"a message, a send to its sender", "keep=family", 0, []core.Input{start},
			brings(1, 1, 0, 0), next, false},
		{"a message, a send to its sender, with the store", "keep=store", 0, []core.Input{start},
			brings(1, 1, 0, 0), next, true},
		{"a message at the end, a request", "keep=family", 0, after(all, next),
			brings(1, 2, 0, 0), request(2), true},
		{"a message that confirms, a request", "keep=family", 0, after(all, next),
			brings(1, 2, 0, 2), request(2), true},
		{"a message while others answer, a failure", "keep=store", 0, []core.Input{restart},
			brings(1, 1, 1, 0), request(2), false},
		{"a message of a life of which nobody has told", "keep=store", 0, []core.Input{start},
			lively(brings(1, 1, 0, 0), 1), brings(1, 1, 0, 0), false},
		{"a message with a determinant", "keep=store", 0, []core.Input{start},
			brings(2, 1, 0, 0, third), next, false},
		{"a determinant of which its sender was not known to have it", "keep=store", 0,
			[]core.Input{start, brings(2, 1, 0, 0, third)}, brings(1, 1, 0, 0, third), next,
			false},
		{"a message with a determinant that is known", "keep=store", 0,
			[]core.Input{start, brings(1, 1, 0, 0, third)}, brings(1, 2, 0, 0, third), next, true},
		{"a message that says what is stable", "keep=store", 0,
			[]core.Input{start, brings(2, 1, 0, 0, third)}, brings(2, 2, 0, 1), next, false},
		{"an erratum", "keep=family", core.Switches(0).With(MN13), back, brings(1, 1, 0, 0), next,
			false},
	} {
		names, programs, err := script.Parse(text, 1)
		if err != nil {
			t.Fatal(err)
		}
		o, err := readOptions(tt.options)
		if err != nil {
			t.Fatal(err)
		}
		s, err := setup("manetho", protocol.Request{Layout: trace.Layout{Names: names, Ranks: 3},
			Programs: programs, Errata: tt.errata}, o, false)
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

// lively is the message of another life of its sender.
func lively(in core.Input, life core.Incarnation) core.Input {
	in.Message.(*Message).Link.Data.Life = life
	return in
}
