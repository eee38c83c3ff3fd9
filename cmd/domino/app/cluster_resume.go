package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
)

// resumeFlags are the flags of cluster resume.
type resumeFlags struct {
	where                   hostFlags
	timeout                 time.Duration
	json, events, reference bool
	anyBuild                bool
}

// runResume is cluster resume.
func runResume(ctx context.Context, args []string, std streams) (int, error) {
	f := flags("cluster resume", "DIR", std, "cluster resume s1-run",
		"cluster resume /shared/run --hosts '10.0.0.3,10.0.0.4=ssh -oBatchMode=yes node4 "+
			"/shared/domino'")
	var o resumeFlags
	f.DurationVar(&o.timeout, "timeout", time.Minute,
		"end the run after so long; by default as it was begun with")
	f.BoolVar(&o.reference, "reference", false, "run without failures first, too, to compare the "+
		"ends, unless DIR has such a run")
	f.BoolVar(&o.anyBuild, "any-build", false, "go on, too, with what another build of domino "+
		"has begun")
	f.BoolVar(&o.events, "events", false, "print the merged trace, too")
	f.BoolVar(&o.json, "json", false, "print JSON")
	o.where.register(f, "DIR")
	if err := f.Parse(args); err != nil {
		return 0, err
	}
	if err := within(f, positive("timeout")); err != nil {
		return 0, err
	}
	if f.NArg() != 1 {
		return 0, fmt.Errorf("want the folder of one run, as cluster run --dir has begun it, got "+
			"%d arguments", f.NArg())
	}
	dir, err := filepath.Abs(f.Arg(0))
	if err != nil {
		return 0, err
	}
	if _, err := os.Stat(filepath.Join(dir, planFile)); err != nil {
		return 0, fmt.Errorf("%w: want the folder of a run, as cluster run --dir has begun it; "+
			"one that was killed before it had saved its plan is begun by the same command", err)
	}
	lock, err := lockFolder(dir)
	if err != nil {
		return 0, err
	}
	defer func() { _ = lock.Close() }() // it was only locked
	c, saved, err := o.prepare(ctx, dir, std)
	if err != nil {
		return 0, err
	}
	if f.Changed("timeout") {
		c.timeout = o.timeout
	}
	return o.goOn(ctx, c, saved, dir)
}

// goOn takes up the run of a case and judges it.
func (o *resumeFlags) goOn(ctx context.Context, c *clusterCase, saved *savedRun, dir string) (int,
	error) {
	k, std := saved.strikes, c.std
	past, err := cluster.OpenPast(filepath.Join(dir, "run"), c.resolved.Setup,
		string(scenarios.Format(c.scenario)))
	reason := ""
	switch {
	case errors.Is(err, cluster.ErrNotBegun):
		fmt.Fprintln(std.err, "the run had not begun: it is made from the beginning")
	case errors.Is(err, cluster.ErrModel):
		reason = err.Error()
	case err != nil:
		return 0, err
	default:
		defer func() { _ = past.Close() }() // it was only read
		if _, err := os.Stat(filepath.Join(dir, runFile)); err == nil && past.Ended {
			return 0, fmt.Errorf("the run in %s has come to its end, and was judged: domino "+
				"report %s shows it", dir, word(dir))
		}
		// what has not struck does not, and damage that was done stays
		k.Timed, k.Reached, k.Stops, k.Plan.Failures, k.Plan.Requests = nil, nil, nil, nil, nil
		c.past = past
		reason = c.endOfAll()
	}
	if reason == "" {
		reason, err = heard(ctx, func() (string, error) { return c.open(ctx) })
		if err != nil {
			return 0, err
		}
	}
	if reason != "" {
		fmt.Fprintf(std.err, "out of model: %s\n", reason)
		return exitCode(spec.OutOfModel), nil
	}
	ran, err := o.run(ctx, c, k, dir)
	if err != nil {
		return 0, err
	}
	return ran.code(), errors.Join(ran.tell(std, o.json, o.events), ran.record(dir))
}

