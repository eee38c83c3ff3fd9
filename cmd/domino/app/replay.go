package app

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/fuzz"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/report"
)

func runReplay(ctx context.Context, args []string, std streams) (int, error) {
	f := flags("replay", "FILE", std, "replay .domino/h1-repaired-H1.txtar",
		"replay run.txtar --control")
	asJSON := f.Bool("json", false, "print JSON")
	control := f.Bool("control", false, "show control messages in the diagram, too")
	if err := f.Parse(args); err != nil {
		return 0, err
	}
	if f.NArg() != 1 {
		return 0, fmt.Errorf("want one replay file, got %d arguments", f.NArg())
	}
	s, err := loadReplay(ctx, f.Arg(0))
	if err != nil {
		return 0, err
	}
	resolved, err := std.Resolve(s)
	if err != nil {
		return 0, err
	}
	if slices.Contains(fuzz.GuardProperties(), s.Breaks) {
		resolved.Setup = fuzz.Guard(world.Case{Setup: resolved.Setup}).Setup
	}
	w, _, err := world.Open(ctx, cutting(resolved.Case), checker.Options{})
	if err != nil {
		return 0, err
	}
	prime(w, s)
	run, err := w.Replay(s.Schedule)
	if err != nil && !errors.Is(err, world.ErrStale) {
		return 0, err
	}
	story := told(verify.Story(s, w, run, run.Violation), "domino replay "+f.Arg(0))
	if *asJSON {
		if err := report.JSON(std.out, story); err != nil {
			return 0, err
		}
	} else {
		printStory(std.out, story, *control)
	}
	return verdictOf(s, w, run, err, std)
}

// verdictOf compares the run with what the file says it breaks.
func verdictOf(s *scenarios.Scenario, w *world.World, run *world.Run, stale error,
	std streams) (int, error) {
	switch {
	case run.Violation != nil && (s.Breaks == "" || s.Breaks == run.Violation.Property):
		fmt.Fprintf(std.err, "still fails: %s: %s\n", run.Violation.Property, run.Violation.Message)
		return exitCode(spec.Violated), nil
	case run.Violation != nil:
		fmt.Fprintf(std.err, "fails otherwise: %s: %s (the file expects %s)\n",
			run.Violation.Property, run.Violation.Message, s.Breaks)
		return exitCode(spec.Violated), nil
	case stale != nil:
		fmt.Fprintf(std.err,
			"stale: %v\nThe code or the file has changed since it was written; check the "+
				"scenario again.\n", stale)
		return exitCode(spec.Unknown), nil
	}
	if w.Relates(s.Breaks) {
		fmt.Fprintf(std.err, "unknown: this run breaks nothing, and %s compares runs: domino "+
			"check looks at all of them\n", s.Breaks)
		return exitCode(spec.Unknown), nil
	}
	if !run.Complete {
		fmt.Fprintln(std.err,
			"unknown: the run breaks nothing, but the schedule ends before the run does")
		return exitCode(spec.Unknown), nil
	}
	fmt.Fprintln(std.err, "fixed: the run breaks nothing")
	return 0, nil
}
