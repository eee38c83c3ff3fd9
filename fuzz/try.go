package fuzz

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/boundary"
	"github.com/domino-check/domino/checker/sample"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
)

// finding is a scenario and a run of it that breaks a property.
type finding struct {
	draft    *draft
	schedule []string
	property string
	message  string
	strategy string
	number   uint64
	run      int
	runs     int
}

// opened is a scenario ready to run.
type opened struct {
	scenario *scenarios.Scenario
	world    *world.World
	refused  error
	tooLarge bool
	reason   string // in what it is out of model
	// why a program that was drawn to fit the protocol does not, within the failures promised
	contrary string
	stuck    *world.Run // without failures, with a step at its end that does not return
}

// Drawn is broken by a scenario that is out of model although its program was drawn so that it can
// not get stuck (a server that takes an answer for a request may, and says nothing) and is in the
// class that the protocol needs, and its failures are those promised: then the generator, or what
// runs programs, is wrong, and what it is wrong about is seen by nobody else.
const Drawn = "drawn-in-model"

// twiceEvery is how many scenarios there are for each one of which every local step runs twice and
// is guarded: what a machine does wrong in itself shows in any.
const twiceEvery = 4

// openBounds are the bounds of the failure-free exploration of a program.
func openBounds() checker.Options { return checker.Options{MaxStates: oracleStates} }

// open resolves a draft, fits its failure model to the promises of the protocol, and makes its
// world.
func (t *Target) open(ctx context.Context, d *draft, once bool) (o opened) {
	o.scenario = d.scenario()
	c, err := t.Resolve(o.scenario)
	if err == nil {
		before, placed := d.model, d.victim > 0 && len(c.Setup.Layout.Hosted) > 0
		if fit(&d.model, c.Setup); placed {
			d.victim = 0 // nodes fail, with all that is on them
		}
		if placed || !reflect.DeepEqual(d.model, before) {
			o.scenario = d.scenario()
			c, err = t.Resolve(o.scenario)
		}
	}
	if err != nil {
		o.refused = err
		return o
	}
	if err := c.Setup.ValidateCode(); err != nil {
		o.refused = err
		return o
	}
	if !t.Plain && !once {
		c = Guard(c)
		for p := range c.Setup.Layout.Names {
			guard{c.Setup.New(core.Proc(p)).(*boundary.Machine)}.roundTrip()
		}
	}
	c.Once, c.MaxStep = once, t.stepTime
	o.world, o.reason, err = world.Open(ctx, c, openBounds())
	switch {
	case errors.Is(err, world.ErrMatching):
		o.contrary = err.Error()
	case o.reason != "" && world.Beyond(c.Setup, &c.Model) == "" &&
		t.Shapes.Needs >= c.Setup.Promises.Needs && !slices.Contains(d.styles, server):
		o.contrary = o.reason
	case errors.Is(err, checker.ErrBound):
		o.tooLarge, o.reason = true, err.Error()
	case err != nil:
		o.refused = err
	case o.reason == "":
		// a failure-free run, with which the sends of the others are compared
		if r := o.world.Attempt(nil, world.Returns); r.Violation != nil {
			o.stuck = r
		} else if r := o.world.Rehearse(); r != nil {
			o.stuck = r
		}
	}
	return o
}

// try draws a scenario and runs of it.
func (f *fuzzer) try(ctx context.Context, number uint64) (t *trial) {
	drawn := cases(&f.target.Template, &f.target.Shapes).Example(
		int(core.Mix(f.options.Seed) + core.Mix(number)))
	t = &trial{number: number}
	stage := "making the setup"
	defer func() {
		if v := recover(); v != nil {
			t.found = panicked(drawn.draft, stage, v)
			t.found.number, t.found.run = number, t.runs
		}
	}()
	o := f.target.open(ctx, drawn.draft, number%twiceEvery != 0)
	switch {
	case ctx.Err() != nil:
		t.interrupted = true
	case o.refused != nil:
		t.refused, t.reason = true, o.refused.Error()
	case o.contrary != "":
		t.reason = o.contrary
		t.found = &finding{draft: drawn.draft, property: Drawn, message: o.contrary,
			strategy: "the failure-free runs", number: number}
	case o.reason != "":
		t.tooLarge, t.reason = o.tooLarge, o.reason
	case o.stuck != nil:
		v := o.stuck.Violation
		t.found = &finding{draft: drawn.draft, property: v.Property, message: v.Message,
			schedule: o.stuck.Schedule, strategy: "the run without failures", number: number}
	default:
		stage = "a machine outside of its steps"
		f.sample(ctx, t, drawn, o.world)
	}
	return t
}

// sample draws runs of a world.
func (f *fuzzer) sample(ctx context.Context, t *trial, drawn drawn, w *world.World) {
	m := newMix(f.options.Mix)
	until, cancel := context.WithCancel(ctx)
	defer cancel()
	enough := func(s sample.Result) {
		if s.Cut > 0 {
			cancel() // the others would be as long
		}
	}
	r := sample.Draw(until, w, m, sample.Options{Runs: f.options.PerCase,
		MaxSteps: mostSteps, Seed: drawn.seed, Progress: enough})
	m.end()
	t.runs, t.steps, t.faults, t.cut = r.Runs, r.Steps, r.Faults, r.Cut
	t.interrupted = r.Verdict != spec.Violated && ctx.Err() != nil
	if t.broken = w.Err(); t.broken != nil {
		return
	}
	if r.Verdict == spec.Violated {
		found := r.Found[0]
		t.found = &finding{draft: drawn.draft, property: found.Property, message: found.Message,
			strategy: m.found(), number: t.number, run: r.First}
		run, err := w.Follow(found.Path)
		if err != nil {
			panic(fmt.Sprintf("invariant: a run that was drawn can be repeated: %v", err))
		}
		t.found.schedule = run.Schedule
	}
	if t.found == nil && m.cut.codes != nil {
		if run := endless(w, &m.cut.record); run != nil {
			m.cut.by.yield.Found++
			t.found = &finding{draft: drawn.draft, property: run.Violation.Property,
				message: run.Violation.Message, schedule: run.Lines(),
				strategy: m.cut.by.Share.Strategy, number: t.number, run: t.runs}
		}
	}
	t.yields = m.yields()
}
