package none

import (
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol"
)

// Protocol is the transparent protocol.
var Protocol = protocol.Protocol{
	Name:        protocol.Baseline,
	Doc:         "no protocol: a failure loses the rank; the baseline",
	Collectives: true,
	Straight:    true,
	Setup: func(r protocol.Request) (*core.Setup, error) {
		return NewSetup(r.Layout, r.Programs)
	},
	Perf: protocol.Perf{Colour: 1, Usual: true},
}
