package app

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"text/tabwriter"

	"github.com/domino-check/domino/impl/runtime/tcp/netpipe"
)

// netpipeAnswer is the answer as JSON.
type netpipeAnswer struct {
	versioned
	Plan    *netpipe.Plan    `json:"plan"`
	Cores   int              `json:"cores"`
	Rows    []netpipe.Row    `json:"rows"`
	Samples []netpipe.Result `json:"samples"`
}

// reportNetpipe prints what was measured, then draws it.
func reportNetpipe(std streams, plan *netpipe.Plan, results []netpipe.Result,
	o *netpipeOptions) error {
	rows := netpipe.Summarise(plan, results)
	var err error
	switch {
	case o.json:
		err = printJSON(std.out,
			netpipeAnswer{as("netpipe"), plan, runtime.NumCPU(), rows, results})
	case o.bench:
		for _, r := range results {
			if plan.Ring > 0 {
				fmt.Fprintf(std.out,
					"BenchmarkRing/procs=%d/link=%s/protocol=%s/bytes=%d-%d %d %.1f ns/op %.1f "+
						"B/op\n", plan.Ring, r.Link, r.Case, r.Bytes,
					runtime.NumCPU(), r.Trips, r.Nanos, r.Allocated)
				continue
			}
			fmt.Fprintf(std.out,
				"BenchmarkNetpipe/link=%s/protocol=%s/bytes=%d-%d %d %.1f ns/op %.2f MB/s %.1f "+
					"B/op\n", r.Link, r.Case, r.Bytes,
				runtime.NumCPU(), 2*r.Trips, r.Nanos, float64(r.Bytes)/r.Nanos*1000, r.Allocated)
		}
	default:
		err = printNetpipe(std, plan, rows)
	}
	if err != nil {
		return err
	}
	return errors.Join(plotNetpipe(o.plot, plan, rows), o.pages.netpipe(plan, results, rows,
		std.err))
}

// printNetpipe prints one table a link, sizes down, protocols across.
func printNetpipe(std streams, plan *netpipe.Plan, rows []netpipe.Row) error {
	const note = "us: %s, median of %d rounds; GB/s: bytes by that; x: time to that of none " +
		"(+write: of none+write), median of the ratios\n" +
		"within a round; least: the ratio of the least times, which counts when the machine has " +
		"much else to do\n"
	what := "half a round trip of two processes"
	if plan.Ring > 0 {
		what = fmt.Sprintf("a lap through a ring of %d processes", plan.Ring)
	}
	fmt.Fprintf(std.out, note, what, plan.Rounds)
	w := tabwriter.NewWriter(std.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, link := range plan.Links {
		fmt.Fprintf(w, "\n%s\t", link)
		for _, name := range plan.Cases {
			fmt.Fprintf(w, "%s\t\t\t\t", name)
		}
		fmt.Fprint(w, "\nbytes\t")
		for range plan.Cases {
			fmt.Fprint(w, "us\tGB/s\tx\tleast\t")
		}
		for _, size := range plan.Sizes {
			fmt.Fprintf(w, "\n%d\t", size)
			for _, name := range plan.Cases {
				at := slices.IndexFunc(rows, func(r netpipe.Row) bool {
					return r.Link == link && r.Case == name && r.Bytes == size
				})
				if at < 0 { // it was ended early
					fmt.Fprint(w, "-\t-\t-\t-\t")
					continue
				}
				r := rows[at]
				fmt.Fprintf(w, "%s\t%.3g\t%s\t%s\t", short(r.Micros), r.Bandwidth, ratio(r.Ratio),
					ratio(r.LeastRatio))
			}
		}
		fmt.Fprintln(w)
		if err := w.Flush(); err != nil {
			return err
		}
	}
	most := 0.0
	for _, r := range rows {
		most = math.Max(most, r.Allocated)
	}
	_, err := fmt.Fprintf(std.out,
		"\nallocated a message: %s bytes at most (median of the rounds; logs and tables that no "+
			"checkpoint trims grow)\n", short(most))
	return err
}

// short prints microseconds with three digits or whole.
func short(x float64) string {
	if x >= 100 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3g", x)
}

func ratio(x float64) string {
	if x == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", x)
}
