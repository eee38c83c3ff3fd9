package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// ErrSchema is returned for a document that JSON has not written, or not in this version.
var ErrSchema = errors.New("it is no run of schema " + Schema)

// reading is what is read of a Document.
type reading struct {
	Schema, Title, Command string
	Property               *struct{ Name, Kind, Doc, Source string }
	Violation              *jsonViolation
	Why                    []Sentence
	Also                   []spec.Violation
	Reading                []string
	Scope                  []Search
	Layout                 *trace.Layout
	Lanes                  []Lane
	Labels                 []jsonLabel
	Kinds                  []jsonKind
	Waits                  []struct {
		Wait
		Since *int `json:"since"`
	}
	Steps []struct {
		Event, State string
		Changes      json.RawMessage
		Torn         []trace.Proc
		Enabled      []string
	}
	Events []struct {
		jsonEvent
		Stamp map[string]json.RawMessage `json:"stamp"`
	}
}

// Read reads a run that JSON has written. What a model has beside the run is made again, so it does
// not matter what the document says of it. Numbers of changes stay as they are written.
func Read(r io.Reader) (*Run, error) {
	var d reading
	decoder := json.NewDecoder(r)
	err := decoder.Decode(&d)
	switch {
	case errors.Is(err, io.EOF):
		return nil, fmt.Errorf("report: %w: it is empty", ErrSchema)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fmt.Errorf("report: %w: it is cut off", ErrSchema)
	case err != nil:
		return nil, fmt.Errorf("report: %w: %w", ErrSchema, err)
	case d.Schema != Schema:
		return nil, fmt.Errorf("report: %w, but %q", ErrSchema, d.Schema)
	case d.Layout == nil:
		return nil, fmt.Errorf("report: %w: it does not say of which procs", ErrSchema)
	}
	run := &Run{Title: d.Title, Also: d.Also, Reading: d.Reading, Command: d.Command,
		Scope: d.Scope}
	for _, s := range d.Why {
		if s.Event != never {
			break // from here on they follow from the trace
		}
		run.Why = append(run.Why, s.Text)
	}
	if p := d.Property; p != nil {
		run.Property = &spec.Property{Name: p.Name, Doc: p.Doc, Source: p.Source,
			Kind: kindOf(p.Kind)}
	}
	if v := d.Violation; v != nil {
		run.Violation = &v.Violation
		for _, r := range v.About {
			ref := spec.Ref{Role: r.Role, Proc: r.Proc, Event: r.Event}
			if r.Message != nil {
				ref.Message = *r.Message
			}
			run.About = append(run.About, ref)
		}
	}
	run.Waits = d.waits()
	for i, s := range d.Steps {
		step := Step{Event: s.Event, State: s.State, Torn: s.Torn, Enabled: s.Enabled}
		if err := step.read(s.Changes); err != nil {
			return nil, fmt.Errorf("report: changes of step %d: %w", i+1, err)
		}
		run.Steps = append(run.Steps, step)
	}
	run.Trace.Layout = *d.Layout
	d.layout(&run.Trace.Layout)
	if run.Trace.Events, err = d.events(); err != nil {
		return nil, err
	}
	run.Trace.At = d.times()
	if err := inSteps(run); err != nil {
		return nil, err
	}
	return run, nil
}

// mostSteps is the last step that a run without a schedule may have: a page has a row for each.
const mostSteps = 1 << 20

// inSteps finds what is said to be in a step that the run has not; 0 is before the first one, or
// the end of the run.
func inSteps(run *Run) error {
	most := len(run.Steps)
	if most == 0 {
		most = max(mostSteps, len(run.Trace.Events))
	}
	wrong := func(what string, step int) error {
		return fmt.Errorf("report: %s is in step %d, want one in [0, %d]", what, step, most)
	}
	for i := range run.Trace.Events {
		if s := run.Trace.Events[i].Step; s < 0 || s > most {
			return wrong(fmt.Sprintf("event %d", i), s)
		}
	}
	violations := run.Also
	if run.Violation != nil {
		violations = append([]spec.Violation{*run.Violation}, violations...)
	}
	for _, v := range violations {
		if v.Step < 0 || v.Step > most {
			return wrong("the violation of "+v.Property, v.Step)
		}
	}
	return nil
}

