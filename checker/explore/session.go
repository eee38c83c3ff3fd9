package explore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/trace"
)

// Session explores one scenario. It is not safe for concurrent use.
type Session struct {
	ctx      context.Context
	list     protocol.List
	scenario *scenarios.Scenario
	outside  string
	worlds   map[string]*world.World // by variant
	hybrid   *hybrid                 // nil but in what Hybrid returns
}

// Open makes the session of a scenario, in its variant. An error is about the scenario.
func Open(ctx context.Context, list protocol.List, s *scenarios.Scenario) (*Session, error) {
	r, err := verify.Resolve(list, s)
	if err != nil {
		return nil, err
	}
	r.Cuts = slices.ContainsFunc(s.Schedule, trace.IsCutShort)
	w, outside, err := world.Open(ctx, r.Case, checker.Options{})
	if err != nil {
		return nil, err
	}
	return &Session{ctx: ctx, list: list, scenario: s, outside: outside,
		worlds: map[string]*world.World{s.Variant: w}}, nil
}

// Outside says in what the scenario is beyond the promises of its protocol, "" if in nothing: what
// it breaks there is no fault of the protocol.
func (s *Session) Outside() string { return s.outside }

// Schedule is the path that the file has, to begin with. A line by which it goes on for ever is no
// part of it. The note says why it ends before the schedule does, or otherwise than the file says;
// it is empty if neither is so.
func (s *Session) Schedule() (path []string, note string, err error) {
	lines := slices.DeleteFunc(slices.Clone(s.scenario.Schedule), endless)
	run, err := s.own().Replay(lines)
	if err != nil && !errors.Is(err, world.ErrStale) {
		return nil, "", err
	}
	path, breaks := run.Schedule, s.scenario.Breaks
	switch v := run.Violation; {
	case len(path) < len(lines) && v == nil:
		note = fmt.Sprintf("the schedule of the file ends here: %q, its step %d of %d, is not "+
			"possible", lines[len(path)], len(path)+1, len(lines))
	case len(lines) > 0 && breaks != "" && v == nil:
		note = "the file says that this run breaks " + breaks + ", but that does not show here: " +
			"see domino replay"
	case len(lines) > 0 && breaks != "" && v.Property != breaks:
		note = "the file says that this run breaks " + breaks
	}
	return path, note, nil
}

// endless reports whether a line of a schedule is no event, but how the run goes on for ever.
func endless(line string) bool { return line == world.ForEver || line == world.Fairly }

// Scenario is what is explored.
func (s *Session) Scenario() *scenarios.Scenario { return s.scenario }

// Variants are those that WhatIf takes, but for several errata at a time: the forms of the
// protocol, and the repaired one with each erratum.
func (s *Session) Variants() []string {
	p, err := s.list.Find(s.scenario.Protocol)
	if err != nil {
		return nil // not reached: Open has resolved it
	}
	if p.Build != nil {
		return append([]string{"repaired"}, p.Variants...)
	}
	variants := p.Forms()
	for _, e := range p.Errata.List() {
		variants = append(variants, "repaired+"+e.ID)
	}
	return variants
}

// mostWorlds bounds how many variants are kept.
const mostWorlds = 8

// world is the scenario with another variant of its protocol.
func (s *Session) world(variant string) (*world.World, error) {
	if w := s.worlds[variant]; w != nil {
		return w, nil
	}
	b, err := verify.Another(s.ctx, s.list, s.scenario, variant, s.scenario.Schedule)
	if err != nil {
		return nil, err
	}
	if len(s.worlds) >= mostWorlds {
		maps.DeleteFunc(s.worlds, func(v string, _ *world.World) bool {
			return v != s.scenario.Variant
		})
	}
	s.worlds[variant] = b.World
	return b.World, nil
}

// mostKept is how many bytes a world may take when nobody searches it.
const mostKept = 256 << 20

// forget gives back the memory of a large search: a path leads to the same state in a world in
// which nothing has happened.
func (s *Session) forget(w *world.World) error {
	if s.hybrid != nil || w.Bytes() < mostKept {
		return nil
	}
	fresh, err := world.New(w.Config)
	if err == nil {
		s.worlds[s.scenario.Variant] = fresh
	}
	return err
}

// Bytes is what the tables of the session take.
func (s *Session) Bytes() (total int64) {
	if s.hybrid != nil {
		return s.hybrid.world.Bytes()
	}
	for _, w := range s.worlds {
		total += w.Bytes()
	}
	return total
}

// own is the world of the variant that is explored.
func (s *Session) own() *world.World { return s.worlds[s.scenario.Variant] }

// here is the world that paths are followed in.
func (s *Session) here() *world.World {
	if s.hybrid != nil {
		return s.hybrid.world
	}
	return s.own()
}

// ErrPath is returned for a path of which an event is not possible where the path has it.
var ErrPath = errors.New("no path of this scenario")

