package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// Schema names the form of what JSON writes. A field may be added without a new number; one that
// goes or means something else makes a new one.
const Schema = "domino/run/2"

// jsonProperty is a property as data.
type jsonProperty struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Doc    string `json:"doc"`
	Source string `json:"source"`
}

// jsonViolation is the violation with what it is about.
type jsonViolation struct {
	spec.Violation
	About []jsonRef `json:"about"`
}

// jsonRef is a spec.Ref; a proc has no message.
type jsonRef struct {
	Role    spec.Role    `json:"role"`
	Proc    trace.Proc   `json:"proc"`
	Message *trace.MsgID `json:"message,omitempty"`
	Event   int          `json:"event"`
}

// jsonLabel is what the program calls one message.
type jsonLabel struct {
	ID    trace.MsgID `json:"id"`
	Label string      `json:"label"`
}

// jsonStep is one step of the schedule. A change is an object, or a line of text where the run has
// no more.
type jsonStep struct {
	Step    int    `json:"step"`
	Event   string `json:"event"`
	Changes any    `json:"changes,omitempty"`
}

// jsonEvent is one event, and what the model knows of it.
type jsonEvent struct {
	Step        int               `json:"step"`
	Kind        trace.Kind        `json:"kind"`
	Proc        trace.Proc        `json:"proc"`
	Incarnation trace.Incarnation `json:"incarnation"`
	Peer        trace.Proc        `json:"peer"`
	ID          *trace.MsgID      `json:"id,omitempty"`
	Stamp       *trace.Stamp      `json:"stamp,omitempty"`
	Digest      string            `json:"digest,omitempty"`
	Sent        uint32            `json:"sent,omitempty"`
	Received    uint32            `json:"received,omitempty"`
	Again       bool              `json:"again,omitempty"`
	Text        string            `json:"text,omitempty"`
	Life        int               `json:"life"`
	Message     int               `json:"message"`
	Undone      bool              `json:"undone,omitempty"`
	Of          *int              `json:"of,omitempty"` // of what restores a state
	About       []trace.Proc      `json:"about,omitempty"`
	Causes      []int             `json:"causes,omitempty"`
}

// JSON writes the run for programs: an object with the fields schema (the version of this format),
// title, property, violation (both null for a clean run), why (sentences), also (what the run
// breaks beside that), reading, command, layout, lanes, labels, steps, events, messages, lives,
// lines and relevant (see Model for the last ones), always all of them and in this order; each
// step, event and message is one line. Indexes are into events, messages and lives, from 0; -1 is
// Never. Digests are words of 16 hexadecimal digits, and so is every number that a program could
// round, above 2^53; null stands for "no bound". The error is that of the writer, or ErrNoRun for
// a nil run.
func JSON(w io.Writer, r *Run) error {
	if r == nil {
		return ErrNoRun
	}
	b, err := document(Understand(r))
	if err != nil {
		return fmt.Errorf("report: encode the run: %w", err)
	}
	_, err = w.Write(b)
	return err
}

// document is the whole object.
func document(m *Model) ([]byte, error) {
	r := m.Run
	var p *jsonProperty
	if r.Property != nil {
		p = &jsonProperty{Name: r.Property.Name, Kind: r.Property.Kind.String(),
			Doc: r.Property.Doc, Source: r.Property.Source}
	}
	var v *jsonViolation
	if r.Violation != nil {
		v = &jsonViolation{*r.Violation, jsonRefs(m.About)}
	}
	o := object{}
	o.field("schema", Schema)
	o.field("title", r.Title)
	o.field("property", p)
	o.field("violation", v)
	list(&o, "why", m.Why)
	list(&o, "also", r.Also)
	list(&o, "reading", r.Reading)
	o.field("command", r.Command)
	o.field("layout", r.Trace.Layout)
	list(&o, "lanes", m.Lanes)
	list(&o, "labels", jsonLabels(m.Layout))
	list(&o, "steps", jsonSteps(r))
	list(&o, "events", jsonEvents(m))
	list(&o, "messages", m.Messages)
	list(&o, "lives", m.Lives)
	list(&o, "lines", m.Lines)
	o.field("relevant", append([]int{}, m.Relevant...))
	o.b.WriteString("\n}\n")
	return o.b.Bytes(), o.err
}

func jsonRefs(list []spec.Ref) []jsonRef {
	refs := []jsonRef{}
	for _, r := range list {
		refs = append(refs, jsonRef{r.Role, r.Proc, jsonID(r.Message), r.Event})
	}
	return refs
}

// jsonID is nil for no message.
func jsonID(id trace.MsgID) *trace.MsgID {
	if id.IsZero() {
		return nil
	}
	return &id
}

func jsonLabels(l *trace.Layout) (labels []jsonLabel) {
	ids := slices.SortedFunc(maps.Keys(l.Labels), func(a, b trace.MsgID) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Number, b.Number))
	})
	for _, id := range ids {
		labels = append(labels, jsonLabel{ID: id, Label: l.Labels[id]})
	}
	return labels
}

func jsonSteps(r *Run) (steps []jsonStep) {
	for i, s := range r.Steps {
		step := jsonStep{Step: i + 1, Event: s.Event}
		switch {
		case len(s.Diff) > 0:
			step.Changes = s.Diff
		case len(s.Changes) > 0:
			step.Changes = s.Changes
		}
		steps = append(steps, step)
	}
	return steps
}

func jsonEvents(m *Model) (events []jsonEvent) {
	for i := range m.Events {
		e := &m.Events[i]
		x := jsonEvent{Step: e.Step, Kind: e.Kind, Proc: e.Proc, Incarnation: e.Incarnation,
			Peer: e.Peer, ID: jsonID(e.ID), Sent: e.Sent, Received: e.Received, Again: e.Again,
			Text: e.Text, Life: e.Life, Message: e.Message, Undone: e.Undone, About: e.About,
			Causes: m.Causes[i]}
		if e.Stamp != (trace.Stamp{}) {
			x.Stamp = &e.Stamp
		}
		if e.Digest != 0 {
			x.Digest = fmt.Sprintf("%016x", e.Digest)
		}
		if (e.Kind == trace.Restored || e.Kind == trace.Resumed) &&
			m.Lanes[e.Proc].Role == RoleRank {
			x.Of = &e.Of
		}
		events = append(events, x)
	}
	return events
}

// object writes an object field by field. encoding/json would put either all on one line or each
// number of each event on its own.
type object struct {
	b   bytes.Buffer
	n   int
	err error
}

func (o *object) name(name string) {
	if o.n++; o.n == 1 {
		o.b.WriteString("{\n")
	} else {
		o.b.WriteString(",\n")
	}
	fmt.Fprintf(&o.b, "  %q: ", name)
}

func (o *object) field(name string, value any) {
	o.name(name)
	o.value(value)
}

// value writes a value on one line, readable: without the escapes that only HTML needs.
func (o *object) value(value any) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil && o.err == nil {
		o.err = err
	}
	o.b.Write(Exact(bytes.TrimRight(b.Bytes(), "\n")))
}

// list writes an array with one element a line.
func list[T any](o *object, name string, values []T) {
	o.name(name)
	o.b.WriteByte('[')
	for i, v := range values {
		if i > 0 {
			o.b.WriteByte(',')
		}
		o.b.WriteString("\n    ")
		o.value(v)
	}
	if len(values) > 0 {
		o.b.WriteString("\n  ")
	}
	o.b.WriteByte(']')
}
