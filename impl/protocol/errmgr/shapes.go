package errmgr

import (
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/spec/promise"
)

// shapes are the random scenarios that are meant for the composite: any stack over any component.
// Where ranks restart alone programs are deterministic, so all are: none posts receives, or has
// groups, which would be received in any order. A survivor that does not look at errors stops at
// the first one, again after every restart: then an older snapshot is taken in the end, and then
// the job is given up. So autor is not drawn behind sustain.
func shapes() *protocol.Shapes {
	return &protocol.Shapes{
		Items: 6, MaxRanks: 3, Needs: promise.Deterministic,
		Spontaneous: 2, Outputs: true, Loops: true, Errors: true,
		Settings: []string{"from-dead", "to-dead", "detect", "notice"},
		Variations: []protocol.Variation{
			{Policies: "autor", Options: "nodes=2", Weight: 2},
			{Policies: "autor", Options: "nodes=2 spares=2 store=central"},
			{Policies: "autor", Options: "nodes=3 store=peers"},
			{Policies: "autor", Options: "nodes=2 outputs=held codec=zstd"},
			{Policies: "autor", Options: "nodes=1 spares=2 cache=off flow=2"},
			{Policies: "autor", Options: "nodes=2 reports=peers"},
			{Policies: "light(1) autor", Options: "nodes=2 spares=2", Weight: 2},
			{Policies: "light(2) autor", Options: "nodes=3 store=peers"},
			{Policies: "light(1) autor", Options: "nodes=2 store=central outputs=held"},
			{Policies: "sustain(1) abort", Options: "nodes=2 spares=0"},
			{Policies: "crmig autor", Options: "nodes=2 spares=2 predictions=1", Weight: 2},
			{Policies: "crmig light(1) autor",
				Options: "nodes=2 spares=2 predictions=1 path=store"},
			{Policies: "crmig light(1) autor abort", Options: "nodes=3 predictions=2"},
		},
	}
}
