package explorer

import (
	"html"
	"strings"

	"github.com/domino-check/domino/spec/report"
)

// picture draws a run.
func picture(story *report.Run, show string) (string, error) {
	var b strings.Builder
	err := report.Text(&b, &report.Run{Trace: story.Trace, Steps: []report.Step{},
		Violation: story.Violation, Property: story.Property},
		report.Options{Unicode: true, Control: show == "all"})
	return "<pre>" + html.EscapeString(b.String()) + "</pre>", err
}
