package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/domino-check/domino/cmd/domino/app/term"
	"github.com/domino-check/domino/impl/runtime/compare"
	"github.com/domino-check/domino/scenarios/spelling"
	"github.com/domino-check/domino/spec"
)

// compareOptions are what domino compare was asked for.
type compareOptions struct {
	tables, programs, groups, fail, run, plot string
	ranks                                     int
	figures, json, csv                        bool
	scale                                     compare.Scale
}

// compareAnswer is one row as JSON.
type compareAnswer struct {
	versioned
	*compare.Study
}

// compareSum is the summary of a number of rows as JSON.
type compareSum struct {
	versioned
	*compare.Summary
}

// compareEvent is what a comparison is at.
type compareEvent struct {
	happening
	Row string `json:"row"`
}

// runCompare measures protocols against each other.
func runCompare(ctx context.Context, args []string, std streams) (int, error) {
	var o compareOptions
	f := flags("compare", "[PROTOCOL ...]", std, "compare", "compare hydee causal --figures",
		"compare --tables 2 --groups 'r0 r1 r2 | r3 r4 r5'",
		"compare --programs ring,stencil --ranks 8 --json", "compare --plot plots --csv",
		"compare hydee --fail 'r1 at 2ms; r4 at 5ms'",
		"compare --run 'hydee; program ring 6 8; groups r0 r1 | r2 r3 r4 r5; images every 2ms; "+
			"fail r1 at 4ms'")
	f.StringVar(&o.tables, "tables", "", "which of 1, 2, radic; all unless told")
	f.StringVar(&o.programs, "programs", "", "shapes of programs, with commas; otherwise "+
		strings.Join(compare.Usual().Programs, ", "))
	f.IntVar(&o.ranks, "ranks", compare.Usual().Ranks, "how many ranks the programs have")
	f.StringVar(&o.groups, "groups", "", "of hierarchical protocols: every rank once, e.g. "+
		"'r0 r1 | r2 r3 r4 r5'; otherwise pairs")
	f.StringVar(&o.fail, "fail", "", "these failures in every program, e.g. 'r1 at 2ms; r0 r3 at "+
		"5ms', in the place of every rank at several instants")
	f.StringVar(&o.run, "run", "", "one run, and all that is seen of it; what comes out of the "+
		"tables with a contradiction")
	f.BoolVar(&o.figures, "figures", false, "also print what each word of the tables follows from")
	f.BoolVar(&o.json, "json", false, "print JSON: a row a line, with all figures")
	f.BoolVar(&o.csv, "csv", false, "print CSV: a cell a line")
	f.StringVar(&o.plot, "plot", "", "also draw figures into this folder, as PNG and SVG")
	out := registerOutputs(f, std)
	if err := f.Parse(args); err != nil {
		return 0, err
	}
	if err := out.refuse("--run", o.run != ""); err != nil {
		return 0, err
	}
	if o.run != "" {
		return compareRun(std, &o)
	}
	rows, err := o.rows(f.Args(), std)
	if err == nil {
		err = errors.Join(o.readScale(), plotFolder(o.plot), out.open())
	}
	if err != nil {
		return 0, err
	}
	return compareRows(ctx, std, &o, rows, out)
}

// rows are what is to be measured: the rows of the tables that were chosen, of the protocols that
// were chosen. A protocol that is in no table gets a row of its own.
func (o *compareOptions) rows(names []string, std streams) (rows []compare.Row, err error) {
	known := []string{}
	for _, t := range compare.Tables() {
		known = append(known, t.Name)
	}
	tables := known
	if o.tables != "" {
		tables = strings.Split(o.tables, ",")
	}
	for _, name := range tables {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("--tables: unknown table %q%s Tables: %s", name,
				spelling.Guess(name, known), strings.Join(known, ", "))
		}
	}
	var all []string
	for _, r := range compare.Rows() {
		all = append(all, r.Name())
		if slices.Contains(tables, r.Table) && (len(names) == 0 ||
			slices.Contains(names, r.Name()) || slices.Contains(names, r.Protocol)) {
			rows = append(rows, r)
		}
	}
	for _, name := range names {
		if slices.ContainsFunc(rows, func(r compare.Row) bool {
			return r.Name() == name || r.Protocol == name
		}) || slices.Contains(all, name) {
			continue
		}
		words := strings.Fields(name)
		if len(words) == 0 {
			return nil, errors.New("a protocol without a name")
		}
		p, err := std.Protocols().Find(words[0])
		if err != nil {
			return nil, err
		}
		if p.Setup == nil {
			return nil, fmt.Errorf("protocol %s runs no programs", p.Name)
		}
		if err := p.Accept(strings.Join(words[1:], " ")); err != nil {
			return nil, err
		}
		rows = append(rows, compare.Row{Table: "own", Paper: "[in no table]", Protocol: name,
			Grouped: o.groups != ""})
	}
	if len(rows) == 0 {
		return nil, errors.New("no row of these tables is about these protocols")
	}
	return rows, nil
}

// readScale reads what is to be run, and refuses what can not be.
func (o *compareOptions) readScale() (err error) {
	o.scale = compare.Usual()
	o.scale.Ranks = o.ranks
	if o.programs != "" {
		o.scale.Programs = strings.Split(o.programs, ",")
	}
	if err := o.scale.Validate(); err != nil {
		return err
	}
	if o.groups != "" {
		if o.scale.Groups, err = compare.ParseGroups(strings.Fields(
			strings.ReplaceAll(o.groups, "|", " | ")), o.ranks); err != nil {
			return fmt.Errorf("--groups %q: %w", o.groups, err)
		}
	}
	if o.fail != "" {
		if o.scale.Failures, err = compare.ParseFailures(o.fail, o.ranks); err != nil {
			return fmt.Errorf("--fail, %w", err)
		}
	}
	return nil
}

// compareRows measures rows, two at a time, and prints them in their order.
func compareRows(ctx context.Context, std streams, o *compareOptions,
	rows []compare.Row, out *outputs) (code int, err error) {
	line := term.NewLine(std.err, o.json)
	type answer struct {
		study *compare.Study
		err   error
	}
	var studies []*compare.Study
	within, stop := context.WithCancel(ctx)
	defer stop()
	pool(within, 2, len(rows), func(ctx context.Context, i int) answer {
		line.Show("", func() string { return rows[i].Protocol },
			func() any { return compareEvent{underWay, rows[i].Protocol} })
		s, err := compare.Measure(ctx, rows[i], o.scale, std.Protocols())
		return answer{s, err}
	}, func(i int, a answer) {
		if a.err != nil || err != nil {
			err = cmp.Or(err, a.err) // others then end because they are stopped
			stop()
			return
		}
		studies = append(studies, a.study)
		out.compared(a.study)
		if o.json {
			line.Clear()
			err = printJSON(std.out, compareAnswer{as("compare"), a.study})
		}
	})
	line.Clear()
	switch {
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		return 0, errInterrupted
	case err != nil:
		return 0, err
	}
	for _, s := range studies {
		if len(s.Stuck)+len(s.Wrong) > 0 {
			code = exitCode(spec.Violated)
		}
	}
	switch {
	case o.csv:
		err = compareCSV(std.out, studies)
	case !o.json:
		err = compareText(std.out, o, studies)
	}
	return code, errors.Join(err, plotCompare(o.plot, studies))
}
