package app

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/domino-check/domino/cmd/domino/app/term"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/simulate"
	"github.com/domino-check/domino/impl/runtime/tcp/perf"
)

// A busy ring runs so many iterations, and so many more; the difference has no start in it.
const fewRounds, manyRounds = 100, 1100

// crowdedRounds measures what an iteration of a busy ring takes longer under each protocol, of two
// ranks a core and of more. Nothing is measured where a computer has so many cores that such a ring
// is too large.
func (o *netpipeOptions) crowdedRounds(ctx context.Context, std streams,
	m *simulate.Measured) (err error) {
	sizes := []int{2 * runtime.NumCPU(), crowd * runtime.NumCPU()}
	if slices.Max(sizes) > core.MaxSearched || len(m.Protocols) == 0 {
		return nil
	}
	flags := perfFlags{ranks: slices.Max(sizes), rounds: o.rounds, seed: 1, reserve: 32,
		timeout: time.Minute, clusters: fmt.Sprint(slices.Max(sizes)), protocols: perf.Baseline}
	var rings []string
	for _, n := range sizes {
		rings = append(rings, ringOf(n, fewRounds), ringOf(n, manyRounds))
	}
	flags.kernels = strings.Join(rings, ",")
	for _, p := range m.Protocols {
		flags.protocols += "," + p.Protocol.Name
	}
	r := &perfRun{flags: &flags, std: std, cases: map[[2]string]*clusterCase{}}
	r.plan.Rounds, r.plan.Seed = flags.rounds, flags.seed
	if err := r.choose(ctx); err != nil {
		return err
	}
	folder, err := openFolder("", "", "domino-netpipe-")
	if err != nil {
		return err
	}
	r.dir, r.began = folder.name, time.Now()
	defer func() { err = errors.Join(err, folder.close(false)) }()
	line := term.NewLine(std.err, o.json)
	samples, err := perf.Measure(ctx, &r.plan, r.run, r.progress(line))
	line.Clear()
	if err != nil || ctx.Err() != nil {
		return err
	}
	rows := map[[2]string]float64{} // milliseconds
	for _, row := range perf.Summarise(&r.plan, samples) {
		if row.Wrong == "" && row.Unfinished == "" {
			rows[[2]string{row.Kernel, row.Protocol}] = row.Millis
		}
	}
	for _, n := range sizes {
		none := roundOf(rows, n, perf.Baseline)
		for i := range m.Protocols {
			p := &m.Protocols[i]
			if own := roundOf(rows, n, p.Protocol.Name); none > 0 && own > 0 {
				p.Rounds = append(p.Rounds, simulate.Round{Ranks: n, Bytes: streamedBytes,
					More: own - none})
			}
		}
	}
	return nil
}

// roundOf is what an iteration takes in nanoseconds, 0 if that is not known.
func roundOf(rows map[[2]string]float64, ranks int, protocol string) float64 {
	few := rows[[2]string{ringOf(ranks, fewRounds), protocol}]
	many := rows[[2]string{ringOf(ranks, manyRounds), protocol}]
	if few == 0 || many == 0 {
		return 0
	}
	return (many - few) * 1e6 / (manyRounds - fewRounds)
}

// ringOf is the busy ring of so many iterations.
func ringOf(ranks, iterations int) string {
	return fmt.Sprintf("ring ranks=%d size=%d iterations=%d", ranks, streamedBytes, iterations)
}