// follow runs a path. A run that breaks a property ends there.
func (s *Session) follow(path []string) (*world.World, *world.Run, error) {
	if s.hybrid != nil {
		return s.hybrid.follow(path)
	}
	if i := slices.IndexFunc(path, endless); i >= 0 {
		return nil, nil, fmt.Errorf("%w: step %d, %q, is no event", ErrPath, i+1, path[i])
	}
	w := s.own()
	run, err := w.Replay(path)
	if errors.Is(err, world.ErrStale) {
		return nil, nil, fmt.Errorf("%w: %w", ErrPath, err)
	}
	if err == nil && len(run.Schedule) < len(path) {
		err = fmt.Errorf("%w: after step %d, which breaks %s, nothing is explored", ErrPath,
			len(run.Schedule), run.Violation.Property)
	}
	return w, run, err
}

// stopped reports whether nothing is explored beyond a run, since its last step breaks a property.
// Where only the end breaks one, a fault may still come.
func stopped(r *world.Run) bool {
	return r.Violation != nil && (!r.Complete || r.Violation.Step == len(r.Schedule))
}

// State is the end of a path.
type State struct {
	Path      []string        `json:"path"`
	Link      string          `json:"link"` // the path in short
	Name      string          `json:"name"` // of the state: equal states have equal names
	Variant   string          `json:"variant"`
	Hybrid    string          `json:"hybrid,omitempty"` // what the run is, when it is none
	Complete  bool            `json:"complete"`         // nothing but faults can happen
	Violation *spec.Violation `json:"violation"`        // that the path ends with, or null
	Enabled   []Event         `json:"enabled"`          // by name; nothing after a step that breaks something
	Procs     []Proc          `json:"procs"`
}

// Event is one that can happen.
type Event struct {
	Name    string   `json:"name"`
	Sort    string   `json:"sort"` // see world.Sort
	Fault   bool     `json:"fault"`
	Breaks  string   `json:"breaks,omitempty"` // the property that it would break
	Changes []string `json:"changes,omitempty"`
	To      string   `json:"to"` // name of the state after it

	code  uint64
	state []uint32
}

// Proc is the local state of one proc.
type Proc struct {
	Name        string          `json:"name"`
	Up          bool            `json:"up"`
	Incarnation uint32          `json:"incarnation"`
	State       json.RawMessage `json:"state"` // null for one that is down
}

// At is the state at the end of a path, with all that can happen there.
func (s *Session) At(path []string) (*State, error) {
	w, run, err := s.follow(path)
	if err != nil {
		return nil, err
	}
	at := run.States[len(run.States)-1]
	st := &State{Path: slices.Clone(path), Name: w.StateName(at), Variant: s.scenario.Variant,
		Complete: run.Complete, Violation: run.Violation}
	if s.hybrid != nil {
		st.Variant, st.Hybrid = s.hybrid.variant, s.hybrid.about()
	} else if st.Link, err = s.link(w, run); err != nil {
		return nil, err
	}
	if !stopped(run) {
		st.Enabled = s.enabled(w, at)
	}
	for p := range core.Proc(len(run.Trace.Layout.Names)) {
		o := w.Observed(at, p)
		st.Procs = append(st.Procs, Proc{Name: run.Trace.Layout.Name(p), Up: o.Up,
			Incarnation: uint32(o.Incarnation), State: report.Exact(w.LocalJSON(at, p))})
	}
	return st, nil
}

// enabled are the events of a state in the order of their names.
func (s *Session) enabled(w *world.World, at []uint32) []Event {
	names, x := w.Enabled(at)
	events := make([]Event, len(names))
	for i, name := range names {
		e := &events[i]
		*e = Event{Name: name, Sort: world.Sort(x.Steps[i].Code), Fault: x.Steps[i].Fault,
			code: x.Steps[i].Code, state: x.State(i, nil)}
		if v := x.Steps[i].Violation; v != 0 {
			e.Breaks = w.Violation(v).Property
		}
		e.To = w.StateName(e.state)
		e.Changes = changes(w, at, e.state)
	}
	slices.SortFunc(events, func(a, b Event) int { return strings.Compare(a.Name, b.Name) })
	return events
}

// changes are those of local states between two states.
func changes(w *world.World, before, after []uint32) (list []string) {
	for p := range core.Proc(len(w.Setup.Layout.Names)) {
		list = append(list, report.Changes(w.Setup.Layout.Name(p), w.LocalJSON(before, p),
			w.LocalJSON(after, p))...)
	}
	return list
}

// Story is the run of a path for reports.
func (s *Session) Story(path []string) (*report.Run, error) {
	w, run, err := s.follow(path)
	if err != nil {
		return nil, err
	}
	r := verify.Story(s.scenario, w, run, run.Violation)
	if s.hybrid != nil {
		r.Title = "HYBRID, no run of any protocol: " + r.Title
		r.Reading = append(r.Reading, s.hybrid.about())
	}
	return r, nil
}

// Counterexample is the scenario with the path as its schedule: the file that replays it.
func (s *Session) Counterexample(path []string) (*scenarios.Scenario, error) {
	if s.hybrid != nil {
		return nil, fmt.Errorf("%s: it can not be saved as a run", s.hybrid.about())
	}
	_, run, err := s.follow(path)
	if err != nil {
		return nil, err
	}
	c := *s.scenario
	c.Schedule, c.States, c.Expect, c.Breaks = slices.Clone(path), 0, "holds", ""
	if run.Violation != nil {
		c.Expect, c.Breaks = "violated", run.Violation.Property
	}
	return &c, nil
}