// prepare makes the case of a saved run.
func (o *resumeFlags) prepare(ctx context.Context, dir string, std streams) (*clusterCase,
	*savedRun, error) {
	file := filepath.Join(dir, planFile)
	saved, s, err := readPlan(file, nil)
	if err != nil {
		return nil, nil, err
	}
	if saved.Hosting == nil {
		return nil, nil, fmt.Errorf("%s does not say where its processes were: only a run of "+
			"cluster run --dir can be resumed", file)
	}
	if was, is := saved.Hosting.Build, thisBuild(); was != is && !o.anyBuild {
		return nil, nil, fmt.Errorf("the run in %s was begun by another build of domino, %s %s; "+
			"this is %s %s, which may read its records otherwise: --any-build goes on all the same",
			dir, was, was.Go, is, is.Go)
	}
	resolved, err := std.Resolve(s)
	if err != nil {
		return nil, nil, withoutFile(err)
	}
	resolved.Model = saved.Model
	c := &clusterCase{scenario: s, resolved: resolved, std: std, seed: saved.Seed,
		timeout: saved.Hosting.Timeout, spread: saved.Spread, diskDelay: saved.DiskDelay,
		lifts: saved.Hosting.States, keeps: true, hosting: saved.Hosting.hosting()}
	if o.where != (hostFlags{address: anyLoopback}) {
		c.hosting, err = o.where.resolve(ctx)
	}
	return c, saved, err
}

// endOfAll makes room in the failure model for the failure of all who were up at once, and says why
// the protocol does not promise to survive that, or "". It does not ask the world, which explores
// only so many failures.
func (c *clusterCase) endOfAll() (reason string) {
	p := &c.resolved.Setup.Promises
	together := map[core.Proc]bool{}
	for _, q := range c.past.Up {
		together[c.resolved.Setup.Group(q)[0]] = true
	}
	c.beyond = c.past.Failures + len(together)
	m := &c.resolved.Model
	m.Failures = max(m.Failures, 1) // the judge is to know that there are
	all := fmt.Sprintf("all of the run has failed at once, which is %d failures", len(together))
	switch {
	case len(together) == 0:
		return ""
	case p.MaxFailures < 0:
		return all + ": protocol " + c.scenario.Protocol + " survives none"
	case p.MaxFailures > 0 && p.MaxFailures < len(together):
		return fmt.Sprintf("%s: protocol %s survives %d at a time", all, c.scenario.Protocol,
			p.MaxFailures)
	case p.InAll > 0 && p.InAll < c.beyond:
		return fmt.Sprintf("%s, with those before %d: protocol %s survives %d in one run", all,
			c.beyond, c.scenario.Protocol, p.InAll)
	case p.KeepsLines:
		return all + ": protocol " + c.scenario.Protocol + " keeps images in the memory of others"
	}
	return ""
}

// run goes on with the run, or makes it from the beginning, and judges it.
func (o *resumeFlags) run(ctx context.Context, c *clusterCase, k strikes, dir string) (*clusterRan,
	error) {
	before := filepath.Join(dir, "reference")
	if c.past == nil {
		for _, name := range []string{filepath.Join(dir, "run"), before} {
			if err := os.RemoveAll(name); err != nil {
				return nil, err
			}
		}
		return c.runWithReference(ctx, k, dir)
	}
	reference, err := readEnds(before)
	if err != nil {
		return nil, err
	}
	if reference == nil && o.reference {
		again := *c
		again.past = nil
		if err := os.RemoveAll(before); err != nil {
			return nil, err
		}
		ran, err := again.run(ctx, strikes{}, c.seed, before, nil)
		if err != nil || ran.verdict != spec.Holds {
			return ran, err
		}
		reference = ran.result
		if err := saveEnds(before, reference); err != nil {
			return nil, err
		}
	}
	return c.run(ctx, k, c.seed, filepath.Join(dir, "run"), reference)
}
