package export

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/trace"
)

// sketch collects a sequence diagram.
type sketch struct {
	*report.Model
	items []item
	drawn int // messages
}

// item is what a line of the diagram shows, at an event.
type item struct {
	event int
	text  string
	procs []trace.Proc
}

// Mermaid writes the run as a sequence diagram of Mermaid: a box is a cluster, a note a crash, a
// restart, a checkpoint or a recovery line, a shaded part one in which somebody does what a restart
// undoes. Shown are application messages, and the protocol messages without which the violation can
// not be followed. An arrow goes across where it is received, unless something else happens to
// either end meanwhile: then it leaves where it is sent, and a note says where it is received.
func Mermaid(w io.Writer, m *report.Model) error {
	_, err := io.WriteString(w, draw(m).text())
	return err
}

// draw collects the items in their order.
func draw(m *report.Model) *sketch {
	s := &sketch{Model: m}
	s.marks()
	s.lines()
	s.messages()
	if v := m.Run.Violation; v != nil {
		at := len(m.Events)
		var procs []trace.Proc
		for _, i := range m.Accused() {
			at = i
			procs = append(procs, m.Events[i].Proc)
		}
		if procs == nil {
			procs = s.shown()
		}
		s.note(at, procs, fmt.Sprintf("breaks %s: %s", v.Property, v.Message))
	}
	slices.SortStableFunc(s.items, func(a, b item) int { return a.event - b.event })
	return s
}

// note adds a note over some procs.
func (s *sketch) note(event int, procs []trace.Proc, text string) {
	if len(procs) == 0 {
		return
	}
	over := []trace.Proc{slices.Min(procs)}
	if last := slices.Max(procs); last != over[0] {
		over = append(over, last)
	}
	s.items = append(s.items, item{event, fmt.Sprintf("Note over %s: %s", names(over), quote(text)),
		procs})
}

// names are those of participants, by number: names of procs may be anything.
func names(procs []trace.Proc) string {
	var list []string
	for _, p := range procs {
		list = append(list, fmt.Sprintf("p%d", p))
	}
	return strings.Join(list, ",")
}

// marks adds what the environment does, and what the program leaves behind.
func (s *sketch) marks() {
	for i, e := range s.Events {
		var text string
		switch e.Kind {
		case trace.Crashed:
			text = "crash"
		case trace.Restored, trace.Resumed:
			text = fmt.Sprintf("restart, life %d, %s", e.Incarnation, s.from(&e))
		case trace.Committed:
			text = "checkpoint"
		case trace.Halted, trace.Decided, trace.Released:
			text = s.Layout.Describe(e.Event)
		default:
			if slices.Contains(s.Silent, i) {
				text = s.Layout.Label(e.ID) + " held back"
			}
		}
		if text != "" {
			s.note(i, []trace.Proc{e.Proc}, fmt.Sprintf("step %d: %s", e.Step, text))
		}
	}
	for _, l := range s.Lives {
		if l.UndoneFrom != report.Never {
			s.note(l.UndoneFrom, []trace.Proc{l.Proc}, "undone from here to the crash")
		}
	}
}

// from says what a restart restores.
func (s *sketch) from(e *report.Event) string {
	if e.Sent == 0 && e.Received == 0 {
		return "from the start"
	}
	return fmt.Sprintf("at %d sent, %d delivered", e.Sent, e.Received)
}

// lines adds a note for each recovery line of several procs, where it is complete.
func (s *sketch) lines() {
	for _, l := range s.Lines {
		if len(l.Procs) > 1 && len(l.At) > 0 {
			s.note(slices.Max(l.At), l.Procs, "recovery line")
		}
	}
}

// messages adds arrows, and notes where one arrow can not say it.
func (s *sketch) messages() {
	relevant := map[int]bool{}
	for _, i := range s.Relevant {
		relevant[i] = true
	}
	var list []*report.Message
	for i := range s.Messages {
		if m := &s.Messages[i]; m.App() || relevant[i] {
			list = append(list, m)
		}
	}
	busy := map[trace.Proc][]int{} // the events at which something of a proc is shown
	for _, m := range list {
		for p, at := range map[trace.Proc][]int{m.From: {m.Sent}, m.To: {m.Arrived, m.Taken()}} {
			busy[p] = append(busy[p], at...)
		}
	}
	for _, i := range s.items {
		for _, p := range i.procs {
			busy[p] = append(busy[p], i.event)
		}
	}
	s.drawn = len(list)
	for _, m := range list {
		s.message(m, busy)
	}
}

