package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/pflag"

	"github.com/domino-check/domino/impl/program/kernels"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/runtime/simulate"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
)

// simulateFlags are the flags of simulate.
type simulateFlags struct {
	options, machine, clusters, interval, plot string
	protocols, measured                        []string
	ranks                                      []int
	work                                       time.Duration
	image                                      int64
	failures                                   int
	fail                                       []string
	overlap                                    bool
	mtbf                                       elapsing
	seed                                       uint64
	json                                       bool
}

func (o *simulateFlags) register(f *pflag.FlagSet) {
	f.StringSliceVar(&o.protocols, "protocol", nil, "that is compared with none; behind a slash a "+
		"variant; several, one run each, or all")
	f.StringVar(&o.options, "options", "", "of the protocol, if there is one, e.g. 'loggers=next'")
	f.IntSliceVar(&o.ranks, "ranks", []int{16}, "one run each")
	f.StringVar(&o.clusters, "clusters", "4", "a number of clusters of neighbours, or their "+
		"members, e.g. 'r0 r1 | r2 r3', as plan prints them")
	f.StringVar(&o.machine, "machine", "ethernet-10g",
		strings.Join(simulate.Machines(), ", ")+", or a file with one")
	f.DurationVar(&o.work, "work", 0, "what each rank computes in an iteration of its program")
	f.Int64Var(&o.image, "image", 0, "bytes of the image of a rank; 0: as many as it has")
	f.StringVar(&o.interval, "interval", "", "time between checkpoints of a cluster, or with "+
		"--mtbf young, daly, or sweep: the best of some around daly's (default: none are taken)")
	f.IntVar(&o.failures, "failures", 0, "so many failures, at even distances")
	f.StringSliceVar(&o.fail, "fail", nil, "failures by rank and moment, e.g. r3@1.5s,r4@1.5s: "+
		"they strike then, whatever is going on, those of one moment at once")
	f.BoolVar(&o.overlap, "overlap", false, "those of --failures and --mtbf strike during "+
		"recoveries, too (default: their time stands still then)")
	f.Var(&o.mtbf, "mtbf", "draw failures: time between those of one node (default: none)")
	f.Uint64Var(&o.seed, "seed", 1, "of moments and victims of failures")
	f.StringArrayVar(&o.measured, "measured", nil, "compare with what cluster perf --json has "+
		"printed into this file, without a kernel; may be repeated")
	f.StringVar(&o.plot, "plot", "", "also draw overheads over ranks into this folder, as PNG and "+
		"SVG")
	f.BoolVar(&o.json, "json", false, "print JSON, times in seconds")
}

// runSimulate runs a kernel in modelled time.
func runSimulate(ctx context.Context, args []string, std streams) (int, error) {
	f := flags("simulate", "[KERNEL]", std,
		"simulate heat n=64 --protocol hydee --ranks 16,64 --work 100us",
		"simulate ring size=8192 iterations=20 --protocol hydee --ranks 1024 --clusters 16 "+
			"--machine myrinet --failures 1",
		"simulate ring iterations=20 --protocol hydee --ranks 64 --work 100ms "+
			"--fail r3@1s,r20@1s,r3@2500ms",
		"simulate lu --protocol causal --machine my-machine.json --json",
		"simulate heat n=64 --protocol hydee,causal,rbml --ranks 16,64 --plot plots",
		"simulate heat iterations=400 --protocol coordinated,hydee --ranks 16 --work 1s "+
			"--image 10000000 --interval sweep --mtbf 15m",
		"simulate --measured perf-4.json --measured perf-8.json --machine here.json")
	var o simulateFlags
	o.register(f)
	if err := f.Parse(args); err != nil {
		return 0, err
	}
	if err := within(f, notNegative("work image failures")); err != nil {
		return 0, err
	}
	if f.Changed("mtbf") && o.mtbf == 0 {
		return 0, errors.New("--mtbf 0: a node can not fail all the time; leave it out for none")
	}
	if len(o.measured) > 0 {
		if err := onlyMeasured(f); err != nil {
			return 0, err
		}
		return std.validate(ctx, &o)
	}
	s, err := std.simulation(&o, f.Args())
	if err != nil {
		return 0, err
	}
	if err := plotFolder(o.plot); err != nil {
		return 0, err
	}
	if err := s.run(ctx); err != nil {
		return 0, err
	}
	if err := errors.Join(s.print(std), s.draw()); err != nil || !s.answer.Interrupted {
		return 0, err
	}
	return exitCode(spec.Unknown), nil
}

