package none

import (
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/spec/promise"
)

// clocked is the largest number of ranks of which messages have clocks: what a search can run.
const clocked = 1 << 12

// Protocol is the transparent protocol.
var Protocol = protocol.Protocol{
	Name:        protocol.Baseline,
	Doc:         "no protocol: a failure loses the rank; the baseline",
	Collectives: true,
	Straight:    true,
	Many:        true,
	Setup: func(r protocol.Request) (*core.Setup, error) {
		if r.Layout.Ranks > clocked {
			return Bare(promise.Promises{}, r.Layout, r.Programs)
		}
		return NewSetup(r.Layout, r.Programs)
	},
	Perf: protocol.Perf{Colour: 1, Usual: true},
}