// waits are those that wait at the end.
func (d *reading) waits() (list []Wait) {
	for _, w := range d.Waits {
		if w.Wait.Since = never; w.Since != nil {
			w.Wait.Since = *w.Since
		}
		list = append(list, w.Wait)
	}
	return list
}

// kindOf is the kind of properties with the name, 0 for none.
func kindOf(name string) spec.Kind {
	for k := spec.Always; k <= spec.FailureFree; k++ {
		if k.String() == name {
			return k
		}
	}
	return 0
}

// read takes the changes of a step: objects, or lines of text.
func (s *Step) read(changes json.RawMessage) error {
	if len(changes) == 0 {
		return nil
	}
	if json.Unmarshal(changes, &s.Changes) == nil {
		return nil
	}
	s.Changes = nil
	var list []struct {
		Change
		Before json.RawMessage `json:"before"`
		After  json.RawMessage `json:"after"`
	}
	if err := json.Unmarshal(changes, &list); err != nil {
		return err
	}
	for _, c := range list {
		c.Change.Before, c.Change.After = written(c.Before), written(c.After)
		s.Diff = append(s.Diff, c.Change)
	}
	s.Changes = Texts(s.Diff)
	return nil
}

// written is a value of a state as Diff has it: nil where there is none, and the largest number of
// 64 bits for null, which stands for that.
func written(value json.RawMessage) any {
	if string(value) == "null" {
		return json.Number(strconv.FormatUint(math.MaxUint64, 10))
	}
	v, err := parse(value)
	if err != nil {
		return string(value) // not reached: it is part of a document
	}
	return v
}

// layout completes the layout by what the document has elsewhere.
func (d *reading) layout(l *trace.Layout) {
	for _, label := range d.Labels {
		if l.Labels == nil {
			l.Labels = map[trace.MsgID]string{}
		}
		l.Labels[label.ID] = label.Label
	}
	for _, k := range d.Kinds {
		if l.Roles == nil {
			l.Roles = trace.Roles{}
		}
		l.Roles[k.Kind] = k.Role
	}
	for _, lane := range d.Lanes {
		if len(lane.Group) > 1 {
			if l.Groups == nil {
				l.Groups = map[trace.Proc][]trace.Proc{}
			}
			l.Groups[lane.Proc] = lane.Group
		}
		if lane.Node >= 0 && lane.Role == RoleRank {
			l.Nodes = append(l.Nodes, trace.Proc(lane.Node))
		}
	}
	for _, lane := range d.Lanes {
		if lane.Role == RoleNode && !slices.Contains(l.Nodes, lane.Proc) {
			l.Spares = append(l.Spares, lane.Proc)
		}
	}
}

// events are those of the trace.
func (d *reading) events() (list []trace.Event, err error) {
	for i := range d.Events {
		x := &d.Events[i]
		e := trace.Event{Step: x.Step, Kind: x.Kind, Proc: x.Proc, Incarnation: x.Incarnation,
			Peer: x.Peer, Sent: x.Sent, Received: x.Received, Again: x.Again, Text: x.Text}
		if x.ID != nil {
			e.ID = *x.ID
		}
		for name, field := range map[string]*uint64{"date": &e.Stamp.Date,
			"phase": &e.Stamp.Phase, "round": &e.Stamp.Round} {
			if *field, err = number64(x.Stamp[name]); err != nil {
				return nil, fmt.Errorf("report: %s of event %d: %w", name, i, err)
			}
		}
		if x.Digest != "" {
			if e.Digest, err = strconv.ParseUint(x.Digest, 16, 64); err != nil {
				return nil, fmt.Errorf("report: digest of event %d: %w", i, err)
			}
		}
		list = append(list, e)
	}
	return list, nil
}

// times are those of the events, nil where not all have one.
func (d *reading) times() (list []int64) {
	for i := range d.Events {
		if d.Events[i].At == nil {
			return nil
		}
		list = append(list, *d.Events[i].At)
	}
	return list
}

// number64 is a number as Exact leaves it: 0 for none, the largest for null, and hexadecimal digits
// in a word where it is large.
func number64(text json.RawMessage) (uint64, error) {
	word, quoted := strings.CutPrefix(string(text), `"`)
	switch {
	case len(text) == 0:
		return 0, nil
	case string(text) == "null":
		return math.MaxUint64, nil
	case quoted:
		return strconv.ParseUint(strings.TrimSuffix(word, `"`), 16, 64)
	}
	return strconv.ParseUint(word, 10, 64)
}
