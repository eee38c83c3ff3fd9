package app

import (
	"fmt"
	"io"
	"strings"

	"github.com/domino-check/domino/checker/mutate"
	"github.com/domino-check/domino/cmd/domino/app/term"
)

// matrix prints the kill matrix: one line a mutant, one column a method.
type matrix struct {
	w     io.Writer
	lines *term.Table
	show  bool
}

// Widths of columns. The longest name that any property has is a little shorter.
const (
	propertyWidth = 18
	drawnWidth    = 10
)

func newMatrix(w io.Writer, mutants []mutate.Mutant, methods []mutate.Method,
	show bool) *matrix {
	mutant, scenario := len("mutant"), len("scenario")
	for _, u := range mutants {
		mutant, scenario = max(mutant, len(u.Name)), max(scenario, len(u.Scenario))
	}
	columns := []term.Column{{Title: "mutant", Width: mutant + 1, Left: true},
		{Title: "scenario", Width: scenario + 1, Left: true}}
	for _, m := range methods {
		if m.Name() != "exhaustive" {
			columns = append(columns, term.Column{Title: m.Name(), Width: drawnWidth})
			continue
		}
		columns = append(columns, term.Column{Title: "exhaustive", Width: propertyWidth,
			Left: true}, term.Column{Title: "steps", Width: 5},
			term.Column{Title: "states", Width: 9})
	}
	columns = append(columns, term.Column{Title: " shrunk", Left: true})
	return &matrix{w: w, show: show, lines: term.NewTable(w, 0, columns...)}
}

// row prints one mutant. A number under a method that draws runs is that of the first that breaks
// something.
func (m *matrix) row(r *mutate.Row) {
	cells := []string{r.Mutant, r.Scenario}
	for i := range r.Hunts {
		cells = append(cells, huntCells(r, &r.Hunts[i])...)
	}
	shrunk := " -"
	if s := r.Shrunk; s != nil {
		shrunk = fmt.Sprintf(" %d > %d (%d)", s.Drawn, s.Steps, s.Least)
	}
	m.lines.Row(append(cells, shrunk)...)
	if m.show {
		fmt.Fprintf(m.w, "    %s\n", r.Doc)
		if r.Why != "" {
			fmt.Fprintf(m.w, "    %s: %s\n", r.Expect, r.Why)
		}
	}
	switch {
	case r.Unexpected != "":
		fmt.Fprintf(m.w, "    NOT AS EXPECTED: %s\n", r.Unexpected)
	case r.Undecided:
		fmt.Fprintf(m.w, "    undecided: %s\n", bound(r))
	}
}

// bound is what ended the hunts that decide nothing.
func bound(r *mutate.Row) string {
	for _, h := range r.Hunts {
		if h.CutOff() {
			return h.Bound
		}
	}
	if h := r.Hunt("exhaustive"); h != nil {
		return "exhaustive search: " + h.Bound
	}
	return "no method killed it, and none proves anything"
}

// huntCells are the cells of a method.
func huntCells(r *mutate.Row, h *mutate.Hunt) []string {
	switch {
	case h.Method == "exhaustive":
	case h.Unfit:
		return []string{"unfit"}
	case h.CutOff():
		return []string{"cut off"}
	case !h.Killed:
		return []string{"-"}
	default:
		return []string{count(h.Schedules)}
	}
	steps, what := "-", h.Property
	switch {
	case h.Vacuous:
		what = "never " + what
	case h.Killed && h.Steps > 0:
		steps = fmt.Sprint(h.Steps)
	case r.Equivalent():
		what = "equivalent"
	case r.Within():
		what = "within the spec"
	case h.CutOff():
		what = "cut off"
	case !h.Killed:
		what = "-"
	}
	return []string{what, steps, count(h.States)}
}

