package app

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"

	"github.com/domino-check/domino/impl/papers"
)

// publishedCell is a number that the thesis prints beside ours.
type publishedCell struct {
	Where   string  `json:"where"` // the claim of [RADIC]
	Row     string  `json:"row"`
	What    string  `json:"what"`
	Printed float64 `json:"printed"`
	Ours    float64 `json:"ours"`
	Status  string  `json:"status"` // as of domino paper
	Why     string  `json:"why,omitempty"`
}

// runPerformed computes the tables of the thesis again.
func runPerformed(ctx context.Context, args []string, std streams) (int, error) {
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
		"Efficiencies were measured on a cluster of which the model knows nothing.",
		"All of the thesis: " + called("domino paper radic")}}
	wanted, err := choosePapers([]string{"radic", "table-6.2", "fig-6.12", "fig-6.13", "fig-6.14"})
	if err != nil {
		return 0, err
	}
	for _, c := range wanted[0].claims {
		r, err := std.bench().Make(ctx, c)
		if err = cmp.Or(err, r.Err); err != nil {
			return 0, err
		}
		answer.Paper = append(answer.Paper, publishedCells(r)...)
	}
	if *asJSON {
		return 0, printJSON(std.out, answer)
	}
	return 0, printPublished(std.out, &answer)
}

// publishedCells are the numbers of a claim that the model makes.
func publishedCells(r *papers.Result) (cells []publishedCell) {
	for _, c := range r.Cells {
		printed, ok := c.Number()
		if !ok || c.Got == nil || c.Got.Status != papers.NoClaim {
			continue
		}
		what := c.Name
		if c.Unit != "" {
			what += ", " + c.Unit
		}
		cells = append(cells, publishedCell{r.ID, c.Row, what, printed, c.Got.Number,
			c.Status.String(), c.Why})
	}
	return cells
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
