package ho

import (
	_ "embed" // of the texts
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/part/replay"
	"github.com/domino-check/domino/impl/protocol/part/snapshot"
	"github.com/domino-check/domino/spec/promise"
)

// The errata: programs of which less is known than the protocol needs.
const (
	HO1 core.Switch = iota
	HO2
)

//go:embed errata.txt
var errata string

//go:embed mutants.txt
var mutants string

// Protocol is payload logging between groups without determinants.
var Protocol = protocol.Protocol{
	Name:    "ho",
	Doc:     "checkpoints in groups, payload logs between them, no determinants, no phases [Ho]",
	Errata:  core.MustErrata(0, errata),
	Many:    true,
	Setup:   setup,
	Mutants: mutants,
	Shapes: &protocol.Shapes{
		Items: 8, Clusters: protocol.AnyClusters, Needs: promise.Deterministic,
		// written as messages, a reduction posts its receives, which this protocol refuses
		Collectives: protocol.NoCollectives, Checkpoints: protocol.OwnCheckpoints, Spontaneous: 1,
		Outputs: true, Loops: true,
		Settings: []string{"at-once", "from-dead", "to-dead", "stop", "torn"},
	},
	Perf: protocol.Perf{Clustered: func(string) bool { return true }},
}

// setup makes the protocol for the programs of a scenario.
func setup(r protocol.Request) (*core.Setup, error) {
	s, err := replay.NewSetup(r.Layout, r.Programs,
		replay.Rules{Protocol: "ho", Gate: replay.NoGate, Style: snapshot.Markers})
	if err != nil {
		return nil, err
	}
	s.Needs = promise.Deterministic
	if r.Errata.Has(HO1) {
		s.Needs = promise.Piecewise
	}
	if r.Errata.Has(HO1) || r.Errata.Has(HO2) {
		return s, nil
	}
	for rank, p := range r.Programs {
		if err := named(p); err != nil {
			return nil, &core.ChoiceError{Key: "program", Rank: core.Rank(rank), Err: err}
		}
	}
	return s, nil
}

// named refuses a program whose order of receptions does not follow from the program alone. That
// it is the same in every run without failures is not enough: it may be so because one message
// causes another one, and a recovery without phases sends the later one again first (HO2).
func named(p core.Program) error {
	for i := range p {
		switch op := &p[i]; {
		case op.Kind == core.OpRecv && op.Any:
			return fmt.Errorf("ho: operation %d receives from anyone: without determinants every "+
				"receive names its source", i+1)
		case op.Kind == core.OpPost:
			return fmt.Errorf("ho: operation %d posts a receive, and without determinants the "+
				"order in which posted receives complete is lost: receive at once", i+1)
		}
	}
	return nil
}
