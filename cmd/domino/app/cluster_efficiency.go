package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/domino-check/domino/cmd/domino/app/term"
	"github.com/domino-check/domino/impl/program/kernels"
	"github.com/domino-check/domino/impl/runtime/gauge"
	"github.com/domino-check/domino/impl/runtime/plan"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
	"github.com/domino-check/domino/impl/runtime/tcp/perf"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/fault"
)

// efficiencyRun is the state of runEfficiency.
type efficiencyRun struct {
	perf    *perfRun // whose cells are the trials without failures
	kernel  string
	rates   perf.Rates
	laws    map[time.Duration]*plan.Law
	timeout time.Duration
	capped  bool // a run has had all the failures that one may have
}

// efficiencyFlags are its flags.
type efficiencyFlags struct {
	perfFlags
	checkpoints []int
	mtbfs       []time.Duration
	laws        lawFlags
}

func readEfficiency(args []string, std streams) (o efficiencyFlags, err error) {
	f := flags("cluster efficiency", "", std,
		"cluster efficiency --protocols hydee,sbml --mtbf 500ms,2s",
		"cluster efficiency --kernel 'heat n=1024 iterations=2000' --checkpoints 20,50,100,200 "+
			"--mtbf 2s --rounds 9 --plot plots",
		"cluster efficiency --mtbf 1s --shape 0.7 --json",
		"cluster efficiency --trace failures.csv --mtbf 500ms")
	f.StringVar(&o.kernels, "kernel", "heat n=512 iterations=400",
		"a kernel that takes checkpoints, with its parameters")
	f.StringVar(&o.protocols, "protocols", "hydee,causal,sbml",
		"protocols, or a variant of one, e.g. rbml/published")
	f.IntSliceVar(&o.checkpoints, "checkpoints", []int{10, 25, 50, 100},
		"iterations between two checkpoints, each of these")
	f.DurationSliceVar(&o.mtbfs, "mtbf", []time.Duration{500 * time.Millisecond},
		"time between failures of any rank in the mean, each of these")
	f.Float64Var(&o.laws.shape, "shape", 0, "of the Weibull distribution: below 1 failures come "+
		"in bunches; 0: 1, which is exponential")
	f.StringVar(&o.laws.trace, "trace", "", "failures that were recorded, scaled to --mtbf: a "+
		"file with lines SECONDS or SECONDS,NODE")
	f.IntVar(&o.ranks, "ranks", 4, "ranks, one process each; a protocol may add more")
	f.IntVar(&o.rounds, "rounds", 3, "runs of each; medians are reported")
	f.Uint64Var(&o.seed, "seed", 1, "of the failures and of the order of the runs")
	f.StringVar(&o.clusters, "clusters", "2",
		"of hydee: a number of clusters of neighbours, or e.g. 'r0 r1 | r2 r3'")
	f.StringArrayVar(&o.options, "options", nil,
		"options of a protocol, e.g. 'rbml: loggers=next'; may be repeated")
	f.StringVar(&o.plot, "plot", "", "also draw a figure of each protocol into this folder, as "+
		"PNG and SVG")
	f.DurationVar(&o.timeout, "timeout", time.Minute, "end a run so long after all have begun")
	f.BoolVar(&o.json, "json", false, "print JSON")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	for _, k := range o.checkpoints {
		if k < 1 {
			return o, fmt.Errorf("--checkpoints %d: want 1 or more iterations", k)
		}
	}
	switch {
	case f.NArg() > 0:
		return o, fmt.Errorf("unexpected %q", f.Args())
	case len(o.checkpoints) == 0 || len(o.mtbfs) == 0:
		return o, errors.New("want at least one of --checkpoints and one of --mtbf")
	case strings.Contains(o.kernels, ","):
		return o, errors.New("--kernel: want one")
	}
	return o, within(f, positive("timeout ranks"))
}

