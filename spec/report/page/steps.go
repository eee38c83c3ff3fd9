package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/trace"
)

// Steps are there in chunks, so that those of a long run can be unpacked when they are in view.
const (
	chunk    = 64  // steps
	mostRows = 400 // of a page that has them all at once
)

// step is one row of the table.
type step struct {
	Number  int
	Event   string
	Who     string // names of the procs
	Count   int    // of alternatives, 0 = not recorded
	Changes []group
	Bad     bool // it breaks the property
	Mark    bool
	Differs bool // the first one that differs from the repaired protocol
	Watched bool // it has states

	procs []trace.Proc
}

// group is what changes at one proc.
type group struct {
	Proc  string
	Lines []change
}

// change is one difference: a value that was, one that is, or both.
type change struct {
	Path, Old, New string
	Text           string // for what is no difference of two values
}

// steps lists the steps of the schedule; of a run without one, those that its events tell.
func (v *view) steps() (list []*step) {
	m := v.Model
	first := m.Events
	for n := 1; n <= v.Steps; n++ {
		for len(first) > 0 && first[0].Step < n {
			first = first[1:]
		}
		end := 0
		for end < len(first) && first[end].Step == n {
			end++
		}
		s := &step{Number: n, Bad: n == v.HeadStep, Differs: n == v.differ(), Watched: v.HasStates}
		s.fill(m, first[:end])
		if n <= len(v.Alternatives) {
			s.Count = len(v.Alternatives[n-1])
		}
		list = append(list, s)
		first = first[end:]
	}
	return list
}

// fill takes the name of a step, or makes one, and who takes part.
func (s *step) fill(m *report.Model, events []report.Event) {
	if n := s.Number - 1; n < len(m.Run.Steps) {
		s.Event = m.Run.Steps[n].Event
		s.Changes = groups(m.Run.Steps[n].Diff)
	}
	for i := range events {
		e := &events[i]
		s.Mark = s.Mark || isMark(e.Kind)
		if !slices.Contains(s.procs, e.Proc) {
			s.procs = append(s.procs, e.Proc)
		}
		text := m.Layout.Name(e.Proc) + " " + m.Layout.Describe(e.Event)
		switch {
		case m.Run.Steps != nil:
		case s.Event == "":
			s.Event = text
		default:
			s.Changes = append(s.Changes, group{Lines: []change{{Text: text}}})
		}
	}
	if s.procs == nil { // as of a step that only changes a state
		for _, g := range s.Changes {
			if i := slices.Index(m.Layout.Names, g.Proc); i >= 0 {
				s.procs = append(s.procs, trace.Proc(i))
			}
		}
	}
	if s.Event == "" {
		s.Event = "no event"
	}
	s.Who = m.Layout.NamesOf(s.procs)
}

// groups puts changes of one proc together.
func groups(diff []report.Change) (list []group) {
	for _, c := range diff {
		if n := len(list); n == 0 || list[n-1].Proc != c.Proc {
			list = append(list, group{Proc: c.Proc})
		}
		g := &list[len(list)-1]
		g.Lines = append(g.Lines, changed(c))
	}
	return list
}

// changed writes a difference with whole values. A whole state is in the panel.
func changed(c report.Change) change {
	switch c.What {
	case report.Started:
		return change{Text: "starts with a new state"}
	case report.Stopped:
		return change{Text: "loses its state"}
	case report.Added:
		return change{Path: c.Path, New: value(c.After)}
	case report.Removed:
		return change{Path: c.Path, Old: value(c.Before)}
	}
	return change{Path: c.Path, Old: value(c.Before), New: value(c.After)}
}

// noBound is the largest number of 64 bits.
const noBound = "18446744073709551615"

// value writes a value of a state on one line.
func value(v any) string {
	if n, ok := v.(json.Number); ok && n == noBound {
		return "no bound"
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Sprint(v) // it did not come from JSON
	}
	text := strings.TrimSpace(string(report.Exact(b.Bytes())))
	if _, number := v.(json.Number); number {
		return strings.Trim(text, `"`) // a digest
	}
	return text
}

// block is a part of the table.
type block struct {
	Number int
	Rows   int
	HTML   template.HTML // "" where it is packed
}

// block writes the rows, all of them into the page or each part packed.
func (v *view) block(steps []*step) error {
	t, err := template.New("rows").Funcs(template.FuncMap{"words": plainly}).ParseFS(assets,
		"asset/rows.html")
	if err != nil {
		return err
	}
	rows := func(list []*step, again bool) (template.HTML, error) {
		var b bytes.Buffer
		err := t.ExecuteTemplate(&b, "rows.html", struct {
			List      []*step
			HasCounts bool
			From      string // what is different from a step on
			Copy      bool   // the rows are elsewhere, too
		}{list, v.HasCounts, v.from(), again})
		return template.HTML(b.String()), err // escaped by its template
	}
	for list := range slices.Chunk(steps, chunk) {
		part := block{Number: len(v.Blocks), Rows: len(list)}
		if part.HTML, err = rows(list, false); err != nil {
			return err
		}
		if len(steps) > mostRows {
			v.pack(fmt.Sprintf("rows-%d", part.Number), []byte(part.HTML))
			part.HTML = ""
		}
		v.Blocks = append(v.Blocks, part)
	}
	if len(steps) > mostRows {
		v.Excerpt, err = rows(excerpt(steps), true)
	}
	return err
}

// markup are the characters that an element can not have in its text. That of a NUL is as
// html/template has it.
var markup = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\x00", "\ufffd")

// plainly writes a text that stands between tags, never within one. Quotes stay what they are: of
// the states, which are JSON, html/template would make half as much again.
func plainly(text string) template.HTML { return template.HTML(markup.Replace(text)) }

// nearby is how many steps are printed before and behind each mark of a long run.
const nearby = 12

// mostExcerpt is how many steps of a long run are printed.
const mostExcerpt = 600

// excerpt are the steps near marks, and the first and the last ones: what of a long run is printed,
// and what is read where no script runs.
func excerpt(steps []*step) (list []*step) {
	near := make([]bool, len(steps))
	mark := func(i int) {
		for k := max(i-nearby, 0); k < min(i+nearby+1, len(steps)); k++ {
			near[k] = true
		}
	}
	mark(0)
	mark(len(steps) - 1)
	for i, s := range steps {
		if s.Bad || s.Differs || s.Mark {
			mark(i)
		}
	}
	for i, s := range steps {
		if near[i] && len(list) < mostExcerpt {
			list = append(list, s)
		}
	}
	return list
}
