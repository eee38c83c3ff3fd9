package fuzz

import (
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
)

// fit lowers what a failure model asks for to what a protocol promises to survive, as far as the
// model can say so.
func fit(m *fault.Model, setup *core.Setup) {
	p := &setup.Promises
	for i := range fault.Keys {
		k, alone := &fault.Keys[i], fault.Model{}
		k.Set(&alone, k.Get(m))
		alone.Failures = min(alone.Failures, 1) // how many is a matter of spacing, too
		if world.Beyond(setup, &alone) != "" {
			k.Clear(m)
		}
	}
	if p.InAll > 0 {
		m.Failures = min(m.Failures, p.InAll)
	}
	most := p.MaxFailures
	if most <= 0 || m.AtATime() <= most {
		return
	}
	if m.OneInstant {
		m.Failures = min(m.Failures, most)
	}
	m.AtOnce = min(m.AtOnce, most)
	if p.Recovers {
		m.Overlap = most
	} else if m.Together() <= most {
		m.Settled = true
	}
	if m.AtATime() > most {
		m.Failures = most
	}
}
