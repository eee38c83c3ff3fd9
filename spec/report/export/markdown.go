package export

import (
	"fmt"
	"io"
	"strings"

	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/report/markdown"
)

// MostMessages is how many messages a diagram of Mermaid in Markdown shows: beyond, nobody can read
// it, and the diagram in characters takes its place.
const MostMessages = 60

// MarkdownBytes is how long a text in Markdown is at most that GitHub takes as a summary.
const MarkdownBytes = 1 << 20

// Markdown writes the run as Markdown of at most so many bytes: the verdict, why it came to it, a
// diagram, and the steps with what they change. Where there is too little room the changes go
// first, then the steps, then the diagram; never the verdict.
func Markdown(w io.Writer, m *report.Model, most int) error {
	head, tail := verdict(m), replay(m)
	room := most - len(head) - len(tail)
	middle := ""
	for _, part := range []string{diagram(m),
		"The diagram is left out, there is no room for it.\n\n"} {
		if len(part) <= room {
			middle, room = part, room-len(part)
			break
		}
	}
	for _, part := range []string{steps(m, true), steps(m, false),
		"The steps are left out, there is no room for them.\n\n"} {
		if len(part) <= room {
			middle += part
			break
		}
	}
	_, err := io.WriteString(w, head+middle+tail)
	return err
}

// verdict is what is said first, and why.
func verdict(m *report.Model) string {
	var b strings.Builder
	r := m.Run
	if r.Title != "" {
		fmt.Fprintf(&b, "## %s\n\n", markdown.Line(r.Title))
	}
	switch v := r.Violation; {
	case v == nil:
		b.WriteString("This run breaks no property.\n\n")
	case v.Step > 0:
		fmt.Fprintf(&b, "**breaks %s in step %d: %s**\n\n", markdown.Line(v.Property), v.Step,
			markdown.Line(v.Message))
	default:
		fmt.Fprintf(&b, "**breaks %s at the end of the run: %s**\n\n", markdown.Line(v.Property),
			markdown.Line(v.Message))
	}
	if p := r.Property; p != nil {
		fmt.Fprintf(&b, "> %s %s\n\n", markdown.Line(p.Doc), markdown.Line(p.Source))
	}
	for i, s := range m.Why {
		fmt.Fprintf(&b, "%d. %s\n", i+1, markdown.Line(s.Text))
	}
	if len(m.Why) > 0 {
		b.WriteByte('\n')
	}
	for _, v := range r.Also {
		fmt.Fprintf(&b, "- also %s: %s\n", markdown.Line(v.Property), markdown.Line(v.Message))
	}
	if len(r.Also) > 0 {
		b.WriteByte('\n')
	}
	for _, text := range r.Reading {
		fmt.Fprintf(&b, "%s\n\n", markdown.Line(text))
	}
	return b.String()
}

// diagram is the one that can be read.
func diagram(m *report.Model) string {
	if s := draw(m); s.drawn <= MostMessages && len(m.Events) > 0 {
		return markdown.Block("mermaid", s.text()) + "\n"
	}
	run := *m.Run
	run.Title, run.Property, run.Violation, run.Also, run.Reading, run.Command = "", nil, nil, nil,
		nil, ""
	run.Steps = []report.Step{}
	var b strings.Builder
	if err := report.Text(&b, &run, report.Options{}); err != nil {
		return fmt.Sprintf("The run can not be drawn: %s\n\n", markdown.Line(err.Error()))
	}
	_, text, _ := strings.Cut(b.String(), "\n\n") // behind the verdict, which is said above
	return markdown.Block("text", text) + "\n"
}

// steps lists the steps in a block that is closed at first.
func steps(m *report.Model, changes bool) string {
	if len(m.Run.Steps) == 0 {
		return ""
	}
	var b strings.Builder
	for i, s := range m.Run.Steps {
		fmt.Fprintf(&b, "%d  %s", i+1, line(s.Event))
		if v := m.Run.Violation; v != nil && v.Step == i+1 {
			b.WriteString("  <== here")
		}
		b.WriteByte('\n')
		if changes {
			for _, c := range s.Changes {
				fmt.Fprintf(&b, "     %s\n", line(c))
			}
		}
	}
	return fmt.Sprintf("<details><summary>%d steps</summary>\n\n%s\n</details>\n\n",
		len(m.Run.Steps), markdown.Block("text", b.String()))
}

// replay is the command that shows the run again.
func replay(m *report.Model) string {
	if m.Run.Command == "" {
		return ""
	}
	return "Repeat it: " + markdown.Span(m.Run.Command) + "\n"
}
