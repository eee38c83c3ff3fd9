package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/domino-check/domino/spec/trace"
)

// jsonProperty is a property as data.
type jsonProperty struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Doc    string `json:"doc"`
	Source string `json:"source"`
}

// jsonLabel is what the program calls one message.
type jsonLabel struct {
	ID    trace.MsgID `json:"id"`
	Label string      `json:"label"`
}

// jsonStep is one step of the schedule.
type jsonStep struct {
	Step    int      `json:"step"`
	Event   string   `json:"event"`
	Changes []string `json:"changes,omitempty"`
}

// JSON writes the run for programs: an object with the fields schema (the version of this format),
// title, property, violation (both null for a clean run), also (what the run breaks beside that),
// reading, command, layout, labels, steps and events, always all of them and in this order; each
// step and each event is one line. The error is that of the writer, or ErrNoRun for a nil run.
func JSON(w io.Writer, r *Run) error {
	if r == nil {
		return ErrNoRun
	}
	var p *jsonProperty
	if r.Property != nil {
		p = &jsonProperty{Name: r.Property.Name, Kind: r.Property.Kind.String(),
			Doc: r.Property.Doc, Source: r.Property.Source}
	}
	var labels []jsonLabel
	compare := func(a, b trace.MsgID) int {
		if a.From != b.From {
			return int(a.From) - int(b.From)
		}
		return int(int64(a.Number) - int64(b.Number))
	}
	for _, id := range slices.SortedFunc(maps.Keys(r.Trace.Layout.Labels), compare) {
		labels = append(labels, jsonLabel{ID: id, Label: r.Trace.Layout.Labels[id]})
	}
	var steps []jsonStep
	for i, s := range r.Steps {
		steps = append(steps, jsonStep{Step: i + 1, Event: s.Event, Changes: s.Changes})
	}
	var b bytes.Buffer
	d := document{b: &b}
	d.field("schema", 1)
	d.field("title", r.Title)
	d.field("property", p)
	d.field("violation", r.Violation)
	list(&d, "also", r.Also)
	list(&d, "reading", r.Reading)
	d.field("command", r.Command)
	d.field("layout", r.Trace.Layout)
	list(&d, "labels", labels)
	list(&d, "steps", steps)
	list(&d, "events", r.Trace.Events)
	b.WriteString("\n}\n")
	if d.err != nil {
		return fmt.Errorf("report: encode the run: %w", d.err)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// document writes an object field by field. encoding/json would put either all on one line or each
// number of each event on its own.
type document struct {
	b   *bytes.Buffer
	n   int
	err error
}

func (d *document) name(name string) {
	if d.n++; d.n == 1 {
		d.b.WriteString("{\n")
	} else {
		d.b.WriteString(",\n")
	}
	fmt.Fprintf(d.b, "  %q: ", name)
}

func (d *document) field(name string, value any) {
	d.name(name)
	d.value(value)
}

// value writes a value on one line, readable: without the escapes that only HTML needs.
func (d *document) value(value any) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil && d.err == nil {
		d.err = err
	}
	d.b.Write(bytes.TrimRight(b.Bytes(), "\n"))
}

// list writes an array with one element a line.
func list[T any](d *document, name string, values []T) {
	d.name(name)
	d.b.WriteByte('[')
	for i, v := range values {
		if i > 0 {
			d.b.WriteByte(',')
		}
		d.b.WriteString("\n    ")
		d.value(v)
	}
	if len(values) > 0 {
		d.b.WriteString("\n  ")
	}
	d.b.WriteByte(']')
}
