package site

import (
	"cmp"
	"html/template"
	"slices"

	"github.com/domino-check/domino/spec"
)

// Check is the kind of the site of a suite.
const Check = "check"

// Runs is the folder of pages of runs.
const Runs = "runs"

// Suite is what came of many scenarios.
type Suite struct {
	Head
	Asked  int  // scenarios, of which Rows may be the first
	Drawn  bool // runs were drawn: States counts them
	Rows   []Row
	Failed []string // pages that could not be made, and why
}

// Row is the answer to one scenario.
type Row struct {
	Scenario    string       `json:"scenario"`
	Protocol    string       `json:"protocol"`
	Variant     string       `json:"variant"`
	Verdict     spec.Verdict `json:"verdict"`
	Expect      string       `json:"expect"`
	Expected    bool         `json:"asExpected"`
	Sampled     bool         `json:"sampled,omitempty"` // runs were drawn, and break nothing
	Breaks      string       `json:"breaks,omitempty"`
	Why         string       `json:"why,omitempty"`
	Within      string       `json:"bounds"`
	States      int          `json:"states"`
	Transitions int          `json:"transitions"`
	Steps       int          `json:"steps,omitempty"` // of the run that breaks a property
	Page        string       `json:"page,omitempty"`  // of that run, "" for none
	// of a run with a label only: they are never the same twice
	Seconds float64 `json:"seconds,omitempty"`
	Bytes   int64   `json:"bytes,omitempty"` // of memory at the peak
}

// Wrong reports whether the row wants attention.
func (r *Row) Wrong() bool { return !r.Expected && !r.Sampled }

// Class is the verdict for the style sheet.
func (r *Row) Class() string {
	switch r.Verdict {
	case spec.Holds:
		return "good"
	case spec.Violated:
		return "bad"
	}
	return "care"
}

// suiteRow is a row on the page.
type suiteRow struct {
	*Row
	Trend template.HTML
}

// suiteView is what the template of the index is filled with.
type suiteView struct {
	*Suite
	Things      string
	Wrong       int
	States      int
	Transitions int
	Seconds     float64
	Measured    bool // seconds and memory are shown
	Table       []suiteRow
	Changes     *Changes
}

// WriteSuite writes the data and the index of a suite whose pages of runs are there, and appends
// the run to the history if it has a label.
func (f *Folder) WriteSuite(s *Suite) error {
	past, raw, err := f.history()
	if err != nil {
		return err
	}
	s.hide()
	v := s.view(past)
	index, err := render("suite.html", v, shell{Head: s.Head, Title: "check", Heading: v.heading(),
		Links: s.links(len(past) > 0 || s.Label != "")})
	if err != nil {
		return err
	}
	if s.Label != "" {
		if err := f.remember(raw, s.record()); err != nil {
			return err
		}
	}
	return f.finish(suiteData{s.stamp(), s.Command, s.Label, s.Rows}, index, Runs)
}

// suiteData is what data.json says of a suite.
type suiteData struct {
	stamp
	Command string `json:"command"`
	Label   string `json:"label,omitempty"`
	Rows    []Row  `json:"rows"`
}

// stamp is that of the data.
func (s *Suite) stamp() stamp {
	return stamp{schemaOf(Check), s.Version, len(s.Rows) < s.Asked}
}

// hide takes away what differs from run to run, where the run has no label.
func (s *Suite) hide() {
	s.Rows = slices.Clone(s.Rows)
	for i := range s.Rows {
		if s.Label == "" {
			s.Rows[i].Seconds, s.Rows[i].Bytes = 0, 0
		}
	}
}

func (s *Suite) links(history bool) []Link {
	list := []Link{{"The same as data", dataName}}
	if history {
		list = append(list, Link{"All runs with a label", historyName})
	}
	return list
}

// view computes what the page shows. Rows that want attention come first, the others stay in their
// order.
func (s *Suite) view(past []record) *suiteView {
	v := &suiteView{Suite: s, Things: "states", Measured: s.Label != "", Changes: s.changes(past)}
	if s.Drawn {
		v.Things = "runs"
	}
	for i := range s.Rows {
		r := &s.Rows[i]
		v.Table = append(v.Table, suiteRow{r, trend(past, r, s.Label != "")})
		v.States, v.Transitions, v.Seconds = v.States+r.States, v.Transitions+r.Transitions,
			v.Seconds+r.Seconds
		if r.Wrong() {
			v.Wrong++
		}
	}
	rank := func(r suiteRow) int {
		if r.Wrong() {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(v.Table, func(a, b suiteRow) int { return cmp.Compare(rank(a), rank(b)) })
	return v
}

// heading is the answer in a sentence.
func (v *suiteView) heading() string {
	n := len(v.Rows)
	switch {
	case n == 0:
		return "No scenario has an answer."
	case v.Wrong == 0 && n == 1:
		return "The scenario answers as expected."
	case v.Wrong == 0:
		return "All " + count(n) + " scenarios answer as expected."
	}
	return count(v.Wrong) + " of " + plural(n, "scenario") + " not as expected."
}
