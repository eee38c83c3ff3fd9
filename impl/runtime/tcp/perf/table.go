package perf

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
)

// notes explain the columns of Print.
const notes = `ms: the programs, from the moment when all processes had begun; overhead: that by the time of none in the same round, and half the distance between the quartiles
of these ratios (±); least: the ratio of the least times, which counts when the machine has much else to do; cpu: what processors worked for all
processes, and its overhead; sends, MB: of the programs; messages: of the machines, the protocol's own, too; +B: bytes that the protocol adds, a send;
carried: those on the message itself; logged: into logs in memory; stored: written to stable storage, for which the process that wrote longest took
disk ms; -: not known. Medians of %s. More: go doc ./impl/runtime/tcp/perf

`

// Print writes the rows as a table, then a line a protocol.
func Print(w io.Writer, p *Plan, rows []Row) error {
	fmt.Fprintf(w, notes, rounds(p.Rounds))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t,
		"kernel\tprotocol\tms\toverhead\tleast\tcpu "+
			"ms\tcpu\tsends\tMB\tmessages\t+B\tcarried\tlogged MB\tstored MB\tdisk ms")
	last := ""
	for _, r := range rows {
		kernel := r.Kernel
		if kernel == last {
			kernel = ""
		}
		last = r.Kernel
		if r.Rounds == 0 {
			fmt.Fprintf(t, "%s\t%s%s\n", kernel, r.Protocol, strings.Repeat("\t-", 13))
			continue
		}
		overhead, least, work := "-", "-", "-"
		if r.Compared && r.Protocol != Baseline {
			overhead, least, work = Percent(r.Overhead), Percent(r.Least), Percent(r.Work)
			if r.Rounds > 1 { // one round alone does not tell how far to believe it
				overhead += " ±" + strings.TrimPrefix(Percent(r.Spread/2), "+")
			}
		}
		carried := "-"
		if r.Framed && r.Sends > 0 {
			carried = Digits(r.Carried / r.Sends)
		}
		logged := mega(r.Logged)
		if r.Unsized {
			logged = "-"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%.0f\t%s\t%.0f\t%s\t%s\t%s\t%s\t%s\n", kernel,
			r.Protocol, Digits(r.Millis), overhead, least, Digits(r.Worked), work, r.Sends,
			mega(r.Payload),
			r.Messages, Digits(added(&r)), carried, logged, mega(r.Stored), Digits(r.Storing))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	for _, s := range Totals(p, rows) {
		fmt.Fprintf(w, "%s: overhead %s (median of %d kernels), at most %s (%s)\n", s.Protocol,
			Percent(s.Median), s.Kernels, Percent(s.Most), s.Where)
	}
	var begun []float64
	for _, r := range rows {
		if r.Rounds > 0 {
			begun = append(begun, r.Begun)
		}
	}
	if len(begun) > 0 {
		fmt.Fprintf(w, "all processes of a run had begun after %s ms (median), %s ms at most\n",
			Digits(Median(begun)), Digits(slices.Max(begun)))
	}
	return complaints(w, rows)
}

func rounds(n int) string {
	if n == 1 {
		return "1 round"
	}
	return fmt.Sprintf("%d rounds", n)
}

// complaints say what was wrong.
func complaints(w io.Writer, rows []Row) (err error) {
	for _, r := range rows {
		if r.Wrong != "" {
			_, err = fmt.Fprintf(w, "WRONG: %s with %s: %s\n", r.Kernel, r.Protocol, r.Wrong)
		}
		if r.Unfinished != "" {
			_, err = fmt.Fprintf(w, "NOT FINISHED: a run of %s with %s: %s\n", r.Kernel, r.Protocol,
				r.Unfinished)
		}
	}
	return err
}

// added is how many bytes a protocol adds to a send of the program.
func added(r *Row) float64 {
	if r.Sends == 0 {
		return 0
	}
	return (r.Bytes - r.Payload) / r.Sends
}

// Total is a protocol over all kernels.
type Total struct {
	Protocol string  `json:"protocol"`
	Kernels  int     `json:"kernels"`
	Median   float64 `json:"medianPercent"` // of the overheads of the kernels
	Most     float64 `json:"mostPercent"`
	Where    string  `json:"where"`
}

