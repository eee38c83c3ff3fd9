package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/papers"
	"github.com/domino-check/domino/impl/runtime/compare"
	"github.com/domino-check/domino/impl/runtime/tcp/launch"
	"github.com/domino-check/domino/impl/runtime/tcp/netpipe"
	"github.com/domino-check/domino/impl/runtime/tcp/perf"
)

// perfClaimed measures kernels under protocols for a claim.
func (std streams) perfClaimed(ctx context.Context, p papers.PerfPlan) (t *papers.Timings,
	err error) {
	o := perfFlags{kernels: strings.Join(p.Kernels, ","), ranks: p.Ranks, rounds: p.Rounds,
		seed: 1, reserve: 32, timeout: time.Minute}
	r := &perfRun{flags: &o, std: std, cases: map[[2]string]*clusterCase{},
		plan: perf.Plan{Rounds: p.Rounds, Seed: 1}}
	programs, err := r.programs()
	if err != nil {
		return nil, err
	}
	for _, k := range programs {
		for _, c := range p.Cases {
			if err := r.claimed(ctx, k, c); err != nil {
				return nil, err
			}
		}
	}
	folder, err := openFolder("", "", "domino-paper-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, folder.close(false)) }()
	r.dir = folder.name
	t = &papers.Timings{Processes: r.processes(), Cores: runtime.NumCPU()}
	before := busyTicks()
	samples, err := perf.Measure(ctx, &r.plan, r.run, func(perf.Sample) {})
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return nil, err
	}
	t.Others = before.others()
	for _, row := range perf.Summarise(&r.plan, samples) {
		if wrong := cmp.Or(row.Wrong, row.Unfinished); wrong != "" {
			return nil, fmt.Errorf("%s under %s: %s", row.Kernel, row.Protocol, wrong)
		}
	}
	t.List = perfRatios(samples, p.Cases[0].Name)
	return t, nil
}

// claimed adds a kernel under a protocol to the plan, by the name that the claim has for it.
func (r *perfRun) claimed(ctx context.Context, k perfKernel, c papers.PerfCase) error {
	r.flags.clusters = strconv.Itoa(max(1, c.Clusters))
	cell := perf.Cell{Kernel: k.name, Program: k.text, Ranks: k.ranks, Protocol: c.Protocol}
	why, err := r.cell(ctx, cell, "")
	if err != nil {
		return fmt.Errorf("%w: %w", papers.ErrAbsent, err)
	}
	if why != "" {
		return fmt.Errorf("%s under %s: %s: %w", k.name, c.Protocol, why, papers.ErrAbsent)
	}
	r.cases[[2]string{k.name, c.Name}] = r.cases[[2]string{k.name, c.Protocol}]
	r.plan.Cells[len(r.plan.Cells)-1].Protocol = c.Name
	return nil
}

// perfRatios are the times of each case by those of the first in the same round.
func perfRatios(samples []perf.Sample, first string) (list []papers.Timing) {
	type at struct {
		kernel string
		round  int
	}
	base := map[at]time.Duration{}
	for _, s := range samples {
		if s.Protocol == first {
			base[at{s.Kernel, s.Round}] = s.Time
		}
	}
	places := map[[2]string]int{}
	for _, s := range samples {
		by := base[at{s.Kernel, s.Round}]
		if by <= 0 || s.Protocol == first {
			continue
		}
		list = timed(list, places, s.Kernel, s.Protocol, float64(s.Time)/float64(by))
	}
	return list
}

// timed adds a ratio to those of its kind.
func timed(list []papers.Timing, places map[[2]string]int, of, name string,
	ratio float64) []papers.Timing {
	key := [2]string{of, name}
	i, ok := places[key]
	if !ok {
		i = len(list)
		places[key], list = i, append(list, papers.Timing{Of: of, Case: name})
	}
	list[i].Ratios = append(list[i].Ratios, ratio)
	return list
}

// netpipeClaimed measures messages between two processes for a claim, over TCP.
func (std streams) netpipeClaimed(ctx context.Context, p papers.NetpipePlan) (*papers.Timings,
	error) {
	plan := netpipe.Plan{Sizes: p.Sizes, Links: []string{netpipe.TCP}, Cases: p.Cases,
		Rounds: p.Rounds, Sample: netpipe.Duration(10 * time.Millisecond), Seed: 1, Card: p.Card}
	procs, err := checkCases(plan.Cases, plan.Ranks(), std)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", papers.ErrAbsent, err)
	}
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	t := &papers.Timings{Processes: procs, Cores: runtime.NumCPU()}
	if p.Card > 0 {
		t.Processes = 0 // they wait for the card, not for processors
	}
	before, messages := busyTicks(), launch.Shared(std.err)
	results, err := netpipe.Measure(ctx, plan, netpipe.Options{Bind: true, Procs: procs,
		Child: func(r core.Rank) launch.Command {
			return launch.Command{Name: netpipeName(int(r), plan.Ranks()), Path: path,
				Args: []string{"cluster", "netpipe", "--" + childFlag}, Errors: messages}
		}})
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return nil, err
	}
	t.Others = before.others()
	type at struct{ bytes, round int }
	base := map[at]float64{}
	for _, r := range results {
		if r.Case == p.Cases[0] {
			base[at{r.Bytes, r.Round}] = r.Nanos
		}
	}
	places := map[[2]string]int{}
	for _, r := range results {
		if by := base[at{r.Bytes, r.Round}]; by > 0 && r.Case != p.Cases[0] {
			t.List = timed(t.List, places, papers.SizeWord(r.Bytes), r.Case, r.Nanos/by)
		}
	}
	return t, nil
}

// compareClaimed measures a row of tables of [HydEE-fr] for a claim.
func (std streams) compareClaimed(ctx context.Context, r compare.Row) (*compare.Study, error) {
	return compare.Measure(ctx, r, compare.Usual(), std.Protocols())
}

// ticks are of processors of a Linux system, and when they were read: what all of them have worked,
// and what this process has and those that it has started and seen end.
type ticks struct {
	all, ours float64
	at        time.Time
}

// ticksASecond is how many there are on every system of today.
const ticksASecond = 100

// busyTicks reads them; where there is no Linux all are zero, and nobody else seems to work.
func busyTicks() (t ticks) {
	t.at = time.Now()
	if b, err := os.ReadFile("/proc/stat"); err == nil {
		words := strings.Fields(first(string(b)))
		for i, word := range words {
			if n, err := strconv.ParseFloat(word, 64); err == nil && i > 0 && i != 4 && i != 5 &&
				i < 9 { // 4 and 5 are idle; what guests work is in what users do
				t.all += n
			}
		}
	}
	if b, err := os.ReadFile("/proc/self/stat"); err == nil {
		_, rest, _ := strings.Cut(string(b), ") ") // behind the name, which may have blanks
		for i, word := range strings.Fields(rest) {
			if n, err := strconv.ParseFloat(word, 64); err == nil && i >= 11 && i <= 14 {
				t.ours += n
			}
		}
	}
	return t
}

// others is how many processors something else has kept busy since.
func (t ticks) others() float64 {
	now := busyTicks()
	seconds := now.at.Sub(t.at).Seconds()
	if seconds <= 0 {
		return 0
	}
	return max(0, (now.all-t.all)-(now.ours-t.ours)) / ticksASecond / seconds
}
