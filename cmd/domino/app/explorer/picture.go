package explorer

import (
	"html"
	"net/http"
	"strings"

	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/report/figure"
)

// shows are what the page may ask a figure to show of protocol messages.
var shows = map[string]figure.Show{"": figure.Relevant, "relevant": figure.Relevant,
	"all": figure.All, "none": figure.None}

// picture draws a run, with its legend below.
func picture(story *report.Run, show string) (string, error) {
	f := figure.Layout(report.Understand(story), figure.Options{Show: shows[show], Width: 620})
	var b strings.Builder
	b.WriteString(`<div class="scroll" tabindex="0">`)
	err := f.SVG(&b)
	b.WriteString(`</div><ul class="legend">`)
	for _, e := range f.Legend() {
		b.WriteString("<li>" + e.SVG + html.EscapeString(e.Words) + "</li>")
	}
	b.WriteString("</ul>")
	return b.String(), err
}

// style sends the style sheet of figures.
func style(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	_, _ = w.Write([]byte(figure.CSS())) // who has asked may be gone
}
