package world_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol/pessimistic"
	"github.com/domino-check/domino/impl/protocol/radic"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// logged is a setup of a logging protocol.
func logged(t *testing.T, p pessimistic.Protocol, program string) *core.Setup {
	t.Helper()
	names, programs, err := script.Parse(program, 1)
	if err != nil {
		t.Fatal(err)
	}
	s, err := pessimistic.NewSetup(p, trace.Layout{Names: names, Ranks: len(names)}, programs,
		pessimistic.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// walked is a run that is extended by hand.
type walked struct {
	t        *testing.T
	world    *world.World
	schedule []string
}

// enabled are the events that are possible now and begin with the words, faults or not.
func (r *walked) enabled(words string) []string {
	r.t.Helper()
	run, err := r.world.Replay(r.schedule)
	if err != nil {
		r.t.Fatal(err)
	}
	texts, _ := r.world.Enabled(run.States[len(run.States)-1])
	return slices.DeleteFunc(slices.Clone(texts), func(s string) bool {
		return !strings.HasPrefix(s, words)
	})
}

// goOn takes the first event that is no fault, until the words are possible; it reports whether
// they ever are.
func (r *walked) goOn(words string) bool {
	r.t.Helper()
	for {
		run, err := r.world.Replay(r.schedule)
		if err != nil {
			r.t.Fatal(err)
		}
		texts, x := r.world.Enabled(run.States[len(run.States)-1])
		if slices.ContainsFunc(texts, func(s string) bool { return strings.HasPrefix(s, words) }) {
			return true
		}
		i := slices.IndexFunc(x.Steps, func(s checker.Step) bool { return !s.Fault })
		if i < 0 {
			return false
		}
		r.schedule = append(r.schedule, texts[i])
	}
}

// Aim: a crash of a node takes what it has adopted and nothing else, and what needs a host starts
// again only where it has one. Method: a run with one rank on N1, its logger on N2 and a spare, up
// to the adoption.
func TestAdoptedProcs(t *testing.T) {
	setup, err := radic.NewSetup(logged(t, pessimistic.RBML, "a: output"), nil,
		radic.Options{Nodes: 3, Spares: 1})
	if err != nil {
		t.Fatal(err)
	}
	w, err := world.New(world.Config{Setup: setup, Model: fault.Model{Failures: 2}})
	if err != nil {
		t.Fatal(err)
	}
	r := &walked{t: t, world: w, schedule: []string{"crash N1"}}
	run, err := w.Replay(r.schedule)
	if err != nil {
		t.Fatal(err)
	}
	var down []string
	for _, e := range run.Trace.Events {
		if e.Kind == trace.Crashed {
			down = append(down, setup.Layout.Name(e.Proc))
		}
	}
	slices.Sort(down)
	if want := []string{"N1", "a"}; !slices.Equal(down, want) {
		t.Errorf("the crash of N1 takes %v, want %v", down, want)
	}
	if got := r.enabled("restart"); len(got) != 0 {
		t.Errorf("%v is possible, but nobody has adopted a, and nobody can bring N1 back", got)
	}
	if got := r.enabled("told a"); len(got) != 0 {
		t.Errorf("%v: a rank is told of its node", got)
	}
	if !r.goOn("restart a") {
		t.Fatalf("a never starts again:\n%s", strings.Join(r.schedule, "\n"))
	}
	if last := r.schedule[len(r.schedule)-1]; !strings.HasPrefix(last, "deliver N2->S1 Transfer") {
		t.Errorf("a can start after %q, want the transfer to the spare", last)
	}
	r.schedule = append(r.schedule, "restart a incarnation 1", "crash S1")
	if run, err = w.Replay(r.schedule); err != nil {
		t.Fatal(err)
	}
	lives := 0
	for _, e := range run.Trace.Events {
		if e.Kind == trace.Crashed && e.Proc == 0 {
			lives++
		}
	}
	if lives != 2 {
		t.Errorf("a has crashed %d times, want once with each of its nodes", lives)
	}
}