// Totals sums up the overheads of each protocol but the baseline.
func Totals(p *Plan, rows []Row) (list []Total) {
	for _, protocol := range p.Protocols() {
		t := Total{Protocol: protocol, Most: math.Inf(-1)}
		var all []float64
		for _, r := range rows {
			if r.Protocol != protocol || !r.Compared || protocol == Baseline {
				continue
			}
			if all = append(all, r.Overhead); r.Overhead > t.Most {
				t.Most, t.Where = r.Overhead, r.Kernel
			}
		}
		if t.Kernels, t.Median = len(all), Median(all); len(all) > 0 {
			list = append(list, t)
		}
	}
	return list
}

// PrintRecoveries writes what the runs with failures say, a line a cell.
func PrintRecoveries(w io.Writer, rows []Recovery) error {
	fmt.Fprint(w,
		"\nwith failures, ms: the stages of the run of median length, which add up to its total; "+
			"then the median of the runs without failures, both with evidence,\n"+
			"and the total by that of the run right before it, median\n\n")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "kernel\tprotocol\t%s\ttotal\twithout\toverhead\n",
		strings.Join(stageNames[:], "\t"))
	var remarks []string
	last := ""
	for _, r := range rows {
		kernel := r.Kernel
		if kernel == last {
			kernel = ""
		}
		last = r.Kernel
		if r.Wrong != "" {
			remarks = append(remarks, fmt.Sprintf("WRONG: %s with %s: %s", r.Kernel, r.Protocol,
				r.Wrong))
		}
		if r.Unfinished != "" {
			remarks = append(remarks, fmt.Sprintf("NOT FINISHED: a run of %s with %s: %s", r.Kernel,
				r.Protocol, r.Unfinished))
		}
		if r.Unstruck > 0 {
			remarks = append(remarks, fmt.Sprintf(
				"note: %d runs of %s with %s ended before their failure came, and are left out",
				r.Unstruck, r.Kernel, r.Protocol))
		}
		fmt.Fprintf(t, "%s\t%s", kernel, r.Protocol)
		if r.Rounds == 0 {
			fmt.Fprintln(t, strings.Repeat("\t-", int(stages)+3))
			continue
		}
		for _, s := range r.Stages {
			fmt.Fprintf(t, "\t%s", Digits(millis(s.Time)))
		}
		fmt.Fprintf(t, "\t%s\t%s\t%s\n", Digits(millis(r.Total)), Digits(millis(r.Calm)),
			Percent(r.Overhead))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, r := range remarks {
		fmt.Fprintln(w, r)
	}
	return nil
}

// Bench writes a line for benchstat for each bare sample.
func Bench(w io.Writer, p *Plan, samples []Sample) error {
	for _, s := range samples {
		if s.Bound != "" {
			continue
		}
		i := slices.IndexFunc(p.Cells, func(c Cell) bool { return c.Kernel == s.Kernel })
		_, err := fmt.Fprintf(w,
			"BenchmarkCluster/kernel=%s/ranks=%d/run=%s/protocol=%s 1 %d ns/op %d cpu-ns/op %d "+
				"sends %d payload-B %d messages %d sent-B %d carried-B %d logged-B %d stored-B %d "+
				"storing-ns\n",
			strings.ReplaceAll(s.Kernel, " ", "/"), p.Cells[i].Ranks, s.Kind, s.Protocol,
			s.Time.Nanoseconds(), s.Worked.Nanoseconds(), s.Sends, s.Payload, s.Messages,
			s.Bytes, s.Carried, s.Logged,
			s.Stored, s.Storing.Nanoseconds())
		if err != nil {
			return err
		}
	}
	return nil
}

// Digits prints a number with three digits, or whole.
func Digits(x float64) string {
	switch {
	case x == 0:
		return "0"
	case math.Abs(x) >= 99.95:
		return fmt.Sprintf("%.0f", x)
	case math.Abs(x) >= 9.995:
		return fmt.Sprintf("%.1f", x)
	case math.Abs(x) >= 0.005:
		return fmt.Sprintf("%.2f", x)
	}
	return fmt.Sprintf("%.2g", x)
}

// Percent prints percent points with a sign.
func Percent(x float64) string { return fmt.Sprintf("%+.1f %%", x) }

func mega(bytes float64) string { return Digits(bytes / 1e6) }
