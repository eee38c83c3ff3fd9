package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/domino-check/domino/impl/performability"
	"github.com/domino-check/domino/spec/report/chart"
)

// intervalRow is a job at an interval between checkpoints; times in seconds, null for never.
type intervalRow struct {
	MTBF        float64  `json:"mtbf"`
	Protocol    string   `json:"protocol"`
	Rule        string   `json:"rule"` // that gives the interval: young, daly, higher, best or given
	Interval    float64  `json:"interval"`
	Total       *float64 `json:"total"` // until it is done
	Failures    *float64 `json:"failures"`
	Checkpoints float64  `json:"checkpoints"`
	Restarts    *float64 `json:"restarts"`
	Lost        *float64 `json:"lost"`   // done again, or cut by a failure
	Wasted      *float64 `json:"wasted"` // of restarts and lost what falls to those who roll back
	// of runs that were drawn, if any: the mean of Total, and its standard error
	Drawn      *float64 `json:"drawn,omitempty"`
	DrawnError *float64 `json:"drawnError,omitempty"`
	Struck     *float64 `json:"struck,omitempty"` // failures in all; below 30: too few
}

// finite is a number, or null where it is beyond all.
func finite(x float64) *float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil
	}
	return &x
}

// intervalPlan is what the command interval is asked for.
type intervalPlan struct {
	job       performability.Job
	protocols []protocolCost
	mtbfs     []float64
	rules     []string
	draw      int
	seed      uint64
}

// protocolCost is what a protocol costs, and what it saves.
type protocolCost struct {
	name                 string
	slowdown, rolledBack float64
}

// runInterval computes when to write checkpoints.
func runInterval(ctx context.Context, args []string, std streams) (int, error) {
	f := flags("performability interval", "", std,
		"performability interval --work 10d --checkpoint 15m --restart 15m --mtbf 1d",
		"performability interval --work 10d --checkpoint 15m --mtbf 1w,1d,6h "+
			"--protocol coordinated=1,100% --protocol hydee=1.0125,15%",
		"performability interval --work 1d --checkpoint 5m --mtbf 6h --every young,1h --draw 10000")
	var p intervalPlan
	work := timeFlag(f, "work", "time of the job without failures, checkpoints and protocol")
	checkpoint := timeFlag(f, "checkpoint", "time that writing a checkpoint takes")
	restart := timeFlag(f, "restart", "time from a failure to the state of the last checkpoint")
	mtbf := f.StringSlice("mtbf", nil, "time between failures of any part of the job, or several")
	protocols := f.StringArray("protocol", nil, "NAME=SLOWDOWN,SHARE: what it makes of 1 s, and "+
		"the share of ranks that a failure takes back, e.g. hydee=1.0125,15%; may be repeated")
	every := f.StringSlice("every", []string{"young", "daly", "higher", "best"},
		"intervals: young, daly (his first order), higher (his higher order), best, or a time")
	f.IntVar(&p.draw, "draw", 0, "also draw so many runs of each")
	f.Uint64Var(&p.seed, "seed", 1, "of what is drawn")
	plot := f.String("plot", "", "also draw completion against the interval into this folder, as "+
		"PNG and SVG")
	asJSON := f.Bool("json", false, "print JSON, times in seconds")
	if err := parseAll(f, args); err != nil {
		return 0, err
	}
	if err := wanted(f, "work", "checkpoint", "mtbf"); err != nil {
		return 0, err
	}
	p.job = performability.Job{Work: *work, Checkpoint: *checkpoint, Restart: *restart}
	if err := p.read(*mtbf, *protocols, *every); err != nil {
		return 0, err
	}
	if err := plotFolder(*plot); err != nil {
		return 0, err
	}
	answer := performed{versioned: as("performability"), About: "interval",
		Notes: []string{"all wait for those who roll back: to contain failures saves work, " +
			"not time"}}
	var rows []func() (intervalRow, error)
	for _, job := range p.jobs() {
		for _, rule := range p.rules {
			rows = append(rows, func() (intervalRow, error) { return p.row(job, rule) })
		}
	}
	var code int
	var err error
	if answer.Intervals, code, err = knownRows(ctx, &answer, rows); err != nil {
		return 0, err
	}
	print := func() error { return p.print(std.out, &answer) }
	if *asJSON {
		print = func() error { return printJSON(std.out, answer) }
	}
	// what is known comes first: a figure may have no room
	return code, cmp.Or(print(), p.plot(*plot, std.err))
}

