package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/domino-check/domino/impl/catalog"
	"github.com/domino-check/domino/impl/fault"
	"github.com/domino-check/domino/impl/tcp/cluster"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
)

// tortureFlags are the flags of cluster torture.
type tortureFlags struct {
	runs      int
	forTime   time.Duration
	seed      uint64
	protocols string
	dir       string
	timeout   time.Duration
}

// tortured are the protocols that torture takes by default.
const tortured = "none,hydee,causal,camel,sbml,rbml,hmpl,radic-sbml,radic-rbml,radic-hmpl"

// runTorture makes random failures in runs as processes, until one is wrong.
func runTorture(ctx context.Context, args []string, io streams) (int, error) {
	var o tortureFlags
	f := flags("cluster torture", "[SCENARIO ...]", io, "cluster torture --runs 1000", "cluster torture s1 'causal-*' --for 10m --seed 7", "cluster torture --protocols hydee,causal")
	f.IntVar(&o.runs, "runs", 100, "runs with failures")
	f.DurationVar(&o.forTime, "for", 0, "make runs for so long, not --runs")
	f.Uint64Var(&o.seed, "seed", 1, "of scenarios, plans and delays; what happens depends on the machine, too")
	f.StringVar(&o.protocols, "protocols", tortured, "protocols whose scenarios are run")
	f.StringVar(&o.dir, "dir", "domino-torture", "folder for the first wrong run: plan, seeds, traces, disks; new or empty")
	f.DurationVar(&o.timeout, "timeout", 30*time.Second, "end a run after so long; that is wrong")
	if err := f.Parse(args); err != nil {
		return 0, err
	}
	if o.runs < 1 || o.forTime < 0 || o.timeout <= 0 {
		return 0, errors.New("--runs must be at least 1, --timeout positive and --for not negative")
	}
	for _, p := range fields(o.protocols) {
		if _, err := catalog.Find(p); err != nil {
			return 0, err
		}
	}
	if entries, err := os.ReadDir(o.dir); err == nil && len(entries) > 0 {
		return 0, fmt.Errorf("%s has files already: remove it or name another --dir", o.dir)
	}
	list, err := selectScenarios(f.Args())
	if err != nil {
		return 0, err
	}
	t := &torture{flags: &o, io: io, rng: rand.New(rand.NewPCG(o.seed, 0)), named: f.NArg() > 0}
	if err := t.choose(list); err != nil {
		return 0, err
	}
	return t.run(ctx)
}

// torture is the state of runTorture.
type torture struct {
	flags     *tortureFlags
	io        streams
	rng       *rand.Rand
	named     bool // by the user, so that nothing is left out in silence
	victims   []*victim
	runs      int
	failures  int
	alarms    int // false suspicions
	stops     int // processes that were stopped
	unstruck  int
	reaped    []time.Duration // detection
	recovered []time.Duration // of ranks, from the crash to where they were
}

// victim is one scenario.
type victim struct {
	clusterCase
	opened    bool
	reference *cluster.Result
	lengths   fault.Lengths
}

// choose takes the scenarios that are expected to hold and that real processes can keep.
func (t *torture) choose(list []*scenarios.Scenario) error {
	for _, s := range list {
		if !slices.Contains(fields(t.flags.protocols), s.Protocol) || s.Expect != "holds" || s.Force || !t.named && s.Long {
			continue
		}
		r, err := catalog.Resolve(s)
		if err != nil {
			return err
		}
		if s.Protocol == "none" {
			r.Model.Failures = 0
		}
		c := cluster.Config{Setup: r.Setup, Model: r.Model, Dir: "-", Path: "-"}
		if err := c.Validate(); err != nil {
			if t.named {
				return fmt.Errorf("%s: %w", s.Name, err)
			}
			continue
		}
		t.victims = append(t.victims, &victim{clusterCase: clusterCase{scenario: s, resolved: r, io: t.io, timeout: t.flags.timeout,
			spread: 5 * time.Millisecond, address: "127.0.0.1:0", quiet: true}})
	}
	if len(t.victims) == 0 {
		return errors.New("no scenario is left that is expected to hold and that real processes can keep")
	}
	return nil
}

