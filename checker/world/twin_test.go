package world

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/errmgr"
	"github.com/domino-check/domino/impl/protocol/none"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// jobWorld is the world of a job with a head.
func jobWorld(t *testing.T, program, options, policies string, m fault.Model) *World {
	t.Helper()
	suite, err := script.Read(program, 1)
	if err != nil {
		t.Fatal(err)
	}
	layout := trace.Layout{Names: suite.Names, Ranks: len(suite.Names)}
	setup, err := errmgr.Protocol.Setup(protocol.Request{Layout: layout,
		Programs: suite.Programs, Options: options, Policies: policies})
	if err != nil {
		t.Fatal(err)
	}
	baseline, err := none.NewSetup(layout, suite.Programs)
	if err != nil {
		t.Fatal(err)
	}
	oracle, err := Oracle(context.Background(), baseline, checker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w, err := New(Config{Setup: setup, Model: m, Facts: FactsOf(setup, &m, oracle)})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// wander makes a run of steps that are drawn.
func (w *World) wander(seed uint64) *Run {
	r := w.begin()
	draw := rand.New(rand.NewPCG(seed, 1))
	for range 500 {
		texts, x := w.Enabled(r.last())
		if len(texts) == 0 || !slices.ContainsFunc(x.Steps, func(s checker.Step) bool {
			return !s.Fault
		}) {
			break
		}
		j := draw.IntN(len(texts))
		w.take(r, texts[j], x.Steps[j].Code, x.Steps[j].Violation, x.State(j, nil))
	}
	return r
}

// goesOn repeats the steps of a run behind one of them from another state, but for those of a proc,
// and says what is different then.
func (w *World) goesOn(r *Run, step int, state []uint32, but core.Proc) string {
	for k := step; k < len(r.codes); k++ {
		c := eventCode(r.codes[k])
		if c.proc() == but {
			continue
		}
		texts, x := w.Enabled(state)
		j := slices.IndexFunc(x.Steps, func(s checker.Step) bool { return s.Code == uint64(c) })
		if j < 0 {
			return fmt.Sprintf("step %d, %q, is not possible among %q", k+1, r.Schedule[k], texts)
		}
		next := x.State(j, nil)
		if diff := w.unlike(w.evidence(state, next, c), eventsAt(&r.Trace, k+1)); diff != "" {
			return fmt.Sprintf("step %d: %s", k+1, diff)
		}
		state = next
	}
	return ""
}

// ignored is how the rest of a run changes when what a step does to its proc is not done.
func (w *World) ignored(r *Run, step int) string {
	p := eventCode(r.codes[step-1]).proc()
	state := slices.Clone(r.States[step])
	c := *w.of(state, p)
	c.local = w.localOf(r.States[step-1], p)
	state[procWord(p)] = w.configuration(p, c)
	return w.goesOn(r, step, state, noProc)
}

// switchedOff is how the rest of a run changes when a node is switched off behind a step.
func (w *World) switchedOff(r *Run, step int, node core.Proc) string {
	x := checker.NewExpansion(w.Words())
	x.Begin(r.States[step])
	x.Add(checker.Step{})
	procs := w.withHosted(r.States[step], []core.Proc{node})
	w.crash(x, procs, make([]operation, len(procs)))
	state := slices.Clone(x.Now())
	for { // whoever is told of it does nothing
		_, x := w.Enabled(state)
		j := slices.IndexFunc(x.Steps, func(s checker.Step) bool {
			c := eventCode(s.Code)
			return c.kind() == told && c.arg() == int(node)
		})
		if j < 0 {
			break
		}
		next := x.State(j, nil)
		for _, e := range w.evidence(state, next, eventCode(x.Steps[j].Code)) {
			if e.Kind == trace.Ruled || e.Kind == trace.Emitted {
				return w.layout.Describe(e)
			}
		}
		state = next
	}
	return w.goesOn(r, step, state, node)
}

// saidAt are the steps in which a Ruled event with the word falls, with whom it is about.
func saidAt(r *Run, word string) (steps []int, about []core.Proc) {
	for _, e := range r.Trace.Events {
		if said, _ := trace.RuleOf(e.Text); e.Kind == trace.Ruled && said == word && e.Step > 0 {
			steps, about = append(steps, e.Step), append(about, e.Peer)
		}
	}
	return steps, about
}

// TestReportsAreIdempotent: a report of a failure that is known, or of a life that is over, changes
// nothing. Method: runs that are drawn, each repeated as if the head had not handled the report;
// and, to see that this would show, as if it had not handled the first one.
func TestReportsAreIdempotent(t *testing.T) {
	w := jobWorld(t, "a: send b\nb: recv a", "spares=1 reports=peers", "autor",
		fault.Model{Failures: 2, Victims: []core.Proc{0, 1}})
	reports, firsts := 0, 0
	for seed := range uint64(300) {
		r := w.wander(seed)
		if r.Violation != nil {
			t.Fatalf("run %d: %+v", seed, r.Violation)
		}
		for _, word := range []string{trace.RuleDuplicate, trace.RuleStale} {
			steps, _ := saidAt(r, word)
			for _, step := range steps {
				reports++
				if diff := w.ignored(r, step); diff != "" {
					t.Fatalf("run %d without the report of step %d: %s", seed, step, diff)
				}
			}
		}
		if steps, _ := saidAt(r, trace.RuleOpened); len(steps) > 0 && w.ignored(r, steps[0]) != "" {
			firsts++
		}
	}
	if reports < 50 || firsts < 50 {
		t.Errorf("%d reports that change nothing, %d that do, want at least 50 of each", reports,
			firsts)
	}
}

// TestDrainedNodesAreNotMissed: a node that is drained can be switched off. Method: runs that are
// drawn, each repeated with the node crashing when it is drained; and, to see that this would show,
// with another one that runs ranks.
func TestDrainedNodesAreNotMissed(t *testing.T) {
	w := jobWorld(t, "a: send b x; recv b\nb: recv a; send a y", "spares=2 predictions=1",
		"crmig autor", fault.Model{Checkpoints: 1, Victims: []core.Proc{}})
	drained, missed := 0, 0
	for seed := range uint64(300) {
		r := w.wander(seed)
		if r.Violation != nil {
			t.Fatalf("run %d: %+v", seed, r.Violation)
		}
		steps, nodes := saidAt(r, trace.RuleDrained)
		for i, step := range steps {
			drained++
			if diff := w.switchedOff(r, step, nodes[i]); diff != "" {
				t.Fatalf("run %d with %s switched off at step %d: %s", seed,
					w.layout.Name(nodes[i]), step, diff)
			}
			for _, q := range w.layout.Nodes {
				if q != nodes[i] && w.switchedOff(r, step, q) != "" {
					missed++
				}
			}
		}
	}
	if drained < 50 || missed < 20 {
		t.Errorf("%d nodes were drained, and %d missed that were not, want at least 50 and 20",
			drained, missed)
	}
}
