package causal_test

import (
	"testing"

	"github.com/domino-check/domino/checker/square"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol/camel"
	"github.com/domino-check/domino/impl/protocol/causal"
	"github.com/domino-check/domino/spec/trace"
)

// from is the input that a message of a rank arrives.
func from(p core.Proc, m causal.Message) core.Input {
	return core.Input{Kind: core.Received, From: p, Message: &m}
}

// receives is the program step that receives from a rank.
func receives(r core.Rank) core.Input {
	return core.Input{Kind: core.Advance, Choice: core.ReceiveChoice(r, -1)}
}

// arrives is an application message between two lives, with determinants.
func arrives(r core.Rank, ssn uint32, life, to core.Incarnation, dets ...causal.Det) core.Input {
	m := app(r, ssn)
	m.Inc, m.To, m.Dets = life, to, dets
	return from(r.Proc(), m)
}

// received is the determinant of a reception of rank 0.
func received(rsn causal.RSN, sender core.Rank, ssn uint32) causal.Det {
	return causal.Det{Recver: 0, RSN: rsn, Sender: sender, SSN: causal.SSN(ssn),
		ID: core.MsgID{From: sender, Number: ssn}, Index: uint32(rsn), Holders: 2}
}

var (
	started  = core.Input{Kind: core.Start}
	restarts = core.Input{Kind: core.Restore, Incarnation: 1}
	advances = core.Input{Kind: core.Advance}
)

// answers is what another rank says to the new life of rank 0, ended that it has sent everything
// again.
func answers(p core.Proc, dets ...causal.Det) core.Input {
	return from(p, causal.Message{Kind: causal.Answer, To: 1, For: 1, Round: 1, Dets: dets})
}

func ended(p core.Proc) core.Input {
	return from(p, causal.Message{Kind: causal.ReplayEnd, To: 1})
}

// recovers is the request of a new life of a rank.
func recovers(p core.Proc) core.Input {
	return from(p, causal.Message{Kind: causal.Recover, Inc: 1, Round: 1,
		Lives: make([]core.Incarnation, 3)})
}

// acknowledged says that rank 1 has determinants.
func acknowledged(dets ...causal.Det) core.Input {
	return from(1, causal.Message{Kind: causal.Ack, Dets: dets})
}

// third is the determinant of a reception of rank 1.
var third = causal.Det{Recver: 1, RSN: 1, Sender: 2, SSN: 2}

const (
	taker = "y: recv a; recv b; send b\na: send y; send y\nb: send y; recv y"
	asker = "y: send a; recv a; recv b\na: recv y; send y\nb: send y"
)

// TestCommutes holds the claims of SCMEL against squares, one for each clause and its opposite.
func TestCommutes(t *testing.T) {
	back := []core.Input{restarts, answers(1, received(1, 1, 1)), answers(2)}
	far := []core.Input{restarts, answers(1, received(1, 1, 1), received(2, 2, 1)), answers(2)}
	after := func(list []core.Input, more ...core.Input) []core.Input {
		return append(append([]core.Input{}, list...), more...)
	}
	first := []core.Input{started}
	one, two := causal.Options{F: 1}, causal.Options{F: 2}
	gap := arrives(1, 2, 0, 0, third)
	gap.Message.(*causal.Message).Seq = 2
	next := arrives(1, 1, 0, 0)
	next.Message.(*causal.Message).Seq = 1
	for _, tt := range []struct {
		name   string
		text   string
		o      causal.Options
		before []core.Input
		step   core.Input
		other  core.Input
		claims bool
	}{
		{"a message, a failure of another rank", taker, one, first, arrives(1, 1, 0, 0),
			recovers(2), true},
		{"a message, the receive of another", taker, one, after(first, arrives(1, 1, 0, 0)),
			arrives(2, 1, 0, 0), receives(1), true},
		{"a message, an answer", taker, one, after(first, restarts, answers(1)),
			arrives(2, 1, 0, 1), answers(2), true},
		{"a message that is news of a life", asker, one, first, arrives(1, 1, 1, 0), advances,
			false},
		{"a message with a determinant of a third one", asker, two, first,
			arrives(2, 1, 0, 0, third), advances, false},
		{"a message that another one waits for", asker, causal.Options{F: 2, Unordered: true},
			after(first, gap), next, advances, false},
		{"a message that is early", taker, causal.Options{F: 1, Errata: causal.Set(0).With(
			causal.S10)}, far, arrives(2, 1, 0, 1), arrives(1, 1, 0, 1), false},
		{"a message behind a later one", taker, one, after(first, arrives(1, 4, 0, 0)),
			arrives(1, 2, 0, 0), receives(1), false},
		{"a message to another life", asker, one, first, arrives(1, 1, 1, 7), advances, true},
		{"an acknowledgement to another life", taker, one, first,
			from(1, causal.Message{Kind: causal.Ack, To: 7}), recovers(1), true},
		{"an acknowledgement", "y: recv a; send a; send b\na: send y; recv y\nb: recv y", one,
			after(first, arrives(1, 1, 0, 0), receives(1), advances),
			acknowledged(received(1, 1, 1)), advances, false},
		{"a request", taker, one, after(first, arrives(1, 1, 0, 0), receives(1),
			arrives(2, 1, 0, 0), receives(2)), recovers(2), advances, false},
		{"a request, an answer", taker, one, []core.Input{restarts}, recovers(2), answers(1),
			false},
		{"an answer, a request", taker, two, []core.Input{restarts}, answers(1, received(1, 1, 1)),
			recovers(2), false},
		{"the end of the program, a request", "y: recv a\na: send y\nb: output", one,
			after(first, arrives(1, 1, 0, 0), receives(1)), advances, recovers(1), true},
		{"a receive, a request", taker, one, after(first, arrives(1, 1, 0, 0)), receives(1),
			recovers(1), true},
		{"a receive, an acknowledgement", "y: recv a; send a; recv a\na: send y; recv y; send y\n" +
			"b: output", one, after(first, arrives(1, 1, 0, 0), receives(1), advances,
			arrives(1, 2, 0, 0)), receives(1), acknowledged(received(1, 1, 1)), true},
		{"the last recorded receive, the end of the replay", taker, one,
			after(back, arrives(1, 1, 0, 1), ended(1)), receives(1), ended(2), false},
		{"a receive behind the recorded ones, the end of the replay", taker, one,
			after(back, arrives(1, 1, 0, 1), ended(1), receives(1), arrives(2, 1, 0, 1)),
			receives(2), ended(2), false},
		{"a recorded receive before others, the end of the replay", taker, one,
			after(far, arrives(1, 1, 0, 1), ended(1)), receives(1), ended(2), true},
		{"a receive that a third one knows of", "y: recv a; recv b\na: send y\nb: send y", two,
			after([]core.Input{restarts, answers(1), answers(2), ended(1), ended(2)},
				arrives(1, 1, 0, 1)), receives(1),
			arrives(2, 1, 0, 1, received(1, 2, 1)), false},
	} {
		setup, _ := setups(t, tt.text, tt.o)
		check(t, setup, tt.name, 0, tt.before, tt.step, tt.other, tt.claims)
	}
}

