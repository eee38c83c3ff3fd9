package app

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
)

// table prints one aligned line a scenario, as soon as it is known.
type table struct {
	w        io.Writer
	name     int // width of the first column
	rows     int
	expected int
	header   bool
	samples  bool // runs are counted, not states
	traces   bool // show their number
	states   int
	steps    int
	saved    checker.Savings
	odds     float64 // that fingerprints have hidden a state
}

func newTable(w io.Writer, list []*scenarios.Scenario) *table {
	t := &table{w: w, name: len("scenario")}
	for _, s := range list {
		t.name = max(t.name, len(s.Name))
	}
	return t
}

func (t *table) row(r *row) {
	if !t.header && r.Samples != nil {
		fmt.Fprintf(t.w, "%-*s  %-12s %12s %13s %6s %8s %11s  %s\n", t.name, "scenario", "verdict",
			"runs", "steps", "depth",
			"time", "runs/s", "within")
		t.header = true
	}
	if !t.header {
		fmt.Fprintf(t.w, "%-*s  %-12s %s%12s %13s %6s %8s %11s  %s\n", t.name, "scenario",
			"verdict", t.column("traces"), "states", "transitions",
			"depth", "time", "states/s", "within")
		t.header = true
	}
	t.rows++
	t.steps += r.Transitions
	t.saved.Add(r.Saved)
	t.odds += r.Collision
	mark := " "
	if r.AsExpected {
		t.expected++
	} else {
		mark = "!"
	}
	rate, things := "-", r.States
	if r.Samples != nil {
		things, t.samples = r.Samples.Runs, true
	}
	t.states += things
	if r.Seconds > 0 {
		rate = count(int(float64(things) / r.Seconds))
	}
	depth := "-"
	if r.Depth > 0 {
		depth = fmt.Sprint(r.Depth)
	}
	fmt.Fprintf(t.w, "%-*s %s%-12s %s%12s %13s %6s %8s %11s  %s\n", t.name, r.Name, mark, r.Verdict,
		t.column(count(r.Traces)), count(things), count(r.Transitions),
		depth, seconds(r.Seconds), rate, r.Bounds)
	if r.Samples != nil && r.Samples.Cut > 0 {
		fmt.Fprintf(t.w, "%-*s    %s runs were cut off at the limit of steps\n", t.name, "",
			count(r.Samples.Cut))
	}
	if r.Why != "" && (r.Verdict != spec.Holds || !r.AsExpected) {
		for _, line := range strings.Split(r.Why, "\n") {
			fmt.Fprintf(t.w, "%-*s    %s\n", t.name, "", strings.TrimSpace(line))
		}
	}
	if r.Verdict == spec.Holds && len(r.Unseen) > 0 {
		fmt.Fprintf(t.w, "%-*s    never happened: %s\n", t.name, "", strings.Join(r.Unseen, ", "))
	}
	if r.Replay != "" {
		fmt.Fprintf(t.w, "%-*s    %d steps; replay: domino replay %s\n", t.name, "", r.Length,
			r.Replay)
	}
}

// column is a cell of the column of traces, where there is one.
func (t *table) column(s string) string {
	if !t.traces {
		return ""
	}
	return fmt.Sprintf("%11s ", s)
}

func (t *table) summary(took time.Duration) {
	what := "states, %s transitions"
	if t.samples {
		what = "runs, %s steps"
	}
	fmt.Fprintf(t.w, "\n%d scenarios, %d as expected; %s "+what+" in %s\n", t.rows, t.expected,
		count(t.states), count(t.steps),
		seconds(took.Seconds()))
	if words := savings(t.saved); words != "" {
		fmt.Fprintf(t.w, "left out by reductions: %s\n", words)
	}
	if t.odds > 0 {
		fmt.Fprintf(t.w,
			"chance that two states had one fingerprint and something was not explored: below "+
				"%.0e\n", t.odds)
	}
	if t.rows != t.expected {
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
		{s.Sleeping, "%s sleeping steps (sleep)"}, {s.Symmetric, "%s crash sets (symmetry)"}} {
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
