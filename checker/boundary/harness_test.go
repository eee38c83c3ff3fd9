package boundary_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/boundary"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol/camel"
	"github.com/domino-check/domino/impl/protocol/causal"
	"github.com/domino-check/domino/impl/protocol/example/paxos"
	"github.com/domino-check/domino/impl/protocol/example/twophase"
	"github.com/domino-check/domino/impl/protocol/hydee"
	"github.com/domino-check/domino/impl/protocol/none"
	"github.com/domino-check/domino/impl/protocol/pessimistic"
	"github.com/domino-check/domino/impl/protocol/radic"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// The programs: the core of the example in the paper, a stream on one channel, a stream on two, two
// senders to one receiver whose end depends on the order, a round trip, one message inside a
// cluster.
const (
	core3   = "x: send y m2\ny: recv *; send c m3; recv *\nc: recv y; send y m7"
	burst   = "a: send b x; send b y; send b z\nb: recv a; recv a; recv a"
	fork    = "a: send b x; send c y\nb: recv *\nc: recv *"
	collect = "a: send c x\nb: send c y\nc: recv * ordered; recv * ordered"
	ping    = "a: send b a1; recv b; send b a3\nb: recv a; send a b1; recv a"
	rally   = "a: send b a1; recv b; send b a2; recv b; send b a3\nb: recv a; send a b1; recv a; " +
		"send a b2; recv a"
	line = "y: recv a; checkpoint; recv a\na: send y a; checkpoint; send y b"
	race = "y: recv * ordered; reply; recv * ordered; reply\na: send y a; recv y\nb: send y " +
		"b; recv y"
	echo  = "a: send y x; recv y; recv y\ny: recv a; send a y1; send a y2"
	up    = "group g: r > t; t > w\nr: contribute g; recv g\nt: contribute g\nw: contribute g"
	late  = "group g: r > t\nr: contribute g; recv g\nt: recv a; contribute g\na: send t x"
	pair  = "x: send y m\ny: recv x"
	chain = "x: send y m\ny: recv x; send z n\nz: recv y"
)

// scope is what one exploration covers.
type scope struct {
	protocol string // "" is HydEE; radic is RBML on three nodes and a spare
	program  string
	clusters []int
	policies string // of errmgr
	options  string // of errmgr; "" = one spare
	model    fault.Model
	unknown  bool // the judge does not know the failure-free behaviour
	// procs without programs, in the place of program and clusters
	service func() (*core.Setup, error)

	once    sync.Once // guards the exploration of the machines as they are
	witness witness
	result  checker.Result
}

