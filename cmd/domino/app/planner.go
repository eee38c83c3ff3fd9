package app

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/domino-check/domino/impl/clustering"
	"github.com/domino-check/domino/impl/traffic"
	"github.com/domino-check/domino/spec"
)

// plannerFlags are the flags of plan.
type plannerFlags struct {
	alpha, beta, method, back, nodeMap string
	joins, parts                       []string
	seeds, ranks, perNode, clusters    int
	least, most, workers               int
	front, json                        bool
}

func (o *plannerFlags) register(f *pflag.FlagSet) {
	f.StringVar(&o.alpha, "alpha", "0.23", "what it costs to log everything")
	f.StringVar(&o.beta, "beta", "0.124", "what it costs when every failure rolls back all ranks")
	f.StringVar(&o.method, "method", "search",
		"search, bisection (as published), or both, of which the better is the plan")
	f.IntVar(&o.seeds, "seeds", 0, fmt.Sprintf("beginnings of the search, the best is kept; 0: "+
		"%d, fewer where channels are hundreds of thousands", clustering.Seeds))
	f.BoolVar(&o.front, "front", false,
		"plans for many ratios of beta to alpha: those that no other beats in both shares")
	f.IntVar(&o.ranks, "ranks", 0,
		"of a file: how many there are; 0: as many as it names")
	f.IntVar(&o.perNode, "per-node", 0,
		"so many consecutive ranks share a node and stay together; 0: each alone")
	f.StringVar(&o.nodeMap, "node-map", "",
		"a file with lines 'RANK NODE': ranks of the same node stay together")
	f.StringArrayVar(&o.joins, "join", nil, "ranks that stay together, e.g. 'r0 r7'; may be "+
		"repeated")
	f.StringArrayVar(&o.parts, "part", nil, "two ranks that must not be together, e.g. 'r0 r1'; "+
		"may be repeated")
	f.IntVar(&o.clusters, "clusters", 0, "exactly so many clusters; 0: any number")
	f.IntVar(&o.least, "min-size", 0, "ranks in each cluster, at least")
	f.IntVar(&o.most, "max-size", 0, "ranks in each cluster, at most; 0: any number")
	f.StringVar(&o.back, "max-rollback", "",
		"share of the ranks, in percent, that one failure may roll back on average")
	f.IntVar(&o.workers, "workers", runtime.GOMAXPROCS(0), "seeds at the same time")
	f.BoolVar(&o.json, "json", false, "print JSON, with the cluster of every rank")
}

// netGarbage is how much of the heap may be garbage, in percent: nets are few and large and have no
// pointers, so that to collect often costs nothing, and ten million channels fit into 3 GB.
const netGarbage = 25

// runPlan chooses clusters for a program by its traffic.
func runPlan(ctx context.Context, args []string, std streams) (int, error) {
	f := flags("plan", "KERNEL | SCENARIO | FILE | FOLDER", std,
		"plan cg class=D ranks=256", "plan lu class=D ranks=1024 --method both",
		"plan bt class=D ranks=256 --per-node 8 --max-rollback 15",
		"plan traffic.csv --front", "plan matrix.mtx --clusters 8 --json",
		"plan folder-of-a-run --join 'r0 r1' --part 'r0 r5'")
	var o plannerFlags
	o.register(f)
	if err := f.Parse(args); err != nil {
		return 0, err
	}
	if err := within(f, ofWorkers(),
		notNegative("seeds ranks per-node clusters min-size max-size")); err != nil {
		return 0, err
	}
	weights, err := clustering.ParseWeights(o.alpha, o.beta)
	if err != nil {
		return 0, err
	}
	if !slices.Contains([]string{"search", "bisection", "both"}, o.method) {
		return 0, fmt.Errorf("--method %s: want search, bisection or both", o.method)
	}
	if o.front && o.method != "search" {
		return 0, errors.New("--front is made by the search")
	}
	if f.NArg() == 0 {
		return 0, errors.New("want a kernel such as \"cg class=D ranks=256\", a scenario, a file " +
			"with traffic, or the folder of a run")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(netGarbage))
	what, err := std.planned(ctx, f.Args(), o.ranks)
	if err != nil {
		return 0, err
	}
	p := &planning{plannerFlags: o, subject: what, std: std,
		Problem: clustering.Problem{Traffic: what.graph, Weights: weights}}
	if p.Rules, err = o.rules(what); err != nil {
		return 0, err
	}
	return p.run(ctx)
}

// run makes the plan and prints it.
func (p *planning) run(ctx context.Context) (int, error) {
	if _, err := heard(ctx, func() (any, error) { return nil, p.Open() }); err != nil {
		return 0, err
	}
	if p.seeds == 0 {
		p.seeds = p.Seeds()
	}
	find := p.find
	if p.front {
		find = p.sweep
	}
	if err := find(ctx); err != nil {
		return 0, err
	}
	interrupted := ctx.Err() != nil
	switch {
	case p.best == nil && interrupted:
		return 0, errInterrupted
	case p.best == nil:
		return 0, p.blame(ctx)
	}
	var err error
	if p.json {
		err = printJSON(p.std.out, p.answer(interrupted))
	} else {
		p.print(p.std.out, interrupted)
	}
	if interrupted {
		return exitCode(spec.Unknown), err
	}
	return 0, err
}

