package app

import (
	"fmt"
	"io"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/report/ci"
	"github.com/domino-check/domino/spec/report/export"
	"github.com/domino-check/domino/spec/report/figure"
	"github.com/domino-check/domino/spec/report/page"
)

// exhibited is a run with all that is known of it, and the place of its scenario.
type exhibited struct {
	*page.Page
	file string
	line int
}

// format is one form of a report.
type format struct {
	name    string
	endings []string // of file names that want it; the first is that of a file without a name
	write   func(io.Writer, *exhibited) error
}

// formats are all, that of a command without flags first.
var formats = []format{
	{"html", []string{".html", ".htm"},
		func(w io.Writer, e *exhibited) error { return page.Write(w, e.Page) }},
	{"svg", []string{".svg"}, func(w io.Writer, e *exhibited) error {
		return figure.Layout(e.Model, figure.Options{}).Document(w)
	}},
	{"txt", []string{".txt"}, func(w io.Writer, e *exhibited) error {
		return report.Text(w, e.Model.Run, report.Options{})
	}},
	{"md", []string{".md"}, func(w io.Writer, e *exhibited) error {
		return export.Markdown(w, e.Model, export.MarkdownBytes)
	}},
	{"json", []string{".json"},
		func(w io.Writer, e *exhibited) error { return report.JSON(w, e.Model.Run) }},
	{"mermaid", []string{".mmd", ".mermaid"},
		func(w io.Writer, e *exhibited) error { return export.Mermaid(w, e.Model) }},
	{"shiviz", []string{".shiviz", ".log"},
		func(w io.Writer, e *exhibited) error { return export.ShiViz(w, e.Model) }},
	{"chrome", []string{".trace"},
		func(w io.Writer, e *exhibited) error { return export.ChromeTrace(w, e.Model) }},
	{"junit", []string{".xml"},
		func(w io.Writer, e *exhibited) error { return ci.JUnit(w, e.suite()) }},
	{"sarif", []string{".sarif"},
		func(w io.Writer, e *exhibited) error { return ci.SARIF(w, e.suite()) }},
}

// suite is the run as the only case of a suite: what it breaks is a finding, whether or not the
// scenario expects it.
func (e *exhibited) suite() *ci.Suite {
	r := e.Model.Run
	c := ci.Case{Name: e.Name, Variant: e.Variant, Protocol: e.Protocol, File: e.file, Line: e.line,
		Verdict: e.Verdict, Expected: e.Verdict == spec.Holds, Violation: r.Violation,
		Property: r.Property, Quote: e.Quote, Run: r, Figures: e.Scope, Command: r.Command}
	if c.Why = e.Answer; r.Violation != nil {
		c.Why = fmt.Sprintf("%s: %s", r.Violation.Property, r.Violation.Message)
	}
	return &ci.Suite{Tool: self(), Version: e.Version, Command: "report", Cases: []ci.Case{c}}
}