// scopes are all small enough to be explored completely.
var scopes = map[string]*scope{
	"core":          {program: core3, clusters: []int{0, 0, 1}},
	"core, failure": {program: core3, clusters: []int{0, 0, 1}, model: fault.Model{Failures: 1}},
	"core, rank": {program: core3, clusters: []int{0, 0, 1},
		model: fault.Model{Failures: 1, Victims: []trace.Proc{0, 2}}},
	"burst":          {program: burst, clusters: []int{0, 1}},
	"burst, unknown": {program: burst, clusters: []int{0, 1}, unknown: true},
	"burst, rank": {program: burst, clusters: []int{0, 1},
		model: fault.Model{Failures: 1, Victims: []trace.Proc{0, 1}}},
	"fork": {program: fork, clusters: []int{0, 1, 2}},
	"fork, rank": {program: fork, clusters: []int{0, 1, 2},
		model: fault.Model{Failures: 1, Victims: []trace.Proc{0, 1}}},
	"collect, rank": {program: collect, clusters: []int{0, 0, 1},
		model: fault.Model{Failures: 1, Victims: []trace.Proc{0, 2}}},
	"ping": {program: ping, clusters: []int{0, 1}},
	"ping, saved": {program: ping, clusters: []int{0, 1},
		model: fault.Model{Failures: 1, Checkpoints: 1, Victims: []trace.Proc{1}}},
	"rally, saved": {program: rally, clusters: []int{0, 1}, model: fault.Model{Checkpoints: 1}},
	"transaction":  {service: transaction, model: fault.Model{Set: true}},
	"register": {service: registerService,
		model: fault.Model{Unordered: true, Selective: true}},
	"race, receiver": {protocol: "causal", program: race,
		model: fault.Model{Failures: 1, Victims: []trace.Proc{0}}},
	"echo": {protocol: "causal", program: echo},
	"answers": {protocol: "causal",
		program: "a: send y q; recv y; recv y\ny: recv a; send a m; send a n"},
	"line":      {protocol: "causal", program: line},
	"reduction": {protocol: "camel", program: up},
	"reduction, contributor": {protocol: "camel", program: late,
		model: fault.Model{Failures: 1, Victims: []trace.Proc{1}}},
	"hmpl": {program: pair, clusters: []int{0, 1}, protocol: "hmpl"},
	"hmpl, rank": {program: chain, clusters: []int{0, 1, 2}, protocol: "hmpl",
		model: fault.Model{Failures: 1, Victims: []trace.Proc{0, 1}}},
	"hmpl, memory": {program: "x: send y m; send y n\ny: recv x; recv x", clusters: []int{0, 1},
		protocol: "hmpl, memory"},
	"hmpl, line": {program: "x: send y m; checkpoint\ny: recv x; checkpoint",
		clusters: []int{0, 1}, protocol: "hmpl"},
	"sbml, line": {program: "x: send y m; checkpoint\ny: recv x; checkpoint",
		clusters: []int{0, 1}, protocol: "sbml"},
	"radic": {program: pair, clusters: []int{0, 1}, protocol: "radic"},
	"radic, node": {program: "x: output", clusters: []int{0}, protocol: "radic",
		model: fault.Model{Failures: 1, Victims: []trace.Proc{2, 3}}},
	"radic, basic": {program: "x: output", clusters: []int{0}, protocol: "radic, no spare",
		model: fault.Model{Failures: 1, Victims: []trace.Proc{2, 3}}},
	"radic, zombies": {program: "x: output", clusters: []int{0}, protocol: "radic, zombies",
		model: fault.Model{Suspicions: 2, Victims: []trace.Proc{2}}},
	"radic, search": {program: "x: send y m\ny: recv x", clusters: []int{0, 1},
		protocol: "radic, no spare", model: fault.Model{Failures: 1, Victims: []trace.Proc{5}}},
	"rbml, rank": {program: chain, clusters: []int{0, 1, 2}, protocol: "rbml",
		model: fault.Model{Failures: 1, Victims: []trace.Proc{1}}},
	"sbml, rank": {program: chain, clusters: []int{0, 1, 2}, protocol: "sbml",
		model: fault.Model{Failures: 1, Victims: []trace.Proc{0, 1}}},
	"one cluster, saved": {program: pair, clusters: []int{0, 0},
		model: fault.Model{Failures: 1, Checkpoints: 1, Victims: []trace.Proc{0}}},
}

func transaction() (*core.Setup, error) { return twophase.NewSetup(twophase.Options{Resources: 3}) }

func registerService() (*core.Setup, error) {
	return paxos.NewSetup(paxos.Options{Servers: 3, Clients: 2})
}

