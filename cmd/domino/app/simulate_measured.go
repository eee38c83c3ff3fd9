package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/pflag"

	"github.com/domino-check/domino/impl/program/kernels"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/runtime/gauge"
	"github.com/domino-check/domino/impl/runtime/simulate"
	"github.com/domino-check/domino/impl/runtime/tcp/perf"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
)

// validationAnswer is measured overheads beside simulated ones, as JSON. Overheads, spreads and
// differences are shares of the time without a protocol, times are in seconds.
type validationAnswer struct {
	versioned
	Machine     simulate.Machine `json:"machine"`
	Tolerance   float64          `json:"tolerance"` // a difference that counts as agreement
	Rows        []validationRow  `json:"rows"`
	Totals      []validationSum  `json:"totals"`
	LeftOut     []leftOut        `json:"leftOut"`
	Notes       []string         `json:"notes"`
	Interrupted bool             `json:"interrupted"`
}

// validationRow is one kernel under one protocol.
type validationRow struct {
	File      string  `json:"file"`
	Kernel    string  `json:"kernel"`
	Protocol  string  `json:"protocol"`
	Ranks     int     `json:"ranks"`
	None      float64 `json:"none"`     // measured, without a protocol
	Modelled  float64 `json:"modelled"` // the same modelled, with the work below
	Work      float64 `json:"work"`     // of a rank in an iteration, fitted to None
	Measured  float64 `json:"measured"` // overhead, median
	Spread    float64 `json:"spread"`   // of Measured
	Least     float64 `json:"least"`    // overhead of the least times
	Simulated float64 `json:"simulated"`
	// Simulated less Measured; Within: that is at most the tolerance, or the spread
	Difference float64 `json:"difference"`
	Within     bool    `json:"within"`
	// parts of Simulated
	Waiting  float64 `json:"waiting"`
	Bytes    float64 `json:"bytes"`
	CPU      float64 `json:"cpu"`
	Explains string  `json:"explains,omitempty"` // the resource that a miss is put down to
}

// validationSum is how many kernels agree.
type validationSum struct {
	Protocol string `json:"protocol"`
	Ranks    int    `json:"ranks"`
	Kernels  int    `json:"kernels"`
	Within   int    `json:"within"`
	// of them, those for which the spread had to count: their measurement says little
	BySpread int `json:"bySpread"`
}

// measuredFile is the part of a perfAnswer that is simulated again.
type measuredFile struct {
	versioned
	Plan     perf.Plan      `json:"plan"`
	Computer gauge.Computer `json:"computer"`
	Rows     []perf.Row     `json:"rows"`
	name     string
}

// readMeasured reads what cluster perf --json has printed.
func readMeasured(name string) (*measuredFile, error) {
	text, err := smallFile(name)
	if err != nil {
		return nil, fmt.Errorf("--measured: %w", err)
	}
	m := &measuredFile{name: name}
	if err := json.Unmarshal(text, m); err != nil || m.Schema != formatName("perf") {
		return nil, fmt.Errorf("--measured: %s is no whole answer of %s, of this version of domino",
			name, called("domino cluster perf --json"))
	}
	if len(m.Rows) == 0 {
		return nil, fmt.Errorf("--measured: %s has no rows", name)
	}
	return m, nil
}

// onlyMeasured refuses flags that say what the files of --measured say.
func onlyMeasured(f *pflag.FlagSet) (err error) {
	if f.NArg() > 0 {
		return fmt.Errorf("unexpected %q: --measured has kernels of its own", f.Args())
	}
	f.Visit(func(g *pflag.Flag) {
		if !slices.Contains([]string{"measured", "machine", "json"}, g.Name) {
			err = fmt.Errorf("--%s: --measured has its own", g.Name)
		}
	})
	return err
}

// validation compares files with a machine.
type validation struct {
	std    streams
	model  *simulate.Machine
	answer validationAnswer
	works  map[string]fittedWork // by file and kernel
}

// fittedWork is what a rank computes in an iteration.
type fittedWork struct {
	work time.Duration
	err  error
}

