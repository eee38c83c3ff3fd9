package app

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/cmd/domino/app/term"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
)

// table prints one aligned line a scenario, as soon as it is known.
type table struct {
	w        io.Writer
	names    int // width of the first column
	lines    *term.Table
	rows     int
	expected int
	sampled  int  // nothing found
	samples  bool // runs are counted, not states
	traces   bool // show their number
	states   int
	steps    int
	saved    checker.Savings
}

func newTable(w io.Writer, list []*scenarios.Scenario) *table {
	t := &table{w: w, names: len("scenario")}
	for _, s := range list {
		t.names = max(t.names, len(s.Name))
	}
	return t
}

// columns are those of states, of traces, or of runs.
func (t *table) columns() []term.Column {
	list := []term.Column{{Title: "scenario", Width: t.names, Left: true},
		{Title: " verdict", Width: 13, Left: true, Colour: verdictColour}}
	things, steps, rate := "states", "transitions", "states/s"
	if t.samples {
		things, steps, rate = "runs", "steps", "runs/s"
	}
	if t.traces {
		list = append(list, term.Column{Title: "traces", Width: 11})
	}
	return append(list, term.Column{Title: things, Width: 12}, term.Column{Title: steps, Width: 13},
		term.Column{Title: "depth", Width: 6}, term.Column{Title: "time", Width: 8},
		term.Column{Title: rate, Width: 11}, term.Column{Title: " within", Left: true})
}

// verdictColour is that of a verdict, with its mark before it.
func verdictColour(cell string) term.Colour {
	switch {
	case strings.HasPrefix(cell, "!"):
		return term.Red
	case strings.TrimSpace(cell) == spec.Holds.String():
		return term.Green
	case strings.TrimSpace(cell) == spec.Violated.String():
		return term.Red
	}
	return term.Yellow
}

func (t *table) row(r *row) {
	t.samples = t.samples || r.Samples != nil
	if t.lines == nil {
		t.lines = term.NewTable(t.w, 0, t.columns()...)
	}
	t.rows++
	t.steps += r.Transitions
	t.saved.Add(r.Saved)
	mark := "!"
	switch {
	case r.AsExpected:
		t.expected++
		mark = " "
	case r.Sampled:
		t.sampled++
		mark = " "
	}
	rate, depth, things := "-", "-", r.States
	if r.Samples != nil {
		things = r.Samples.Runs
	}
	t.states += things
	if r.Seconds > 0 {
		rate = count(int(float64(things) / r.Seconds))
	}
	if r.Depth > 0 {
		depth = fmt.Sprint(r.Depth)
	}
	cells := []string{r.Name, mark + r.Verdict.String()}
	if t.traces {
		cells = append(cells, count(r.Traces))
	}
	t.lines.Row(append(cells, count(things), count(r.Transitions), depth, seconds(r.Seconds), rate,
		" "+r.Bounds)...)
	t.notes(r)
}

// notes are the lines below a row.
func (t *table) notes(r *row) {
	if r.Samples != nil && r.Samples.Cut > 0 {
		t.lines.Note("%s runs were cut off at the limit of steps", count(r.Samples.Cut))
	}
	if r.Why != "" && (r.Verdict != spec.Holds || !r.AsExpected) {
		for _, line := range strings.Split(r.Why, "\n") {
			t.lines.Note("%s", strings.TrimSpace(line))
		}
	}
	if r.Verdict == spec.Holds && len(r.Unseen) > 0 {
		t.lines.Note("never happened: %s", strings.Join(r.Unseen, ", "))
	}
	if r.Verdict == spec.Holds && len(r.Idle) > 0 {
		t.lines.Note("without effect: %s", strings.Join(r.Idle, ", "))
	}
	if r.Replay != "" {
		t.lines.Note("%d steps; replay: %s replay %s", r.Length, self(), r.Replay)
	}
}

func (t *table) summary(took time.Duration) {
	what := "states, %s transitions"
	if t.samples {
		what = "runs, %s steps"
	}
	sampled := ""
	if t.sampled > 0 {
		sampled = fmt.Sprintf(", %d sampled and nothing found", t.sampled)
	}
	fmt.Fprintf(t.w, "\n%d scenarios, %d as expected%s; %s "+what+" in %s\n", t.rows, t.expected,
		sampled,
		count(t.states), count(t.steps),
		seconds(took.Seconds()))
	if words := savings(t.saved); words != "" {
		fmt.Fprintf(t.w, "left out by reductions: %s\n", words)
	}
	if t.rows != t.expected+t.sampled {
		fmt.Fprintln(t.w, "lines with ! are not as expected")
	}
}

// savings says what each reduction has saved, or "".
func savings(s checker.Savings) string {
	var list []string
	for _, c := range []struct {
		n    int
		what string
	}{{s.Singletons, "all steps but one of %s states (singletons)"},
		{s.Crashes, "%s crashes that come later anyway (crashes)"},
		{s.Sleeping, "%s sleeping steps (sleep)"}, {s.Symmetric, "%s crash sets (symmetry)"},
		{s.Renamed, "%s states that are others with procs renamed (ranks)"}} {
		if c.n > 0 {
			list = append(list, fmt.Sprintf(c.what, count(c.n)))
		}
	}
	return strings.Join(list, ", ")
}

func seconds(s float64) string {
	switch {
	case s < 0.9995:
		return fmt.Sprintf("%.0f ms", s*1e3)
	case s < 100:
		return fmt.Sprintf("%.1f s", s)
	}
	return time.Duration(s * float64(time.Second)).Round(time.Second).String()
}
