package world

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/promise"
)

// FactsOf tells the judge what a setup promises and what a failure model allows, and what else the
// author of the protocol asks for. The oracle may be nil.
func FactsOf(s *core.Setup, m *fault.Model, o *spec.Oracle, own ...spec.Property) *spec.Facts {
	f := &spec.Facts{
		Layout: &s.Layout, Promises: s.Promises, Oracle: o, Own: own,
		Sends: s.Promises.Needs >= promise.SendDeterministic &&
			(o == nil || len(o.Differ) == 0) &&
			// what is sent after an error is what no run without failures sends
			!s.Promises.Has(promise.RunsThrough),
		Learners: learners(&s.Promises, m), Damaged: m.Lose+m.Corrupt > 0,
		Suspected: m.Suspicions > 0,
		Zombies:   m.Suspicions > 1 && len(s.Layout.Hosted) > 0, Failures: m.Failures > 0,
		Checkpoints: m.Checkpoints > 0 || takesCheckpoints(s),
		Outputting:  hasOperation(s.Programs, core.OpOutput),
	}
	if f.Phases && f.Sends && o != nil {
		f.Abstract, f.Unlike = spec.Abstract(f.Layout, o)
	}
	return f
}

// learners is who must learn a decision. Where a message may be lost for good, or a proc fail,
// nobody must: no protocol here sends a decision again.
func learners(p *promise.Promises, m *fault.Model) int {
	if m.Loss > 0 || m.Failures > 0 {
		return 0
	}
	return p.Deciders
}

// takesCheckpoints reports whether a program takes a checkpoint, or has an output that waits for
// one.
func takesCheckpoints(s *core.Setup) bool {
	return hasOperation(s.Programs, core.OpCheckpoint) ||
		s.Outputs == promise.WithTheLine && hasOperation(s.Programs, core.OpOutput)
}

// hasOperation reports whether some program does such a thing.
func hasOperation(programs []core.Program, kind core.OpKind) bool {
	return slices.ContainsFunc(programs, func(p core.Program) bool {
		return slices.ContainsFunc(p, func(op core.Op) bool { return op.Kind == kind })
	})
}
