package app

import (
	"context"
	"fmt"
	"io"
	"math"
	"strconv"
	"text/tabwriter"

	"github.com/domino-check/domino/impl/performability"
)

// publishedCell is a number that the thesis prints beside ours.
type publishedCell struct {
	Where   string  `json:"where"` // in [RADIC]
	Row     string  `json:"row"`
	What    string  `json:"what"`
	Printed float64 `json:"printed"`
	Ours    float64 `json:"ours"`
	Status  string  `json:"status"` // reproduced, contradicted, or not reproducible here
	Why     string  `json:"why,omitempty"`
}

// runPerformed computes the tables of the thesis again.
func runPerformed(_ context.Context, args []string, std streams) (int, error) {
	f := flags("performability paper", "", std, "performability paper",
		"performability paper --json")
	asJSON := f.Bool("json", false, "print JSON")
	if err := parseAll(f, args); err != nil {
		return 0, err
	}
	answer := performed{versioned: as("performability"), About: "paper", Notes: []string{
		"Eq 5.6 is printed as a product; ours is the quotient M^n / K^n.",
		"Eq 5.8 is printed with ST for K^n, but ST is K in the tables.",
		"Eq 5.11 and 5.12 are printed the wrong way round: communication takes between internal",
		"computation and that by effic.",
		"Efficiencies were measured on a cluster of which the model knows nothing."}}
	for _, row := range performability.Tables() {
		cells, err := publishedCells(&row)
		if err != nil {
			return 0, err
		}
		answer.Paper = append(answer.Paper, cells...)
	}
	if *asJSON {
		return 0, printJSON(std.out, answer)
	}
	return 0, printPublished(std.out, &answer)
}

// publishedCells are the numbers of a row of Table 6.2, and what the text says of it.
func publishedCells(p *performability.Published) (cells []publishedCell, err error) {
	plan, err := performability.Solve(p.Program, p.Efficiency, performability.Machine{})
	if err != nil {
		return nil, err
	}
	add := func(where, what string, printed, ours float64, agrees bool, why string) {
		status := "reproduced"
		if !agrees {
			status = "contradicted"
		}
		cells = append(cells, publishedCell{where, p.Name, what, printed, ours, status, why})
	}
	low, high := performability.Span(p.Program.Ratio, .01)
	change := (high - low) / 2 // of lambda by its rounding moves K by less than as much
	cut := math.Trunc(100*(plan.Ideal-change)) <= math.Round(100*p.K) &&
		math.Trunc(100*(plan.Ideal+change)) >= math.Round(100*p.K)
	add("Table 6.2", "K", p.K, plan.Ideal, cut, "printed is cut behind two digits")
	why := fmt.Sprintf("of %.2f, rounded down", plan.Exact)
	if plan.Cores != p.Cores {
		why += ": no one rounding makes the four numbers of the table"
	}
	add("Table 6.2", "cores", float64(p.Cores), float64(plan.Cores), plan.Cores == p.Cores, why)
	cells = append(cells, publishedCell{"Table 6.2", p.Name, "efficiency, %", p.Obtained,
		100 * plan.Efficiency, "not reproducible here", "measured; ours is the model's"})
	if p.Weak == 0 {
		return cells, nil
	}
	k := p.Program.Side / math.Pow(float64(p.Cores), 1/float64(p.Program.Dim))
	add("6.5.3", "K at 24 cores", p.Weak, k, math.Trunc(k) == p.Weak, "printed is cut")
	plain := p.Plain()
	with, err := p.Program.Keeping(p.Weak, p.Cores)
	if err != nil {
		return nil, err
	}
	without, err := plain.Keeping(p.Weak, p.Cores)
	over := 100 * (with.Iteration()/without.Iteration() - 1)
	add("Fig 6.14", "overhead, about, %", p.Overhead, over, math.Abs(over-p.Overhead) <= 5,
		"by Eq 5.7 and the times of Fig 6.11")
	return cells, err
}

// printPublished prints the cells as a table.
func printPublished(out io.Writer, a *performed) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "[RADIC]\trow\tnumber\tprinted\tours\tstatus\t")
	for _, c := range a.Paper {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", c.Where, c.Row, c.What,
			strconv.FormatFloat(c.Printed, 'g', -1, 64), strconv.FormatFloat(c.Ours, 'g', 5, 64),
			c.Status, c.Why)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return printNotes(out, a.Notes)
}