// run simulates all protocols with all numbers of ranks. Of several protocols what one of them can
// not do is left out.
func (s *simulation) run(ctx context.Context) error {
	var errs []error
	for _, p := range s.under {
		for _, n := range s.ranks {
			s.known.Store(nil)
			point, err := heard(ctx, func() (*simulatedPoint, error) { return s.point(p, n) })
			known := s.known.Load()
			if errors.Is(err, errInterrupted) && known != nil {
				s.answer.Points = append(s.answer.Points, *known)
			}
			switch {
			case errors.Is(err, errInterrupted) && len(s.answer.Points) > 0:
				s.answer.Interrupted = true
				return nil
			case errors.Is(err, errInterrupted) || err != nil && len(s.under) == 1:
				return err
			case err != nil:
				errs = append(errs, err)
				s.answer.LeftOut = append(s.answer.LeftOut, leftOut{fmt.Sprintf("%s with %d ranks",
					s.kernel, n), p.name, err.Error()})
			default:
				s.answer.Points = append(s.answer.Points, *point)
			}
		}
	}
	if len(s.answer.Points) == 0 {
		return errs[0]
	}
	return nil
}

// simulation is what is to be simulated.
type simulation struct {
	*simulateFlags
	kernel string
	under  []simulatedProtocol
	every  time.Duration
	rule   string
	named  []namedFailure
	known  atomic.Pointer[simulatedPoint] // what is known of the point that is simulated
	model  *simulate.Machine
	answer simulatedAnswer
}

// simulatedProtocol is a protocol in a variant.
type simulatedProtocol struct {
	*protocol.Protocol
	name, variant string
}

// simulation looks up what the words name.
func (std streams) simulation(o *simulateFlags, words []string) (*simulation, error) {
	s := &simulation{simulateFlags: o, kernel: strings.Join(strings.Fields(strings.Join(words,
		" ")), " ")}
	switch {
	case s.kernel == "":
		return nil, errors.New("want a kernel, such as \"heat n=64\"; domino list programs has " +
			"them")
	case len(o.protocols) == 0 || o.protocols[0] == "":
		return nil, errors.New("want --protocol; domino list protocols has them")
	case o.options != "" && (len(o.protocols) > 1 || o.protocols[0] == "all"):
		return nil, errors.New("--options are those of one --protocol")
	case strings.Contains(s.kernel, "ranks="):
		return nil, errors.New("say how many ranks by --ranks")
	case (o.failures > 0 && o.mtbf > 0) || len(o.fail) > 0 && (o.failures > 0 || o.mtbf > 0):
		return nil, errors.New("--failures, --fail and --mtbf each say when failures come: want " +
			"one of them")
	case o.overlap && o.failures == 0 && o.mtbf == 0:
		return nil, errors.New("--overlap is about --failures or --mtbf")
	case o.mtbf < 0 || o.mtbf > 0 && o.mtbf < 1e-6:
		return nil, errors.New("--mtbf: want more than a microsecond")
	}
	if err := s.readInterval(); err != nil {
		return nil, err
	}
	for i, n := range o.ranks {
		if slices.Contains(o.ranks[:i], n) {
			return nil, fmt.Errorf("--ranks: %d is there twice", n)
		}
	}
	var err error
	if s.named, err = readFailures(o.fail); err != nil {
		return nil, err
	}
	if s.under, err = std.simulated(o); err != nil {
		return nil, err
	}
	if s.model, err = readMachine(o.machine); err != nil {
		return nil, err
	}
	s.answer = simulatedAnswer{versioned: as("simulation"), Kernel: s.kernel,
		Protocol: strings.Join(o.protocols, ","), Options: o.options, Machine: *s.model,
		Work: o.work.Seconds(), Image: o.image, MTBF: float64(o.mtbf), Seed: o.seed,
		Points: []simulatedPoint{}, LeftOut: []leftOut{}}
	return s, nil
}

