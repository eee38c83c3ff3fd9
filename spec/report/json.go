package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"reflect"
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

// jsonKind is what messages of a kind are for.
type jsonKind struct {
	Kind string     `json:"kind"`
	Role trace.Role `json:"role"`
}

// jsonStep is one step of the schedule. A change is an object, or a line of text where the run has
// no more.
type jsonStep struct {
	Step    int    `json:"step"`
	Event   string `json:"event"`
	Changes any    `json:"changes,omitempty"`
	// whose write in progress it has torn
	Torn  []trace.Proc `json:"torn,omitempty"`
	State string       `json:"state,omitempty"` // the name of the state behind it
	// what could happen in its place, itself included, where that was asked for
	Enabled []string `json:"enabled,omitempty"`
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
	// nanoseconds since the run began, where there was a clock
	At *int64 `json:"at,omitempty"`
}

// Document is what JSON writes.
type Document struct {
	Schema    string           `json:"schema"` // the version of this format
	Title     string           `json:"title"`
	Property  *jsonProperty    `json:"property"`  // the broken one; null for a clean run
	Violation *jsonViolation   `json:"violation"` // null for a clean run
	Why       []Sentence       `json:"why"`       // how it came to the violation
	Also      []spec.Violation `json:"also"`      // what the run breaks beside it
	Reading   []string         `json:"reading"`   // paragraphs on how to read it
	Command   string           `json:"command"`   // the shell command that replays it
	Scope     []Search         `json:"scope"`     // of the searches, that for this run first
	Layout    *trace.Layout    `json:"layout"`
	Lanes     []Lane           `json:"lanes"`    // by proc
	Labels    []jsonLabel      `json:"labels"`   // what the program calls its messages
	Kinds     []jsonKind       `json:"kinds"`    // of the messages of the protocol
	Steps     []jsonStep       `json:"steps"`    // of the schedule
	Events    []jsonEvent      `json:"events"`   // the trace
	Messages  []Message        `json:"messages"` // each copy on the network
	Lives     []Life           `json:"lives"`    // incarnations of procs
	Lines     []Line           `json:"lines"`    // recovery lines
	Waits     []Wait           `json:"waits"`    // at the end of a run that is stuck
	Cycle     []trace.Proc     `json:"cycle"`    // procs, each of which waits for the next one
	Relevant  []int            `json:"relevant"` // protocol messages that explain the violation
}

// JSON writes the run for programs: a Document, always with all fields; each step, event and
// message is one line. Indexes are into events, messages and lives, from 0; -1 is Never. Digests
// are words of 16 hexadecimal digits, and so is every number that a program could round, above
// 2^53; null stands for "no bound". The error is that of the writer, or ErrNoRun for a nil run.
func JSON(w io.Writer, r *Run) error {
	if r == nil {
		return ErrNoRun
	}
	b, err := documentOf(Understand(r)).lines()
	if err != nil {
		return fmt.Errorf("report: encode the run: %w", err)
	}
	_, err = w.Write(b)
	return err
}

func documentOf(m *Model) *Document {
	r := m.Run
	d := &Document{Schema: Schema, Title: r.Title, Why: m.Why, Also: r.Also, Reading: r.Reading,
		Command: r.Command, Scope: r.Scope, Layout: m.Layout,
		Lanes: m.Lanes, Labels: jsonLabels(m.Layout),
		Kinds: jsonKinds(m.Layout),
		Steps: jsonSteps(r), Events: jsonEvents(m), Messages: m.Messages, Lives: m.Lives,
		Lines: m.Lines, Waits: r.Waits, Cycle: m.Cycle, Relevant: m.Relevant}
	if r.Property != nil {
		d.Property = &jsonProperty{Name: r.Property.Name, Kind: r.Property.Kind.String(),
			Doc: r.Property.Doc, Source: r.Property.Source}
	}
	if r.Violation != nil {
		d.Violation = &jsonViolation{*r.Violation, jsonRefs(m.About)}
	}
	return d
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

func jsonKinds(l *trace.Layout) (kinds []jsonKind) {
	for _, kind := range slices.Sorted(maps.Keys(l.Roles)) {
		kinds = append(kinds, jsonKind{kind, l.Roles[kind]})
	}
	return kinds
}

func jsonSteps(r *Run) (steps []jsonStep) {
	for i, s := range r.Steps {
		step := jsonStep{Step: i + 1, Event: s.Event, Torn: s.Torn, State: s.State,
			Enabled: s.Enabled}
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
		if e.At != never {
			x.At = &e.At
		}
		events = append(events, x)
	}
	return events
}

// lines are the fields, one a line, and of arrays each element. encoding/json would put either all
// on one line or each number of each event on its own.
func (d *Document) lines() ([]byte, error) {
	var b bytes.Buffer
	fields := reflect.ValueOf(d).Elem()
	for i := range fields.NumField() {
		b.WriteString(map[bool]string{true: "{\n", false: ",\n"}[i == 0])
		fmt.Fprintf(&b, "  %q: ", fields.Type().Field(i).Tag.Get("json"))
		v := fields.Field(i)
		if v.Kind() != reflect.Slice {
			if err := value(&b, v.Interface()); err != nil {
				return nil, err
			}
			continue
		}
		b.WriteByte('[')
		for k := range v.Len() {
			b.WriteString(map[bool]string{true: "\n    ", false: ",\n    "}[k == 0])
			if err := value(&b, v.Index(k).Interface()); err != nil {
				return nil, err
			}
		}
		b.WriteString(map[bool]string{true: "]", false: "\n  ]"}[v.Len() == 0])
	}
	b.WriteString("\n}\n")
	return b.Bytes(), nil
}

// value writes a value on one line, readable: without the escapes that only HTML needs.
func value(out *bytes.Buffer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	out.Write(Exact(bytes.TrimRight(b.Bytes(), "\n")))
	return nil
}
