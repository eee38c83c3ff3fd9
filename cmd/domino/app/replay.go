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
	enabled := f.Bool("enabled", false,
		"with --json: what could have happened in the place of each step, too")
	control := f.Bool("control", false, "show control messages in the diagram, too")
	out := registerOutputs(f, std)
	if err := f.Parse(args); err != nil {
		return 0, err
	}
	if *enabled && !*asJSON {
		return 0, errors.New("--enabled is part of what --json prints: want both")
	}
	if f.NArg() != 1 {
		return 0, fmt.Errorf("want one replay file, got %d arguments", f.NArg())
	}
	if err := out.open(); err != nil {
		return 0, err
	}
	s, err := loadReplay(ctx, f.Arg(0))
	if err != nil {
		return 0, err
	}
	w, run, stale, err := std.repeat(ctx, s)
	if err != nil {
		return 0, err
	}
	story := told(verify.Story(s, w, run, run.Violation), "domino replay "+word(f.Arg(0)))
	if *enabled {
		verify.Alternatives(story, w, run)
	}
	if *asJSON {
		if err := report.JSON(std.out, story); err != nil {
			return 0, err
		}
	} else {
		printStory(std.out, story, *control)
	}
	code, why := verdictOf(s, w, run, stale)
	fmt.Fprintln(std.err, why)
	out.replayed(s, code, why, story)
	return code, nil
}

// repeat follows the schedule of a replay file, as far as it can; stale says what it can not.
func (std streams) repeat(ctx context.Context, s *scenarios.Scenario) (w *world.World,
	run *world.Run, stale, err error) {
	resolved, err := std.Resolve(s)
	if err != nil {
		return nil, nil, nil, err
	}
	if slices.Contains(fuzz.GuardProperties(), s.Breaks) {
		resolved.Setup = fuzz.Guard(world.Case{Setup: resolved.Setup}).Setup
	}
	w, _, err = world.Open(ctx, cutting(resolved.Case), checker.Options{})
	if err != nil {
		return nil, nil, nil, err
	}
	prime(w, s)
	run, err = w.Replay(s.Schedule)
	if err != nil && !errors.Is(err, world.ErrStale) {
		return nil, nil, nil, err
	}
	return w, run, err, nil
}

// verdictOf compares the run with what the file says it breaks, and says so.
func verdictOf(s *scenarios.Scenario, w *world.World, run *world.Run, stale error) (code int,
	why string) {
	switch v := run.Violation; {
	case v != nil && (s.Breaks == "" || s.Breaks == v.Property):
		return exitCode(spec.Violated), fmt.Sprintf("still fails: %s: %s", v.Property, v.Message)
	case v != nil:
		return exitCode(spec.Violated), fmt.Sprintf("fails otherwise: %s: %s (the file expects %s)",
			v.Property, v.Message, s.Breaks)
	case stale != nil:
		return exitCode(spec.Unknown), fmt.Sprintf("stale: %v\nThe code or the file has changed "+
			"since it was written; check the scenario again.", stale)
	case w.Relates(s.Breaks):
		return exitCode(spec.Unknown), fmt.Sprintf("unknown: this run breaks nothing, and %s "+
			"compares runs: domino check looks at all of them", s.Breaks)
	case !run.Complete:
		return exitCode(spec.Unknown),
			"unknown: the run breaks nothing, but the schedule ends before the run does"
	}
	return 0, "fixed: the run breaks nothing"
}
