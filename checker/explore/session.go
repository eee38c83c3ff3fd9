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
	alone    bool                    // nothing is known of the program without failures
	worlds   map[string]*world.World // by variant
	hybrid   *hybrid                 // nil but in what Hybrid returns
	last     followed
	linked   linked
}

// Open makes the session of a scenario, in its variant. An error is about the scenario.
func Open(ctx context.Context, list protocol.List, s *scenarios.Scenario) (*Session, error) {
	r, err := verify.Resolve(list, s)
	if err != nil {
		return nil, err
	}
	r.Cuts = slices.ContainsFunc(s.Schedule, trace.IsCutShort)
	session := &Session{ctx: ctx, list: list, scenario: s, worlds: map[string]*world.World{}}
	session.worlds[s.Variant], session.outside, err = session.open(r)
	return session, err
}

// mostAlone bounds the exploration of the program without failures.
const mostAlone = 1 << 18

// open makes the world of a case, and says in what that is beyond the promises of its protocol.
// Where the program alone is too large, its runs without failures are not known: then a session
// begins at once, and what would compare with them is not judged.
func (s *Session) open(r *verify.Resolved) (*world.World, string, error) {
	if s.alone {
		r.Baseline = nil
	}
	w, outside, err := world.Open(s.ctx, r.Case, checker.Options{MaxStates: mostAlone})
	if errors.Is(err, checker.ErrBound) && s.ctx.Err() == nil && !s.alone {
		s.alone = true
		return s.open(r)
	}
	return w, outside, err
}

// Notes say what has to be known of all that is seen here.
func (s *Session) Notes() (list []string) {
	if s.outside != "" {
		list = append(list, "out of model: "+s.outside)
	}
	if s.alone {
		list = append(list, fmt.Sprintf("the program has more than %d states without failures: "+
			"what compares a run with those is not judged", mostAlone))
	}
	return list
}

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
	r, err := verify.Another(s.list, s.scenario, variant, s.scenario.Schedule)
	if err != nil {
		return nil, err
	}
	w, _, err := s.open(r)
	if err != nil {
		return nil, err
	}
	if len(s.worlds) >= mostWorlds {
		maps.DeleteFunc(s.worlds, func(v string, _ *world.World) bool {
			return v != s.scenario.Variant
		})
	}
	s.worlds[variant] = w
	return w, nil
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

// followed is the run of the last path, which is asked for again and again.
type followed struct {
	world *world.World
	run   *world.Run
}

// follow runs a path. A run that breaks a property ends there.
func (s *Session) follow(path []string) (*world.World, *world.Run, error) {
	if l := s.last; l.run != nil && l.world == s.here() && slices.Equal(l.run.Schedule, path) {
		return l.world, l.run, nil
	}
	if i := slices.IndexFunc(path, endless); i >= 0 {
		return nil, nil, fmt.Errorf("%w: step %d, %q, is no event", ErrPath, i+1, path[i])
	}
	w, replay := s.here(), (*world.World).Replay
	if s.hybrid != nil {
		replay = s.hybrid.replay
	}
	run, err := replay(w, path)
	switch {
	case errors.Is(err, world.ErrStale):
		return nil, nil, fmt.Errorf("%w: %w", ErrPath, err)
	case err != nil:
		return nil, nil, err
	case len(run.Schedule) < len(path):
		return nil, nil, fmt.Errorf("%w: after step %d, which breaks %s, nothing is explored",
			ErrPath, len(run.Schedule), run.Violation.Property)
	}
	s.last = followed{w, run}
	return w, run, nil
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
	Enabled   []Event         `json:"enabled"`          // by name; nothing when stopped
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
		if w.Same(before, after, p) {
			continue
		}
		list = append(list, report.Changes(w.Setup.Layout.Name(p), w.LocalJSON(before, p),
			w.LocalJSON(after, p))...)
	}
	return list
}

// Sketch is the run of a path for a figure.
func (s *Session) Sketch(path []string) (*report.Run, error) { return s.tell(path, verify.Sketch) }

// Story is the run of a path for reports.
func (s *Session) Story(path []string) (*report.Run, error) { return s.tell(path, verify.Story) }

func (s *Session) tell(path []string, how func(*scenarios.Scenario, *world.World, *world.Run,
	*spec.Violation) *report.Run) (*report.Run, error) {
	w, run, err := s.follow(path)
	if err != nil {
		return nil, err
	}
	r := how(s.scenario, w, run, run.Violation)
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