// message adds one message.
func (s *sketch) message(m *report.Message, busy map[trace.Proc][]int) {
	leaves, ends := m.Sent, max(m.Arrived, m.Taken())
	label := m.Name()
	if m.Again {
		label += " again"
	}
	if m.Copy {
		label += " (a copy)"
	}
	add := func(event int, arrow, label string) {
		s.items = append(s.items, item{event, fmt.Sprintf("p%d%sp%d: %s", m.From, arrow, m.To,
			quote(label)), []trace.Proc{m.From, m.To}})
	}
	line := "-"
	if !m.App() {
		line = "--"
	}
	switch {
	case ends == report.Never && leaves == report.Never:
	case ends == report.Never:
		arrow, what := line+")", ", on its way"
		if m.Fate == report.Lost {
			arrow, what = line+"x", ", lost"
		}
		if m.Why != "" {
			what += ": " + m.Why
		}
		add(leaves, arrow, fmt.Sprintf("%s (step %d)%s", label, s.Events[leaves].Step, what))
	case leaves == report.Never || !s.between(busy[m.From], leaves, ends) &&
		!s.between(busy[m.To], leaves, min(ends, max(m.Arrived, leaves))):
		add(ends, line+">>", s.taken(m, label, ends))
	default:
		add(leaves, line+")", fmt.Sprintf("%s (step %d)", label, s.Events[leaves].Step))
		s.note(ends, []trace.Proc{m.To}, "receives "+s.taken(m, label, ends))
	}
}

// taken is a message where it ends.
func (s *sketch) taken(m *report.Message, label string, ends int) string {
	text := fmt.Sprintf("%s (step %d)", label, s.Events[ends].Step)
	if m.Fate == report.Dropped {
		text += ", dropped"
		if m.Why != "" {
			text += ": " + m.Why
		}
	}
	if len(m.Orphan) > 0 {
		text += ", orphan"
	}
	return text
}

// between reports whether something is shown strictly between two events.
func (s *sketch) between(events []int, from, to int) bool {
	return slices.ContainsFunc(events, func(i int) bool { return from < i && i < to })
}

// shown are the procs that have a participant.
func (s *sketch) shown() (list []trace.Proc) {
	for _, l := range s.Lanes {
		if !l.Idle {
			list = append(list, l.Proc)
		}
	}
	return list
}

// text is the diagram.
func (s *sketch) text() string {
	var b strings.Builder
	b.WriteString("sequenceDiagram\n")
	s.participants(&b)
	starts, ends := s.undone()
	indent := "  "
	for i, it := range s.items {
		if starts[i] {
			b.WriteString(indent + "rect rgba(128, 128, 128, 0.15)\n")
			indent += "  "
		}
		b.WriteString(indent + it.text + "\n")
		if ends[i] {
			indent = indent[2:]
			b.WriteString(indent + "end\n")
		}
	}
	return b.String()
}

// participants declares the procs that do something, those of a cluster in a box. Whoever only an
// arrow names declares itself.
func (s *sketch) participants(b *strings.Builder) {
	declare := func(l *report.Lane, indent string) {
		name := l.Name
		if name == "" {
			name = fmt.Sprint(l.Proc)
		}
		fmt.Fprintf(b, "%sparticipant p%d as %s\n", indent, l.Proc, quote(name))
	}
	done := map[int]bool{}
	for i := range s.Lanes {
		l := &s.Lanes[i]
		if l.Idle || l.Cluster >= 0 && done[l.Cluster] {
			continue
		}
		var box []*report.Lane
		for k := range s.Lanes {
			if o := &s.Lanes[k]; l.Cluster >= 0 && o.Cluster == l.Cluster && !o.Idle {
				box = append(box, o)
			}
		}
		if len(box) < 2 {
			declare(l, "  ")
			continue
		}
		done[l.Cluster] = true
		fmt.Fprintf(b, "  box transparent cluster %d\n", l.Cluster+1)
		for _, o := range box {
			declare(o, "    ")
		}
		b.WriteString("  end\n")
	}
}

// undone are the items at which a shaded part begins and ends. Parts that overlap are one, since
// parts of Mermaid go across all procs.
func (s *sketch) undone() (starts, ends map[int]bool) {
	starts, ends = map[int]bool{}, map[int]bool{}
	inside := make([]bool, len(s.items))
	for _, l := range s.Lives {
		if l.UndoneFrom == report.Never {
			continue
		}
		until := l.To
		if until == report.Never {
			until = len(s.Events)
		}
		for i, it := range s.items {
			inside[i] = inside[i] || l.UndoneFrom <= it.event && it.event <= until
		}
	}
	for i := range inside {
		starts[i] = inside[i] && (i == 0 || !inside[i-1])
		ends[i] = inside[i] && (i == len(inside)-1 || !inside[i+1])
	}
	return starts, ends
}

// quote is text in a diagram, on one line: what may mean something to Mermaid is written as a
// number.
func quote(text string) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(text, "\uFFFD") {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" .,_()+:/=-", r):
			b.WriteRune(r)
		case unicode.IsPrint(r):
			fmt.Fprintf(&b, "#%d;", r)
		default:
			b.WriteByte(' ')
		}
	}
	return b.String()
}
