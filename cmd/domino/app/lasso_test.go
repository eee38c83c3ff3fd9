package app

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/impl/protocol/all"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/world"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/scenarios"
)

// restless is a process that never acts on a failure: it sets a timer instead, again and again.
type restless struct{ core.Machine }

func (m restless) Step(in core.Input, out []core.Effect) []core.Effect {
	if in.Kind != core.Down && in.Kind != core.Tick {
		return m.Machine.Step(in, out)
	}
	return append(out, core.Effect{Kind: core.SetTimer, Timer: "again"})
}

// TestEndlessRun shows and saves a run that goes on for ever, of a scenario in which the recovery
// process is replaced, and reads the file back: it is marked where the steps begin that repeat, and
// replays.
func TestEndlessRun(t *testing.T) {
	list, err := catalogue().Select([]string{"h5"})
	if err != nil {
		t.Fatal(err)
	}
	s := list[0]
	resolved, err := verify.Resolve(all.Protocols(), s)
	if err != nil {
		t.Fatal(err)
	}
	setup := *resolved.Setup
	setup.New = func(p core.Proc) core.Machine {
		if m := resolved.Setup.New(p); slices.Contains(setup.Watchers, p) {
			return restless{m}
		} else {
			return m
		}
	}
	r := ask(streams{Catalogue: catalogue()}, s, func(q world.Case) (*world.Outcome, error) {
		q.Setup = &setup
		return world.Check(context.Background(), q, checker.Options{Lasso: true})
	})
	if r.err != nil || r.Violation == nil || r.Violation.Property != "terminates" {
		t.Fatalf("%v, %+v", r.err, r.Violation)
	}
	var out, errors bytes.Buffer
	r.save(t.TempDir(), &errors)
	r.show(&out, false)
	for _, want := range []string{"VIOLATED  terminates", "some steps repeat for ever",
		"then for ever: tick RP again", "domino replay "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s%s", want, out.String(), errors.String())
		}
	}
	data, err := os.ReadFile(r.Replay)
	if err != nil || !strings.Contains(string(data), "\nthen for ever:\ntick RP again\n") {
		t.Errorf("%v in\n%s", err, data)
	}
	saved, err := scenarios.Load(r.Replay)
	if err != nil {
		t.Fatal(err)
	}
	run, err := r.Outcome.World.Replay(saved.Schedule)
	if err != nil || run.Violation == nil || run.Violation.Property != "terminates" ||
		run.Loop != 1 {
		t.Errorf("%v, %+v", err, run.Violation)
	}
}
