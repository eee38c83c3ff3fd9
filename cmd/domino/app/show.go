package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/cmd/domino/app/term"
	"github.com/domino-check/domino/scenarios"
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
func (r *row) show(w io.Writer, control bool) { printStory(w, r.story(), control) }

// story is the run that breaks a property, with the command that shows it again; nil when there is
// none.
func (r *row) story() *report.Run { return told(r.Story(), r.command()) }

// command shows the run again: that of its file or, without one, a shortest one.
func (r *row) command() string {
	if r.Replay != "" {
		return "domino replay " + word(r.Replay)
	}
	return searchCommand(r.Scenario)
}

// told adds the command that shows a run again.
func told(story *report.Run, command string) *report.Run {
	if story != nil {
		story.Command = called(command)
	}
	return story
}

// evidence is a run as JSON, nil for none.
func evidence(story *report.Run) (json.RawMessage, error) {
	if story == nil {
		return nil, nil
	}
	var b bytes.Buffer
	err := report.JSON(&b, story)
	return b.Bytes(), err
}

// printStory prints one run with its diagram and what changed in the local states at each step, on
// a terminal in colours and not wider than it.
func printStory(w io.Writer, story *report.Run, control bool) {
	fmt.Fprintln(w)
	o := report.Options{Control: control, Color: term.Coloured(w)}
	if width := term.Width(w); width > 0 {
		o.Width = min(width, 100)
	}
	if err := report.Text(w, story, o); err != nil {
		fmt.Fprintf(w, "the run can not be shown: %v\n", err)
	}
}

// cutting is a question in which a crash may fall between any two effects, as in files of runs.
func cutting(c world.Case) world.Case {
	c.Cuts = true
	return c
}