// run makes runs until one is wrong, or it is enough.
func (t *torture) run(ctx context.Context) (int, error) {
	began := time.Now()
	for t.goOn(ctx, began) {
		i := t.rng.IntN(len(t.victims))
		v := t.victims[i]
		ran, dir, err := t.one(ctx, v)
		switch {
		case ctx.Err() != nil:
		case err != nil:
			return 0, fmt.Errorf("%s: %w (files are in %s)", v.scenario.Name, err, dir)
		case ran == nil: // it can not be run
			if t.victims = slices.Delete(t.victims, i, i+1); len(t.victims) == 0 {
				return 0, errors.New("no scenario is left that can be run within the promises of its protocol")
			}
			continue
		case ran.verdict != spec.Holds:
			return max(1, ran.code()), t.wrong(ran, dir)
		}
		if err := os.RemoveAll(dir); err != nil {
			return 0, err
		}
	}
	fmt.Fprintf(t.io.out, "%d runs of %d scenarios in %s, %d failures, none wrong; %d failures came after the end of their run\n", t.runs, len(t.victims),
		short3(time.Since(began)), t.failures, t.unstruck)
	fmt.Fprintf(t.io.out, "detection: %s; until a rank was where it had been: %s (median, 99 %%, most)\n", spread(t.reaped), spread(t.recovered))
	if t.alarms+t.stops > 0 {
		fmt.Fprintf(t.io.out, "false suspicions: %d; %d processes were stopped and went on\n", t.alarms, t.stops)
	}
	if ctx.Err() != nil {
		fmt.Fprintln(t.io.out, "interrupted")
		return exitCode(spec.Unknown), nil
	}
	return 0, nil
}

func (t *torture) goOn(ctx context.Context, began time.Time) bool {
	if ctx.Err() != nil {
		return false
	}
	if t.flags.forTime > 0 {
		return time.Since(began) < t.flags.forTime
	}
	return t.runs < t.flags.runs
}

// one makes one run with failures, the first time one without before it. No run at all means that the scenario can not be run.
func (t *torture) one(ctx context.Context, v *victim) (*clusterRan, string, error) {
	dir, err := os.MkdirTemp("", "domino-torture-")
	if err != nil {
		return nil, "", err
	}
	if !v.opened {
		reason, err := v.open(ctx)
		if err != nil || reason != "" {
			return nil, dir, errors.Join(err, os.RemoveAll(dir))
		}
		ran, err := v.run(ctx, fault.Plan{}, nil, t.flags.seed, filepath.Join(dir, "reference"), nil)
		if err != nil || ran.verdict != spec.Holds {
			return ran, dir, err
		}
		v.opened, v.reference = true, ran.result
		v.lengths.Note(0, ran.result.Performed)
	}
	seed := t.rng.Uint64()
	plan := fault.Draw(t.rng, v.resolved.Setup, &v.resolved.Model, v.lengths)
	v.stops, plan.Requests = drawStops(t.rng, v.resolved, plan.Requests)
	ran, err := v.run(ctx, plan, nil, seed, filepath.Join(dir, "run"), v.reference)
	if err != nil {
		return ran, dir, err
	}
	ran.seed = seed
	t.note(v, ran)
	return ran, dir, nil
}

// note adds the figures of a run.
func (t *torture) note(v *victim, ran *clusterRan) {
	r := ran.result
	t.runs++
	t.failures += r.Failures
	t.alarms += r.Suspicions
	for _, s := range r.Stops {
		t.stops += len(s.Procs)
	}
	t.unstruck += r.Unstruck
	v.lengths.Note(r.Failures, r.Performed)
	for _, c := range r.Crashes {
		t.reaped = append(t.reaped, c.Reaped-c.At)
	}
	for _, c := range r.Recoveries() {
		if c.CaughtUp > 0 {
			t.recovered = append(t.recovered, c.CaughtUp-c.Stopped)
		}
	}
}

// wrong keeps all that is known of a wrong run.
func (t *torture) wrong(ran *clusterRan, dir string) error {
	err := os.MkdirAll(t.flags.dir, 0o755)
	if err == nil {
		err = os.CopyFS(filepath.Join(t.flags.dir, "files"), os.DirFS(dir))
	}
	encoded, e := json.MarshalIndent(map[string]any{"scenario": ran.scenario.Name, "tortureSeed": t.flags.seed, "run": t.runs, "seed": ran.seed, "plan": ran.plan, "stops": ran.stops,
		"report": ran.report()}, "", " ")
	var text strings.Builder
	ran.print(&text, true)
	for _, f := range []struct {
		name string
		data []byte
	}{{"plan.json", encoded}, {"scenario.txtar", scenarios.Format(ran.scenario)}, {"trace.txt", []byte(text.String())}} {
		err = errors.Join(err, os.WriteFile(filepath.Join(t.flags.dir, f.name), f.data, 0o644))
	}
	if err = errors.Join(err, e); err != nil {
		return fmt.Errorf("a run was wrong, and it could not be saved (its files are in %s): %w", dir, err)
	}
	ran.print(t.io.out, false)
	fmt.Fprintf(t.io.out, "run %d of %s is wrong: plan.json, scenario.txtar, trace.txt and files are in %s\n", t.runs, ran.scenario.Name, t.flags.dir)
	return os.RemoveAll(dir)
}

// spread is median, 99th percentile and maximum.
func spread(list []time.Duration) string {
	if len(list) == 0 {
		return "never"
	}
	slices.Sort(list)
	return fmt.Sprintf("%s, %s, %s", short3(list[len(list)/2]), short3(list[len(list)*99/100]), short3(list[len(list)-1]))
}