// runEfficiency is cluster efficiency.
func runEfficiency(ctx context.Context, args []string, std streams) (code int, err error) {
	o, err := readEfficiency(args, std)
	if err != nil {
		return 0, err
	}
	r := &efficiencyRun{kernel: o.kernels, timeout: o.timeout, laws: map[time.Duration]*plan.Law{},
		perf: &perfRun{flags: &o.perfFlags, std: std, cases: map[[2]string]*clusterCase{}}}
	if err := r.choose(ctx, &o); err != nil {
		return 0, err
	}
	if err := plotFolder(o.plot); err != nil {
		return 0, err
	}
	folder, err := openFolder("", "", "domino-efficiency-")
	if err != nil {
		return 0, err
	}
	r.perf.dir = folder.name
	defer func() { err = errors.Join(err, folder.close(false)) }()
	if most := r.perf.processes(); most > runtime.NumCPU() && !o.json {
		fmt.Fprintf(std.err, "note: %d processes on %d cores: times are those of processes that "+
			"wait for each other to have a turn\n", most, runtime.NumCPU())
	}
	line, began, done := term.NewLine(std.err, o.json), time.Now(), 0
	list, err := perf.Try(ctx, &r.rates, r.run, func(t perf.Trying) {
		done++
		left := time.Duration(float64(time.Since(began)) / float64(done) * float64(
			r.rates.Runs()-done)).Round(time.Second)
		line.Show("", func() string {
			return fmt.Sprintf("%d of %d runs, %s to go: %s, %d failures, %s", done,
				r.rates.Runs(), left, t.Protocol, t.Failures, short3(t.Time))
		}, func() any {
			return perfEvent{underWay, done, r.rates.Runs(), r.kernel, t.Protocol,
				t.Time.Seconds(), left.Seconds()}
		})
	})
	line.Clear()
	if err != nil && len(list) == 0 {
		return 0, err
	}
	if err != nil {
		fmt.Fprintf(std.err, "domino cluster efficiency: %v\n", err)
	}
	return r.report(list)
}

