package export

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/trace"
)

// ShiVizExpression is the regular expression by which ShiViz reads what ShiViz writes.
const ShiVizExpression = `(?<host>\S+) (?<clock>\{.*\})\n(?<event>.*)`

// ShiViz writes the run as a log for ShiViz: on the first line the expression by which it is read,
// then an empty one, since there is one execution, then two lines for each event, who and its
// vector clock, and what. A clock has an entry for each proc, over all of its lives: a host of
// ShiViz has one.
func ShiViz(w io.Writer, m *report.Model) error {
	hosts := hostNames(m)
	clocks := map[trace.Proc]map[string]int{}
	sent := map[int]map[string]int{} // by event: the clock of what was emitted there
	var b strings.Builder
	b.WriteString(ShiVizExpression + "\n\n")
	for i, e := range m.Events {
		name := hosts[e.Proc]
		clock := clocks[e.Proc]
		if clock == nil {
			clock = map[string]int{}
			clocks[e.Proc] = clock
		}
		clock[name]++
		if e.Message != report.Never {
			if f := &m.Messages[e.Message]; i == f.Arrived && f.Sent != report.Never {
				for host, n := range sent[f.Sent] {
					clock[host] = max(clock[host], n)
				}
			}
		}
		if e.Kind == trace.Emitted {
			copied := make(map[string]int, len(clock))
			for host, n := range clock {
				copied[host] = n
			}
			sent[i] = copied
		}
		text, err := json.Marshal(clock) // with sorted keys
		if err != nil {
			return fmt.Errorf("export: encode a clock: %w", err)
		}
		fmt.Fprintf(&b, "%s %s\n%s\n", name, text, line(fmt.Sprintf("step %d: %s", e.Step,
			m.Layout.Describe(e.Event))))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// hostNames are the names of procs without space and of no two the same.
func hostNames(m *report.Model) map[trace.Proc]string {
	names, taken := map[trace.Proc]string{}, map[string]bool{}
	name := func(p trace.Proc) {
		if _, ok := names[p]; ok {
			return
		}
		text := strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) || !unicode.IsPrint(r) || r == '"' || r == '\\' {
				return '_'
			}
			return r
		}, strings.ToValidUTF8(m.Layout.Name(p), "_"))
		for text == "" || taken[text] {
			text += fmt.Sprintf("#%d", p)
		}
		names[p], taken[text] = text, true
	}
	for _, l := range m.Lanes {
		name(l.Proc)
	}
	for _, e := range m.Events {
		name(e.Proc)
	}
	return names
}

// line is text on one line, without characters that are not shown.
func line(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}
