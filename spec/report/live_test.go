package report_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol/hydee"
	"github.com/domino-check/domino/impl/protocol/none"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/trace"
)

// TestLive reports what the checker finds today for the program of h10.json. It compares no golden
// file, so that a change of the protocol or of the search does not break it: it wants a diagram
// that fits and marks what the violation is about.
func TestLive(t *testing.T) {
	w, run := h10(t)
	r := &report.Run{Title: "h10", Trace: run.Trace, Violation: run.Violation}
	for _, p := range spec.Properties() {
		if p.Name == run.Violation.Property {
			r.Property = &p
		}
	}
	for i, event := range run.Schedule {
		step := report.Step{Event: event}
		for p := range core.Proc(len(run.Trace.Layout.Names)) {
			before, after := w.LocalJSON(run.States[i], p), w.LocalJSON(run.States[i+1], p)
			step.Changes = append(step.Changes,
				report.Changes(run.Trace.Layout.Name(p), before, after)...)
		}
		r.Steps = append(r.Steps, step)
	}
	var b strings.Builder
	if err := report.Text(&b, r, report.Options{}); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{r.Property.Doc[:20], "[----- A -----] [----- B -----]",
		"o--m3-->*", "orphan since", "x and y crash",
		fmt.Sprintf("%4d  ", run.Violation.Step)} {
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks %q", want)
		}
	}
	if n := strings.Count(text, "<== here"); n != 2 {
		t.Errorf("%d times <== here, want one in the diagram and one in the list of steps", n)
	}
	for _, l := range strings.Split(text, "\n") {
		if utf8.RuneCountInString(l) > 100 {
			t.Errorf("more than 100 columns: %s", l)
		}
	}
	if t.Failed() {
		t.Log("\n" + text)
	}
}

// h10 is a shortest run in which only the first send after a failure is held back.
func h10(t *testing.T) (*world.World, *world.Run) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	names, programs,
		err := script.Parse(
		"x: send y m2\ny: recv *; send c m3; recv *\nc: recv y; send d m5\nd: recv c; send y m7", 1)
	must(err)
	layout := trace.Layout{Names: names, Ranks: len(names), Clusters: []int{0, 0, 1, 1}}
	plain, err := none.NewSetup(layout, programs)
	must(err)
	oracle, err := world.Oracle(t.Context(), plain, checker.Options{})
	must(err)
	setup, err := hydee.NewSetup(layout, programs,
		hydee.Options{Errata: hydee.Set(0).With(hydee.H10)})
	must(err)
	model := fault.Model{Failures: 1}
	w, err := world.New(world.Config{Setup: setup, Model: model,
		Facts: world.FactsOf(setup, &model, oracle)})
	must(err)
	found := search.Explore(t.Context(), w, checker.Options{Order: checker.BreadthFirst}).Found
	if len(found) == 0 {
		t.Fatal("the checker finds no violation")
	}
	run, err := w.Follow(found[0].Path)
	must(err)
	return w, run
}