// rules are what the flags ask for.
func (o *plannerFlags) rules(what *planSubject) (r clustering.Rules, err error) {
	r = clustering.Rules{Least: o.least, Most: o.most, Clusters: o.clusters}
	switch {
	case o.perNode > 0 && o.nodeMap != "":
		return r, errors.New("--per-node and --node-map both say which ranks share a node")
	case o.perNode > 0:
		for rank := range what.graph.Ranks {
			r.Node = append(r.Node, rank/o.perNode)
		}
	case o.nodeMap != "":
		if r.Node, err = readNodeMap(o.nodeMap, what); err != nil {
			return r, err
		}
	}
	for _, text := range o.joins {
		group, err := what.ranksOf("--join", text)
		if err != nil {
			return r, err
		}
		r.Join = append(r.Join, group)
	}
	for _, text := range o.parts {
		pair, err := what.ranksOf("--part", text)
		if err != nil {
			return r, err
		}
		if len(pair) != 2 {
			return r, fmt.Errorf("--part %q: want two ranks, may be repeated", text)
		}
		r.Part = append(r.Part, [2]int{pair[0], pair[1]})
	}
	if o.back != "" {
		if r.Rollback, err = millionths(o.back); err != nil {
			return r, fmt.Errorf("--max-rollback %w", err)
		}
	}
	return r, nil
}

// millionths reads percent, more than none and at most all, as a share in millionths. A bound that
// was rounded would be another one, or none.
func millionths(text string) (int64, error) {
	const decimals = 4
	before, behind, _ := strings.Cut(strings.TrimSuffix(text, "%"), ".")
	n, err := strconv.ParseUint(before+behind+strings.Repeat("0", max(0, decimals-len(behind))),
		10, 32)
	if err != nil || before == "" || len(behind) > decimals || n == 0 || n > 1e6 {
		return 0, fmt.Errorf("%s: want percent in (0, 100] with at most %d digits behind the point",
			text, decimals)
	}
	return int64(n), nil
}

// ranksOf are ranks by their names.
func (s *planSubject) ranksOf(flag, text string) (list []int, err error) {
	for _, name := range strings.Fields(text) {
		r, ok := s.rank(name)
		if !ok {
			return nil, fmt.Errorf("%s %q: rank %s does not exist, there are %d, from %s to %s",
				flag, text, name, s.graph.Ranks, s.name(0), s.name(s.graph.Ranks-1))
		}
		if slices.Contains(list, r) {
			return nil, fmt.Errorf("%s %q: rank %s twice", flag, text, name)
		}
		list = append(list, r)
	}
	if len(list) < 2 {
		return nil, fmt.Errorf("%s %q: want at least two ranks", flag, text)
	}
	return list, nil
}

// readNodeMap reads lines "RANK NODE", each rank once.
func readNodeMap(file string, what *planSubject) ([]int, error) {
	text, err := smallFile(file)
	if err != nil {
		return nil, fmt.Errorf("--node-map: %w", err)
	}
	nodes, given := make([]int, what.graph.Ranks), make([]bool, what.graph.Ranks)
	numbers := map[string]int{}
	for i, line := range strings.Split(strings.TrimPrefix(string(text), "\ufeff"), "\n") {
		words := strings.Fields(line)
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		r, ok := what.rank(words[0])
		switch {
		case len(words) != 2:
			return nil, fmt.Errorf("%s:%d: want two words, a rank and its node", file, i+1)
		case !ok:
			return nil, fmt.Errorf("%s:%d: rank %s does not exist, there are %d", file, i+1,
				words[0], what.graph.Ranks)
		case given[r]:
			return nil, fmt.Errorf("%s:%d: rank %s has a node already", file, i+1, words[0])
		}
		if _, ok := numbers[words[1]]; !ok {
			numbers[words[1]] = len(numbers)
		}
		nodes[r], given[r] = numbers[words[1]], true
	}
	if r := slices.Index(given, false); r >= 0 {
		return nil, fmt.Errorf("%s: rank %s has no node", file, what.name(r))
	}
	return nodes, nil
}

// planSubject is a program with its traffic.
type planSubject struct {
	title string
	names []string // nil: r0, r1, ...
	graph *traffic.Graph
}

// name is what a rank is called.
func (s *planSubject) name(r int) string {
	if s.names != nil {
		return s.names[r]
	}
	return "r" + strconv.Itoa(r)
}

// rank is the one with a name, or with a number where ranks have no names of their own.
func (s *planSubject) rank(name string) (int, bool) {
	if s.names != nil {
		r := slices.Index(s.names, name)
		return r, r >= 0
	}
	number := strings.TrimPrefix(name, "r")
	r, err := strconv.Atoi(number)
	return r, err == nil && r >= 0 && r < s.graph.Ranks && number == strconv.Itoa(r)
}
