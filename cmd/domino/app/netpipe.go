package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/domino-check/domino/cmd/domino/app/term"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/runtime/tcp/launch"
	"github.com/domino-check/domino/impl/runtime/tcp/netpipe"
	"github.com/domino-check/domino/scenarios/spelling"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/report/site"
)

// childFlag makes netpipe one of its own two processes.
const childFlag = "child-of-domino"

// pairs are the layouts that --protocols names, with their protocols.
func (std streams) pairs() (names []string, pairs map[string]protocol.Pair,
	of map[string]*protocol.Protocol) {
	pairs, of = map[string]protocol.Pair{}, map[string]*protocol.Protocol{}
	list := std.Protocols()
	for i := range list {
		if list[i].Setup == nil {
			continue
		}
		for _, p := range list[i].Layouts() {
			names, pairs[p.Name], of[p.Name] = append(names, p.Name), p, &list[i]
		}
	}
	return names, pairs, of
}

// netpipeCase makes the setup of a case for so many ranks.
func (std streams) netpipeCase(name string, ranks int) (*core.Setup, error) {
	names, pairs, of := std.pairs()
	p, ok := of[name]
	if !ok {
		names = append([]string{netpipe.Raw}, names...)
		switch known, err := std.Find(name); {
		case err != nil:
		case known.Setup == nil:
			return nil, fmt.Errorf("protocol %s has no programs", name)
		default:
			return nil, fmt.Errorf("protocol %s: which layout? %s", name, layoutNames(known))
		}
		return nil, fmt.Errorf("unknown protocol %q%s Known: %s", name,
			spelling.Guess(name, names), strings.Join(names, ", "))
	}
	layout := core.Layout{Ranks: ranks}
	for r := range ranks {
		layout.Names = append(layout.Names, fmt.Sprint("r", r))
		if pairs[name].Together {
			r = 0
		}
		layout.Clusters = append(layout.Clusters, r)
	}
	s, err := p.Make(protocol.Request{Layout: layout, Programs: make([]core.Program, ranks)})
	if err != nil {
		return nil, err
	}
	if _, ok := s.NewMessage().(core.Framed); !ok {
		return nil, fmt.Errorf("protocol %s has no fixed layout for its data messages yet, and "+
			"the codec is not worth measuring", name)
	}
	return s, nil
}

// layoutNames are the layouts of a protocol in words.
func layoutNames(p *protocol.Protocol) string {
	var words []string
	for _, l := range p.Layouts() {
		if l.Together {
			words = append(words, l.Name+" (within one cluster)")
		} else {
			words = append(words, l.Name+" (each rank in a cluster of its own)")
		}
	}
	return strings.Join(words, " or ")
}

// usual are the cases that are measured where nobody says which.
func (std streams) usual() string {
	names := []string{netpipe.Raw}
	all, _, of := std.pairs()
	for _, name := range all {
		if of[name].Perf.Usual && of[name].Name == protocol.Baseline {
			names = append(names, name)
		}
	}
	for _, name := range all {
		if of[name].Perf.Usual && of[name].Name != protocol.Baseline {
			names = append(names, name)
		}
	}
	return strings.Join(names, ",")
}

// netpipeOptions are the flags of netpipe.
type netpipeOptions struct {
	sizes, links, protocols, congestion string
	plot, calibrate                     string
	perturb, rounds, ring               int
	sample                              time.Duration
	seed                                uint64
	card, html                          string
	bind, json, bench, child            bool
	pages                               *measuredPages // nil when none are wanted
}

