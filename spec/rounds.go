package spec

import (
	"fmt"

	"github.com/domino-check/domino/spec/trace"
)

// RoundNamed: what is judged by rounds has rounds. Without them a rank that restarts would belong
// to none, and causal-replay and gate-sound would say nothing about it.
var RoundNamed = register(Property{
	Name: "round-named", Kind: Always, Source: "[HydEE] Alg. 2",
	Doc: "whoever has restarted names the round of the recovery on every message of a program " +
		"that it sends",
	Applies: func(f *Facts) bool { return f.Phases },
	Needs:   "Phases: stamps of messages carry them",
	Event: func(f *Facts, v View, e trace.Event) string {
		if e.Kind == trace.Emitted && !e.ID.IsZero() && e.Incarnation > 0 && e.Stamp.Round == 0 {
			return fmt.Sprintf("%s leaves %s, which has restarted, and names no round",
				f.label(e.ID), f.name(e.Proc))
		}
		return ""
	},
})
