package ci

import (
	"fmt"
	"io"
	"strings"

	"github.com/domino-check/domino/spec/report/markdown"
)

// The room that GitHub has for a summary of a step, and for a comment, in bytes.
const (
	SummaryBytes = 1 << 20
	CommentBytes = 1 << 16
)

// section is one finding: what is always said, and the run in forms that take less and less room.
type section struct {
	head         string
	short, whole string // the run, without what changes in local states and with it
	tail         string // what is shown of it, at first why it is not there
}

// Summary writes the suite as Markdown of at most so many bytes: how many are as expected, each
// finding with its run, then a table of all. Where there is too little room the table goes first,
// then what changes in local states, then runs, then the last findings, whose number is said; never
// the counts.
func Summary(w io.Writer, s *Suite, most int) error {
	head := s.headline()
	var sections []section
	for _, o := range []outcome{failed, erred, undecided, skipped} {
		for i := range s.Cases {
			if c := &s.Cases[i]; c.outcome() == o {
				sections = append(sections, sectionOf(c))
			}
		}
	}
	const reserve = 200 // for what says that something is left out
	room := most - len(head) - reserve
	shown := 0
	for ; shown < len(sections); shown++ {
		cost := len(sections[shown].head) + len(sections[shown].tail)
		if room < cost {
			break
		}
		room -= cost
	}
	room = chooseRuns(sections[:shown], room)
	var b strings.Builder
	b.WriteString(head)
	for _, f := range sections[:shown] {
		b.WriteString(f.head)
		b.WriteString(f.tail)
	}
	if left := len(sections) - shown; left > 0 {
		fmt.Fprintf(&b, "and %d more, for which there is no room here.\n\n", left)
	}
	if table := s.table(); shown == len(sections) && len(table) <= room {
		b.WriteString(table)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// chooseRuns gives as many findings as there is room for their runs, then, if all have one, as many
// the whole run. It returns what room is left.
func chooseRuns(sections []section, room int) int {
	all := true
	for _, form := range []func(*section) string{
		func(f *section) string { return f.short }, func(f *section) string { return f.whole }} {
		for i := range sections {
			f := &sections[i]
			text := form(f)
			if extra := len(text) - len(f.tail); text == "" {
				continue
			} else if extra > room {
				all = false
				break
			} else {
				f.tail, room = text, room-extra
			}
		}
		if !all {
			break
		}
	}
	return room
}

// headline says how many cases came out how.
func (s *Suite) headline() string {
	n := s.count()
	title := "all as expected"
	if bad := n[failed] + n[erred] + n[undecided] + n[skipped]; bad > 0 {
		title = fmt.Sprintf("%d of %d not as expected", bad, len(s.Cases))
	}
	text := fmt.Sprintf("## %s: %s\n\n%d as expected, %d not, %d not decided, %d not judged",
		markdown.Line(s.Tool+" "+s.Command), title, n[passed], n[failed], n[undecided], n[skipped])
	if n[erred] > 0 {
		text += fmt.Sprintf(", %d ended in an error", n[erred])
	}
	return text + fmt.Sprintf(". %.1f s.\n\n", s.seconds())
}

// longest is how much of one message or quote a summary shows, in bytes.
const longest = 2000

// sectionOf is what the summary says of one case.
func sectionOf(c *Case) (f section) {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n\n", markdown.Line(clip(c.title(), longest)))
	if c.outcome() != skipped || !c.Sampled {
		fmt.Fprintf(&b, "**%s**\n\n", markdown.Line(clip(c.message(), longest)))
	}
	if p := c.property(); c.Violation != nil && p.Doc != "" {
		fmt.Fprintf(&b, "> %s %s\n\n", markdown.Line(p.Doc), markdown.Line(p.Source))
	}
	if c.Quote != "" {
		fmt.Fprintf(&b, "The paper prints: %s\n\n", markdown.Line(clip(c.Quote, longest)))
	}
	if words := c.figures(); words != "" {
		fmt.Fprintf(&b, "%s\n\n", markdown.Line(clip(words, longest)))
	}
	if c.Command != "" {
		fmt.Fprintf(&b, "Repeat it: %s\n\n", markdown.Span(c.Command))
	}
	f.head = b.String()
	if c.Run == nil {
		return f
	}
	f.tail = "The run is left out here, there is no room for it.\n\n"
	form := func(changes bool) string {
		return "<details><summary>The run</summary>\n\n" + markdown.Block("text", c.text(changes)) +
			"\n</details>\n\n"
	}
	f.short, f.whole = form(false), form(true)
	return f
}

// figures are the protocol and the figures on one line.
func (c *Case) figures() string {
	words := strings.Join(c.Figures, "; ")
	if c.Protocol == "" || words == "" {
		return c.Protocol + words
	}
	return c.Protocol + ": " + words
}

// table lists all cases.
func (s *Suite) table() string {
	if len(s.Cases) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<details><summary>All %d</summary>\n\n", len(s.Cases))
	b.WriteString("| | name | protocol | verdict | seconds | |\n|---|---|---|---|--:|---|\n")
	marks := [...]string{failed: "!", erred: "!", undecided: "?", skipped: "-", passed: ""}
	for i := range s.Cases {
		c := &s.Cases[i]
		verdict := c.Verdict.String()
		if c.Failed {
			verdict = "error"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %.3f | %s |\n", marks[c.outcome()],
			markdown.Line(c.name()), markdown.Line(c.Protocol), verdict, c.Seconds,
			markdown.Line(strings.Join(c.Figures, "; ")))
	}
	b.WriteString("\n</details>\n")
	return b.String()
}