// choose resolves the kernel with every distance of checkpoints under every protocol.
func (r *efficiencyRun) choose(ctx context.Context, o *efficiencyFlags) error {
	slices.Sort(o.checkpoints)
	slices.Sort(o.mtbfs)
	r.rates = perf.Rates{Checkpoints: slices.Compact(o.checkpoints),
		MTBFs: slices.Compact(o.mtbfs), Rounds: o.rounds, Seed: o.seed, Taken: map[int]int{}}
	for _, m := range r.rates.MTBFs {
		o.laws.mtbf = m
		law, err := o.laws.law()
		if err != nil {
			return err
		}
		r.laws[m] = law
	}
	protocols, err := r.perf.protocols()
	if err != nil {
		return err
	}
	options, err := r.perf.options(protocols)
	if err != nil {
		return err
	}
	protocols = slices.DeleteFunc(protocols, func(p string) bool { return p == perf.Baseline })
	if len(protocols) == 0 {
		return errors.New("--protocols: none survives no failure: name another")
	}
	r.rates.Protocols = protocols
	for _, p := range append([]string{perf.Baseline}, protocols...) {
		for _, k := range append([]int{0}, r.rates.Checkpoints...) {
			if p != perf.Baseline || k == 0 {
				if err := r.add(ctx, p, k, options[p]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// cell is the name of a trial's case.
func cellOf(protocol string, checkpoint int) [2]string {
	return [2]string{strconv.Itoa(checkpoint), protocol}
}

// add resolves one kernel under one protocol.
func (r *efficiencyRun) add(ctx context.Context, protocol string, checkpoint int,
	options string) error {
	text := perf.Program(r.kernel, r.perf.flags.ranks, checkpoint)
	suite, err := kernels.Build(text)
	if err != nil {
		return err
	}
	if checkpoint > 0 {
		iterations, n, ok := perf.Offers(suite.Programs[0])
		if !ok || n < 1 || iterations < 1 {
			return fmt.Errorf("kernel %s takes no checkpoint with one every %d iterations: want "+
				"at least one", r.kernel, checkpoint)
		}
		r.rates.Taken[checkpoint], r.rates.Iterations = n, iterations
	}
	key := cellOf(protocol, checkpoint)
	why, err := r.perf.cell(ctx, perf.Cell{Kernel: key[0], Program: text, Ranks: len(suite.Names),
		Protocol: protocol}, options)
	switch {
	case err != nil:
		return err
	case why != "":
		return fmt.Errorf("protocol %s can not be measured: %s", protocol, why)
	}
	r.rates.Repeats = r.perf.plan.Cells[0].Repeats // of the same kernel all do, or none
	if protocol == perf.Baseline || checkpoint == 0 {
		return nil
	}
	c := r.perf.cases[key]
	if c.resolved.Setup.Promises.MaxFailures < 0 {
		return fmt.Errorf("protocol %s survives no failure", protocol)
	}
	c.allow(strikes{Timed: make([]cluster.Timed, fault.Max)})
	c.resolved.Model.Failures = fault.Max
	c.carry()
	return nil
}

// run makes one run. Its folder goes at once.
func (r *efficiencyRun) run(ctx context.Context, t perf.Trial, round int) (*cluster.Result, error) {
	c := r.perf.cases[cellOf(t.Protocol, t.Checkpoint)]
	r.perf.runs++
	var k strikes
	// the same failures for every protocol and every distance of checkpoints in a round
	seed := r.rates.Seed + uint64(round)
	if t.MTBF > 0 {
		k = strikes{Lawful: true,
			Timed: drawTimed(r.laws[t.MTBF], seed, c.resolved.Setup, r.timeout)}
	}
	dir := filepath.Join(r.perf.dir, fmt.Sprint(r.perf.runs))
	config, err := c.config(k, seed, dir)
	if err != nil {
		return nil, err
	}
	result, err := cluster.Run(ctx, config)
	if err == nil {
		r.capped = r.capped || result.Failures >= fault.Max
	}
	return result, errors.Join(err, os.RemoveAll(dir))
}

// efficiencyAnswer is the answer as JSON.
type efficiencyAnswer struct {
	versioned
	Kernel     string         `json:"kernel"`
	Ranks      int            `json:"ranks"`
	Rounds     int            `json:"rounds"`
	Seed       uint64         `json:"seed"`
	Shape      float64        `json:"shape"`
	Trace      string         `json:"trace,omitempty"`
	Cores      int            `json:"cores"`
	Processes  int            `json:"processes"` // more than cores: times are of waiting, too
	Computer   gauge.Computer `json:"computer"`
	Incomplete bool           `json:"incomplete"`
	Rows       []perf.Tried   `json:"rows"`
	Advice     []perf.Advice  `json:"advice"`
	Notes      []string       `json:"notes"`
}

// report prints what was measured, then draws it.
func (r *efficiencyRun) report(list []perf.Trying) (code int, err error) {
	rows, advice := perf.Efficiencies(&r.rates, list)
	incomplete := len(list) < r.rates.Runs()
	if incomplete || slices.ContainsFunc(rows, func(t perf.Tried) bool {
		return t.Unfinished != ""
	}) {
		code = exitCode(spec.Unknown)
	}
	if slices.ContainsFunc(rows, func(t perf.Tried) bool { return t.Wrong != "" }) {
		code = exitCode(spec.Violated)
	}
	notes := []string{}
	if r.capped {
		notes = append(notes, fmt.Sprintf("a run has at most %d failures: with the shortest MTBF "+
			"some had them all before they ended, and were calm then", fault.Max))
	}
	f := r.perf.flags
	if f.json {
		law := r.laws[r.rates.MTBFs[0]]
		trace := ""
		if law.Trace != nil {
			trace = "recorded"
		}
		err = printJSON(r.perf.std.out, efficiencyAnswer{as("efficiency"), r.kernel, f.ranks,
			f.rounds, f.seed, law.Shape, trace, runtime.NumCPU(), r.perf.processes(), gauge.This(),
			incomplete, rows, advice, notes})
	} else {
		err = perf.PrintEfficiencies(r.perf.std.out, &r.rates, rows, advice)
		for _, n := range notes {
			fmt.Fprintf(r.perf.std.out, "note: %s\n", n)
		}
		if incomplete {
			fmt.Fprintf(r.perf.std.out, "INCOMPLETE: %d of %d runs\n", len(list), r.rates.Runs())
		}
	}
	if f.plot == "" || err != nil {
		return code, err
	}
	for _, p := range r.rates.Protocols {
		err = errors.Join(err, ifAny(perf.EfficiencyOver(&r.rates, rows, p, r.kernel).Save(f.plot,
			"efficiency-"+strings.ReplaceAll(p, "/", "-"))))
	}
	return code, err
}
