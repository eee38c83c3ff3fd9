package app

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/report"
)

// save writes the replay file of the first violation.
func (r *row) save(folder string, errors io.Writer) {
	if c := r.ReplayFile(); folder != "" && c != nil {
		name := strings.ReplaceAll(r.Name+"-"+r.Variant, "+", "-")
		r.Replay = saveReplay(c, folder, name, errors)
	}
}

// saveReplay writes a replay file and returns its name; a failure to write is reported and loses
// nothing else.
func saveReplay(s *scenarios.Scenario, folder, name string, errors io.Writer) string {
	file := filepath.Join(folder, name+".txtar")
	err := os.MkdirAll(folder, 0o755)
	if err == nil {
		err = scenarios.Save(file, s)
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
	printStory(w, r.Story(), command, control)
}

// showRun prints one run with its diagram and what changed in the local states at each step.
func showRun(w io.Writer, s *scenarios.Scenario, wd *world.World, run *world.Run, v *spec.Violation,
	command string, control bool) {
	printStory(w, verify.Story(s, wd, run, v), command, control)
}

func printStory(w io.Writer, story *report.Run, command string, control bool) {
	story.Command = called(command)
	fmt.Fprintln(w)
	if err := report.Text(w, story, report.Options{Control: control}); err != nil {
		fmt.Fprintf(w, "the run can not be shown: %v\n", err)
	}
}

// cutting is a question in which a crash may fall between any two effects, as in files of runs.
func cutting(c world.Case) world.Case {
	c.Cuts = true
	return c
}
