package teams_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/baseline/coordinated"
	"github.com/domino-check/domino/impl/protocol/baseline/ho"
	"github.com/domino-check/domino/impl/protocol/baseline/manetho"
	"github.com/domino-check/domino/impl/protocol/baseline/pessimistic"
	"github.com/domino-check/domino/impl/protocol/baseline/teams"
	"github.com/domino-check/domino/impl/protocol/baseline/yang"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// form is a protocol with its options.
type form struct{ protocol, options string }

// list are the protocols that are compared.
func list() protocol.List {
	return protocol.List{coordinated.Protocol, pessimistic.Protocol, teams.Protocol, yang.Protocol,
		ho.Protocol, manetho.Teams}
}

// TestComposition: with one group a protocol over groups is the coordinated checkpoint, and with
// each rank a group it is the flat protocol: as many states and transitions, with a failure and
// checkpoints where programs take them, and as many messages of each kind. Programs have no outputs
// here: coordinated holds one until the line has it, and asks for a checkpoint, while over one
// group nothing is promised of outputs, which leave at once. Nor have they posted receives, which
// complete anywhere for coordinated, and where the program waits for the others.
func TestComposition(t *testing.T) {
	programs := []string{
		"a: send b x; recv b\nb: recv a; checkpoint; send a y",
		"a: send c x; recv c\nb: send c z\nc: recv a; recv b; send a y",
		"a: send b x; send b y; checkpoint\nb: recv a; recv a; checkpoint",
	}
	for _, text := range programs[:effort.Of(2, 3)] {
		names := strings.Fields("a b c")[:strings.Count(text, "\n")+1]
		one, alone := strings.Join(names, " "), strings.Join(names, " | ")
		for _, c := range []struct {
			flat     form
			clusters string
			over     []form
		}{
			{form{"coordinated", "style=markers"}, one,
				[]form{{"teams", "style=teams"}, {"yang", ""}, {"ho", ""}, {"causal-teams", ""}}},
			{form{"coordinated", "style=blocking"}, one, []form{{"teams", "style=correlated"}}},
			{form{"pessimistic", "mode=sender"}, alone,
				[]form{{"teams", "style=teams"}, {"teams", "style=correlated"}, {"yang", ""}}},
		} {
			want, kinds := explored(t, c.flat, text, ""), sent(t, c.flat, text, nil)
			for _, f := range c.over {
				if got := explored(t, f, text, c.clusters); got != want {
					t.Errorf("%v over %s: %s, %v: %s\n%s", f, c.clusters, got, c.flat, want, text)
				}
				got := sent(t, f, text, groups(c.clusters))
				if diff := cmp.Diff(kinds, got); diff != "" {
					t.Errorf("%v over %s: messages (-%v +got):\n%s", f, c.clusters, c.flat, diff)
				}
			}
		}
	}
}

// groups are the clusters of ranks that are named in order.
func groups(clusters string) (list []int) {
	for k, part := range strings.Split(clusters, "|") {
		for range strings.Fields(part) {
			list = append(list, k)
		}
	}
	return list
}

// explored is how large the whole is, of which nothing is left out: what may be left out is claimed
// by each protocol for itself.
func explored(t *testing.T, f form, program, clusters string) string {
	t.Helper()
	s := &scenarios.Scenario{Name: "composition", Title: "composition", Protocol: f.protocol,
		Options: f.options, Clusters: clusters, Program: program, Variant: "repaired",
		Expect: string(spec.Holds)}
	s.Model.Failures = 1
	a, err := verify.Check(t.Context(), list(), s, verify.Options{Order: checker.BreadthFirst})
	if err != nil {
		t.Fatal(f, err)
	}
	return fmt.Sprintf("%v, %d states, %d transitions, %d ends", a.Verdict, a.States,
		a.Transitions, a.Terminals)
}

// sent counts the messages of one run without failures by their kinds: every proc does what it can
// in turn, and what it writes or sends is there at once.
func sent(t *testing.T, f form, text string, clusters []int) map[string]int {
	t.Helper()
	names, programs, err := script.Parse(text, 1)
	if err != nil {
		t.Fatal(err)
	}
	list := list()
	p, err := list.Find(f.protocol)
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.Make(protocol.Request{Options: f.options, Programs: programs,
		Layout: trace.Layout{Names: names, Ranks: len(names), Clusters: clusters}})
	if err != nil {
		t.Fatal(err)
	}
	machines, kinds := make([]core.Machine, len(names)), map[string]int{}
	for i := range machines {
		machines[i] = s.New(core.Proc(i))
	}
	var step func(core.Proc, core.Input)
	step = func(p core.Proc, in core.Input) {
		for _, e := range machines[p].Step(in, nil) {
			switch {
			case e.Kind == core.SendMessage:
				kinds[e.Message.Describe().Kind]++
				m := s.NewMessage()
				core.CloneMessage(e.Message, m)
				step(e.To, core.Input{Kind: core.Received, From: p, Message: m})
			case e.Kind == core.Persist && e.Value != nil:
				step(p, core.Input{Kind: core.Persisted, Key: e.Key})
			}
		}
	}
	for i := range machines {
		step(core.Proc(i), core.Input{Kind: core.Start})
	}
	for moved := true; moved; {
		moved = false
		for i, m := range machines {
			if c := m.Choices(nil); len(c) > 0 {
				step(core.Proc(i), core.Input{Kind: core.Advance, Choice: c[0]})
				moved = true
			}
		}
	}
	return kinds
}
