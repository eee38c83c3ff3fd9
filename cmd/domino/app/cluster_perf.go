package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/domino-check/domino/cmd/domino/app/term"
	"github.com/domino-check/domino/impl/runtime/gauge"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
	"github.com/domino-check/domino/impl/runtime/tcp/perf"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/report/site"
)

// perfFlags are the flags of cluster perf.
type perfFlags struct {
	kernels, protocols, clusters, plot, html string
	traffic                                  string
	options, kills                           []string
	ranks, rounds, checkpoint, reserve       int
	seed                                     uint64
	timeout, every                           time.Duration
	json, bench                              bool
}

func readPerf(args []string, std streams) (o perfFlags, err error) {
	f := flags("cluster perf", "", std, "cluster perf",
		"cluster perf --protocols none,hydee --rounds 15",
		"cluster perf --kernels all --rounds 1 --plot plots",
		"cluster perf --kernels 'cg n=14000 iterations=2, ring size=8192' --protocols "+
			"none,hydee,hmpl", "cluster perf --kernels heat --checkpoint 50 --kill r2@60%",
		"cluster perf --kernels 'cg, leanmd' --protocols none --ranks 8 --rounds 1 --traffic sent",
		"plan sent/leanmd.none.csv", "cluster perf --bench | benchstat -col /protocol -")
	f.StringVar(&o.kernels, "kernels", "",
		"kernels, each with parameters if need be; all: every one; by default "+strings.Join(
			perf.Usual, ", "))
	f.StringVar(&o.protocols, "protocols", "",
		"protocols, or a variant of one, e.g. rbml/published; by default every one that real "+
			"processes can keep")
	f.IntVar(&o.ranks, "ranks", 4, "ranks, one process each; a protocol may add more")
	f.IntVar(&o.rounds, "rounds", 3, "runs of each; medians are reported")
	f.Uint64Var(&o.seed, "seed", 1, "of the order of the runs")
	f.IntVar(&o.checkpoint, "checkpoint", 0,
		"a checkpoint after every so many iterations of the kernels that can take one; 0: none")
	f.IntVar(&o.reserve, "reserve", 32,
		"MiB of buffers that each process makes ready before it begins, as one that has run for "+
			"long; 0: none")
	f.DurationVar(&o.every, "every", 0,
		"ask for a checkpoint so often, of protocols that the environment can ask; 0: never")
	f.StringVar(&o.clusters, "clusters", "2",
		"of hydee: a number of clusters of neighbours, or e.g. 'r0 r1 | r2 r3'")
	f.StringArrayVar(&o.options, "options", nil,
		"options of a protocol, e.g. 'rbml: loggers=next'; may be repeated")
	f.StringArrayVar(&o.kills, "kill", nil,
		"also make runs with a kill -9: PROC@MOMENT as for cluster run, or PROC@60% of the time "+
			"without; may be repeated")
	f.StringVar(&o.plot, "plot", "", "also draw the figures into this folder, as PNG and SVG")
	f.StringVar(&o.html, "html", "", htmlDoc)
	f.StringVar(&o.traffic, "traffic", "",
		"also write who sends how much to whom into this folder, a file KERNEL.PROTOCOL.csv each, "+
			"for domino plan; one more run of each, which is not measured")
	f.DurationVar(&o.timeout, "timeout", time.Minute, "end a run so long after all have begun")
	f.BoolVar(&o.json, "json", false, "print JSON: plan, rows and samples")
	f.BoolVar(&o.bench, "bench", false, "print lines for benchstat, one a run")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	switch {
	case f.NArg() > 0:
		return o, fmt.Errorf("unexpected %q", f.Args())
	case o.json && o.bench:
		return o, errors.New("--json or --bench, not both")
	}
	return o, within(f, positive("timeout ranks"), notNegative("checkpoint every"),
		span{"reserve", 0, 1 << 20})
}

// perfRun is the state of runPerf.
type perfRun struct {
	flags *perfFlags
	std   streams
	plan  perf.Plan
	cases map[[2]string]*clusterCase // by kernel and protocol
	pages *measuredPages             // nil when none are wanted
	left  []leftOut
	dir   string // of the disks
	runs  int
	began time.Time
	sent  []trafficOf // files with traffic that were written
}

