package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
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
	protocol, options, machine, clusters, interval string
	ranks                                          []int
	measured                                       []string
	work                                           time.Duration
	image                                          int64
	failures                                       int
	mtbf                                           elapsing
	seed                                           uint64
	json                                           bool
}

func (o *simulateFlags) register(f *pflag.FlagSet) {
	f.StringVar(&o.protocol, "protocol", "", "that is compared with none; behind a slash a "+
		"variant")
	f.StringVar(&o.options, "options", "", "of the protocol, e.g. 'loggers=next'")
	f.IntSliceVar(&o.ranks, "ranks", []int{16}, "one run each")
	f.StringVar(&o.clusters, "clusters", "4", "a number of clusters of neighbours, or their "+
		"members, e.g. 'r0 r1 | r2 r3', as plan prints them")
	f.StringVar(&o.machine, "machine", "ethernet-10g",
		strings.Join(simulate.Machines(), ", ")+", or a file with one")
	f.DurationVar(&o.work, "work", 0, "what each rank computes in an iteration of its program")
	f.Int64Var(&o.image, "image", 0, "bytes of the image of a rank; 0: as many as it has")
	f.StringVar(&o.interval, "interval", "", "time between checkpoints of a cluster, or young or "+
		"daly, with --mtbf (default: none are taken)")
	f.IntVar(&o.failures, "failures", 0, "so many failures, at even distances")
	f.Var(&o.mtbf, "mtbf", "draw failures: time between those of one node (default: none)")
	f.Uint64Var(&o.seed, "seed", 1, "of moments and victims of failures")
	f.StringArrayVar(&o.measured, "measured", nil, "compare with what cluster perf --json has "+
		"printed into this file, without a kernel; may be repeated")
	f.BoolVar(&o.json, "json", false, "print JSON, times in seconds")
}

