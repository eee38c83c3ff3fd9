package pessimistic_test

import (
	"strings"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol/none"
	"github.com/domino-check/domino/impl/protocol/pessimistic"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// question is a program under a protocol and a failure model.
type question struct {
	protocol pessimistic.Protocol
	program  string
	nodes    []int
	options  pessimistic.Options
	model    fault.Model
	victims  string // names, "" = everybody
}

// ask explores the question completely.
func (q question) ask(t *testing.T, o checker.Options) *world.Outcome {
	t.Helper()
	names, programs, err := script.Parse(q.program, 1)
	if err != nil {
		t.Fatal(err)
	}
	layout := trace.Layout{Names: names, Ranks: len(names), Clusters: q.nodes}
	setup, err := pessimistic.NewSetup(q.protocol, layout, programs, q.options)
	if err != nil {
		t.Fatal(err)
	}
	baseline, err := none.NewSetup(trace.Layout{Names: names, Ranks: len(names)}, programs)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Fields(q.victims) {
		for p, n := range setup.Layout.Names {
			if n == name {
				q.model.Victims = append(q.model.Victims, core.Proc(p))
			}
		}
	}
	if q.victims != "" && len(q.model.Victims) != len(strings.Fields(q.victims)) {
		t.Fatalf("of %q only procs %v exist", q.victims, q.model.Victims)
	}
	out, err := world.Check(t.Context(), world.Case{Setup: setup, Baseline: baseline,
		Model: q.model}, o)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Aim: whether failures are related is told from what is lost, not from names or numbers of them.
// Method: odd combinations, each explored completely, with the verdict and, out of the model, its
// reason.
func TestRelated(t *testing.T) {
	const pair, four = "p: send q m\nq: recv p", "a: send c x\nb:\nc: recv a\nd:"
	next := pessimistic.Options{Loggers: pessimistic.Next}
	semi := pessimistic.Options{Semi: true}
	two := fault.Model{Failures: 2}
	const lost = "everything holds, but some failures take a rank and all that protects it: "
	tests := []struct {
		name string
		question
		want   spec.Verdict
		reason string
	}{
		{"no failure", question{pessimistic.HMPL, pair, nil, pessimistic.Options{}, fault.Model{},
			""}, spec.Holds, ""},
		{"one rank that fails alone", question{pessimistic.HMPL, "p: output", nil,
			pessimistic.Options{}, fault.Model{Failures: 1}, ""}, spec.Holds, ""},
		{"one rank and its logger", question{pessimistic.RBML, "p: output", nil,
			pessimistic.Options{}, two, ""}, spec.OutOfModel,
			lost + "p answers unrecoverable: rank 0 failed when its logger had lost image and log"},
		{"a rank and its own logger", question{pessimistic.HMPL, pair, nil, pessimistic.Options{},
			two, "q Lq"}, spec.OutOfModel,
			lost + "q answers unrecoverable: rank 1 failed when its logger had lost image and log"},
		{"a rank and the logger of another", question{pessimistic.HMPL, pair, nil,
			pessimistic.Options{}, two, "q Lp"}, spec.Holds, ""},
		{"a sender and the logger of its receiver",
			question{pessimistic.HMPL, pair, nil, pessimistic.Options{}, two, "p Lq"}, spec.Holds,
			""},
		{"a sender and the logger of its receiver, RBML",
			question{pessimistic.RBML, pair, nil, pessimistic.Options{}, two, "p Lq"}, spec.Holds,
			""},
		{"all ranks", question{pessimistic.RBML, pair, nil, pessimistic.Options{}, two, "p q"},
			spec.Holds, ""},
		{"all loggers", question{pessimistic.HMPL, pair, nil, pessimistic.Options{}, two, "Lp Lq"},
			spec.Holds, ""},
		{"a rank and its logger, one after the other",
			question{pessimistic.HMPL, pair, nil, pessimistic.Options{},
				fault.Model{Failures: 2, Settled: true}, "q Lq"}, spec.Holds, ""},
		{"adjacent nodes", question{pessimistic.HMPL, "a:\nb:\nc:\nd:", nil, next, two, "a b"},
			spec.OutOfModel,
			lost + "a answers unrecoverable: rank 0 failed when its logger had lost image and log"},
		{"nodes that do not protect each other",
			question{pessimistic.HMPL, four, nil, next, fault.Model{Failures: 2, OneInstant: true},
				"a c"}, spec.Holds, ""},
		{"a node and a logger of it", question{pessimistic.HMPL, pair, []int{0, 0}, semi, two,
			"p Lq"}, spec.OutOfModel,
			lost + "p answers unrecoverable: rank 1 of the node of rank 0 can not continue"},
		{"two at a time under SBML", question{pessimistic.SBML, pair, nil, pessimistic.Options{},
			two, ""}, spec.OutOfModel,
			"the protocol survives 1 failure at a time, the model has 2"},
		{"two, one after the other, under SBML",
			question{pessimistic.SBML, pair, nil, pessimistic.Options{},
				fault.Model{Failures: 2, Settled: true}, ""}, spec.Holds, ""},
		{"a program that is stuck by itself",
			question{pessimistic.HMPL, "p: recv q\nq: recv p", nil, pessimistic.Options{},
				fault.Model{Failures: 1}, ""}, spec.OutOfModel,
			"the program fails without any failure: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out := tt.ask(t, checker.Options{MaxStates: 1 << 20})
			if out.Verdict != tt.want || !strings.HasPrefix(out.Reason, tt.reason) {
				t.Errorf("%v, %q, want %v, %q", out.Verdict, out.Reason, tt.want, tt.reason)
			}
			t.Logf("%d states", out.States)
		})
	}
}
