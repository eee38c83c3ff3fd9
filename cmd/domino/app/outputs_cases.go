package app

import (
	"fmt"
	"strings"

	"github.com/domino-check/domino/checker/mutate"
	"github.com/domino-check/domino/fuzz"
	"github.com/domino-check/domino/impl/runtime/compare"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/report/ci"
)

// replayed takes what became of the run in a file. That it still fails is a failure, whatever the
// file expects, as the exit code says.
func (o *outputs) replayed(s *scenarios.Scenario, code int, why string, story *report.Run) {
	if !o.wanted() {
		return
	}
	c := o.about(s)
	c.Verdict, c.Expected, c.Why = spec.Verdict(code), code == 0, why
	c.Violation, c.Property, c.Command = story.Violation, story.Property, story.Command
	c.Figures = []string{"within " + s.Within(), fmt.Sprintf("%d steps", len(s.Schedule))}
	if !c.Expected {
		c.Run = story
	}
	o.add(c)
}

// fuzzed takes what drawing runs of one protocol has shown, but for its failures. That it has not
// begun, or was interrupted, is said by why.
func (o *outputs) fuzzed(r *fuzzed, sampled bool, why string) {
	c := ci.Case{Name: "fuzz " + r.Protocol, Variant: r.Variant, Protocol: r.Protocol,
		Verdict: r.Verdict, Seconds: r.Seconds, Sampled: sampled, Why: why,
		Figures: []string{fmt.Sprintf("seed %d", r.Seed), fmt.Sprintf(
			"runs %s of %s scenarios, steps %s", count(r.Runs), count(r.Cases), count(r.Steps))}}
	o.add(c)
}

// unfuzzed takes the error that drawing runs of a protocol has ended in.
func (o *outputs) unfuzzed(protocol, variant string, err error) {
	o.failedCase(ci.Case{Name: "fuzz " + protocol, Variant: variant, Protocol: protocol}, err)
}

// unhunted takes the error that the hunt for a mutant has ended in.
func (o *outputs) unhunted(m mutate.Mutant, err error) {
	o.failedCase(ci.Case{Name: m.Name, Protocol: m.Protocol}, err)
}

// fuzzFailure takes one failure, with its run where it can be shown.
func (o *outputs) fuzzFailure(r *fuzzed, f *fuzz.Failure, story *report.Run, command string) {
	s := f.Scenario
	c := ci.Case{Name: s.Name, Variant: r.Variant, Protocol: r.Protocol, Verdict: spec.Violated,
		Violation: &spec.Violation{Property: f.Property, Message: f.Message}, Run: story,
		Command: command, Figures: []string{"within " + s.Within(),
			fmt.Sprintf("seed %d, found by %s after %s runs", r.Seed, f.Strategy, count(f.Runs))}}
	if story != nil {
		c.Violation, c.Property = story.Violation, story.Property
	}
	o.add(c)
}

// hunted takes what became of one mutant; the row is nil when an interruption came before its turn.
func (o *outputs) hunted(m mutate.Mutant, r *mutate.Row, all []*scenarios.Scenario) {
	if !o.wanted() {
		return
	}
	if r == nil {
		r = &mutate.Row{Mutant: m.Name, Protocol: m.Protocol, Scenario: m.Scenario, Undecided: true}
	}
	c := ci.Case{Name: r.Mutant, Protocol: r.Protocol, Why: r.Unexpected,
		Expected: r.Unexpected == "" && !r.Undecided, Command: called("domino mutate " + r.Mutant)}
	for _, s := range all {
		if s.Name == r.Scenario {
			c.File, c.Line = o.place(s)
		}
	}
	killed := false
	for _, h := range r.Hunts {
		killed = killed || h.Killed
		words := h.Method + ": " + h.Bound
		if h.Killed {
			words = h.Method + ": killed by " + h.Property
		}
		c.Figures = append(c.Figures, words)
		c.Seconds += h.Seconds
	}
	switch {
	case r.Undecided && r.Unexpected == "":
		c.Verdict, c.Why = spec.Unknown, "a bound or an interruption came first"
	case killed:
		c.Verdict = spec.Violated
	}
	o.add(c)
}

// clusterRan takes one run as processes.
func (o *outputs) clusterRan(r *clusterRan, command string) {
	if !o.wanted() {
		return
	}
	c := o.about(r.scenario)
	c.Verdict, c.Expected, c.Why = spec.Verdict(r.code()), r.code() == 0, r.why
	c.Seconds, c.Violation, c.Command = r.result.Elapsed.Seconds(), r.violation, command
	c.Figures = []string{fmt.Sprintf("processes %d, failures %d",
		len(r.resolved.Setup.Layout.Names), r.result.Failures), "digests: " + r.digests}
	if r.violation != nil {
		p := c // its property is that of the house with the name
		c.Run = &report.Run{Title: p.Name + ": a run as processes", Violation: r.violation,
			Trace: r.result.Trace, Command: command}
	}
	o.add(c)
}

// beyond takes a scenario that can not be run as processes.
func (o *outputs) beyond(s *scenarios.Scenario, why string) {
	c := o.about(s)
	c.Verdict, c.Why = spec.OutOfModel, why
	o.add(c)
}

// tortured takes what torture has shown when no run was wrong.
func (o *outputs) tortured(t *torture, code int, seconds float64) {
	o.add(ci.Case{Name: "torture", Verdict: spec.Unknown, Sampled: code == exitSampled,
		Why: fmt.Sprintf("%d runs, %d failures, none wrong, which proves nothing", t.all.Runs,
			t.all.Kills), Seconds: seconds, Command: called(fmt.Sprintf(
			"domino cluster torture --seed %d", t.flags.seed))})
}

// certified takes whether a program is in the class that it needs.
func (o *outputs) certified(a *certified, unknown error) {
	c := ci.Case{Name: a.Program, Protocol: a.Protocol, Expected: a.Fits && unknown == nil,
		Figures: []string{"class " + a.Class}}
	switch {
	case unknown != nil:
		c.Verdict, c.Why, c.Figures = spec.Unknown, unknown.Error(), nil
	case !a.Fits:
		c.Verdict = spec.Violated
		why := a.Class
		if a.Stuck != "" {
			why += ", fails without any failure: " + a.Stuck
		}
		for _, l := range a.Lacks {
			why += "; " + first(l.Why)
		}
		c.Violation = &spec.Violation{Property: "determinism-class",
			Message: fmt.Sprintf("needs %s, is %s", a.Needs, why)}
	}
	o.add(c)
}

// compared takes one row of the comparison.
func (o *outputs) compared(s *compare.Study) {
	c := ci.Case{Name: s.Row.Name(), Protocol: s.Row.Protocol, Figures: []string{
		fmt.Sprintf("runs %d", s.Runs)}, Expected: len(s.Stuck)+len(s.Wrong) == 0}
	if !c.Expected {
		c.Verdict = spec.Violated
		var words []string
		for _, r := range s.Stuck {
			words = append(words, r+" did not end")
		}
		for _, r := range s.Wrong {
			words = append(words, r+" ended otherwise than without a failure")
		}
		c.Why = strings.Join(words, "; ")
	}
	o.add(c)
}