// read takes what flags say in words.
func (p *intervalPlan) read(mtbfs, protocols, rules []string) error {
	for _, text := range mtbfs {
		var s elapsing
		if err := s.Set(text); err != nil {
			return fmt.Errorf("--mtbf: %w", err)
		}
		p.mtbfs = append(p.mtbfs, float64(s))
	}
	for _, text := range protocols {
		c, err := readCost(text)
		if err != nil {
			return fmt.Errorf("--protocol %s: %w", text, err)
		}
		p.protocols = append(p.protocols, c)
	}
	if len(protocols) == 0 {
		p.protocols = []protocolCost{{"-", 1, 1}}
	}
	for _, rule := range rules {
		switch rule {
		case "young", "daly", "higher", "best":
		default:
			var s elapsing
			if err := s.Set(rule); err != nil || s <= 0 {
				return fmt.Errorf("--every %s: want young, daly, higher, best, or a time such "+
					"as 90m", rule)
			}
		}
		p.rules = append(p.rules, rule)
	}
	if p.draw != 0 && p.draw < 2 {
		return fmt.Errorf("--draw %d: want at least 2, or 0 for none", p.draw)
	}
	for _, job := range p.jobs() {
		if err := job.Check(); err != nil {
			return err
		}
	}
	return nil
}

// readCost reads NAME=SLOWDOWN,SHARE.
func readCost(text string) (c protocolCost, err error) {
	want := errors.New("want NAME=SLOWDOWN,SHARE, e.g. hydee=1.0125,15%")
	name, numbers, found := strings.Cut(text, "=")
	slow, share, both := strings.Cut(numbers, ",")
	if !found || !both || name == "" {
		return c, want
	}
	c.name = name
	if c.slowdown, err = strconv.ParseFloat(slow, 64); err != nil {
		return c, want
	}
	percent, isPercent := strings.CutSuffix(share, "%")
	if c.rolledBack, err = strconv.ParseFloat(percent, 64); err != nil {
		return c, want
	}
	if isPercent {
		c.rolledBack /= 100
	}
	if !(c.slowdown >= 1) || !(c.rolledBack > 0) || c.rolledBack > 1 {
		return c, errors.New("want a slow-down of at least 1, and a share of more than 0 and at " +
			"most 100%")
	}
	return c, nil
}

// protocolJob is a job under a protocol.
type protocolJob struct {
	performability.Job
	protocol string
}

// jobs are all that the plan is about.
func (p *intervalPlan) jobs() (list []protocolJob) {
	for _, m := range p.mtbfs {
		for _, c := range p.protocols {
			j := p.job
			j.MTBF, j.Slowdown, j.RolledBack = m, c.slowdown, c.rolledBack
			list = append(list, protocolJob{j, c.name})
		}
	}
	return list
}

// interval is that of a rule; nothing follows from checkpoints that cost nothing.
func (j protocolJob) interval(rule string) (t float64, err error) {
	switch rule {
	case "young":
		t = j.Young()
	case "daly":
		t = j.Daly()
	case "higher":
		t = j.DalyHigher()
	case "best":
		t = j.Best()
	default:
		var s elapsing
		err = s.Set(rule)
		t = float64(s)
	}
	if err == nil && t <= 0 {
		err = fmt.Errorf("%s gives an interval of %s for checkpoints of %s and a failure every "+
			"%s: give one with --every", rule, lasting(t), lasting(j.Checkpoint), lasting(j.MTBF))
	}
	return t, err
}

// row is a job by a rule.
func (p *intervalPlan) row(j protocolJob, rule string) (row intervalRow, err error) {
	interval, err := j.interval(rule)
	if err != nil {
		return row, err
	}
	e, err := j.Expect(interval)
	if err != nil {
		return row, err
	}
	if rule != "young" && rule != "daly" && rule != "higher" && rule != "best" {
		rule = "given"
	}
	row = intervalRow{MTBF: j.MTBF, Protocol: j.protocol, Rule: rule, Interval: interval,
		Total: finite(e.Total), Failures: finite(e.Failures), Checkpoints: e.Checkpoints,
		Restarts: finite(e.Restarts), Lost: finite(e.Lost), Wasted: finite(e.Wasted)}
	if p.draw > 0 && row.Total != nil {
		d, err := j.Sample(interval, p.draw, p.seed)
		if err != nil {
			return row, err
		}
		struck := math.Round(d.Failures * float64(p.draw))
		row.Drawn, row.DrawnError, row.Struck = &d.Total, &d.Error, &struck
	}
	return row, nil
}