// leftOut is what can not be measured, and why.
type leftOut struct {
	Kernel   string `json:"kernel,omitempty"` // "": every one
	Protocol string `json:"protocol,omitempty"`
	Why      string `json:"why"`
}

// runPerf measures kernels under protocols.
func runPerf(ctx context.Context, args []string, std streams) (code int, err error) {
	o, err := readPerf(args, std)
	if err != nil {
		return 0, err
	}
	r := &perfRun{flags: &o, std: std, cases: map[[2]string]*clusterCase{}}
	r.plan.Rounds, r.plan.Seed, r.plan.Kills = o.rounds, o.seed, len(o.kills) > 0
	r.plan.Every = o.every
	if err := r.choose(ctx); err != nil {
		return 0, err
	}
	if err := r.plan.Validate(); err != nil {
		return 0, err
	}
	if err := errors.Join(plotFolder(o.plot), r.trafficFolder()); err != nil {
		return 0, err
	}
	if r.pages, err = openMeasured(o.html, site.Perf, r.processes()); err != nil {
		return 0, err
	}
	folder, err := openFolder("", "", "domino-perf-")
	if err != nil {
		return 0, err
	}
	r.dir, r.began = folder.name, time.Now()
	defer func() { err = errors.Join(err, folder.close(false)) }()
	if most := r.processes(); most > runtime.NumCPU() && !o.json {
		fmt.Fprintf(std.err, "note: %d processes on %d cores: times are those of processes that "+
			"wait for each other to have a turn\n", most, runtime.NumCPU())
	}
	line := term.NewLine(std.err, o.json)
	samples, err := perf.Measure(ctx, &r.plan, r.run, r.progress(line))
	line.Clear()
	if err != nil && len(samples) == 0 {
		return 0, err
	}
	if err != nil {
		fmt.Fprintf(std.err, "domino cluster perf: %v\n", err)
	}
	if err == nil {
		if err := r.recordTraffic(ctx); err != nil {
			return 0, err
		}
	}
	return r.report(samples, err != nil || ctx.Err() != nil)
}

// processes is how many the largest run has.
func (r *perfRun) processes() (most int) {
	for _, c := range r.cases {
		most = max(most, len(c.resolved.Setup.Layout.Names))
	}
	return most
}

// run makes one run. Its folder goes at once.
func (r *perfRun) run(ctx context.Context, cell perf.Cell, kind perf.Kind,
	calm time.Duration) (*cluster.Result, error) {
	c := r.cases[[2]string{cell.Kernel, cell.Protocol}]
	var k strikes
	if kind == perf.Failed {
		var err error
		if k, err = parseKills(r.flags.kills, c.resolved.Setup, calm); err != nil {
			return nil, err
		}
	}
	if len(c.resolved.Setup.Initiators) > 0 {
		k.Every = r.flags.every
	}
	r.runs++
	dir := filepath.Join(r.dir, fmt.Sprint(r.runs))
	config, err := c.config(k, r.flags.seed+uint64(r.runs), dir)
	if err != nil {
		return nil, err
	}
	config.Bare, config.Reserve = kind == perf.Bare, r.flags.reserve<<20
	result, err := cluster.Run(ctx, config)
	return result, errors.Join(err, os.RemoveAll(dir))
}

// perfAnswer is the answer as JSON.
type perfAnswer struct {
	versioned
	Plan       perf.Plan       `json:"plan"`
	Cores      int             `json:"cores"`
	Computer   gauge.Computer  `json:"computer"` // on which it was measured
	LeftOut    []leftOut       `json:"leftOut"`
	Incomplete bool            `json:"incomplete"`
	Rows       []perf.Row      `json:"rows"`
	Totals     []perf.Total    `json:"totals"`
	Recoveries []perf.Recovery `json:"recoveries"`
	Samples    []perf.Sample   `json:"samples"`
	Traffic    []trafficOf     `json:"traffic,omitempty"` // with --traffic: what was written
}

// perfEvent is a run that was made.
type perfEvent struct {
	happening
	Done     int     `json:"done"`
	Runs     int     `json:"runs"`
	Kernel   string  `json:"kernel"`
	Protocol string  `json:"protocol"`
	Seconds  float64 `json:"seconds"` // of that run
	ETA      float64 `json:"eta"`
}

