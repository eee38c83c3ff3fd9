package app

import (
	"context"
	"fmt"
	"time"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
)

// probeStates is how far check --estimate explores: about a second.
const probeStates = 500_000

// forecast is what a probe says about the whole search.
type forecast struct {
	versioned
	Scenario string `json:"scenario"`
	Bounds   string `json:"bounds"`
	Complete bool   `json:"complete"` // the probe was the whole search
	// of the probe: unknown unless it is complete or broken
	Verdict  string           `json:"verdict"`
	States   int              `json:"states"` // explored by the probe
	Estimate checker.Estimate `json:"estimate"`
	Seconds  float64          `json:"seconds"` // that the whole search may take, on one worker
	Bytes    int64            `json:"bytes"`   // of memory that it may take
}

// estimateAll explores the beginning of each scenario and says about how large the whole is.
func estimateAll(ctx context.Context, list []*scenarios.Scenario, o checker.Options,
	sf *searchFlags, std streams) (int, error) {
	o.MaxStates, o.Workers = probeStates, 1
	p := newProgress(std.err, len(list), sf.json)
	for _, s := range list {
		r := checkOne(ctx, s, o, std, p)
		p.finished(s.Name)
		if r.err != nil {
			return 0, r.err
		}
		f := forecast{versioned: as("estimate"),
			Scenario: s.Name, Bounds: r.Bounds, Verdict: r.Verdict.String(),
			States:   r.States,
			Complete: r.Verdict != spec.Unknown, Seconds: r.Seconds, Bytes: r.Bytes}
		if out := r.Outcome; !f.Complete {
			f.Estimate = out.Estimate
			f.Seconds += out.Remaining().Seconds()
			f.Bytes = int64(float64(out.Peak) / float64(max(1, out.States)) * max(f.Estimate.States,
				float64(out.States)))
		}
		if sf.json {
			_ = printJSON(std.out, f)
		} else {
			fmt.Fprintf(std.out, "%s: %s; within %s\n", s.Name, f, f.Bounds)
		}
		if ctx.Err() != nil {
			return exitCode(spec.Unknown), nil
		}
	}
	return 0, nil
}

// String says it in words.
func (f forecast) String() string {
	switch {
	case f.Complete:
		return fmt.Sprintf("%s, all of %s states in %s", f.Verdict, count(f.States),
			seconds(f.Seconds))
	case f.Estimate.States == 0:
		return fmt.Sprintf("more than %s states; no estimate", count(f.States))
	}
	return fmt.Sprintf("%s; about %s and %d MiB with one worker, guessed from the first %s states",
		f.Estimate,
		time.Duration(f.Seconds*float64(time.Second)).Round(time.Second), f.Bytes>>20,
		count(f.States))
}