// validate puts what was measured beside what is simulated.
func (std streams) validate(ctx context.Context, o *simulateFlags) (int, error) {
	model, err := readMachine(o.machine)
	if err != nil {
		return 0, err
	}
	v := &validation{std: std, model: model, works: map[string]fittedWork{},
		answer: validationAnswer{versioned: as("validation"), Machine: *model,
			Tolerance: simulate.Tolerance, Rows: []validationRow{}, Totals: []validationSum{},
			LeftOut: []leftOut{}, Notes: []string{"computing is fitted: none takes what it took " +
				"for real; overheads are what is simulated"}}}
	var files []*measuredFile
	for _, name := range o.measured {
		m, err := readMeasured(name)
		if err != nil {
			return 0, err
		}
		files = append(files, m)
		v.sameComputer(m)
	}
	for _, m := range files {
		if err := v.file(ctx, m); errors.Is(err, errInterrupted) {
			v.answer.Interrupted = true
			break
		} else if err != nil {
			return 0, err
		}
	}
	if len(v.answer.Rows) == 0 && !v.answer.Interrupted {
		return 0, fmt.Errorf("--measured: nothing that could be compared: %v", v.answer.LeftOut)
	}
	v.sum()
	if err := v.print(o.json); err != nil || !v.answer.Interrupted {
		return 0, err
	}
	return exitCode(spec.Unknown), nil
}

// sameComputer notes a calibration of another computer than the one that was measured.
func (v *validation) sameComputer(m *measuredFile) {
	measured, of := simulate.Computer(m.Computer), v.model.Computer
	note := ""
	switch {
	case of == nil:
		note = fmt.Sprintf("CALIBRATION OF ANOTHER COMPUTER? machine %s does not say whose it is; "+
			"%s was measured on %s", v.model.Name, m.name, &measured)
	case *of != measured:
		note = fmt.Sprintf("CALIBRATION OF ANOTHER COMPUTER: machine %s is %s, %s was measured on "+
			"%s; differences may be those of the computers", v.model.Name, of, m.name, &measured)
	default:
		return
	}
	v.answer.Notes = append(v.answer.Notes, note)
}

// file compares the rows of a file.
func (v *validation) file(ctx context.Context, m *measuredFile) error {
	for i := range m.Rows {
		r := &m.Rows[i]
		if r.Protocol == perf.Baseline {
			continue
		}
		leave := func(why string) {
			v.answer.LeftOut = append(v.answer.LeftOut, leftOut{r.Kernel, r.Protocol, why})
		}
		at := slices.IndexFunc(m.Plan.Cells, func(c perf.Cell) bool {
			return c.Kernel == r.Kernel && c.Protocol == r.Protocol
		})
		none := slices.IndexFunc(m.Rows, func(b perf.Row) bool {
			return b.Kernel == r.Kernel && b.Protocol == perf.Baseline
		})
		switch {
		case at < 0 || none < 0 || !r.Compared:
			leave("not measured without a protocol")
			continue
		case r.Wrong+r.Unfinished+m.Rows[none].Wrong+m.Rows[none].Unfinished != "":
			leave("runs that are not to be trusted: " + cmp.Or(r.Wrong, r.Unfinished,
				m.Rows[none].Wrong, m.Rows[none].Unfinished))
			continue
		case !(m.Rows[none].Millis > 0):
			leave("took no time without a protocol")
			continue
		}
		row, err := heard(ctx, func() (*validationRow, error) {
			return v.row(m, &m.Plan.Cells[at], r, &m.Rows[none])
		})
		if errors.Is(err, errInterrupted) {
			return err
		}
		if err != nil {
			leave(err.Error())
			continue
		}
		v.answer.Rows = append(v.answer.Rows, *row)
		name, _, _ := strings.Cut(r.Protocol, "/")
		v.answer.Notes = noted(v.answer.Notes, v.model.Lacks(name))
	}
	return nil
}

// row simulates one row. Its error is why that can not be done.
func (v *validation) row(m *measuredFile, c *perf.Cell, r, none *perf.Row) (*validationRow, error) {
	study, err := v.study(m, c)
	if err != nil {
		return nil, err
	}
	key := m.name + " " + c.Kernel
	fit, ok := v.works[key]
	if !ok {
		base := study.Job
		base.Setup, base.Interval = study.Base, 0
		fit.work, fit.err = simulate.Fit(&base, none.Millis/1000)
		v.works[key] = fit
	}
	if fit.err != nil {
		return nil, fit.err
	}
	study.Work = fit.work
	a, err := study.Compare(&simulate.Measurement{Base: none.Millis / 1000,
		Overhead: r.Overhead / 100, Spread: r.Spread / 100, WorkedBase: none.Worked / 1000,
		Worked: r.Worked / 1000, Stored: r.Stored})
	if err != nil {
		return nil, err
	}
	return &validationRow{File: m.name, Kernel: r.Kernel, Protocol: r.Protocol, Ranks: c.Ranks,
		None: none.Millis / 1000, Modelled: a.Base, Work: a.Work.Seconds(),
		Measured: r.Overhead / 100, Spread: r.Spread / 100, Least: r.Least / 100,
		Simulated: a.Overhead, Difference: a.Difference, Within: a.Within, Waiting: a.Waiting,
		Bytes: a.Bytes, CPU: a.CPU, Explains: a.Explains}, nil
}