// progress shows the runs.
func (r *perfRun) progress(line *term.Line) func(perf.Sample) {
	done, all := 0, r.plan.Runs()
	return func(s perf.Sample) {
		done++
		left := time.Duration(float64(time.Since(r.began)) / float64(done) * float64(
			all-done)).Round(time.Second)
		line.Show("", func() string {
			return fmt.Sprintf("%d of %d runs, %s to go: %s with %s, %s", done, all, left,
				s.Kernel, s.Protocol, short3(s.Time))
		}, func() any {
			return perfEvent{underWay, done, all, s.Kernel, s.Protocol, s.Time.Seconds(),
				left.Seconds()}
		})
	}
}

// report prints what was measured, then draws it. Runs that are wrong are a violation, and what is
// not complete is unknown.
func (r *perfRun) report(samples []perf.Sample, incomplete bool) (int, error) {
	rows, recoveries := perf.Summarise(&r.plan, samples), perf.Recoveries(&r.plan, samples)
	code := 0
	if incomplete || slices.ContainsFunc(rows, func(r perf.Row) bool {
		return r.Unfinished != ""
	}) ||
		slices.ContainsFunc(recoveries, func(r perf.Recovery) bool { return r.Unfinished != "" }) {
		code = exitCode(spec.Unknown)
	}
	if slices.ContainsFunc(rows, func(r perf.Row) bool { return r.Wrong != "" }) ||
		slices.ContainsFunc(recoveries, func(r perf.Recovery) bool { return r.Wrong != "" }) {
		code = exitCode(spec.Violated)
	}
	if err := errors.Join(r.print(samples, rows, recoveries, incomplete),
		r.writePages(samples, rows, recoveries, incomplete)); err != nil {
		return 0, err
	}
	if r.flags.plot != "" {
		return code, plotPerf(r.flags.plot, &r.plan, rows, recoveries)
	}
	return code, nil
}

// answer is all as JSON.
func (r *perfRun) answer(samples []perf.Sample, rows []perf.Row, recoveries []perf.Recovery,
	incomplete bool) perfAnswer {
	return perfAnswer{as("perf"), r.plan, runtime.NumCPU(), gauge.This(), r.left, incomplete, rows,
		perf.Totals(&r.plan, rows), recoveries, samples, r.sent}
}

// print prints what was measured.
func (r *perfRun) print(samples []perf.Sample, rows []perf.Row, recoveries []perf.Recovery,
	incomplete bool) error {
	switch {
	case r.flags.json:
		return printJSON(r.std.out, r.answer(samples, rows, recoveries, incomplete))
	case r.flags.bench:
		if incomplete {
			fmt.Fprintln(r.std.err, "incomplete")
		}
		return perf.Bench(r.std.out, &r.plan, samples)
	}
	if err := perf.Print(r.std.out, &r.plan, rows); err != nil {
		return err
	}
	if len(recoveries) > 0 {
		if err := perf.PrintRecoveries(r.std.out, recoveries); err != nil {
			return err
		}
	}
	var episodes episodeTallies
	for _, s := range samples {
		episodes.note(s.Episodes)
	}
	if err := episodes.print(r.std.out); err != nil {
		return err
	}
	fmt.Fprintf(r.std.out, "%d runs in %s\n", len(samples),
		time.Since(r.began).Round(100*time.Millisecond))
	for _, l := range r.left {
		fmt.Fprintln(r.std.out, l)
	}
	if len(r.sent) > 0 {
		fmt.Fprintf(r.std.out, "traffic of %d runs in %s, for domino plan\n", len(r.sent),
			r.flags.traffic)
	}
	if incomplete {
		fmt.Fprintf(r.std.out, "INCOMPLETE: %d of %d runs\n", len(samples), r.plan.Runs())
	}
	return nil
}

// String says what is left out in one line.
func (l leftOut) String() string {
	what := "kernel " + l.Kernel
	switch {
	case l.Kernel == "":
		what = "protocol " + l.Protocol
	case l.Protocol != "":
		what += " with protocol " + l.Protocol
	}
	return "left out: " + what + ": " + strings.TrimSpace(l.Why)
}
