package app

import (
	"errors"
	"fmt"
	"html/template"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/domino-check/domino/impl/runtime/tcp/netpipe"
	"github.com/domino-check/domino/impl/runtime/tcp/perf"
	"github.com/domino-check/domino/spec/report/chart"
	"github.com/domino-check/domino/spec/report/site"
	"github.com/domino-check/domino/spec/report/wholefile"
)

// htmlDoc is what --html of commands that measure says.
const htmlDoc = "also write a page with tables and figures, to this file if it ends in .html, " +
	"else into this folder, with the data beside it"

// measuredPages writes measurements as a page.
type measuredPages struct {
	to     string       // a file, or the folder
	folder *site.Folder // nil for a file
	site.Measured
	failed error
}

// openMeasured looks at what --html names, before anything is measured: a file if it ends as one,
// else a folder; nil when none is wanted. Processes is how many run at a time.
func openMeasured(to, kind string, processes int) (p *measuredPages, err error) {
	if to == "" {
		return nil, nil
	}
	p = &measuredPages{to: to}
	p.Kind, p.Head = kind, site.Head{Command: "cluster " + kind, Version: thisBuild().String()}
	if ending := strings.ToLower(filepath.Ext(to)); ending == ".html" || ending == ".htm" {
		rf := reportFlags{output: to}
		err = rf.room()
	} else {
		p.folder, err = site.Open(to, kind)
	}
	if err != nil {
		return nil, fmt.Errorf("--html: %w", err)
	}
	cores := runtime.NumCPU()
	p.Facts = []site.Fact{{Name: "Machine", Text: fmt.Sprintf("%s, %s, %d cores", runtime.GOOS,
		runtime.GOARCH, cores)}}
	if processes > cores {
		p.Notices = append(p.Notices, fmt.Sprintf("Oversubscribed: %d processes ran on %d cores. "+
			"Times are those of processes that wait for each other to have a turn.", processes,
			cores))
	}
	if load := machineLoad(); load > 0.5 && int(load+0.5)+min(processes, cores) > cores {
		p.Notices = append(p.Notices, fmt.Sprintf("The machine was busy when it began: a load of "+
			"%.1f on %d cores. Believe the least times more than the medians.", load, cores))
	}
	return p, nil
}

// machineLoad is how many processes have wanted to run in the last minute, 0 where the system does
// not say it.
func machineLoad() float64 {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	word, _, _ := strings.Cut(string(b), " ")
	load, err := strconv.ParseFloat(word, 64)
	if err != nil {
		return 0
	}
	return load
}

// chart adds a figure, unless it has nothing to show.
func (p *measuredPages) chart(title string, f chart.Figure) {
	svg, err := chart.SVG(f)
	switch {
	case err == nil:
		// package plot escapes text
		p.Charts = append(p.Charts, site.Chart{Title: title, SVG: template.HTML(svg)})
	case !errors.Is(err, chart.ErrNothing):
		p.failed = errors.Join(p.failed, err)
	}
}

// write writes the page, and the answer beside it if there is a folder.
func (p *measuredPages) write(answer any, out io.Writer) error {
	name := p.to
	if p.folder != nil {
		name = filepath.Join(p.to, "index.html")
		p.failed = errors.Join(p.failed, p.folder.WriteMeasured(&p.Measured, answer))
	} else {
		b, err := p.Render("")
		if err == nil {
			err = wholefile.Write(p.to, b)
		}
		p.failed = errors.Join(p.failed, err)
	}
	if p.failed != nil {
		return fmt.Errorf("--html: %w", p.failed)
	}
	fmt.Fprintln(out, name)
	return nil
}

// measured is a row of times.
func measured(name string, times []float64, cells ...string) site.Measurement {
	return site.Measurement{Name: name, Median: perf.Median(times), Times: len(times),
		Spread: site.Spread(chart.SpreadOf(times)), Cells: cells}
}

// writePages writes what cluster perf has measured.
func (r *perfRun) writePages(samples []perf.Sample, rows []perf.Row, recoveries []perf.Recovery,
	incomplete bool) error {
	p := r.pages
	if p == nil {
		return nil
	}
	p.Heading = fmt.Sprintf("What protocols cost: %d runs", len(samples))
	if incomplete {
		p.Notices = append(p.Notices, fmt.Sprintf("Incomplete: %d of %d runs.", len(samples),
			r.plan.Runs()))
	}
	p.Facts = append(p.Facts, site.Fact{Name: "Rounds", Text: fmt.Sprintf("%d, in an order of "+
		"their own each (seed %d)", r.plan.Rounds, r.plan.Seed)})
	for _, l := range r.left {
		p.Notes = append(p.Notes, strings.TrimPrefix(l.String(), "left out: "))
	}
	for _, k := range r.plan.Kernels() {
		p.Tables = append(p.Tables, perfTable(k, rows))
	}
	for _, k := range r.plan.Kernels() {
		if t := recoveryTable(k, recoveries); len(t.Rows) > 0 {
			p.Tables = append(p.Tables, t)
		}
	}
	p.chart("Time", perf.Overheads(&r.plan, rows))
	p.chart("Bytes", perf.Bytes(&r.plan, rows))
	p.chart("Logs", perf.Volumes(&r.plan, rows))
	for _, k := range r.plan.Kernels() {
		p.chart("Stages of recoveries, "+k, perf.Stages(recoveries, k))
	}
	return p.write(r.answer(samples, rows, recoveries, incomplete), r.std.err)
}

