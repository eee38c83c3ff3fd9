package site

import (
	"fmt"
	"html/template"
	"strings"
)

// The size of a trend, in pixels.
const (
	trendWide = 90.0
	trendHigh = 20.0
)

// trend is the line of the times of a row over the runs with a label, with a dot where the number
// of states is another one than before, and a bar where the verdict is; "" when there is no past.
func trend(past []record, row *Row, labelled bool) template.HTML {
	var list []measure
	for i := range recent(past) {
		if m := recent(past)[i].of(row); m != nil {
			list = append(list, *m)
		}
	}
	if len(list) == 0 {
		return ""
	}
	if labelled {
		list = append(list, measure{Verdict: row.Verdict.String(), States: row.States,
			Seconds: row.Seconds})
	}
	most := 0.0
	for _, m := range list {
		most = max(most, m.Seconds)
	}
	var line, marks strings.Builder
	moved, flips := 0, 0
	for i, m := range list {
		x := 3 + (trendWide-6)*float64(i)/float64(max(1, len(list)-1))
		y := trendHigh - 3
		if most > 0 {
			y -= (trendHigh - 6) * m.Seconds / most
		}
		fmt.Fprintf(&line, "%.1f,%.1f ", x, y)
		if i == 0 {
			continue
		}
		switch before := list[i-1]; {
		case before.Verdict != m.Verdict:
			flips++
			fmt.Fprintf(&marks, `<path class="flip" d="M%.1f 1V%.0f"/>`, x, trendHigh-1)
		case before.States != m.States:
			moved++
			fmt.Fprintf(&marks, `<circle class="moved" cx="%.1f" cy="%.1f" r="2.4"/>`, x, y)
		}
	}
	label := fmt.Sprintf("%s, at most %s", plural(len(list), "run"), seconds(most))
	if moved > 0 {
		label += fmt.Sprintf("; states moved in %d", moved)
	}
	if flips > 0 {
		label += fmt.Sprintf("; verdict changed in %d", flips)
	}
	return template.HTML(fmt.Sprintf(`<svg class="trend" role="img" aria-label="%s" width="%.0f" `+
		`height="%.0f" viewBox="0 0 %.0f %.0f"><title>%s</title><polyline points="%s"/>%s</svg>`,
		label, trendWide, trendHigh, trendWide, trendHigh, label,
		strings.TrimSpace(line.String()), marks.String())) // numbers and words of ours only
}
