package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/kernels"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
	"github.com/domino-check/domino/impl/runtime/tcp/perf"
	"github.com/domino-check/domino/scenarios/spelling"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/report/chart"
)

// choose makes the cells of the plan: what the user has named must be possible, of the rest what
// is.
func (r *perfRun) choose(ctx context.Context) error {
	programs, err := r.programs()
	if err != nil {
		return err
	}
	protocols, err := r.protocols()
	if err != nil {
		return err
	}
	options, err := r.options(protocols)
	if err != nil {
		return err
	}
	for _, p := range protocols {
		before := len(r.plan.Cells)
		var whys []string
		for _, k := range programs {
			cell := perf.Cell{Kernel: k.name, Program: k.text, Ranks: k.ranks, Protocol: p}
			why, err := r.cell(ctx, cell, options[p])
			if err != nil {
				return err
			}
			if why != "" {
				whys = append(whys, why)
				r.left = append(r.left, leftOut{k.name, p, why})
			}
		}
		if len(r.plan.Cells) > before {
			continue
		}
		if r.flags.protocols != "" {
			return fmt.Errorf("protocol %s can not be measured: %s", p, whys[0])
		}
		// one line says it
		if !slices.ContainsFunc(whys, func(w string) bool { return w != whys[0] }) {
			r.left = append(r.left[:len(r.left)-len(whys)], leftOut{Protocol: p, Why: whys[0]})
		}
	}
	// the kernels in their order, of each the protocols in theirs
	slices.SortStableFunc(r.plan.Cells, func(a, b perf.Cell) int {
		place := func(c perf.Cell) int {
			return slices.IndexFunc(programs, func(k perfKernel) bool { return k.name == c.Kernel })
		}
		return place(a) - place(b)
	})
	return nil
}

// perfKernel is a kernel with its parameters.
type perfKernel struct {
	name, text string
	ranks      int
}

// programs are the kernels that the user wants.
func (r *perfRun) programs() (list []perfKernel, err error) {
	wanted, named := perf.Usual, r.flags.kernels != ""
	var known []string
	names, _ := kernels.List()
	for _, n := range names {
		known = append(known, strings.TrimPrefix(n, "kernel "))
	}
	switch {
	case r.flags.ranks > core.MaxSearched: // kernels have more, for those who only model them
		return nil, fmt.Errorf("--ranks %d: want at most %d", r.flags.ranks, core.MaxSearched)
	case strings.TrimSpace(r.flags.kernels) == "all":
		wanted, named = known, false
	case named:
		wanted = nil
		for item := range strings.SplitSeq(r.flags.kernels, ",") {
			if item = strings.Join(strings.Fields(item), " "); item != "" {
				wanted = append(wanted, item)
			}
		}
	}
	for _, item := range wanted {
		words := strings.Fields(item)
		if !slices.Contains(known, words[0]) {
			return nil, fmt.Errorf("unknown kernel %q%s Known: %s", words[0],
				spelling.Guess(words[0], known), strings.Join(known, ", "))
		}
		if slices.ContainsFunc(list, func(k perfKernel) bool { return k.name == item }) {
			return nil, fmt.Errorf("kernel %s is there twice", item)
		}
		k := perfKernel{name: item, text: perf.Program(item, r.flags.ranks, r.flags.checkpoint)}
		suite, err := kernels.Build(k.text)
		if err != nil && named {
			return nil, err
		}
		if err != nil {
			r.left = append(r.left, leftOut{Kernel: item, Why: err.Error()})
			continue
		}
		k.ranks = len(suite.Names)
		list = append(list, k)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no kernel is left for %d ranks: %v", r.flags.ranks, r.left)
	}
	return list, nil
}

