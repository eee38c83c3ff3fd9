package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/domino-check/domino/cmd/domino/app/term"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/scenarios/spelling"
	"github.com/domino-check/domino/spec/report/chart"
)

// experimentAnswer is one experiment as JSON.
type experimentAnswer struct {
	versioned
	Name string `json:"name"`
	Doc  string `json:"doc"`
	*protocol.Findings
}

// experimentEvent is what an experiment is at.
type experimentEvent struct {
	happening
	Name string `json:"name"`
	What string `json:"what"`
}

// runExperiments measures on emulated machines what papers measure on theirs.
func runExperiments(ctx context.Context, args []string, std streams) (int, error) {
	f := flags("experiments", "[NAME ...]", std, "experiments", "experiments latency recovery",
		"experiments all --plot plots", "experiments codecs --measure --json")
	asJSON := f.Bool("json", false, "print JSON: tables, ratios with their bands, and curves")
	plot := f.String("plot", "", "also draw the figures into this folder, as PNG and SVG")
	measure := f.Bool("measure", false, "measure on this machine what is otherwise taken from a "+
		"table, such as the rates of codecs; the answer is not the same every time then")
	if err := f.Parse(args); err != nil {
		return 0, err
	}
	var all []protocol.Experiment
	for _, p := range std.Protocols() {
		all = append(all, p.Experiments...)
	}
	if f.NArg() == 0 {
		for _, e := range all {
			fmt.Fprintf(std.out, "%-12s %s\n", e.Name, e.Doc)
		}
		return 0, nil
	}
	chosen, err := chooseExperiments(all, f.Args())
	if err != nil {
		return 0, err
	}
	if err := plotFolder(*plot); err != nil {
		return 0, err
	}
	line := term.NewLine(std.err, *asJSON)
	for _, e := range chosen {
		found, err := heard(ctx, func() (*protocol.Findings, error) {
			return e.Run(protocol.ExperimentOptions{Measure: *measure,
				Tell: func(what string) error {
					line.Show("", func() string { return e.Name + ": " + what },
						func() any { return experimentEvent{underWay, e.Name, what} })
					return ctx.Err()
				}})
		})
		line.Clear()
		if err != nil {
			return 0, err
		}
		if err := reportExperiment(std.out, &e, found, *asJSON); err != nil {
			return 0, err
		}
		if err := plotExperiment(*plot, found); err != nil {
			return 0, err
		}
	}
	return 0, nil
}

// chooseExperiments are those with the names, or all.
func chooseExperiments(all []protocol.Experiment, names []string) (chosen []protocol.Experiment,
	err error) {
	var known []string
	for _, e := range all {
		known = append(known, e.Name)
	}
	if slices.Equal(names, []string{"all"}) {
		return all, nil
	}
	for _, name := range names {
		at := slices.Index(known, name)
		if at < 0 {
			return nil, fmt.Errorf("unknown experiment %q%s Experiments: all, %s", name,
				spelling.Guess(name, known), strings.Join(known, ", "))
		}
		chosen = append(chosen, all[at])
	}
	return chosen, nil
}

// reportExperiment prints what an experiment has shown.
func reportExperiment(out io.Writer, e *protocol.Experiment, found *protocol.Findings,
	asJSON bool) error {
	if asJSON {
		return printJSON(out, experimentAnswer{as("experiment"), e.Name, e.Doc, found})
	}
	fmt.Fprintf(out, "%s: %s\n", e.Name, e.Doc)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	tables := found.Tables
	if len(found.Ratios) > 0 {
		tables = append(slices.Clip(tables), ratioTable(found.Ratios))
	}
	for _, t := range tables {
		fmt.Fprintf(out, "\n%s\n", t.Title)
		for _, row := range append([][]string{t.Columns}, t.Rows...) {
			fmt.Fprintln(w, strings.Join(row, "\t")+"\t")
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	for _, r := range found.Ratios {
		if !r.Inside() {
			fmt.Fprintf(out, "\n%s is outside its band: %s\n", r.Name, r.Why)
		}
	}
	for _, note := range found.Notes {
		fmt.Fprintf(out, "\n%s\n", note)
	}
	_, err := fmt.Fprintln(out)
	return err
}

// ratioTable are the ratios with their bands.
func ratioTable(ratios []protocol.Ratio) protocol.Grid {
	t := protocol.Grid{Title: "ratios: emulated, by the fitted model, in the paper, and the band",
		Columns: []string{"", "emulated", "model", "paper", "band", ""}}
	optional := func(x *float64) string {
		if x == nil {
			return "-"
		}
		return fmt.Sprintf("%.2f", *x)
	}
	for _, r := range ratios {
		mark := "OUTSIDE"
		if r.Inside() {
			mark = "inside"
		}
		t.Rows = append(t.Rows, []string{r.Name, fmt.Sprintf("%.2f", r.Value), optional(r.Model),
			optional(r.Paper), fmt.Sprintf("%.2f to %.2f", r.Least, r.Most), mark})
	}
	return t
}

// plotExperiment draws the figures.
func plotExperiment(dir string, found *protocol.Findings) (err error) {
	if dir == "" {
		return nil
	}
	for _, f := range found.Figures {
		if f.Rows != nil {
			s := chart.Stacked{Title: f.Title, X: f.X, Rows: f.Rows}
			for i, p := range f.Parts {
				s.Parts = append(s.Parts,
					chart.Series{Name: p.Name, Style: i + 1, Values: p.Values})
			}
			err = errors.Join(err, ifAny(s.Save(dir, f.Name)))
			continue
		}
		l := chart.Lines{Title: f.Title, X: f.X, Y: f.Y, Linear: !f.Bytes}
		for _, c := range f.Curves {
			style := c.Style
			if c.Pale {
				style += chart.Pale
			}
			line := chart.Line{Name: c.Name, Style: style}
			for _, at := range c.At {
				line.Points = append(line.Points, chart.Point{X: at[0], Y: at[1]})
			}
			l.Lines = append(l.Lines, line)
		}
		err = errors.Join(err, ifAny(l.Save(dir, f.Name)))
	}
	return err
}
