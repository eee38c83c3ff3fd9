package radic_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/pessimistic"
	"github.com/domino-check/domino/impl/protocol/radic"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

func newSetup(program string, p pessimistic.Protocol, nodes []int, o radic.Options) (*core.Setup,
	error) {
	names, programs, err := script.Parse(program, 1)
	if err != nil {
		return nil, err
	}
	inner, err := pessimistic.NewSetup(p, trace.Layout{Names: names, Ranks: len(names)}, programs,
		pessimistic.Options{})
	if err != nil {
		return nil, err
	}
	return radic.NewSetup(inner, nodes, o)
}

// parse is the setup of the logging protocol alone.
func parse(t *testing.T, program string, p pessimistic.Protocol,
	o pessimistic.Options) *core.Setup {
	t.Helper()
	names, programs, err := script.Parse(program, 1)
	if err != nil {
		t.Fatal(err)
	}
	setup, err := pessimistic.NewSetup(p, trace.Layout{Names: names, Ranks: len(names)}, programs,
		o)
	if err != nil {
		t.Fatal(err)
	}
	return setup
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// Aim: what can not be protected is refused. Method: layouts with the exact error.
func TestSetupErrors(t *testing.T) {
	tests := []struct {
		name     string
		program  string
		protocol pessimistic.Protocol
		nodes    []int
		options  radic.Options
		want     string
	}{
		{"two nodes", "a:\nb:", pessimistic.RBML, nil, radic.Options{},
			"radic: NeedThreeNodes: 2 nodes, want at least 3: with two, the only survivor would " +
				"protect itself; the nearest that it can carry: options nodes=3"},
		{"three ranks on two nodes", "a:\nb:\nc:", pessimistic.RBML, []int{0, 1, 1},
			radic.Options{},
			"radic: NeedThreeNodes: 2 nodes, want at least 3: with two, the only survivor would " +
				"protect itself; the nearest that it can carry: options nodes=3"},
		{"three nodes", "a:\nb:\nc:", pessimistic.HMPL, nil, radic.Options{Spares: 2}, ""},
		{"more nodes than ranks", "a:", pessimistic.HMPL, nil, radic.Options{Nodes: 3}, ""},
		{"who is not there can not leave", "a:\nb:\nc:", pessimistic.RBML, nil,
			radic.Options{Leaves: 4}, "radic: node 4 is to leave, and there are 3"},
		{"no loggers", "a:\nb:\nc:", pessimistic.SBML, nil, radic.Options{}, ""},
		{"zombies without loggers", "a:\nb:\nc:", pessimistic.SBML, nil,
			radic.Options{Zombies: true},
			"radic: protocol sbml has no loggers, so zombies=yes is not supported; the nearest " +
				"that it can carry: zombies=no, or RBML or HMPL on the same nodes"},
		{"two ranks that talk on one node, without loggers", "a:\nb: send c m\nc: recv b\nd:",
			pessimistic.SBML, []int{0, 1, 1, 2}, radic.Options{}, "radic: ranks 1 and 2 talk and " +
				"share node N2, and a protocol without loggers keeps the order of what one has " +
				"taken from the other nowhere else: give them different clusters, or take a " +
				"protocol with loggers"},
		{"two ranks that do not talk on one node", "a:\nb: send a m\nc:\nd:",
			pessimistic.SBML, []int{0, 1, 1, 2}, radic.Options{Spares: 1}, ""},
		{"a rank with the name of a vault", "a:\nVa:\nc:", pessimistic.SBML, nil, radic.Options{},
			"radic: a rank is called Va, which is the name of the vault of a"},
		{"a rank with the name of a node", "a:\nN2:\nc:", pessimistic.RBML, nil, radic.Options{},
			"radic: a rank or logger is called N2, which is the name of a node"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := newSetup(tt.program, tt.protocol, tt.nodes, tt.options)
			if got := message(err); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

// Aim: options of both layers are told apart, bad ones are refused. Method: texts with the rest or
// the error.
func TestOptions(t *testing.T) {
	tests := []struct{ text, rest, want string }{
		{"", "", ""},
		{"spares=2 memory=1 nodes=4 rejoin=yes full=checkpoint", "memory=1 full=checkpoint", ""},
		{"spares=-1", "", "want a number in [0, 8]"},
		{"spares=many", "", "want a number in [0, 8]"},
		{"nodes=2", "", "want a number in [3, 64]"},
		{"rejoin=maybe", "", "want no or yes"},
		{"zombies=1", "", "want no or yes"},
		{"capacity=0 spares=1", "",
			"want a number in [1, 64]: a spare without room for any rank is none"},
		{"capacity=2", "", "capacity=2 is about spares, and there are none"},
		{"spares=1 spares=2", "", "spares is given twice"},
		{"ring=2", "", "want +1 or -1"},
		{"joins=1 leaves=2 ring=-1 capacity=3 heartbeat=2 watchdog=6 buffer=2", "buffer=2", ""},
		{"heartbeat=2 watchdog=2", "",
			"BadTimers: a watchdog of 2 ticks expires before the next heartbeat, which comes " +
				"after 2"},
		{"watchdog=2", "", "BadTimers: heartbeat is 0 ticks and watchdog 2, want both or none"},
		{"heartbeat=0 watchdog=2", "", "want a number in [1, 1048576]"},
		{"zombies=yes joins=1", "", "zombies=yes is for nodes that neither join nor leave"},
		{"zombies=yes leaves=1", "", "zombies=yes is for nodes that neither join nor leave"},
		{"loggers=next", "", "radic decides where loggers run"},
		{"mode=semi", "", "the unit of failure is its node"},
	}
	for _, tt := range tests {
		_, rest, err := radic.ParseOptions(tt.text)
		if got := message(err); rest != tt.rest || tt.want == "" && got != "" ||
			!strings.Contains(got, tt.want) {
			t.Errorf("%q: rest %q error %q, want %q and %q", tt.text, rest, got, tt.rest, tt.want)
		}
	}
}

// Aim: Figure 2.8. Node 1 fails; its protector finds the spare and hands it the ranks, adopts the
// loggers that node 1 ran, and a rank whose logger was lost sends a new image. Method: the run of
// the figure, taken step by step to its end without another failure.
func TestFigure28(t *testing.T) {
	setup, err := newSetup("a: send b m\nb: recv a; output\nc:", pessimistic.RBML, nil,
		radic.Options{Spares: 1})
	if err != nil {
		t.Fatal(err)
	}
	model := fault.Model{Failures: 1}
	w, err := world.New(world.Config{Setup: setup, Model: model,
		Facts: world.FactsOf(setup, &model, nil), Twice: true})
	if err != nil {
		t.Fatal(err)
	}
	schedule := []string{"crash N1"}
	var run *world.Run
	for {
		if run, err = w.Replay(schedule); err != nil {
			t.Fatal(err)
		}
		texts, x := w.Enabled(run.States[len(run.States)-1])
		i := slices.IndexFunc(x.Steps, func(s checker.Step) bool { return !s.Fault })
		if i < 0 {
			break
		}
		schedule = append(slices.Clip(schedule), texts[i])
	}
	if run.Violation != nil {
		t.Fatalf("%s: %s", strings.Join(schedule, "; "), run.Violation.Message)
	}
	got := map[string]string{}
	crashed := false
	for _, e := range run.Trace.Events {
		crashed = crashed || e.Kind == trace.Crashed
		if crashed && e.Kind == trace.Adopted {
			got[setup.Layout.Name(e.Peer)] = setup.Layout.Name(e.Proc)
		}
		if e.Kind == trace.Crashed {
			got["crashed "+setup.Layout.Name(e.Proc)] = ""
		}
		if crashed && e.Kind == trace.Kept {
			got["image of "+setup.Layout.Name(e.Peer)] = setup.Layout.Name(e.Proc)
		}
	}
	want := map[string]string{"crashed N1": "", "crashed a": "", "crashed Lc": "", "a": "S1",
		"Lc": "N2", "image of c": "Lc", "image of a": "La"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("who crashed, who adopted whom, who has a new image (-want +got):\n%s\n%s", diff,
			strings.Join(schedule, "\n"))
	}
}

// Aim: a node answers what it can not know: a rank that does not exist, a message of nobody's, a
// question when it is not part of this. Method: single steps of the machine of a node.
func TestNodeAnswers(t *testing.T) {
	setup, err := newSetup("a:\nb:\nc:", pessimistic.RBML, nil, radic.Options{Spares: 1, Joins: 1})
	if err != nil {
		t.Fatal(err)
	}
	node := func(name string) core.Machine {
		m := setup.New(core.Proc(slices.Index(setup.Layout.Names, name)))
		m.Step(core.Input{Kind: core.Start}, nil)
		return m
	}
	tests := []struct {
		name, node string
		from       core.Proc
		message    radic.Message
		want       string // kind of what is sent, or the reason of a drop
	}{
		{"where a rank is", "N2", 1, radic.Message{Kind: radic.WhereIs, About: 2},
			"Where about 2: located at 8"},
		{"where no rank is", "N2", 1, radic.Message{Kind: radic.WhereIs, About: 3},
			"Where about 3: unknown"},
		{"where its own ward's rank is, which is not there", "N2", 1,
			radic.Message{Kind: radic.WhereIs, About: 0, At: 6}, "Where about 0: wait"},
		{"asked as a spare, but active", "N2", 8, radic.Message{Kind: radic.Ask, About: 6},
			"Answer false"},
		{"asked as a spare", "S1", 8, radic.Message{Kind: radic.Ask, About: 6}, "Answer true"},
		{"adopt without a promise", "S1", 8, radic.Message{Kind: radic.Transfer, About: 6},
			"Adopted about 6"},
		{"not joined", "J1", 8, radic.Message{Kind: radic.Ask, About: 6}, "Nobody "},
		{"not joined, an observer asks", "J1", 1, radic.Message{Kind: radic.WhereIs, About: 2},
			"Nobody "},
		{"an answer that nobody waits for", "N2", 8,
			radic.Message{Kind: radic.Answer, About: 6, Yes: true}, "not asked"},
		{"a link of another node's protector", "N2", 8, radic.Message{Kind: radic.Linked},
			"not the ward"},
		{"no such message", "N2", 8, radic.Message{Kind: 99}, "no message of the control plane"},
	}
	for _, tt := range tests {
		effects := node(tt.node).Step(core.Input{Kind: core.Received, From: tt.from,
			Message: &tt.message}, nil)
		got := ""
		if e := effects[0]; e.Kind == core.SendMessage {
			w := e.Message.Describe()
			got = w.Kind + " " + w.Text
		} else {
			got = e.Key
		}
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

// Aim: Table 3.1 is complete. Method: the number of rows and that no column is empty.
func TestTable31(t *testing.T) {
	var list []protocol.Claim
	for _, p := range radic.Protocols() {
		list = append(list, p.Claims...)
	}
	if len(list) != 8 || list[0].Name != "RADIC" {
		t.Fatalf("%d solutions, the first is %+v", len(list), list)
	}
	for _, s := range list {
		doc := s.Doc + ";"
		if s.Source == "" || strings.Count(doc, ";") != 7 || strings.Contains(doc, " ;") {
			t.Errorf("%s has an empty column: %s", s.Name, s.Doc)
		}
	}
}

// Aim: the switches can be named. Method: there and back.
func TestErrata(t *testing.T) {
	for _, e := range radic.Errata() {
		if _, ok := radic.Errata().Find(e.ID); !ok || e.Place == "" || e.Switched == "" ||
			e.Repaired == "" {
			t.Errorf("%s is not found or says too little: %+v", e.ID, e)
		}
	}
	if _, ok := radic.Errata().Find("M1"); ok {
		t.Error("M1 is found, it belongs to hmpl")
	}
	if p := radic.Errata().Published(); p != 0 {
		t.Errorf("the thesis prints %b; none of these is an error in its text alone", p)
	}
}

// drive follows the schedule, then takes the first event that is no fault, again and again, to the
// end of the run or until stop says so.
func drive(t *testing.T, w *world.World, schedule []string, stop func(*world.Run) bool) (*world.Run,
	[]string) {
	t.Helper()
	for {
		run, err := w.Replay(schedule)
		if err != nil {
			t.Fatal(err)
		}
		if run.Violation != nil {
			t.Fatalf("%s: %s", strings.Join(schedule, "; "), run.Violation.Message)
		}
		texts, x := w.Enabled(run.States[len(run.States)-1])
		i := slices.IndexFunc(x.Steps, func(s checker.Step) bool { return !s.Fault })
		if i < 0 || stop(run) {
			return run, schedule
		}
		schedule = append(slices.Clip(schedule), texts[i])
	}
}

// Aim: maintenance ([RADIC] section 2.3.3). A node is taken out just after its rank has taken a
// checkpoint: the rank moves to the spare and has nothing to replay. Method: the run up to the
// commit, a crash of the node, and the rest; deliveries of the second life are counted, with a
// checkpoint and, to see the difference, without.
func TestMaintenance(t *testing.T) {
	const la = trace.Proc(3) // the logger of a
	for program, want := range map[string]int{
		"a: recv b; checkpoint; output\nb: send a m\nc:": 0,
		"a: recv b; output\nb: send a m\nc:":             1,
	} {
		setup, err := newSetup(program, pessimistic.HMPL, nil, radic.Options{Spares: 1})
		if err != nil {
			t.Fatal(err)
		}
		model := fault.Model{Failures: 1}
		w, err := world.New(world.Config{Setup: setup, Model: model,
			Facts: world.FactsOf(setup, &model, nil), Twice: true})
		if err != nil {
			t.Fatal(err)
		}
		ready := func(e trace.Event) bool { return e.Proc == 0 && e.Kind == trace.Committed }
		if want > 0 {
			ready = func(e trace.Event) bool { return e.Proc == la && e.Kind == trace.Logged }
		}
		_, schedule := drive(t, w, nil, func(r *world.Run) bool {
			return slices.ContainsFunc(r.Trace.Events, ready)
		})
		run, schedule := drive(t, w, append(schedule, "crash N1"), func(*world.Run) bool {
			return false
		})
		replayed, moved := 0, false
		for _, e := range run.Trace.Events {
			if e.Proc == 0 && e.Incarnation == 1 && e.Kind == trace.Delivered {
				replayed++
			}
			moved = moved || e.Kind == trace.Adopted && e.Peer == 0 &&
				setup.Layout.Name(e.Proc) == "S1"
		}
		if replayed != want || !moved {
			t.Errorf("%s: %d messages replayed, want %d; on the spare: %t\n%s", program, replayed,
				want, moved, strings.Join(schedule, "\n"))
		}
	}
}