// perfTable are the times of one kernel.
func perfTable(kernel string, rows []perf.Row) site.Table {
	t := site.Table{Title: kernel, Thing: "protocol", Unit: "ms",
		Columns: []string{"overhead", "of the least", "processors", "bytes a send", "logged"},
		Note: "The box reaches from quartile to quartile, the line over all runs. Overhead: " +
			"median of the ratios to no protocol within a round; of the least: ratio of the " +
			"least times; processors: overhead of the work of all processes."}
	for i := range rows {
		r := &rows[i]
		if r.Kernel != kernel {
			continue
		}
		percent := func(x float64) string {
			if !r.Compared || r.Protocol == perf.Baseline {
				return "–"
			}
			return fmt.Sprintf("%+.1f %%", x)
		}
		bytes := "–"
		if r.Sends > 0 {
			bytes = short(r.Bytes / r.Sends)
		}
		m := measured(r.Protocol, r.Times, percent(r.Overhead), percent(r.Least), percent(r.Work),
			bytes, chart.Bytes(r.Logged))
		m.Wrong = strings.Join(slices.DeleteFunc([]string{r.Wrong, r.Unfinished},
			func(s string) bool { return s == "" }), "; ")
		t.Rows = append(t.Rows, m)
	}
	return t
}

// recoveryTable are the times of one kernel in runs with a failure.
func recoveryTable(kernel string, recoveries []perf.Recovery) site.Table {
	t := site.Table{Title: kernel + ", with a failure", Thing: "protocol", Unit: "ms",
		Columns: []string{"without, median", "overhead", "stored"}}
	for i := range recoveries {
		r := &recoveries[i]
		if r.Kernel != kernel {
			continue
		}
		m := measured(r.Protocol, r.Times, short(r.Calm.Seconds()*1000),
			fmt.Sprintf("%+.1f %%", r.Overhead), chart.Bytes(float64(r.Stored)))
		m.Wrong = strings.Join(slices.DeleteFunc([]string{r.Wrong, r.Unfinished},
			func(s string) bool { return s == "" }), "; ")
		t.Rows = append(t.Rows, m)
	}
	return t
}

// mostTables is how many sizes have a table of their own: figures show the others.
const mostTables = 12

// netpipe writes what cluster netpipe has measured.
func (p *measuredPages) netpipe(plan *netpipe.Plan, results []netpipe.Result,
	rows []netpipe.Row, out io.Writer) error {
	if p == nil {
		return nil
	}
	p.Heading = "Half a round trip of two processes"
	if plan.Ring > 0 {
		p.Heading = fmt.Sprintf("A lap through a ring of %d processes", plan.Ring)
	}
	if want := len(plan.Sizes) * len(plan.Links) * len(plan.Cases) * plan.Rounds; len(
		results) < want {
		p.Notices = append(p.Notices, fmt.Sprintf("Incomplete: %d of %d samples.", len(results),
			want))
	}
	p.Facts = append(p.Facts, site.Fact{Name: "Rounds", Text: fmt.Sprintf("%d, in an order of "+
		"their own each (seed %d)", plan.Rounds, plan.Seed)})
	style := func(name string) int { return slices.Index(plan.Cases, name) }
	for _, link := range plan.Links {
		latency, bandwidth := netpipe.Charts(plan, rows, link, style)
		p.chart("Latency, "+link, latency)
		p.chart("Bandwidth, "+link, bandwidth)
		for _, size := range someSizes(plan.Sizes) {
			t := site.Table{Title: fmt.Sprintf("%s, %s", link, chart.Bytes(float64(size))),
				Thing: "protocol", Unit: "µs", Columns: []string{"GB/s", "to none", "of the least"}}
			for _, r := range rows {
				if r.Link == link && r.Bytes == size {
					t.Rows = append(t.Rows, measured(r.Case, r.Times,
						fmt.Sprintf("%.3g", r.Bandwidth), ratio(r.Ratio), ratio(r.LeastRatio)))
				}
			}
			if len(t.Rows) > 0 {
				p.Tables = append(p.Tables, t)
			}
		}
	}
	return p.write(netpipeAnswer{as("netpipe"), plan, runtime.NumCPU(), rows, results}, out)
}

// someSizes are all sizes if they are few, else powers of two that are spread evenly.
func someSizes(all []int) (list []int) {
	if len(all) <= mostTables {
		return all
	}
	powers := slices.DeleteFunc(slices.Clone(all), func(n int) bool { return n&(n-1) != 0 })
	if len(powers) < mostTables {
		return append(powers, all[:mostTables-len(powers)]...)
	}
	for i := range mostTables {
		list = append(list, powers[i*(len(powers)-1)/(mostTables-1)])
	}
	return list
}
