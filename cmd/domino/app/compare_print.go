package app

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/domino-check/domino/impl/runtime/compare"
)

// compareText prints the tables, then what contradicts a paper, what could not be measured, and
// what the tables leave out.
func compareText(out io.Writer, o *compareOptions, studies []*compare.Study) error {
	for _, t := range append(compare.Tables(), compare.Printed{Name: "own",
		Title: "Protocols that are in no table", Columns: compare.Columns}) {
		var mine []*compare.Study
		for _, s := range studies {
			if s.Row.Table == t.Name {
				mine = append(mine, s)
			}
		}
		if len(mine) == 0 {
			continue
		}
		fmt.Fprintf(out, "%s\n\n", t.Title)
		if err := compareTable(out, mine); err != nil {
			return err
		}
	}
	fmt.Fprint(out, "A row of a paper stands above what was measured; ! contradicts it, - was not "+
		"measured.\n")
	compareFindings(out, studies)
	if o.figures {
		compareFigures(out, studies)
	}
	return compareCosts(out, studies)
}

// compareTable prints one table: each row of the paper, and below it what was measured.
func compareTable(out io.Writer, studies []*compare.Study) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	var head []string
	for _, c := range studies[0].Cells {
		head = append(head, c.Column)
	}
	fmt.Fprintf(w, " \t%s\truns\n", strings.Join(head, "\t"))
	paper := ""
	for _, s := range studies {
		if s.Row.Paper != paper {
			paper = s.Row.Paper
			says := make([]string, len(s.Cells))
			if s.Printed != nil {
				says = s.Printed.Says
			}
			fmt.Fprintf(w, "%s\t%s\t\n", paper, strings.Join(says, "\t"))
		}
		fmt.Fprintf(w, "  %s", strings.TrimSuffix(s.Row.Protocol, "-"))
		for _, c := range s.Cells {
			word := cmp.Or(c.Value, "-")
			if c.Verdict == compare.Contrary {
				word += " !"
			}
			fmt.Fprintf(w, "\t%s", word)
		}
		fmt.Fprintf(w, "\t%d\n", s.Runs)
	}
	fmt.Fprintln(w)
	return w.Flush()
}

// compareFindings prints where what was measured contradicts a paper, with the run that shows it,
// what was not measured, and runs that went wrong.
func compareFindings(out io.Writer, studies []*compare.Study) {
	show := func(s *compare.Study, c *compare.Cell) {
		fmt.Fprintf(out, "\n%s, %s: %s in the paper (%s), measured %s, of %d runs\n  %s\n",
			s.Row.Protocol, c.Column, c.Says, c.Printed, c.Value, c.Runs, c.Figures)
		if c.Why != "" {
			fmt.Fprintf(out, "  %s\n", c.Why)
		}
		fmt.Fprintf(out, "  %s\n", compareCommand(c.Shows))
	}
	for _, s := range studies {
		for i := range s.Cells {
			if c := &s.Cells[i]; c.Verdict == compare.Contrary {
				show(s, c)
			}
		}
	}
	for _, s := range studies {
		said := map[string]bool{}
		for _, c := range s.Cells {
			if c.Verdict == compare.Unmeasured && !said[c.Why] {
				said[c.Why] = true
				what := s.Row.Protocol
				switch {
				case what == "-":
					what = s.Row.Paper
				case s.Why == "":
					what += ", " + c.Column
				}
				fmt.Fprintf(out, "\n%s was not measured: %s\n", what, c.Why)
			}
		}
		for _, run := range s.Stuck {
			fmt.Fprintf(out, "\n%s: A RUN DOES NOT END:\n  %s\n", s.Row.Protocol,
				compareCommand(run))
		}
		for _, run := range s.Wrong {
			fmt.Fprintf(out, "\n%s: PROGRAMS END WITH ANOTHER RESULT:\n  %s\n", s.Row.Protocol,
				compareCommand(run))
		}
	}
}

// compareCommand is the command that shows a run.
func compareCommand(run string) string { return self() + " compare --run '" + run + "'" }

// compareFigures prints what every word of the tables follows from.
func compareFigures(out io.Writer, studies []*compare.Study) {
	for _, s := range studies {
		if s.Why != "" {
			continue
		}
		fmt.Fprintf(out, "\n%s, with %s\n", s.Row.Protocol, strings.Join(s.Programs, ", "))
		for _, c := range s.Cells {
			if c.Value == "" {
				continue
			}
			fmt.Fprintf(out, "  %s: %s, %s, of %d runs: %s\n", c.Column, c.Value, c.Verdict, c.Runs,
				c.Figures)
			if c.Why != "" {
				fmt.Fprintf(out, "    %s\n", c.Why)
			}
			if c.Shows != "" {
				fmt.Fprintf(out, "    %s\n", compareCommand(c.Shows))
			}
		}
	}
}

// compareCosts prints what the tables leave out.
func compareCosts(out io.Writer, studies []*compare.Study) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	begun := false
	for _, s := range studies {
		c := &s.Costs
		if c.Runs == 0 {
			continue
		}
		if !begun {
			begun = true
			fmt.Fprint(out, "\nWhat the tables leave out\n\n")
			fmt.Fprintln(w, "\tblocked\twithout images\tlonger\tcontrol\trounds\tmost\tredone\t"+
				"runs\t")
		}
		fmt.Fprintf(w, "%s\t%.1f %%\t%.1f %%\t%.2f\t%.2f\t%d\t%d\t%.1f %%\t%d\t\n", s.Row.Protocol,
			100*c.Blocked, 100*c.BlockedWithout, c.Longer, c.Control, c.Rounds, c.MostRounds,
			100*c.Redone, c.Runs)
	}
	if err := w.Flush(); err != nil || !begun {
		return err
	}
	_, err := fmt.Fprint(out, `
blocked: share of their time that programs are held while nothing fails; longer: than without a
protocol; control: messages of the protocol for one of a program; rounds: message delays from the
report of a failure to the first step of the last program that was restarted, median and most;
redone: of all that was done, by one failure.
`)
	return err
}

// compareCSV prints a cell a line.
func compareCSV(out io.Writer, studies []*compare.Study) error {
	w := csv.NewWriter(out)
	rows := [][]string{{"table", "paper", "protocol", "column", "printed", "says", "measured",
		"verdict", "runs", "figures", "remark", "run"}}
	for _, s := range studies {
		for _, c := range s.Cells {
			rows = append(rows, []string{s.Row.Table, s.Row.Paper, s.Row.Protocol, c.Column,
				c.Printed, c.Says, c.Value, string(c.Verdict), fmt.Sprint(c.Runs), c.Figures, c.Why,
				c.Shows})
		}
	}
	return w.WriteAll(rows)
}

// compareRun carries one run out and prints what is seen of it.
func compareRun(std streams, o *compareOptions) (int, error) {
	c, err := compare.Parse(o.run, std.Protocols())
	if err != nil {
		return 0, err
	}
	facts, err := compare.Run(c)
	if err != nil {
		return 0, err
	}
	sum := compare.Sum(facts)
	if o.json {
		return 0, printJSON(std.out, compareSum{as("comparison"), sum})
	}
	fmt.Fprintln(std.out, sum.Run)
	for _, l := range sum.Lines {
		fmt.Fprintf(std.out, "  %-12s %s\n", l.Name, l.Text)
	}
	return 0, nil
}
