package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/domino-check/domino/checker/enforce"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/fuzz"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
)

// enforced is a run of the world that processes were made to take.
type enforced struct {
	*enforce.Outcome
	scenario *scenarios.Scenario
	dir      string // of the files that stay; ""
}

// enforceReport is the answer as JSON.
type enforceReport struct {
	versioned
	Scenario string          `json:"scenario"`
	Verdict  enforce.Verdict `json:"verdict"`
	Reason   string          `json:"reason"`
	Moves    int             `json:"moves"`
	Of       int             `json:"of"`
	Stuck    string          `json:"stuck,omitempty"`
	Want     *spec.Violation `json:"want"`
	Got      *spec.Violation `json:"got"`
	Crashes  []cluster.Crash `json:"crashes"`
	Elapsed  time.Duration   `json:"elapsed"`
	Dir      string          `json:"dir,omitempty"`
}

func (e *enforced) report() *enforceReport {
	r := &enforceReport{versioned: as("enforce"), Scenario: e.scenario.Name, Verdict: e.Verdict,
		Reason: e.Reason, Moves: e.Moves, Of: e.Of, Stuck: e.Stuck, Want: e.Want, Got: e.Got,
		Dir: e.dir}
	if e.Result != nil {
		r.Crashes, r.Elapsed = e.Result.Crashes, e.Result.Elapsed
	}
	return r
}

// code is the exit code: that of what the processes break, and unknown where that says nothing of
// the file.
func (e *enforced) code() int {
	switch e.Verdict {
	case enforce.Broken:
		return exitCode(spec.Violated)
	case enforce.Fine:
		return 0
	case enforce.Refused:
		return exitCode(spec.OutOfModel)
	}
	return exitCode(spec.Unknown)
}

// print tells a reader.
func (e *enforced) print(w io.Writer) {
	fmt.Fprintf(w, "%s: %d of %d moves", e.Verdict, e.Moves, e.Of)
	if e.Result != nil {
		fmt.Fprintf(w, " by %d processes, %d failures, %s", len(e.Result.Performed),
			e.Result.Failures, short3(e.Result.Elapsed))
	}
	fmt.Fprintln(w)
	if e.Stuck != "" {
		fmt.Fprintf(w, "move %d, %s:\n  ", e.Moves+1, e.Stuck)
	}
	fmt.Fprintln(w, e.Reason)
	if e.Got != nil {
		fmt.Fprintf(w, "real processes break %s: %s\n", e.Got.Property, e.Got.Message)
	}
	if e.dir != "" {
		fmt.Fprintf(w, "disks and evidence are in %s\n", e.dir)
	}
}

// runEnforce is cluster enforce.
func runEnforce(ctx context.Context, args []string, std streams) (int, error) {
	f := flags("cluster enforce", "FILE", std, "cluster enforce .domino/h10-repaired-H10.txtar",
		"cluster enforce run.txtar --dir run --json && domino cluster lift run")
	dir := f.String("dir", "", "folder for disks and evidence, new or empty, that stays; by "+
		"default a temporary one that goes")
	timeout := f.Duration("timeout", time.Minute, "end the run after so long, and say which move "+
		"waits for whom")
	asJSON := f.Bool("json", false, "print JSON")
	if err := f.Parse(args); err != nil {
		return 0, err
	}
	if err := within(f, positive("timeout")); err != nil {
		return 0, err
	}
	if f.NArg() != 1 {
		return 0, fmt.Errorf("want one replay file, as check, errata, fuzz and minimise write, "+
			"got %d arguments", f.NArg())
	}
	s, err := loadReplay(ctx, f.Arg(0))
	if err != nil {
		return 0, err
	}
	if slices.Contains(fuzz.GuardProperties(), s.Breaks) {
		return 0, fmt.Errorf("%s is about what machines do with memory, not about a course: "+
			"domino replay shows it", s.Breaks)
	}
	w, run, stale, err := std.repeat(ctx, s)
	if err != nil {
		return 0, err
	}
	if stale != nil && run.Violation == nil {
		fmt.Fprintf(std.err, "stale: %v\nThe code or the file has changed since it was written; "+
			"check the scenario again.\n", stale)
		return exitCode(spec.Unknown), nil
	}
	e, err := std.enforce(ctx, s, w, run, *dir, *timeout)
	if err != nil {
		return 0, err
	}
	if ctx.Err() != nil {
		fmt.Fprintln(std.err, "interrupted")
		return exitCode(spec.Unknown), nil
	}
	if *asJSON {
		err = printJSON(std.out, e.report())
	} else {
		e.print(std.out)
	}
	return e.code(), err
}

// enforce makes processes take the course of a run, in a folder.
func (std streams) enforce(ctx context.Context, s *scenarios.Scenario, w *world.World,
	run *world.Run, name string, timeout time.Duration) (*enforced, error) {
	resolved, err := std.Resolve(s)
	if err != nil {
		return nil, err
	}
	dir, err := openFolder(name, "", "domino-enforce-")
	if err != nil {
		return nil, err
	}
	c := &clusterCase{scenario: s, resolved: resolved, std: std, seed: 1, timeout: timeout,
		spread: time.Microsecond, hosting: hosting{address: anyLoopback}, lifts: true}
	config, err := c.config(strikes{}, 1, filepath.Join(dir.name, "run"))
	e := &enforced{scenario: s}
	if err == nil {
		e.Outcome, err = enforce.Run(ctx, w, run, config)
	}
	if !dir.temporary && err == nil {
		e.dir, err = dir.name, c.saved(strikes{}, 1).save(dir.name)
	}
	if err = errors.Join(err, dir.close(!dir.temporary)); err != nil {
		return nil, err
	}
	return e, nil
}
