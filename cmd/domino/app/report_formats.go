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
	page    bool // it has all that a page has, not only the run
}

// formats are all, that of a command without flags first.
var formats = []format{
	{name: "html", endings: []string{".html", ".htm"},
		write: func(w io.Writer, e *exhibited) error { return page.Write(w, e.Page) }, page: true},
	{name: "svg", endings: []string{".svg"}, write: func(w io.Writer, e *exhibited) error {
		return figure.Layout(e.Model, figure.Options{}).Document(w)
	}},
	{name: "txt", endings: []string{".txt"}, write: func(w io.Writer, e *exhibited) error {
		return report.Text(w, e.Model.Run, report.Options{})
	}},
	{name: "md", endings: []string{".md"}, write: func(w io.Writer, e *exhibited) error {
		return export.Markdown(w, e.Model, export.MarkdownBytes)
	}},
	{name: "json", endings: []string{".json"},
		write: func(w io.Writer, e *exhibited) error { return report.JSON(w, e.Model.Run) }},
	{name: "mermaid", endings: []string{".mmd", ".mermaid"},
		write: func(w io.Writer, e *exhibited) error { return export.Mermaid(w, e.Model) }},
	{name: "shiviz", endings: []string{".shiviz", ".log"},
		write: func(w io.Writer, e *exhibited) error { return export.ShiViz(w, e.Model) }},
	{name: "chrome", endings: []string{".trace"},
		write: func(w io.Writer, e *exhibited) error { return export.ChromeTrace(w, e.Model) }},
	{name: "junit", endings: []string{".xml"},
		write: func(w io.Writer, e *exhibited) error { return ci.JUnit(w, e.suite()) }},
	{name: "sarif", endings: []string{".sarif"},
		write: func(w io.Writer, e *exhibited) error { return ci.SARIF(w, e.suite()) }},
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
