package explore

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
)

// WhatIf is the same schedule in another variant of the protocol.
type WhatIf struct {
	Variant string `json:"variant"`
	// the path in the other variant: as far as its events are possible there
	Path []string `json:"path"`
	// the first step with other evidence or another local state, from 1; 0 when there is none
	Differs int    `json:"differs"`
	How     string `json:"how,omitempty"` // what is different there
	// the two keep other local states from the start, so only names and evidence are compared
	Blind   bool   `json:"blind"`
	Refused string `json:"refused,omitempty"`
	State   *State `json:"state"` // at the end of Path
}

// Blind says what a comparison with WhatIf.Blind is worth.
const Blind = "they keep different local states from the start: only what steps show is compared"

// WhatIf follows a path in another variant of the protocol from the start, as far as its events are
// possible there.
func (s *Session) WhatIf(path []string, variant string) (*WhatIf, error) {
	if s.hybrid != nil {
		return nil, fmt.Errorf("%s: it has no start to begin from", s.hybrid.about())
	}
	w, run, err := s.follow(path)
	if err != nil {
		return nil, err
	}
	v, err := s.world(variant)
	if err != nil {
		return nil, err
	}
	other, stale := v.Replay(path) // what was possible is in the run
	if err := v.Err(); err != nil {
		return nil, err
	}
	f := &WhatIf{Variant: variant, Path: slices.Clone(other.Schedule)}
	if stale != nil {
		f.Refused = path[len(other.Schedule)]
	}
	var same int
	same, f.Blind = verify.Agree(w, run, v, other)
	if same < len(other.Schedule) {
		f.Differs, f.How = same+1, differs(w, run, v, other, same+1, f.Blind)
	}
	if f.Differs == 0 && f.Refused != "" {
		f.Differs, f.How = len(other.Schedule)+1, "the event is not possible there"
	}
	there := *s
	c := *s.scenario
	c.Variant = variant
	there.scenario, there.last, there.linked = &c, followed{}, linked{}
	f.State, err = there.At(f.Path)
	return f, err
}

// differs says what is different about a step of two runs.
func differs(a *world.World, r *world.Run, b *world.World, q *world.Run, step int,
	blind bool) string {
	x, y := shown(r, step), shown(q, step)
	for k := range max(len(x), len(y)) {
		switch {
		case k >= len(y):
			return "there, the step does not show: " + x[k]
		case k >= len(x):
			return "there, the step shows: " + y[k]
		case x[k] != y[k]:
			return "there, the step shows: " + y[k] + ", not: " + x[k]
		}
	}
	for p := range core.Proc(len(r.Trace.Layout.Names)) {
		if !blind && !bytes.Equal(a.LocalJSON(r.States[step], p), b.LocalJSON(q.States[step], p)) {
			return r.Trace.Layout.Name(p) + " is in another state"
		}
	}
	return "there, what the step shows has other contents"
}

// shown is the evidence of a step in words.
func shown(r *world.Run, step int) (list []string) {
	for _, e := range r.Trace.Events {
		if e.Step == step {
			list = append(list, r.Trace.Layout.Name(e.Proc)+" "+r.Trace.Layout.Describe(e))
		}
	}
	return list
}

// hybrid is where a session goes on whose machines were exchanged in the middle of a run: it
// explores what is no run of any protocol.
type hybrid struct {
	world   *world.World
	start   []uint32 // the state in which the machines were exchanged
	from    string   // variant before
	variant string   // and after
	steps   int      // before
}

// about says what it is, wherever it is shown.
func (h *hybrid) about() string {
	return fmt.Sprintf("hybrid: %d steps as %s, then as %s; no run of any protocol", h.steps,
		h.from, h.variant)
}

// Hybrid goes on from the end of a path with the machines of another variant, which get the local
// states as they are. The paths of the session that it returns begin there.
func (s *Session) Hybrid(path []string, variant string) (*Session, error) {
	if s.hybrid != nil {
		return nil, fmt.Errorf("%s: the machines are exchanged once only", s.hybrid.about())
	}
	w, run, err := s.follow(path)
	if err != nil {
		return nil, err
	}
	if stopped(run) {
		return nil, fmt.Errorf("%w: it ends with a violation, nothing is explored beyond", ErrPath)
	}
	other := &Session{ctx: s.ctx, list: s.list, scenario: s.scenario, alone: s.alone,
		worlds: map[string]*world.World{}}
	fresh, err := other.world(variant)
	if err != nil {
		return nil, err
	}
	to, err := world.New(fresh.Config) // one that nothing has happened in
	if err != nil {
		return nil, err
	}
	if err := search.Carry(w, to); err != nil {
		return nil, fmt.Errorf("the local states of %s mean nothing to %s: %w", s.scenario.Variant,
			variant, err)
	}
	other.hybrid = &hybrid{world: to, start: run.States[len(run.States)-1],
		from: s.scenario.Variant, variant: variant, steps: len(path)}
	return other, nil
}

func (h *hybrid) replay(w *world.World, path []string) (*world.Run, error) {
	return w.ReplayFrom(h.start, path)
}
