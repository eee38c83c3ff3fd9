package app

import (
	"context"
	"fmt"
	"slices"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/minimise"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/cmd/domino/app/term"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec/report/page"
	"github.com/domino-check/domino/spec/trace"
)

// smaller makes a run as small as it gets, and says why no smaller one shows the same.
func (std streams) smaller(ctx context.Context, s *exhibit, rf *reportFlags) (*exhibit,
	*page.Small, error) {
	if s.run.Violation == nil {
		return nil, nil, fmt.Errorf("--small: the run of %s breaks nothing, so there is nothing "+
			"to make smaller", s.scenario.Name)
	}
	c := *s.scenario
	c.Schedule, c.Breaks = s.run.Lines(), s.run.Violation.Property
	cuts := slices.ContainsFunc(c.Schedule, trace.IsCutShort)
	line := term.NewLine(std.err, false)
	a, err := minimise.Minimise(ctx, minimise.Question{Scenario: &c, Property: c.Breaks,
		Resolve: func(s *scenarios.Scenario) (world.Case, error) {
			q, err := std.guarded(s)
			q.Cuts = cuts
			return q, err
		}, Search: checker.Options{MaxBytes: rf.maxMemory << 20}, Tried: shrinkProgress(line)})
	line.Clear()
	if err == nil && ctx.Err() != nil {
		err = errInterrupted
	}
	if err != nil {
		return nil, nil, err
	}
	small := &page.Small{Words: []string{
		fmt.Sprintf("Made of %s: %s. %d smaller scenarios were tried; %s.", c.Name, a.Summary(),
			a.Tried, limits(a))}}
	for _, t := range a.Trials {
		small.Trials = append(small.Trials, page.Trial{Left: t.Words, Outcome: t.Outcome})
	}
	e := *s
	e.scenario, e.world, e.run = a.Scenario, a.World, a.Run
	e.scope = []string{a.Scenario.Within() + "."}
	e.command = "domino minimise " + scenarioWord(&c) + " --variant " + c.Variant
	return &e, small, nil
}
