// Package report turns one run into text that a person can follow, and into JSON for programs. What
// it understands of a run (lives, messages, recovery lines, causes) is a Model, which other
// renderers draw from.
//
// The text has a space-time diagram: a column for each proc, time downwards, a message as an arrow
// on the row where the program receives it, and at the left the steps that the row covers, from the
// send to the delivery. A message is one arrow if drawing its send, its arrival and its delivery on
// one row changes the order of nothing that a reader goes by: what either end does in between,
// other messages of the channel, crashes and restarts. Otherwise the send and the delivery have
// marks of their own. The end of a program is drawn as late as possible, so that several ends share
// a row. So rows are in the order of the run for each proc and for crashes and restarts, while
// events that have nothing to do with each other may change places.
//
// The package judges nothing: it draws what the trace says, and marks two things that it finds
// itself, messages that do not arrive and orphans. It takes any trace; what does not fit (an
// arrival without a send, an unknown proc) is drawn alone.
package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// Run is one run to report. Every field may be zero. It is read, never changed.
type Run struct {
	Title    string         // scenario name and what it is about
	Property *spec.Property // the broken one, nil when none is
	// nil when the run is clean; Step 0 means that the end of the run breaks the property
	Violation *spec.Violation
	About     []spec.Ref       // what it is about; nil: what its message names is looked for
	Why       []string         // sentences that explain it, beside those that the trace gives
	Also      []spec.Violation // what the run breaks beside it, the deepest first
	Trace     trace.Trace
	// one per schedule step, in order; nil lists the events of the trace instead, empty lists
	// nothing
	Steps []Step
	Waits []Wait // of a run that is stuck: who waits for what at its end
	// before the first step: only State and Locals are set
	Start Step
	// paragraphs on how to read it, e.g. what the paper prints and what the repair does
	Reading []string
	Command string // the shell command that replays it
	// what was searched for it, and beside it: the repaired protocol at the same scope
	Scope []Search
}

// Search is what one search has said, and how far that goes.
type Search struct {
	Variant string `json:"variant"`
	Verdict string `json:"verdict"`
	Bounds  string `json:"bounds"` // within which the verdict holds, in words
	States  int    `json:"states"`
}

// Step is one step of the schedule.
type Step struct {
	Event   string   // its identity in the schedule
	Changes []string // what it changed in local states, as Texts writes it; nil when nothing
	Diff    []Change // the same in whole values; nil where it is not recorded
	// whose write in progress it has torn, so that a damaged record is in stable storage
	Torn []trace.Proc
	// the state behind it by its name, "" where it has none; equal states have equal names
	State string
	// by proc, the local state behind it as JSON; nil where it is not recorded
	Locals []json.RawMessage
	// what could happen in its place, itself included, by name; nil where nobody has asked
	Enabled []string
}

// Options say how Text writes. The zero value is 100 columns of ASCII without colour or control
// messages.
type Options struct {
	// columns, 0 = 100, at least 40; only many procs, and a long Command, make lines longer
	Width   int
	Color   bool // terminal colours
	Unicode bool // box characters instead of ASCII
	Control bool // an arrow also for messages that carry no application message
}

// ErrNoRun is returned when there is nothing to report.
var ErrNoRun = errors.New("report: no run")

// page collects the output.
type page struct {
	Options
	b strings.Builder
}

// Text writes the run for a reader: what is broken, the diagram, the steps, how to replay it. The
// error is that of the writer, or ErrNoRun for a nil run.
func Text(w io.Writer, r *Run, o Options) error {
	if r == nil {
		return ErrNoRun
	}
	if o.Width == 0 {
		o.Width = 100
	}
	o.Width = max(o.Width, 40)
	p := &page{Options: o}
	p.title(r)
	p.verdict(r)
	for _, paragraph := range r.Reading {
		p.paragraph("", paragraph, plain)
		p.blank()
	}
	p.diagram(r)
	p.steps(r)
	if r.Command != "" {
		p.styled("Replay", bold)
		p.styled("  "+clean(r.Command), plain)
	}
	_, err := io.WriteString(w, strings.TrimRight(p.b.String(), "\n")+"\n")
	return err
}

func (p *page) blank() { p.b.WriteByte('\n') }

func (p *page) line(l *line) {
	p.b.WriteString(l.text(p.Color))
	p.b.WriteByte('\n')
}

func (p *page) styled(s string, st style) {
	l := &line{}
	l.put(0, s, st)
	p.line(l)
}

// paragraph wraps a text; the first line starts with the head, the others are indented as far.
func (p *page) paragraph(head, text string, s style) {
	indent := width(head)
	for i, words := range wrap(clean(text), p.Width-indent) {
		l := &line{}
		if i == 0 {
			l.put(0, head, bold)
		}
		l.put(indent, words, s)
		p.line(l)
	}
}

// entries lists words side by side, without a line break inside of one.
func (p *page) entries(indent string, list []string) {
	now := ""
	for i, words := range list {
		if now != "" && width(indent)+width(now)+3+width(words) > p.Width {
			p.styled(indent+now, faint)
			now = ""
		}
		if now != "" {
			now += "   "
		}
		if now += words; i == len(list)-1 {
			p.styled(indent+now, faint)
		}
	}
}