// study is the cell on one node.
func (v *validation) study(m *measuredFile, c *perf.Cell) (*simulate.Study, error) {
	suite, err := kernels.Build(c.Program)
	if err != nil {
		return nil, err
	}
	name, variant, _ := strings.Cut(c.Protocol, "/")
	p, err := v.std.Find(name)
	if err != nil {
		return nil, err
	}
	if p.Setup == nil {
		return nil, fmt.Errorf("protocol %s has no programs", name)
	}
	request := protocol.Request{Options: c.Options, Variant: cmp.Or(variant, "repaired")}
	if request.Errata, err = p.Switches(request.Variant); err != nil {
		return nil, err
	}
	if c.Clusters != "" {
		request.Layout.Clusters, err = scenarios.ReadClusters(c.Clusters, suite.Names)
		if err != nil {
			return nil, err
		}
	}
	setup, base, err := simulate.Prepare(p, suite, request)
	if err != nil {
		return nil, err
	}
	job := simulate.Job{Machine: v.model.Together(), Setup: setup}
	if len(setup.Initiators) > 0 {
		job.Interval = m.Plan.Every
	}
	return &simulate.Study{Job: job, Base: base}, nil
}

// sum counts what agrees, by ranks and protocol in the order of the rows.
func (v *validation) sum() {
	for _, r := range v.answer.Rows {
		at := slices.IndexFunc(v.answer.Totals, func(s validationSum) bool {
			return s.Protocol == r.Protocol && s.Ranks == r.Ranks
		})
		if at < 0 {
			at = len(v.answer.Totals)
			v.answer.Totals = append(v.answer.Totals, validationSum{Protocol: r.Protocol,
				Ranks: r.Ranks})
		}
		s := &v.answer.Totals[at]
		s.Kernels++
		if r.Within {
			s.Within++
			if r.Difference > simulate.Tolerance || r.Difference < -simulate.Tolerance {
				s.BySpread++
			}
		}
	}
	slices.SortStableFunc(v.answer.Totals, func(a, b validationSum) int {
		return cmp.Compare(a.Ranks, b.Ranks)
	})
}

// print writes the answer.
func (v *validation) print(asJSON bool) error {
	a, out := &v.answer, v.std.out
	if asJSON {
		return printJSON(out, a)
	}
	fmt.Fprintf(out, "measured beside simulated on %s: %s\n\n", v.model.Name, v.model.About)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "kernel\tprotocol\tranks\tnone\tmeasured\tspread\tof the least\tsimulated\t"+
		"difference\twithin\t")
	for _, r := range a.Rows {
		within := "yes"
		switch {
		case !r.Within:
			within = "no"
		case r.Difference > a.Tolerance || r.Difference < -a.Tolerance:
			within = "spread"
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%+.1f %%\t%.1f %%\t%+.1f %%\t%+.1f %%\t%+.1f\t%s\t\n",
			r.Kernel, r.Protocol, r.Ranks, lasting(r.None), 100*r.Measured, 100*r.Spread,
			100*r.Least, 100*r.Simulated, 100*r.Difference, within)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(out)
	for _, r := range a.Rows {
		if r.Explains != "" {
			fmt.Fprintf(out, "%s under %s, %d ranks: %s\n", r.Kernel, r.Protocol, r.Ranks,
				r.Explains)
		}
	}
	for _, s := range a.Totals {
		fmt.Fprintf(out, "%s, %d ranks: %d of %d kernels within %.0f %% of time or the spread, %d "+
			"of them by the spread alone\n", s.Protocol, s.Ranks, s.Within, s.Kernels,
			100*a.Tolerance, s.BySpread)
	}
	for _, l := range a.LeftOut {
		fmt.Fprintln(out, l)
	}
	return printNotes(out, a.Notes)
}