// print is the answer as a table.
func (p *intervalPlan) print(out io.Writer, a *performed) error {
	fmt.Fprintf(out, "%s of work, a checkpoint takes %s, a restart %s\n\n", lasting(p.job.Work),
		lasting(p.job.Checkpoint), lasting(p.job.Restart))
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	head := "fails every\tprotocol\trule\tinterval\tdone in\tmore\tfailures\tin checkpoints\t" +
		"in restarts\tlost\twasted\t"
	if p.draw > 0 {
		head += fmt.Sprintf("%d drawn\t", p.draw)
	}
	fmt.Fprintln(w, head)
	for _, r := range a.Intervals {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t", lasting(r.MTBF), r.Protocol,
			r.Rule, lasting(r.Interval), ever(r.Total), p.more(r.Total), number(r.Failures),
			lasting(r.Checkpoints), ever(r.Restarts), ever(r.Lost), ever(r.Wasted))
		switch {
		case p.draw > 0 && r.Drawn == nil:
			fmt.Fprint(w, "-\t")
		case p.draw > 0 && *r.Struck < enough:
			fmt.Fprintf(w, "%g failures: too few\t", *r.Struck)
		case p.draw > 0:
			fmt.Fprintf(w, "%s +- %s\t", lasting(*r.Drawn), lasting(*r.DrawnError))
		}
		fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return printNotes(out, slices.Concat(a.Notes, p.stuck(a), []string{"lost: done again, or cut " +
		"by a failure; wasted: of that and of restarts what falls to ranks that roll back"}))
}

// stuck names the rates of failures with which the job makes no progress.
func (p *intervalPlan) stuck(a *performed) (notes []string) {
	for _, r := range a.Intervals {
		note := fmt.Sprintf("no progress with a failure every %s: the next one is there before "+
			"some work and a checkpoint of %s are done", lasting(r.MTBF), lasting(p.job.Checkpoint))
		if ever(r.Total) == "never" && !slices.Contains(notes, note) {
			notes = append(notes, note)
		}
	}
	return notes
}

// ever is a time, or never.
func ever(s *float64) string {
	if s == nil {
		return "never"
	}
	return lasting(*s)
}

// more is how much longer than the work, in percent.
func (p *intervalPlan) more(total *float64) string {
	if ever(total) == "never" {
		return "-"
	}
	return strconv.FormatFloat(100*(*total/p.job.Work-1), 'g', 4, 64) + " %"
}

// number is a mean number of something.
func number(n *float64) string {
	if n == nil {
		return "-"
	}
	return strconv.FormatFloat(*n, 'g', 4, 64)
}

// plot draws how much longer a job takes against the interval, about the best one.
func (p *intervalPlan) plot(dir string, messages io.Writer) error {
	if dir == "" {
		return nil
	}
	l := chart.Lines{Title: "time of the job against the interval", Linear: true,
		X: "hours between checkpoints", Y: "time, by that of the work"}
	for i, j := range p.jobs() {
		line := chart.Line{Style: i, Name: strings.TrimPrefix(j.protocol+", ", "-, ") +
			"a failure every " + lasting(j.MTBF)}
		from, to := j.Best()/8, min(4*j.Best(), j.Work)
		for step := range 61 {
			at := from + (to-from)*float64(step)/60
			if at < j.Work/1e6 { // more checkpoints than anybody draws
				continue
			}
			if e, err := j.Expect(at); err == nil && e.Total < 10*p.job.Work {
				line.Points = append(line.Points,
					chart.Point{X: at / 3600, Y: e.Total / p.job.Work})
			}
		}
		l.Lines = append(l.Lines, line)
	}
	switch err := l.Save(dir, "performability-interval"); {
	case errors.Is(err, chart.ErrNothing):
		fmt.Fprintln(messages, "--plot: no figure: there is no best interval, or no job that ends "+
			"near it in ten times its work")
	case err != nil:
		return fmt.Errorf("--plot: %w", err)
	}
	return nil
}
