package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/domino-check/domino/checker/lift"
	"github.com/domino-check/domino/checker/soak"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
	"github.com/domino-check/domino/impl/runtime/tcp/launch"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
)

// clusterCase is a scenario that is run as processes, perhaps many times.
type clusterCase struct {
	hosting
	scenario  *scenarios.Scenario
	resolved  *verify.Resolved
	std       streams
	seed      uint64
	timeout   time.Duration
	idle      time.Duration // a run ends in which nothing happens for so long; 0: it does not
	spread    time.Duration
	diskDelay time.Duration
	judge     *soak.Judge
	facts     *spec.Facts   // of the judge
	lifter    *lift.Lifter  // made when the first run is looked for
	lifts     bool          // runs are looked for in the world
	past      *cluster.Past // of a run that goes on; nil: it begins
	beyond    int           // failures that are allowed beside those of the model
	keeps     bool          // their files stay
	unknown   string        // what the judge does not know
	quiet     bool
}

// allow makes room in the failure model for what the user asks for.
func (c *clusterCase) allow(k strikes) {
	failures, together := 0, 1
	for _, victims := range k.victims() {
		failures, together = failures+len(victims), max(together, len(victims))
	}
	m := &c.resolved.Model
	if failures > 0 && (failures > m.Failures || together > m.Together()) {
		m.Failures, m.AtOnce, m.OneInstant, m.Settled, m.Overlap,
			m.Victims = max(failures, m.Failures), max(together, m.AtOnce), false, false, 0, nil
	} else if failures > 0 {
		m.Victims = nil
	}
}

// config is that of one run.
func (c *clusterCase) config(k strikes, seed uint64, dir string) (cluster.Config, error) {
	path, err := os.Executable()
	return cluster.Config{Setup: c.resolved.Setup, Case: string(scenarios.Format(c.scenario)),
		Model: c.resolved.Model, Plan: k.Plan, Timed: k.Timed, Reached: k.Reached, Stops: k.Stops,
		Silence: k.Silence, Every: k.Every, States: c.lifts, Forget: k.Forget,
		Seed: seed, Spread: c.spread, DiskDelay: c.diskDelay, Dir: dir, Timeout: c.timeout,
		Idle: c.idle, Past: c.past, Address: c.address, Hosts: c.hosts, Ports: c.ports,
		Fence: c.fence, LostAfter: c.lostAfter, Lease: c.lease, Path: path,
		Args: []string{"cluster", "run", "--" + childFlag}, Errors: launch.Shared(c.std.err),
		Note: func(text string) {
			if !c.quiet {
				fmt.Fprintln(c.std.err, text)
			}
		}}, err
}

// validate says what can not be run before anything is.
func (c *clusterCase) validate(k strikes) error {
	config, err := c.config(k, c.seed, "-")
	if err != nil {
		return err
	}
	return config.Validate()
}

// runWithReference makes a run, and before it one without failures if it has any.
func (c *clusterCase) runWithReference(ctx context.Context, k strikes, dir string) (*clusterRan,
	error) {
	var reference *cluster.Result
	if len(k.victims())+len(k.Stops)+len(k.Plan.Spoils) > 0 || k.Silence > 0 {
		ran, err := c.run(ctx, strikes{}, c.seed, filepath.Join(dir, "reference"), nil)
		if err != nil || ran.verdict != spec.Holds {
			return ran, err
		}
		if reference = ran.result; c.keeps {
			if err := saveEnds(filepath.Join(dir, "reference"), reference); err != nil {
				return nil, err
			}
		}
	}
	return c.run(ctx, k, c.seed, filepath.Join(dir, "run"), reference)
}

// judgingSilently is how long a run is judged before somebody is told.
const judgingSilently = 2 * time.Second

// run makes one run and judges it.
func (c *clusterCase) run(ctx context.Context, k strikes, seed uint64, dir string,
	reference *cluster.Result) (*clusterRan, error) {
	config, err := c.config(k, seed, dir)
	if err != nil {
		return nil, err
	}
	r, err := cluster.Run(ctx, config)
	if err != nil {
		return nil, err
	}
	ran := &clusterRan{clusterCase: c, strikes: k, result: r, reference: reference}
	slow := time.AfterFunc(judgingSilently, func() {
		if !c.quiet {
			fmt.Fprintf(c.std.err, "judging %d events\n", len(r.Trace.Events))
		}
	})
	defer slow.Stop()
	judged := make(chan *clusterRan, 1)
	if again := *ran; ctx.Err() == nil {
		// ends by itself; a long trace takes a while, for which nobody waits who has had enough
		go func() {
			again.decide()
			judged <- &again
		}()
	}
	select {
	case ran = <-judged:
		if ran.err == nil && c.lifts {
			ran.lifted, ran.err = heard(ctx, func() (*lifted, error) {
				return c.liftAndSave(dir)
			})
		}
		if ran.err != nil && ctx.Err() == nil {
			return nil, ran.err
		}
	case <-ctx.Done():
		ran.verdict, ran.why, ran.digests = spec.Unknown, "interrupted", "not compared"
	}
	return ran, nil
}
