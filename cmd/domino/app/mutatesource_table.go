package app

import (
	"fmt"
	"io"
	"time"

	mutated "github.com/domino-check/domino/checker/mutate/source"
	"github.com/domino-check/domino/cmd/domino/app/term"
)

// sourceTable prints the mutants that live, then the figures.
type sourceTable struct {
	w     io.Writer
	lines *term.Table
}

func newSourceTable(w io.Writer) *sourceTable {
	return &sourceTable{w: w, lines: term.NewTable(w, 0,
		term.Column{Title: "fate", Width: 10, Left: true},
		term.Column{Title: "operator", Width: 10, Left: true},
		term.Column{Title: "line", Width: 4}, term.Column{Title: "mutant", Left: true})}
}

// row prints one mutant.
func (t *sourceTable) row(r *mutated.Result) {
	t.lines.Row(r.Fate, r.Operator, fmt.Sprint(r.Line), r.Name())
}

// summary prints the figures, by package and by operator, and what was of no use.
func (t *sourceTable) summary(out *mutated.Campaigned, sum *mutated.Summary, took time.Duration) {
	for _, part := range []struct {
		title string
		list  []mutated.Tally
	}{{"package", sum.Packages}, {"operator", sum.Operators}} {
		fmt.Fprintln(t.w)
		table := term.NewTable(t.w, 0, term.Column{Title: part.title, Width: 14, Left: true},
			term.Column{Title: "mutants", Width: 8}, term.Column{Title: "check", Width: 8},
			term.Column{Title: "fuzz", Width: 8}, term.Column{Title: "survived", Width: 8},
			term.Column{Title: "uncovered", Width: 9},
			term.Column{Title: "unanswered", Width: 10},
			term.Column{Title: "equivalent", Width: 10}, term.Column{Title: "score", Width: 7})
		for _, y := range part.list {
			table.Row(y.Name, count(y.Mutants), count(y.Check), count(y.Fuzz), count(y.Survived),
				count(y.Uncovered), count(y.Unanswered), count(y.Equivalent),
				fmt.Sprintf("%.1f%%", 100*y.Score()))
		}
	}
	a := &sum.All
	fmt.Fprintf(t.w, "\n%d of %d mutants asked, %d killed (%d by scenarios, %d by fuzz), %d "+
		"survived, %d uncovered, %d without an answer, %d equivalent: %.1f%% of those that are "+
		"not equivalent are killed; %s\n", a.Mutants, out.Mutants, a.Check+a.Fuzz, a.Check, a.Fuzz,
		a.Survived, a.Uncovered, a.Unanswered, a.Equivalent, 100*a.Score(),
		took.Round(time.Second))
	for _, list := range []struct {
		what  string
		names []string
	}{
		{"does not compile, and was left out", sum.Left},
		{"entry about no mutant", out.Stale},
		{"scenario that the original does not answer as expected", out.Wrong},
		{"scenario left out, as it has many states", out.Slow},
	} {
		for _, name := range list.names {
			fmt.Fprintf(t.w, "%s: %s\n", list.what, name)
		}
	}
}