// summary prints what came of all.
func (m *matrix) summary(s *mutate.Summary, rows []*mutate.Row, asked int) {
	fmt.Fprintf(m.w,
		"\n%d mutants: %d proved equivalent, %d within the specification, %d killed because no "+
			"run shows any more what should be seen, %d not as expected, %d undecided\n",
		s.Mutants, s.Equivalent, s.Within, s.Vacuous, len(s.Unexpected), len(s.Undecided))
	if len(rows) < asked {
		fmt.Fprintf(m.w, "interrupted: %d mutants were not hunted\n", asked-len(rows))
	}
	deep := 0
	for _, r := range rows {
		if r.Deep() {
			deep++
		}
	}
	fmt.Fprintf(m.w, "\n%-11s %13s %18s %18s %9s\n", "method", "killed", "median first kill",
		fmt.Sprintf("of %d deep ones", deep), "runs/s")
	walk := s.Score("walk")
	for i := range s.Scores {
		c := &s.Scores[i]
		fmt.Fprintf(m.w, "%-11s %4d of %d %3.0f %% %18s %18s %9s\n", c.Method, c.Killed, c.Of,
			100*float64(c.Killed)/float64(max(1, c.Of)),
			times(c.Median, walk, func(w *mutate.Score) float64 { return w.Median }),
			times(c.Deep, walk, func(w *mutate.Score) float64 { return w.Deep }), perSecond(c))
	}
	m.against(s, "portfolio", "random")
	if s.Shrunk > 0 {
		fmt.Fprintf(m.w,
			"\n%d runs made smaller: %.2f times the length of a shortest one in the median\n",
			s.Shrunk, s.MedianRatio)
	}
	m.survivors(s, rows)
}

// against compares two methods that both plan their faults: the plain walk wastes most runs on
// faults that come too early or not at all, so what is better than it need not be so by its choice
// of schedules.
func (m *matrix) against(s *mutate.Summary, method, other string) {
	a, b := s.Score(method), s.Score(other)
	if a == nil || b == nil || a.Median == 0 || b.Median == 0 {
		return
	}
	fmt.Fprintf(m.w, "\n%s against %s, which plans its faults, too: x %.1f in the median", method,
		other, b.Median/a.Median)
	if a.Deep > 0 && b.Deep > 0 {
		fmt.Fprintf(m.w, ", x %.1f over the deep ones", b.Deep/a.Deep)
	}
	fmt.Fprintln(m.w)
}

// times is a median, and how many times better it is than that of the plain walk.
func times(median float64, walk *mutate.Score, of func(*mutate.Score) float64) string {
	switch {
	case median == 0:
		return "-"
	case walk == nil || of(walk) == 0:
		return fmt.Sprintf("%.1f", median)
	}
	return fmt.Sprintf("%.1f (x %.1f)", median, of(walk)/median)
}

func perSecond(c *mutate.Score) string {
	if c.Schedules == 0 || c.Seconds == 0 {
		return "-"
	}
	return count(int(float64(c.Schedules) / c.Seconds))
}

// survivors lists what a method did not kill, and explains what nothing kills.
func (m *matrix) survivors(s *mutate.Summary, rows []*mutate.Row) {
	for i := range s.Scores {
		if c := &s.Scores[i]; len(c.Missed) > 0 {
			fmt.Fprintf(m.w, "\nnot killed by %s: %s\n", c.Method, strings.Join(c.Missed, " "))
		}
	}
	first := true
	for _, r := range rows {
		if r.Why == "" {
			continue
		}
		if first {
			fmt.Fprint(m.w, "\nsurvivors, and what only a guard kills:\n")
			first = false
		}
		proof := ""
		if r.Equivalent() {
			proof = fmt.Sprintf(" (%d ends of runs are the same; %s states of both)",
				r.Comparison.Ends, count(r.Comparison.States))
		}
		fmt.Fprintf(m.w, "  %s, %s: %s%s\n", r.Mutant, r.Expect, r.Why, proof)
	}
}