// readNetpipe reads the flags.
func readNetpipe(args []string, std streams) (netpipeOptions, error) {
	var o netpipeOptions
	f := flags("cluster netpipe", "", std, "cluster netpipe",
		"cluster netpipe --sizes 8,8K,64K,1M,16M --perturb 0 --rounds 15",
		"cluster netpipe --links shared --protocols raw,none --json",
		"cluster netpipe --ring 8 --sizes 8K --perturb 0 --protocols raw,none",
		"cluster netpipe --calibrate here.json",
		"cluster netpipe --links tcp --card 1G --sizes 1K..4M --protocols none,rbml,hmpl "+
			"--plot plots", "cluster netpipe --bench | benchstat -col /protocol -")
	f.StringVar(&o.sizes, "sizes", "1..64M",
		"bytes of a message: a list, or least..most for the powers of two between")
	f.IntVar(&o.perturb, "perturb", 3, "also measure sizes that much smaller and larger; 0: not")
	f.StringVar(&o.links, "links", "tcp,shared", "tcp (loopback), shared (memory)")
	names, _, _ := std.pairs()
	f.StringVar(&o.protocols, "protocols", std.usual(),
		"raw (no machine), or of "+strings.Join(names, ", ")+" (loggers are processes of their "+
			"own); with +write, a program that writes all of each message before it sends it, "+
			"with +copy, one that sends bytes of its own, which a log has to copy")
	f.IntVar(&o.ring, "ring", 0,
		"so many processes pass the message round, and a lap is measured; 0: two, half a "+
			"round trip")
	f.IntVar(&o.rounds, "rounds", 5, "samples of each; medians are reported")
	f.DurationVar(&o.sample, "sample", 10*time.Millisecond,
		"about how long a sample takes; large messages take longer")
	f.Uint64Var(&o.seed, "seed", 1, "of the order of the samples")
	f.StringVar(&o.congestion, "congestion", "",
		"congestion control of TCP (default: reno, which does not pace loopback)")
	f.StringVar(&o.card, "card", "",
		"bits a second that each process sends at most, 1G or 100M, as through a network card of "+
			"its own (default: no limit)")
	f.BoolVar(&o.bind, "bind", true, "bind each process to a core of its own")
	f.StringVar(&o.plot, "plot", "",
		"also draw latency and bandwidth into this folder, as PNG and SVG")
	f.StringVar(&o.html, "html", "", htmlDoc)
	f.StringVar(&o.calibrate, "calibrate", "",
		"also measure memory, disk and processes, and write what simulate --machine needs to know "+
			"of this computer into this file")
	f.BoolVar(&o.json, "json", false, "print JSON: rows and samples")
	f.BoolVar(&o.bench, "bench", false, "print lines for benchstat, one a sample")
	f.BoolVar(&o.child, childFlag, false, "internal")
	if err := f.MarkHidden(childFlag); err != nil {
		return o, err
	}
	if err := f.Parse(args); err != nil {
		return o, err
	}
	switch {
	case f.NArg() > 0:
		return o, fmt.Errorf("unexpected %q", f.Args())
	case o.json && o.bench:
		return o, errors.New("--json or --bench, not both")
	}
	if o.calibrate != "" {
		return o, std.calibrating(&o, f)
	}
	return o, nil
}

// netpipePlan is what the flags ask for, and how many processes that takes.
func netpipePlan(o netpipeOptions, std streams) (plan netpipe.Plan, procs int, err error) {
	plan = netpipe.Plan{Links: fields(o.links), Cases: fields(o.protocols), Rounds: o.rounds,
		Sample: netpipe.Duration(o.sample), Seed: o.seed, Ring: o.ring}
	if plan.Sizes, err = parseSizes(o.sizes, o.perturb); err != nil {
		return plan, 0, err
	}
	if o.card != "" {
		if plan.Card, err = parseBits(o.card); err != nil {
			return plan, 0, err
		}
	}
	procs, err = checkCases(plan.Cases, plan.Ranks(), std)
	return plan, procs, err
}

// runNetpipe measures latency and bandwidth between two processes.
func runNetpipe(ctx context.Context, args []string, std streams) (int, error) {
	o, err := readNetpipe(args, std)
	if err != nil {
		return 0, err
	}
	if o.child {
		return 0, netpipeChild(ctx, std)
	}
	plan, procs, err := netpipePlan(o, std)
	if err != nil {
		return 0, err
	}
	if err := plotFolder(o.plot); err != nil {
		return 0, err
	}
	if o.pages, err = openMeasured(o.html, site.Netpipe, procs); err != nil {
		return 0, err
	}
	measure, err := o.measurer(std, procs)
	if err != nil {
		return 0, err
	}
	line := term.NewLine(std.err, o.json)
	results, err := measure(ctx, plan, netpipeProgress(&plan, line))
	line.Clear()
	switch {
	case ctx.Err() != nil && len(results) == 0:
		fmt.Fprintln(std.err, "interrupted, all processes are gone")
		return exitCode(spec.Unknown), nil
	case ctx.Err() != nil:
		fmt.Fprintln(std.err, "INCOMPLETE: interrupted, all processes are gone")
	case err != nil && len(results) == 0:
		return 0, err
	case err != nil:
		fmt.Fprintln(std.err, "INCOMPLETE")
	}
	if told := reportNetpipe(std, &plan, results, &o); err == nil || told != nil {
		err = told
	}
	if o.calibrate != "" && err == nil && ctx.Err() == nil {
		err = std.calibrate(ctx, &o, &plan, results, measure)
	}
	if ctx.Err() != nil {
		return exitCode(spec.Unknown), nil
	}
	return 0, err
}

// measurer starts processes of this program for a plan.
type measurer func(context.Context, netpipe.Plan, func(netpipe.Result)) ([]netpipe.Result, error)

// measurer is the one of the flags.
func (o *netpipeOptions) measurer(std streams, procs int) (measurer, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	messages := launch.Shared(std.err)
	return func(ctx context.Context, plan netpipe.Plan, each func(netpipe.Result)) (
		[]netpipe.Result, error) {
		return netpipe.Measure(ctx, plan, netpipe.Options{Congestion: o.congestion, Bind: o.bind,
			Procs: procs, Result: each, Child: func(r core.Rank) launch.Command {
				return launch.Command{Name: netpipeName(int(r), plan.Ranks()), Path: path,
					Args: []string{"cluster", "netpipe", "--" + childFlag}, Errors: messages}
			}})
	}, nil
}

