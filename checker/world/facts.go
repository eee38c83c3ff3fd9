package world

import (
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/fault"
	"github.com/domino-check/domino/spec"
)

// FactsOf tells the judge what a setup promises and what a failure model allows. The oracle may be nil.
func FactsOf(s *core.Setup, m *fault.Model, o *spec.Oracle) *spec.Facts {
	p := &s.Promises
	return &spec.Facts{
		Layout: &s.Layout, Contained: p.RollsBack <= core.Cluster, Phases: p.Phases, Holders: p.Holders, Minimal: p.Minimal, LogsOutside: p.LogsOutside,
		Sends: p.Needs >= core.SendDeterministic && (o == nil || len(o.Differ) == 0), StableKeys: p.StableKeys, Oracle: o,
		Decisions: p.Decisions, Register: p.Register,
		Replays: p.Needs == core.Piecewise, Fetches: p.Fetches, Copies: p.KeepsCopies, Lines: p.KeepsLines,
		Zombies: m.Suspicions > 1 && len(s.Layout.Hosted) > 0, Failures: m.Failures > 0, Checkpoints: m.Checkpoints > 0 || hasCheckpoints(s.Programs),
	}
}

func hasCheckpoints(programs []core.Program) bool {
	for _, p := range programs {
		for _, op := range p {
			if op.Kind == core.OpCheckpoint {
				return true
			}
		}
	}
	return false
}
