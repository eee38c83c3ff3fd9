package app

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"

	"github.com/domino-check/domino/impl/performability"
)

// sparesRow is what a pool of nodes with some spares gives in the long run.
type sparesRow struct {
	Spares    int     `json:"spares"`
	Available float64 `json:"available"` // share of time in which all nodes that are needed are up
	Doubled   float64 `json:"doubled"`   // speed if others take in processes of nodes that are missing
	Down      float64 `json:"down"`      // mean number of nodes
	// of a history that was drawn, if any: Available, and its standard error
	Drawn      *float64 `json:"drawn,omitempty"`
	DrawnError *float64 `json:"drawnError,omitempty"`
	Outages    *int     `json:"outages,omitempty"` // in it; of fewer than 30 nothing follows
}

// enough is how many events a mean is to be of.
const enough = 30

// runSpares computes what spare nodes are good for.
func runSpares(ctx context.Context, args []string, std streams) (int, error) {
	f := flags("performability spares", "", std,
		"performability spares --nodes 32 --mttf 1y --mttr 2d",
		"performability spares --nodes 1024 --mttf 5y --mttr 1w --crews 1 --most 8 --draw 100000")
	pool := performability.Pool{}
	f.IntVar(&pool.Nodes, "nodes", 0, "nodes that the program needs")
	mttf := timeFlag(f, "mttf", "time after which a node fails")
	mttr := timeFlag(f, "mttr", "time to repair or replace one")
	f.IntVar(&pool.Crews, "crews", 0, "nodes that are repaired at once; 0: all")
	most := f.Int("most", 4, "spares, up to so many")
	draw := f.Int("draw", 0, "also draw a history of so many failures and repairs")
	seed := f.Uint64("seed", 1, "of what is drawn")
	asJSON := f.Bool("json", false, "print JSON")
	if err := parseAll(f, args); err != nil {
		return 0, err
	}
	if err := within(f, span{"most", 0, 1000}, notNegative("draw")); err != nil {
		return 0, err
	}
	pool.MTTF, pool.MTTR = *mttf, *mttr
	answer := performed{versioned: as("performability"), About: "spares", Notes: []string{
		"spares are switched on, and fail like the others; to take over takes no time here"}}
	var rows []func() (sparesRow, error)
	for spares := range *most + 1 {
		rows = append(rows, func() (sparesRow, error) {
			with := pool
			with.Spares = spares
			return spared(with, *draw, *seed)
		})
	}
	var code int
	var err error
	if answer.Spares, code, err = knownRows(ctx, &answer, rows); err != nil {
		return 0, err
	}
	if *asJSON {
		return code, printJSON(std.out, answer)
	}
	return code, printSpares(std.out, *draw, &answer)
}

// spared is what a pool gives.
func spared(p performability.Pool, draw int, seed uint64) (row sparesRow, err error) {
	s, err := p.Serve()
	if err != nil {
		return row, err
	}
	row = sparesRow{Spares: p.Spares, Available: s.Available, Doubled: s.Doubled, Down: s.Down}
	if draw > 0 {
		d, err := p.Sample(draw, seed)
		if err != nil {
			return row, err
		}
		row.Drawn, row.DrawnError, row.Outages = &d.Available, &d.Error, &d.Outages
	}
	return row, nil
}

// printSpares prints the answer as a table.
func printSpares(out io.Writer, draw int, a *performed) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	head := "spares\tall nodes are up\tnot up in a year\tspeed, doubled up\tnodes down\t"
	if draw > 0 {
		head += "drawn\t"
	}
	fmt.Fprintln(w, head)
	percent := func(x float64) string { return strconv.FormatFloat(100*x, 'f', 5, 64) + " %" }
	for _, r := range a.Spares {
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%.4g\t", r.Spares, percent(r.Available),
			lasting(max(1-r.Available, 0)*units[0].value), percent(r.Doubled), r.Down)
		switch {
		case r.Drawn == nil:
		case *r.Outages < enough:
			fmt.Fprintf(w, "%d outages: too few\t", *r.Outages)
		default:
			fmt.Fprintf(w, "%s +- %s\t", percent(*r.Drawn), percent(*r.DrawnError))
		}
		fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return printNotes(out, append(a.Notes, "doubled up: processes of a node that is missing run "+
		"on others, and the fullest node rules"))
}