// netpipeName is what messages call a process: behind the ranks come their services.
func netpipeName(number, ranks int) string {
	if number >= ranks {
		return fmt.Sprintf("service of rank %d", number-ranks)
	}
	return fmt.Sprintf("rank %d", number)
}

// netpipeEvent is a sample that was taken.
type netpipeEvent struct {
	happening
	Done    int    `json:"done"`
	Samples int    `json:"samples"`
	Link    string `json:"link"`
	Case    string `json:"case"`
	Bytes   int    `json:"bytes"`
}

// netpipeProgress shows the samples.
func netpipeProgress(plan *netpipe.Plan, line *term.Line) func(netpipe.Result) {
	done, all := 0, len(plan.Sizes)*len(plan.Links)*len(plan.Cases)*plan.Rounds
	return func(r netpipe.Result) {
		done++
		line.Show("", func() string {
			return fmt.Sprintf("%d of %d samples: %s, %s, %d bytes", done, all, r.Link, r.Case,
				r.Bytes)
		}, func() any { return netpipeEvent{underWay, done, all, r.Link, r.Case, r.Bytes} })
	}
}

// netpipeChild is the life of one of the two processes.
func netpipeChild(ctx context.Context, std streams) error {
	var in netpipe.Instructions
	if err := launch.Instructions(os.Stdin, &in, func() { os.Exit(exitUsage) }); err != nil {
		return err
	}
	return netpipe.Run(ctx, in, std.netpipeCase, std.out)
}

func fields(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}

// checkCases reports a name that is not known, twice there, or can not be measured; it says how
// many processes are needed.
func checkCases(names []string, ranks int, std streams) (procs int, err error) {
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return 0, fmt.Errorf("protocol %s is there twice", name)
		}
		if name == netpipe.Raw {
			continue
		}
		protocol, _ := netpipe.Protocol(name)
		if ranks < 2 || ranks > netpipe.MaxRing {
			ranks = 2 // the plan will be refused
		}
		s, err := std.netpipeCase(protocol, ranks)
		if err != nil {
			return 0, err
		}
		if procs = max(procs, netpipe.Procs(s)); ranks > 2 && netpipe.Procs(s) > ranks {
			return 0, fmt.Errorf("protocol %s needs services beside the ranks, and a ring has none",
				name)
		}
	}
	return procs, nil
}

// parseSizes reads "1..64M" or "8,8K,1M".
func parseSizes(text string, perturb int) ([]int, error) {
	if perturb < 0 || perturb > 1<<20 {
		return nil, fmt.Errorf("--perturb %d, want [0, 1M]", perturb)
	}
	if least, most, ok := strings.Cut(text, ".."); ok {
		a, err := parseBytes(least)
		if err != nil {
			return nil, err
		}
		b, err := parseBytes(most)
		if err != nil {
			return nil, err
		}
		if a > b {
			return nil, fmt.Errorf("sizes from %s to %s: want the smaller first", least, most)
		}
		if list := netpipe.Sizes(a, b, perturb); len(list) > 0 {
			return list, nil
		}
		return nil, fmt.Errorf("no power of two in %s", text)
	}
	var list []int
	for _, word := range fields(text) {
		size, err := parseBytes(word)
		if err != nil {
			return nil, err
		}
		for _, n := range []int{size - perturb, size, size + perturb} {
			if n >= 1 && n <= netpipe.MaxSize {
				list = append(list, n)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// parseBits reads a number of bits a second with an optional K, M or G of 1000.
func parseBits(text string) (int, error) {
	digits := strings.TrimRight(strings.ToUpper(text), "KMG")
	units := map[string]int{"": 1, "K": 1_000, "M": 1_000_000, "G": 1_000_000_000}
	unit, ok := units[strings.ToUpper(text)[len(digits):]]
	n, err := strconv.Atoi(digits)
	if err != nil || !ok || n < 1 || n > 1000 || n*unit < 1000 {
		return 0, fmt.Errorf("--card %q, want bits a second, in [1, 1000] K, M or G", text)
	}
	return n * unit, nil
}

// parseBytes reads a number with an optional K, M or G of 1024.
func parseBytes(text string) (int, error) {
	digits := strings.TrimRight(strings.ToUpper(text), "KMG")
	unit := 1
	switch strings.ToUpper(text)[len(digits):] {
	case "":
	case "K":
		unit = 1 << 10
	case "M":
		unit = 1 << 20
	case "G":
		unit = 1 << 30
	default:
		return 0, fmt.Errorf("size %q: want a number, with K, M or G", text)
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n < 1 || n > netpipe.MaxSize/unit {
		return 0, fmt.Errorf("size %q, want a number in [1, %dM], with K, M or G", text,
			netpipe.MaxSize>>20)
	}
	return n * unit, nil
}
