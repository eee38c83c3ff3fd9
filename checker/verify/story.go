package verify

import (
	"slices"

	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/report"
)

// Story is the run that breaks a property, to be shown (package report); nil when there is none.
func (a *Answer) Story() *report.Run {
	if a.Outcome == nil || len(a.Outcome.Runs) == 0 {
		return nil
	}
	r := Story(a.Scenario, a.Outcome.World, a.Outcome.Runs[0], a.Violation)
	r.Scope = a.Scope()
	return r
}

// Scope is what the search has said, and that of the repaired protocol beside it.
func (a *Answer) Scope() (list []report.Search) {
	for ; a != nil; a = a.Repaired {
		list = append(list, report.Search{Variant: a.Variant, Verdict: a.Verdict.String(),
			Bounds: a.Bounds, States: a.States})
	}
	return list
}

// ReplayFile is the scenario with the run that breaks a property as its schedule: the file that
// replays it. It is nil when there is no such run.
func (a *Answer) ReplayFile() *scenarios.Scenario {
	if a.Outcome == nil || len(a.Outcome.Runs) == 0 {
		return nil
	}
	c := *a.Scenario
	c.Schedule, c.States, c.Expect, c.Breaks = a.Outcome.Runs[0].Lines(), 0, "violated",
		a.Violation.Property
	return &c
}

// Story is one run in a world for a reader, with what changed in the local states at each step. The
// violation may be nil.
func Story(s *scenarios.Scenario, w *world.World, run *world.Run,
	v *spec.Violation) *report.Run {
	r := Sketch(s, w, run, v)
	r.Start = report.Step{State: w.StateName(run.States[0])}
	for p := range core.Proc(len(run.Trace.Layout.Names)) {
		r.Start.Locals = append(r.Start.Locals, w.LocalJSON(run.States[0], p))
	}
	before := &r.Start
	for i := range r.Steps {
		step := &r.Steps[i]
		step.State, step.Locals = w.StateName(run.States[i+1]), slices.Clone(before.Locals)
		for p := range core.Proc(len(run.Trace.Layout.Names)) {
			if !w.Same(run.States[i], run.States[i+1], p) {
				step.Locals[p] = w.LocalJSON(run.States[i+1], p)
				step.Diff = append(step.Diff, report.Diff(run.Trace.Layout.Name(p),
					before.Locals[p], step.Locals[p])...)
			}
		}
		step.Changes = report.Texts(step.Diff)
		before = step
	}
	return r
}

// Sketch is a Story without any state: what a figure shows, at a tenth of the cost.
func Sketch(s *scenarios.Scenario, w *world.World, run *world.Run,
	v *spec.Violation) *report.Run {
	r := &report.Run{Title: s.Name + " (" + s.Protocol + ", " + s.Variant + "): " + s.Title,
		Trace: run.Trace, Violation: v, Also: w.Also(run)}
	properties, _ := w.Facts.Properties() // the world has taken them
	for _, p := range properties {
		if v != nil && p.Name == v.Property {
			r.Property = &p
		}
	}
	if run.Violation != nil && v != nil && v.Property == run.Violation.Property {
		r.Violation = run.Violation
	}
	if w.Facts != nil {
		r.About = w.About(run, r.Violation)
		r.Why = spec.Explain(w.Facts, &r.Trace, r.About)
	}
	for i, event := range run.Schedule {
		step := report.Step{Event: event}
		if run.Loop > 0 && i == len(run.Schedule)-run.Loop {
			step.Event = world.ForEver + " " + event
		}
		for p := range core.Proc(len(run.Trace.Layout.Names)) {
			if len(w.Damaged(run.States[i+1], p)) > len(w.Damaged(run.States[i], p)) {
				step.Torn = append(step.Torn, p)
			}
		}
		r.Steps = append(r.Steps, step)
	}
	if r.Violation != nil && r.Violation.Step == 0 {
		r.Waits = waits(w, run)
	}
	return r
}

// waits is what everybody waits for at the end of a run.
func waits(w *world.World, run *world.Run) (list []report.Wait) {
	last := run.States[len(run.States)-1]
	for p := range w.Setup.Layout.Names {
		for _, wait := range w.Waiting(last, core.Proc(p)) {
			list = append(list, report.Wait{Proc: core.Proc(p), What: wait.What, From: wait.From,
				Since: since(w, run, core.Proc(p), wait)})
		}
	}
	return list
}

// since is the step from which on a proc has waited for something until the end of a run.
func since(w *world.World, run *world.Run, p core.Proc, wait core.Wait) int {
	k := len(run.States) - 1
	for k > 0 && (w.Same(run.States[k-1], run.States[k], p) ||
		slices.ContainsFunc(w.Waiting(run.States[k-1], p), func(o core.Wait) bool {
			return o.What == wait.What && slices.Equal(o.From, wait.From)
		})) {
		k--
	}
	return k
}

// Alternatives adds to a story of a run what could have happened in the place of each step.
func Alternatives(r *report.Run, w *world.World, run *world.Run) {
	for i := range r.Steps {
		names, _ := w.Enabled(run.States[i])
		slices.Sort(names)
		r.Steps[i].Enabled = names
	}
}