// check is one square of a rank.
func check(t *testing.T, setup *core.Setup, name string, rank core.Proc, before []core.Input,
	step, other core.Input, claims bool) {
	t.Helper()
	c := square.Case{New: func() core.Machine { return setup.New(rank) }, Before: before,
		Step: step, Other: other, Claims: claims}
	if problem := c.Wrong(); problem != "" {
		t.Errorf("%s: %s", name, problem)
	}
}

// TestCommutesInTrees does the same for what a protocol adds that passes on multicasts and
// contributions.
func TestCommutesInTrees(t *testing.T) {
	cast := func(life, to core.Incarnation, number uint32) causal.Message {
		return causal.Message{Kind: causal.Multicast, To: to, SSN: 1, Group: 1, Number: number,
			Origin: 0, For: life, Payload: app(0, number).Payload}
	}
	part := from(2, causal.Message{Kind: causal.Contribution, Group: 1, Number: 1,
		Payload: core.Payload{ID: core.MsgID{From: 2, Number: 1}, Data: make([]byte, 8)}})
	complete := from(1, causal.Message{Kind: causal.Completed, Group: 1, Number: 1})
	request := from(0, causal.Message{Kind: causal.Recover, Inc: 1, Round: 1,
		Lives: make([]core.Incarnation, 3)})
	chain := "group g: r > t; t > w\n"
	flat := "group g: r > t w\nr: contribute g; recv g\nt: contribute g\nw: contribute g"
	casts := chain + "r: multicast g; multicast g\nt: recv g; recv g\nw: recv g; recv g"
	sums := chain + "r: contribute g; recv g; send t\nt: contribute g; recv r\n" +
		"w: contribute g; recv t"
	named := chain + "r: contribute g; recv g; send t; send w\nt: contribute g; recv r\n" +
		"w: contribute g; recv r"
	results := []core.Input{restarts}
	for p := range core.Proc(2) {
		results = append(results, answers(p+1, causal.Det{RSN: causal.RSN(p + 1),
			Sender: core.Rank(p + 1), SSN: 1, Group: 1, ID: core.MsgID{Number: 1}, Index: 1}))
	}
	results = append(results, advances)
	for p := range core.Proc(2) {
		results = append(results, from(p+1, causal.Message{Kind: causal.Contribution, To: 1,
			Group: 1, Number: 1, Payload: app(core.Rank(p+1), 1).Payload}))
	}
	for _, tt := range []struct {
		name   string
		text   string
		rank   core.Proc
		before []core.Input
		step   core.Input
		other  core.Input
		claims bool
	}{
		{"a multicast", casts, 2, []core.Input{started}, from(1, cast(0, 0, 1)), request, true},
		{"a multicast, also from its root", casts, 2, []core.Input{
			restarts, answers(0), answers(1)}, from(1, cast(0, 1, 1)), from(0, cast(1, 1, 1)),
			false},
		{"a multicast to another life, a contribution", sums, 2, []core.Input{
			restarts, answers(0), answers(1)}, from(1, cast(0, 0, 1)), advances, true},
		{"the last recorded result, the end of the replay", flat, 0, append(results, ended(1)),
			receives(core.Group(1).Source()), ended(2), false},
		{"a receive, a part that makes a round complete", named, 1, []core.Input{started, advances,
			arrives(0, 1, 0, 0)}, receives(0), part, false},
		{"a contribution, that of oneself", named, 1, []core.Input{started}, part, advances, false},
		{"a complete round", named, 2, []core.Input{started, advances}, complete, request, true},
		{"a complete round before its contribution", sums, 2, []core.Input{started}, complete,
			advances, false},
	} {
		suite, err := script.Read(tt.text, 1)
		if err != nil {
			t.Fatal(err)
		}
		layout := trace.Layout{Names: suite.Names, Ranks: len(suite.Names), Trees: suite.Trees}
		setup, err := camel.NewSetup(layout, suite.Programs, causal.Options{F: 1})
		if err != nil {
			t.Fatal(err)
		}
		check(t, setup, tt.name, tt.rank, tt.before, tt.step, tt.other, tt.claims)
	}
}