func (p *page) title(r *Run) {
	if r.Title == "" {
		return
	}
	longest := 0
	for _, words := range wrap(clean(r.Title), p.Width) {
		longest = max(longest, width(words))
		p.styled(words, bold)
	}
	p.styled(strings.Repeat("=", longest), faint)
	p.blank()
}

// verdict says what is broken, in the words of the property and of the violation.
func (p *page) verdict(r *Run) {
	const indent = "          "
	v := r.Violation
	switch {
	case v == nil && r.Property == nil:
		p.styled("clean     this run breaks no property", plain)
		p.blank()
		return
	case v == nil:
		p.property("clean     ", good, r.Property.Name, r.Property)
	case r.Property == nil:
		p.property("VIOLATED  ", alarm, v.Property, &spec.Property{})
	default:
		p.property("VIOLATED  ", alarm, v.Property, r.Property)
	}
	if v != nil {
		p.blank()
		p.paragraph(indent, moment(v)+v.Message, plain)
	}
	for i := range r.Also {
		v := &r.Also[i]
		p.paragraph("also      ", v.Property+", "+moment(v)+v.Message, plain)
	}
	p.blank()
}

// moment says where in a run a property is broken.
func moment(v *spec.Violation) string {
	if v.Step > 0 {
		return fmt.Sprintf("step %d: ", v.Step)
	}
	return "at the end of the run: "
}

func (p *page) property(head string, s style, name string, property *spec.Property) {
	l := &line{}
	l.put(0, head, s)
	l.put(width(head), clean(name), bold)
	if property.Source != "" {
		l.put(width(head)+width(clean(name))+2, clean(property.Source), faint)
	}
	p.line(l)
	if property.Doc != "" {
		p.paragraph(strings.Repeat(" ", width(head)), property.Doc, plain)
	}
}

// diagram draws the run.
func (p *page) diagram(r *Run) {
	rows := arrange(r, p.Options)
	g := measure(r, rows, p.Options)
	if len(rows) == 0 || len(g.procs)+len(g.hidden) == 0 {
		p.styled("Nothing happens.", plain)
		p.blank()
		return
	}
	for _, l := range g.header() {
		p.line(l)
	}
	down := map[trace.Proc]bool{}
	p.line(g.lifelines(down))
	above, next := "", 0
	for _, row := range rows {
		for ; next <= row.place.event() && next < len(r.Trace.Events); next++ {
			switch e := r.Trace.Events[next]; e.Kind {
			case trace.Crashed:
				down[e.Proc] = true
			case trace.Restored:
				down[e.Proc] = false
			}
		}
		for _, l := range g.draw(row, above, down) {
			p.line(l)
		}
		above = row.number()
	}
	p.line(g.lifelines(down))
	p.blank()
	p.entries("  ", g.legend(rows))
	if len(g.hidden) > 0 {
		p.paragraph("  ", "not shown, nothing happens there: "+g.absent(), faint)
	}
	p.blank()
}

// mostChanges is how many changes of one proc the text lists for one step; the JSON has them all.
const mostChanges = 12

// steps lists the steps, and under each what it changed.
func (p *page) steps(r *Run) {
	steps := numbered(r)
	if len(steps) == 0 {
		return
	}
	p.styled("Steps", bold)
	digits := 0
	for _, s := range steps {
		digits = max(digits, len(fmt.Sprint(s.number)))
	}
	for _, s := range steps {
		head, text, st := fmt.Sprintf("  %*d  ", digits, s.number), s.Event, plain
		if r.Violation != nil && r.Violation.Step > 0 && r.Violation.Step == s.number {
			text, st = text+"  <== here", alarm
		}
		p.paragraph(head, text, st)
		names, groups := []string{}, map[string][]string{}
		for _, c := range s.Changes {
			name, what, ok := strings.Cut(c, ": ")
			if !ok {
				name, what = "", c
			}
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
			groups[name] = append(groups[name], what)
		}
		for _, name := range names {
			list := groups[name]
			if n := len(list) - mostChanges; n > 1 {
				list = append(list[:mostChanges:mostChanges], fmt.Sprintf("%d more", n))
			}
			p.changes(strings.Repeat(" ", digits+6), name, list)
		}
	}
	p.blank()
}

// changes writes what changed at one proc, separated by semicolons.
func (p *page) changes(indent, name string, list []string) {
	head := indent
	if name != "" {
		head += clean(name) + "  "
	}
	for i, words := range wrap(clean(strings.Join(list, "; ")), p.Width-width(head)) {
		l := &line{}
		if i == 0 {
			l.put(0, head, faint)
		}
		l.put(width(head), words, faint)
		p.line(l)
	}
}

// numberedStep is a step with its number in the trace.
type numberedStep struct {
	Step
	number int
}

// numbered lists the steps of a run. For a trace that came without a schedule they are made of its
// events: the first one of each step number, and the others as what it led to.
func numbered(r *Run) []numberedStep {
	var steps []numberedStep
	for i, s := range r.Steps {
		steps = append(steps, numberedStep{s, i + 1})
	}
	if r.Steps != nil {
		return steps
	}
	for _, e := range r.Trace.Events {
		text := r.Trace.Layout.Name(e.Proc) + " " + r.Trace.Layout.Describe(e)
		if n := len(steps); n > 0 && steps[n-1].number == e.Step {
			steps[n-1].Changes = append(steps[n-1].Changes, text)
			continue
		}
		steps = append(steps, numberedStep{Step{Event: text}, e.Step})
	}
	return steps
}