// build makes the setup of the repaired protocol for the scope, and the oracle.
func (s *scope) build(t *testing.T) (*core.Setup, *spec.Oracle) {
	t.Helper()
	if s.service != nil {
		setup, err := s.service()
		if err != nil {
			t.Fatal(err)
		}
		return setup, nil
	}
	suite, err := script.Read(s.program, 1)
	if err != nil {
		t.Fatal(err)
	}
	programs := suite.Programs
	layout := trace.Layout{Names: suite.Names, Ranks: len(suite.Names), Clusters: s.clusters,
		Trees: suite.Trees}
	setup, err := s.setUp(layout, programs)
	if err != nil {
		t.Fatal(err)
	}
	if s.unknown {
		return setup, nil
	}
	baseline, err := none.NewSetup(layout, programs)
	if err != nil {
		t.Fatal(err)
	}
	oracle, err := world.Oracle(t.Context(), baseline, checker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if oracle.Stuck != "" || len(oracle.Differ) > 0 && s.protocol == "" {
		t.Fatalf("program is outside the model: %s %v", oracle.Stuck, oracle.Differ)
	}
	return setup, oracle
}

// explore searches the scope breadth first with every machine changed by wrap.
func (s *scope) explore(t *testing.T, wrap func(*core.Setup) *core.Setup) (*world.World,
	checker.Result) {
	t.Helper()
	return s.ask(t, "", wrap)
}

// ask explores as explore does, and stops at one property only, unless it is "".
func (s *scope) ask(t *testing.T, only string, wrap func(*core.Setup) *core.Setup) (*world.World,
	checker.Result) {
	t.Helper()
	setup, oracle := s.build(t)
	setup = wrap(setup)
	w, err := world.New(world.Config{Setup: setup, Model: s.model,
		Facts: world.FactsOf(setup, &s.model, oracle), Twice: true})
	if err != nil {
		t.Fatal(err)
	}
	return w, search.Explore(t.Context(), w, checker.Options{Order: checker.BreadthFirst,
		MaxStates: 1 << 19, Only: only})
}

// unmutated explores the scope with the machines as they are, once for all tests.
func (s *scope) unmutated(t *testing.T) (witness, checker.Result) {
	t.Helper()
	s.once.Do(func() {
		s.witness = witness{}
		_, s.result = s.explore(t, s.witness.wrap)
	})
	return s.witness, s.result
}

// witness notes what the machines of a setup ask for and declare, to find out whether a mutant did
// anything at all.
type witness map[string]bool

// wrap returns a copy of the setup whose machines are watched.
func (n witness) wrap(s *core.Setup) *core.Setup {
	return boundary.Watch(s, func(m *machine, in core.Input, out []core.Effect) []core.Effect {
		first := len(out)
		out = m.Inner.Step(in, out)
		var b strings.Builder
		fmt.Fprintf(&b, "%d on %d:", m.Proc, in.Kind)
		for _, e := range out[first:] {
			fmt.Fprintf(&b, " %d %v to %d key %q id %v stamp %v payload %x digest %x", e.Kind,
				e.What, e.To, e.Key, e.ID, e.Stamp, e.Payload.Digest(), e.Digest)
			if e.Message != nil {
				fmt.Fprint(&b, e.Message.Describe())
			}
		}
		n[b.String()] = true
		return out
	})
}

// setUp prepares the protocol of the scope.
func (s *scope) setUp(layout trace.Layout, programs []core.Program) (*core.Setup, error) {
	switch s.protocol {
	case "errmgr":
		return s.jobSetUp(layout, programs)
	case "causal":
		return causal.NewSetup(layout, programs, causal.Options{F: 1})
	case "camel":
		return camel.NewSetup(layout, programs, causal.Options{F: 1})
	case "hmpl":
		return pessimistic.NewSetup(pessimistic.HMPL, layout, programs, pessimistic.Options{})
	case "hmpl, memory":
		return pessimistic.NewSetup(pessimistic.HMPL, layout, programs,
			pessimistic.Options{Memory: pessimistic.Limit{Messages: 1}})
	case "rbml":
		return pessimistic.NewSetup(pessimistic.RBML, layout, programs, pessimistic.Options{})
	case "sbml":
		return pessimistic.NewSetup(pessimistic.SBML, layout, programs, pessimistic.Options{})
	case "radic", "radic, no spare", "radic, zombies":
		setup, err := pessimistic.NewSetup(pessimistic.RBML, layout, programs,
			pessimistic.Options{})
		if err != nil {
			return nil, err
		}
		options := radic.Options{Nodes: 3, Spares: 1, Zombies: s.protocol == "radic, zombies"}
		if s.protocol == "radic, no spare" {
			options.Spares = 0
		}
		return radic.NewSetup(setup, nil, options)
	}
	return hydee.NewSetup(layout, programs, hydee.Options{})
}
