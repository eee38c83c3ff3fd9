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

// NewJudge selects the properties.
func NewJudge(f *spec.Facts) *Judge {
	j := &Judge{facts: f, properties: spec.Select(f)}
	for _, p := range j.properties {
		if p.Kind == spec.Sometimes {
			j.unseen = append(j.unseen, p)
		}
	}
	return j
}

// Run returns the first violation of a run, nil for none. That a machine panics is one, too.
func (j *Judge) Run(r *local.Result) *spec.Violation {
	if r.Panic != "" {
		return &spec.Violation{Property: "no-panic", Message: r.Panic, Step: len(r.Schedule)}
	}
	return j.Trace(&r.Trace, r.Complete)
}

// Trace returns the first violation of a trace; complete says whether the run has come to its end.
func (j *Judge) Trace(t *trace.Trace, complete bool) *spec.Violation {
	j.look(t)
	first := j.witnesses.Judge(j.facts, t, j.properties)
	for _, v := range spec.Judge(j.facts, t, j.properties, complete) {
		if first == nil || v.Step != 0 && v.Step <= first.Step {
			first = &v
		}
		break
	}
	return first
}

// look notes the Sometimes properties that the trace shows.
func (j *Judge) look(t *trace.Trace) {
	if len(j.unseen) == 0 {
		return
	}
	l := spec.NewLedger(&t.Layout)
	for _, e := range t.Events {
		j.unseen = slices.DeleteFunc(j.unseen, func(p spec.Property) bool {
			if p.Event(j.facts, l, e) == "" {
				return false
			}
			j.seen = append(j.seen, p.Name)
			return true
		})
		l.Apply(e)
	}
}

// Seen lists the Sometimes properties that some run has shown.
func (j *Judge) Seen() []string { return slices.Sorted(slices.Values(j.seen)) }