// simulated are the protocols that are named, each once; all are those with programs.
func (std streams) simulated(o *simulateFlags) (list []simulatedProtocol, err error) {
	names := o.protocols
	if len(names) == 1 && names[0] == "all" {
		names = nil
		for _, p := range std.Protocols() {
			if p.Setup != nil && p.Name != protocol.Baseline {
				names = append(names, p.Name)
			}
		}
	}
	for i, n := range names {
		if slices.Contains(names[:i], n) {
			return nil, fmt.Errorf("protocol %s is there twice", n)
		}
		name, variant, _ := strings.Cut(n, "/")
		p, err := std.Find(name)
		if err != nil {
			return nil, err
		}
		if p.Setup == nil {
			return nil, fmt.Errorf("protocol %s has no programs", name)
		}
		if err := p.Accept(o.options); err != nil {
			return nil, err
		}
		if variant != "" {
			if _, err := p.Switches(variant); err != nil {
				return nil, err
			}
		}
		list = append(list, simulatedProtocol{p, n, cmp.Or(variant, "repaired")})
	}
	return list, nil
}

// readInterval reads the flag.
func (s *simulation) readInterval() error {
	switch s.interval {
	case "", "0":
		return nil
	case "young", "daly", "sweep":
		if s.rule = s.interval; s.mtbf == 0 {
			return fmt.Errorf("--interval %s follows from --mtbf", s.interval)
		}
		return nil
	}
	var every elapsing
	if err := every.Set(s.interval); err != nil || every < 1e-6 || every > 1e6 {
		return fmt.Errorf("--interval %s: want a time from 1us to 11d, young, daly or "+
			"sweep", s.interval)
	}
	s.every = every.duration()
	return nil
}

// readMachine is a machine from a file, or one that is shipped.
func readMachine(name string) (*simulate.Machine, error) {
	text, err := smallFile(name)
	switch {
	case err == nil:
		return simulate.ReadMachine(name, text)
	case errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(name, "/."):
		return simulate.Shipped(name)
	}
	return nil, fmt.Errorf("--machine: %w", err)
}

// point simulates one number of ranks.
func (s *simulation) point(under simulatedProtocol, ranks int) (*simulatedPoint, error) {
	if err := simulate.Fits(s.kernel, ranks); err != nil {
		return nil, err
	}
	suite, err := kernels.Build(fmt.Sprintf("%s ranks=%d", s.kernel, ranks))
	if err != nil {
		return nil, err
	}
	request := protocol.Request{Options: s.options, Variant: under.variant}
	if request.Errata, err = under.Switches(under.variant); err != nil {
		return nil, err
	}
	if c := under.Perf.Clustered; c != nil && c(s.options) {
		text, err := clustersOf(s.clusters, ranks)
		if err != nil {
			return nil, err
		}
		if request.Layout.Clusters, err = scenarios.ReadClusters(text, suite.Names); err != nil {
			return nil, fmt.Errorf("--clusters: %w", err)
		}
	}
	setup, base, err := simulate.Prepare(under.Protocol, suite, request)
	if err != nil {
		return nil, err
	}
	if (s.failures > 0 || s.mtbf > 0 || len(s.named) > 0) && setup.MaxFailures < 0 {
		return nil, fmt.Errorf("protocol %s survives no failure", under.Name)
	}
	failures, err := ofRanks(s.named, suite.Names)
	if err != nil {
		return nil, err
	}
	if s.every+time.Duration(len(s.rule)) > 0 && len(setup.Initiators) == 0 {
		return nil, fmt.Errorf("protocol %s is not asked for checkpoints", under.Name)
	}
	study := simulate.Study{Job: simulate.Job{Machine: s.model, Setup: setup, Work: s.work,
		Interval: s.every, Image: s.image, Failures: failures,
		Anytime: s.overlap || len(failures) > 0}, Base: base, Rule: s.rule, Count: s.failures,
		MTBF: float64(s.mtbf), Seed: s.seed, Known: func(a *simulate.Answer) {
			point := pointOf(setup, a)
			point.Protocol = under.name
			s.known.Store(point)
		}}
	a, err := study.Run()
	if err != nil {
		return nil, fmt.Errorf("%w (%d ranks)", err, ranks)
	}
	point := pointOf(setup, a)
	point.Protocol = under.name
	return point, nil
}