// protocols are the names of those that the user wants, none first; behind a slash a variant.
func (r *perfRun) protocols() (list []string, err error) {
	named := fields(r.flags.protocols)
	for i, name := range named {
		base, variant, _ := strings.Cut(name, "/")
		p, err := r.std.Find(base)
		if err != nil {
			return nil, err
		}
		if p.Setup == nil {
			return nil, fmt.Errorf("protocol %s has no programs", base)
		}
		if _, err := p.Switches(cmp.Or(variant, "repaired")); err != nil {
			return nil, err
		}
		if slices.Contains(named[:i], name) {
			return nil, fmt.Errorf("protocol %s is there twice", name)
		}
	}
	if r.flags.protocols != "" && len(named) == 0 {
		return nil, errors.New("--protocols names none")
	}
	r.plan.Styles = map[string]int{}
	for _, p := range r.std.Protocols() {
		if colour := p.Perf.Colour - 1; colour >= 0 && p.Perf.Pale {
			r.plan.Styles[p.Name] = chart.Pale + colour
		} else if colour >= 0 {
			r.plan.Styles[p.Name] = colour
		}
		if p.Setup != nil && (len(named) == 0 || slices.Contains(named, p.Name)) {
			list = append(list, p.Name)
		}
		for _, name := range named {
			if strings.HasPrefix(name, p.Name+"/") {
				list = append(list, name)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b string) int {
		switch {
		case a == perf.Baseline:
			return -1
		case b == perf.Baseline:
			return 1
		}
		return 0
	})
	return list, nil
}

// options are those of each protocol.
func (r *perfRun) options(protocols []string) (map[string]string, error) {
	list := map[string]string{}
	for _, o := range r.flags.options {
		name, text, ok := strings.Cut(o, ":")
		if name = strings.TrimSpace(name); !ok || !slices.Contains(protocols, name) {
			return nil, fmt.Errorf("--options %q: want PROTOCOL: OPTIONS, of %s", o,
				strings.Join(protocols, ", "))
		}
		list[name] = strings.TrimSpace(text)
	}
	return list, nil
}

// cell adds a kernel under a protocol to the plan, or says why not. An error is the user's.
func (r *perfRun) cell(ctx context.Context, cell perf.Cell, options string) (why string,
	err error) {
	f := clusterRunFlags{kernel: cell.Program, options: options}
	f.protocol, f.variant, _ = strings.Cut(cell.Protocol, "/")
	p, err := r.std.Find(f.protocol)
	if err != nil {
		return "", err
	}
	if p.Perf.Clustered != nil && p.Perf.Clustered(options) {
		if f.clusters, err = clustersOf(r.flags.clusters, cell.Ranks); err != nil {
			return "", err
		}
	}
	s, err := f.scenario(nil, r.std)
	if err != nil {
		return "", err
	}
	resolved, err := r.std.Resolve(s)
	switch {
	case err != nil && options != "":
		return "", withoutFile(err)
	case err != nil:
		return withoutFile(err).Error(), nil
	}
	c := &clusterCase{scenario: s, resolved: resolved, std: r.std, seed: r.flags.seed,
		timeout: r.flags.timeout, spread: time.Millisecond, quiet: true,
		hosting: hosting{address: anyLoopback}}
	if r.plan.Kills && cell.Protocol != perf.Baseline {
		k, err := parseKills(r.flags.kills, resolved.Setup, time.Second)
		if err != nil {
			return "", err
		}
		c.allow(k)
	}
	if r.flags.every > 0 {
		resolved.Model.Checkpoints = fault.Max
	}
	config := cluster.Config{Setup: resolved.Setup, Model: resolved.Model, Dir: "-", Path: "-"}
	if err := config.Validate(); err != nil {
		return err.Error(), nil
	}
	if reason, err := c.open(ctx); err != nil || reason != "" {
		return reason, err
	}
	c.judge = nil // it is large, and digests are compared instead
	cell.Repeats = !slices.ContainsFunc(resolved.Setup.Programs, func(p core.Program) bool {
		return slices.ContainsFunc(p, func(o core.Op) bool {
			return o.Ordered && (o.Any || o.Kind == core.OpPost)
		})
	})
	cell.Clusters, cell.Options = f.clusters, options
	r.cases[[2]string{cell.Kernel, cell.Protocol}] = c
	r.plan.Cells = append(r.plan.Cells, cell)
	return "", nil
}

// clustersOf reads a number of clusters of neighbours, as equal as can be, or their members.
func clustersOf(text string, ranks int) (string, error) {
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil {
		return text, nil // for the scenario's reader
	}
	if n < 1 {
		return "", fmt.Errorf("--clusters %d: want at least 1; with more than ranks each is one", n)
	}
	var b strings.Builder
	for r := range ranks {
		switch {
		case r > 0 && r*min(n, ranks)/ranks != (r-1)*min(n, ranks)/ranks:
			b.WriteString(" | ")
		case r > 0:
			b.WriteString(" ")
		}
		fmt.Fprint(&b, "r", r)
	}
	return b.String(), nil
}
