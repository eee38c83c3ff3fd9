package verify

import (
	"context"
	"fmt"
	"strings"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/sample"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
)

// Options direct a search. The zero value is the search of domino check: depth first with
// DefaultReduction, no limits.
type Options = checker.Options

// DefaultReduction is that of a depth-first search. Sleep sets cost more than the steps that they
// save.
const DefaultReduction = checker.Singletons | checker.Crashes | checker.Symmetry

// Answer is what is known of one scenario in one variant after a search or some drawn runs.
type Answer struct {
	Name       string       `json:"scenario"`
	Variant    string       `json:"variant"`
	Verdict    spec.Verdict `json:"verdict"`
	Expect     string       `json:"expect"`
	AsExpected bool         `json:"asExpected"`
	// what is not as expected, or why there is no verdict
	Why         string `json:"why,omitempty"`
	Bounds      string `json:"bounds"` // within which the verdict holds, in words
	States      int    `json:"states"`
	Transitions int    `json:"transitions"`
	Terminals   int    `json:"terminals"`
	// of the longest path, 0 when that is not known, as when several workers follow paths
	Depth int `json:"depth,omitempty"`
	// of odpor: complete runs, one of each Mazurkiewicz trace
	Traces     int             `json:"traces,omitempty"`
	Violating  int             `json:"violating,omitempty"` // of odpor: runs that a violation cuts
	LocalSteps int             `json:"localSteps"`
	Saved      checker.Savings `json:"saved"` // by reductions
	Bytes      int64           `json:"bytes"` // of memory at the peak, frontier included
	Seconds    float64         `json:"seconds"`
	// Sometimes properties that some run showed, and those that could be expected and were not
	Seen      []string        `json:"seen,omitempty"`
	Unseen    []string        `json:"unseen,omitempty"`
	Idle      []string        `json:"idle,omitempty"` // knobs of the model that change nothing
	Violation *spec.Violation `json:"violation,omitempty"`
	// what the same run breaks, too, the deepest first
	Also    []spec.Violation `json:"also,omitempty"`
	Length  int              `json:"length,omitempty"` // steps of the run that breaks it
	Replay  string           `json:"replay,omitempty"` // file with that run
	Run     string           `json:"run,omitempty"`    // file with a search that was ended early
	Samples *Samples         `json:"samples,omitempty"`

	Outcome  *world.Outcome      `json:"-"` // everything, with the runs found and their world
	Scenario *scenarios.Scenario `json:"-"` // in the variant that was asked about
	// of a search with an erratum: the repaired protocol at the same scope, where that was asked
	Repaired *Answer `json:"-"`
}

// Samples are the figures of runs that were drawn.
type Samples struct {
	sample.Result
	Strategy      string  `json:"strategy"`
	Seed          uint64  `json:"seed"`
	RunsPerSecond float64 `json:"runsPerSecond"`
}

// File explores the scenario in a file with the protocols, and says what came of it. An error is
// about the file, the protocols, or the machine, never about what was found.
func File(ctx context.Context, file string, o Options, protocols ...protocol.Protocol) (*Answer,
	error) {
	list := protocol.List(protocols)
	if err := list.Validate(); err != nil {
		return nil, err
	}
	s, err := scenarios.Load(file)
	if err != nil {
		return nil, err
	}
	return Check(ctx, list, s, o)
}

// Check explores a scenario by a search.
func Check(ctx context.Context, list protocol.List, s *scenarios.Scenario, o Options) (*Answer,
	error) {
	if o.Order == checker.DepthFirst && !o.Lasso && o.Reduce == 0 {
		o.Reduce = DefaultReduction
	}
	return Ask(list, s, func(q world.Case) (*world.Outcome, error) {
		return world.Check(ctx, q, o)
	})
}

// Ask puts the question of a scenario, in its variant, to whoever answers it, and compares.
func Ask(list protocol.List, s *scenarios.Scenario,
	ask func(world.Case) (*world.Outcome, error)) (*Answer, error) {
	c := *s
	a := &Answer{Name: s.Name, Variant: s.Variant, Expect: s.Expect, Scenario: &c,
		Bounds: c.Within()}
	if c.Variant != "repaired" {
		a.Bounds += "; " + c.Variant
	}
	r, err := Resolve(list, &c)
	if err != nil {
		return nil, err
	}
	out, err := ask(r.Case)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	a.fill(out)
	a.compare()
	return a, nil
}

// fill takes what is known from the outcome.
func (a *Answer) fill(out *world.Outcome) {
	a.Outcome, a.Verdict, a.Why = out, out.Verdict, out.Reason
	a.Seen, a.Unseen, a.Idle = out.Seen, out.Unseen, out.Idle
	a.Traces, a.Violating = out.Traces, out.Violating
	a.States, a.Transitions, a.Terminals, a.Depth = out.States, out.Transitions, out.Terminals,
		out.Depth
	a.LocalSteps, a.Saved, a.Bytes, a.Seconds = out.LocalSteps, out.Saved, out.Peak,
		out.Elapsed.Seconds()
	if len(out.Found) > 0 {
		a.Violation, a.Length = &out.Found[0].Violation, len(out.Found[0].Path)
		a.Why = out.Found[0].Property + ": " + out.Found[0].Message
		if len(out.Runs) > 0 {
			a.Also = out.World.Also(out.Runs[0])
		}
	}
	if s := out.Samples; s != nil {
		a.Samples = &Samples{Result: *s,
			RunsPerSecond: float64(s.Runs) / max(s.Elapsed.Seconds(), 1e-9)}
	}
	if out.File != "" {
		a.Run = out.File
		a.Why += "; saved, goes on with: domino check --resume " + out.File +
			" and the same arguments"
	}
	if out.Unsaved != nil {
		a.Why += "; not saved: " + out.Unsaved.Error()
	}
}

// compare says whether the answer is what the scenario expects.
func (a *Answer) compare() {
	s := a.Scenario
	a.AsExpected = true
	not := func(format string, args ...any) {
		a.AsExpected = false
		a.Why = strings.TrimSuffix(fmt.Sprintf(format, args...)+"; "+a.Why, "; ")
	}
	switch {
	case a.Verdict.String() != s.Expect:
		not("%s, expected %s", a.Verdict, s.Expect)
	case s.Breaks != "" && a.Violation != nil && a.Violation.Property != s.Breaks:
		not("breaks %s, expected %s", a.Violation.Property, s.Breaks)
	case s.States != 0 && a.States+a.Saved.Renamed != s.States:
		not("%d states, expected %d", a.States+a.Saved.Renamed, s.States)
	}
}