// runSimulate runs a kernel in modelled time.
func runSimulate(ctx context.Context, args []string, std streams) (int, error) {
	f := flags("simulate", "[KERNEL]", std,
		"simulate heat n=64 --protocol hydee --ranks 16,64 --work 100us",
		"simulate ring size=8192 iterations=20 --protocol hydee --ranks 1024 --clusters 16 "+
			"--machine myrinet --failures 1",
		"simulate lu --protocol causal --machine my-machine.json --json",
		"simulate heat iterations=400 checkpoint=1 --protocol coordinated --ranks 16 --work 1s "+
			"--image 10000000 --interval daly --mtbf 15m",
		"simulate --measured perf-4.json --measured perf-8.json --machine here.json")
	var o simulateFlags
	o.register(f)
	if err := f.Parse(args); err != nil {
		return 0, err
	}
	if err := within(f, notNegative("work image failures")); err != nil {
		return 0, err
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
	for _, n := range o.ranks {
		point, err := heard(ctx, func() (*simulatedPoint, error) { return s.point(n) })
		switch {
		case errors.Is(err, errInterrupted) && len(s.answer.Points) > 0:
			s.answer.Interrupted = true
		case err != nil:
			return 0, err
		default:
			s.answer.Points = append(s.answer.Points, *point)
		}
		if s.answer.Interrupted {
			break
		}
	}
	if err := s.print(std); err != nil || !s.answer.Interrupted {
		return 0, err
	}
	return exitCode(spec.Unknown), nil
}

// simulation is what is to be simulated.
type simulation struct {
	*simulateFlags
	kernel  string
	under   *protocol.Protocol
	variant string
	every   time.Duration
	rule    string
	model   *simulate.Machine
	answer  simulatedAnswer
}

// simulation looks up what the words name.
func (std streams) simulation(o *simulateFlags, words []string) (*simulation, error) {
	s := &simulation{simulateFlags: o, kernel: strings.Join(strings.Fields(strings.Join(words,
		" ")), " ")}
	switch {
	case s.kernel == "":
		return nil, errors.New("want a kernel, such as \"heat n=64\"; domino list programs has " +
			"them")
	case o.protocol == "":
		return nil, errors.New("want --protocol; domino list protocols has them")
	case strings.Contains(s.kernel, "ranks="):
		return nil, errors.New("say how many ranks by --ranks")
	case o.failures > 0 && o.mtbf > 0:
		return nil, errors.New("--failures and --mtbf both say when failures come")
	case o.mtbf < 0 || o.mtbf > 0 && o.mtbf < 1e-6:
		return nil, errors.New("--mtbf: want more than a microsecond")
	}
	if err := s.readInterval(); err != nil {
		return nil, err
	}
	var err error
	name, variant, _ := strings.Cut(o.protocol, "/")
	if s.under, err = std.Find(name); err != nil {
		return nil, err
	}
	if s.under.Setup == nil {
		return nil, fmt.Errorf("protocol %s has no programs", name)
	}
	if err := s.under.Accept(o.options); err != nil {
		return nil, err
	}
	s.variant = cmp.Or(variant, "repaired")
	if s.model, err = readMachine(o.machine); err != nil {
		return nil, err
	}
	s.answer = simulatedAnswer{versioned: as("simulation"), Kernel: s.kernel, Protocol: o.protocol,
		Options: o.options, Machine: *s.model, Work: o.work.Seconds(), Image: o.image,
		MTBF: float64(o.mtbf), Seed: o.seed, Points: []simulatedPoint{}}
	return s, nil
}

// readInterval reads the flag.
func (s *simulation) readInterval() error {
	switch s.interval {
	case "", "0":
		return nil
	case "young", "daly":
		if s.rule = s.interval; s.mtbf == 0 {
			return fmt.Errorf("--interval %s follows from --mtbf", s.interval)
		}
		return nil
	}
	var every elapsing
	if err := every.Set(s.interval); err != nil || every < 1e-6 || every > 1e6 {
		return fmt.Errorf("--interval %s: want a time from 1us to 11d, young or daly", s.interval)
	}
	s.every = time.Duration(float64(every) * 1e9)
	return nil
}

// readMachine is a machine from a file, or one that is shipped.
func readMachine(name string) (*simulate.Machine, error) {
	text, err := os.ReadFile(name)
	switch {
	case err == nil:
		return simulate.ReadMachine(name, text)
	case errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(name, "/."):
		return simulate.Shipped(name)
	}
	return nil, fmt.Errorf("--machine: %w", err)
}

// point simulates one number of ranks.
func (s *simulation) point(ranks int) (*simulatedPoint, error) {
	suite, err := kernels.Build(fmt.Sprintf("%s ranks=%d", s.kernel, ranks))
	if err != nil {
		return nil, err
	}
	request := protocol.Request{Options: s.options, Variant: s.variant}
	if request.Errata, err = s.under.Switches(s.variant); err != nil {
		return nil, err
	}
	if c := s.under.Perf.Clustered; c != nil && c(s.options) {
		text, err := clustersOf(s.clusters, ranks)
		if err != nil {
			return nil, err
		}
		if request.Layout.Clusters, err = scenarios.ReadClusters(text, suite.Names); err != nil {
			return nil, fmt.Errorf("--clusters: %w", err)
		}
	}
	setup, base, err := simulate.Prepare(s.under, suite, request)
	if err != nil {
		return nil, err
	}
	if (s.failures > 0 || s.mtbf > 0) && setup.MaxFailures < 0 {
		return nil, fmt.Errorf("protocol %s survives no failure", s.under.Name)
	}
	if s.every+time.Duration(len(s.rule)) > 0 && len(setup.Initiators) == 0 {
		return nil, fmt.Errorf("protocol %s is not asked for checkpoints", s.under.Name)
	}
	study := simulate.Study{Job: simulate.Job{Machine: s.model, Setup: setup, Work: s.work,
		Interval: s.every, Image: s.image}, Base: base, Rule: s.rule, Count: s.failures,
		MTBF: float64(s.mtbf), Seed: s.seed}
	a, err := study.Run()
	if err != nil {
		return nil, fmt.Errorf("%w (%d ranks)", err, ranks)
	}
	return pointOf(setup, a), nil
}
