package app

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/internal/wholefile"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/report"
)

// save writes the replay file of the first violation.
func (r *row) save(folder string, errors io.Writer) {
	runs := r.outcomeRuns()
	if folder == "" || len(runs) == 0 {
		return
	}
	c := *r.scenario
	c.Schedule, c.States, c.Expect, c.Breaks = runs[0].Lines(), 0, "violated", r.Violation.Property
	r.Replay = saveReplay(&c, folder, strings.ReplaceAll(r.Name+"-"+r.Variant, "+", "-"), errors)
}

// saveReplay writes a replay file and returns its name; a failure to write is reported and loses
// nothing else.
func saveReplay(s *scenarios.Scenario, folder, name string, errors io.Writer) string {
	file := filepath.Join(folder, name+".txtar")
	err := os.MkdirAll(folder, 0o755)
	if err == nil {
		err = wholefile.Write(file, scenarios.Format(s))
	}
	if err != nil {
		fmt.Fprintf(errors, "domino: replay file not saved: %v\n", err)
		return ""
	}
	return file
}

// show prints the run that breaks a property.
func (r *row) show(w io.Writer, control bool) {
	command := "domino check " + r.Name + " --variant " + r.Variant + " --search bfs"
	if r.Replay != "" {
		command = "domino replay " + r.Replay
	}
	showRun(w, r.scenario, r.outcome.World, r.outcome.Runs[0], r.Violation, command, control)
}

// showRun prints one run with its diagram and what changed in the local states at each step.
func showRun(w io.Writer, s *scenarios.Scenario, wd *world.World, run *world.Run, v *spec.Violation,
	command string, control bool) {
	r := &report.Run{Title: s.Name + " (" + s.Protocol + ", " + s.Variant + "): " + s.Title,
		Trace: run.Trace, Violation: v, Command: command}
	for _, p := range spec.Properties() {
		if v != nil && p.Name == v.Property {
			r.Property = &p
		}
	}
	if run.Violation != nil && v != nil && v.Property == run.Violation.Property {
		r.Violation = run.Violation
	}
	for i, event := range run.Schedule {
		step := report.Step{Event: event}
		if run.Loop > 0 && i == len(run.Schedule)-run.Loop {
			step.Event = world.ForEver + " " + event
		}
		for p := range core.Proc(len(run.Trace.Layout.Names)) {
			name := run.Trace.Layout.Name(p)
			before, after := wd.LocalJSON(run.States[i], p), wd.LocalJSON(run.States[i+1], p)
			step.Changes = append(step.Changes, report.Changes(name, before, after)...)
		}
		r.Steps = append(r.Steps, step)
	}
	fmt.Fprintln(w)
	if err := report.Text(w, r, report.Options{Control: control}); err != nil {
		fmt.Fprintf(w, "the run can not be shown: %v\n", err)
	}
}
