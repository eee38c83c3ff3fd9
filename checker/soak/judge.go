package soak

import (
	"slices"

	"github.com/domino-check/domino/impl/runtime/local"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// Judge judges the runs of one setup, each by its trace, and between them what must be the same in
// all.
type Judge struct {
	facts      *spec.Facts
	properties []spec.Property
	unseen     []spec.Property // Sometimes properties
	seen       []string
	witnesses  spec.Witnesses
}

// NewJudge selects the properties. The error says which can not be asked.
func NewJudge(f *spec.Facts) (*Judge, error) {
	list, err := spec.Select(f)
	if err != nil {
		return nil, err
	}
	j := &Judge{facts: f, properties: list}
	for _, p := range j.properties {
		if p.Kind == spec.Sometimes {
			j.unseen = append(j.unseen, p)
		}
	}
	return j, nil
}

// Run returns the first violation of a run, nil for none. That a machine panics is one, too; the
// error says that a property does.
func (j *Judge) Run(r *local.Result) (*spec.Violation, error) {
	if r.Panic != "" {
		return &spec.Violation{Property: "no-panic", Message: r.Panic, Step: len(r.Schedule)}, nil
	}
	return j.Trace(&r.Trace, r.Complete)
}

// Trace returns the first violation of a trace; complete says whether the run has come to its end.
// The error says that a property panics.
func (j *Judge) Trace(t *trace.Trace, complete bool) (*spec.Violation, error) {
	if err := j.look(t); err != nil {
		return nil, err
	}
	first, err := j.witnesses.Judge(j.facts, t, j.properties)
	if err != nil {
		return nil, err
	}
	found, err := spec.Judge(j.facts, t, j.properties, complete)
	if len(found) > 0 && (first == nil || found[0].Step != 0 && found[0].Step <= first.Step) {
		first = &found[0]
	}
	return first, err
}

// look notes the Sometimes properties that the trace shows.
func (j *Judge) look(t *trace.Trace) error {
	if len(j.unseen) == 0 {
		return nil
	}
	seen, err := spec.Shown(j.facts, t, j.unseen)
	j.seen = append(j.seen, seen...)
	j.unseen = slices.DeleteFunc(j.unseen, func(p spec.Property) bool {
		return slices.Contains(seen, p.Name)
	})
	return err
}

// Seen lists the Sometimes properties that some run has shown.
func (j *Judge) Seen() []string { return slices.Sorted(slices.Values(j.seen)) }
