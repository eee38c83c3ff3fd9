package pessimistic

import (
	_ "embed" // of the texts

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/part/replay"
	"github.com/domino-check/domino/impl/protocol/part/snapshot"
	"github.com/domino-check/domino/spec/promise"
)

// The errata of receivers that log, and of outputs; those of senders come before them, in the order
// of breaks.
const (
	PE7 core.Switch = iota + 6
	PE8
	PE9
	PE10
)

//go:embed errata.txt
var errata string

//go:embed mutants.txt
var mutants string

// breaks are what the errata of senders that log switch on, in their order.
var breaks = []replay.Break{replay.SendsAtOnce, replay.LastUncounted, replay.LogsUnsaved,
	replay.Doubles, replay.ByArrival, replay.SenderSilent}

// Protocol is pessimistic logging in both modes.
var Protocol = protocol.Protocol{
	Name:   "pessimistic",
	Doc:    "pessimistic message logging, nobody but who fails goes back [Borg] [JZ]",
	Errata: core.MustErrata(0, errata),
	Many:   true,
	Options: func(text string) error {
		_, err := byReceiver(text)
		return err
	},
	OptionDocs: []protocol.Option{{Name: "mode", Values: "sender|receiver",
		Doc: "payloads in the memory of senders and determinants on stable storage, or messages " +
			"on the stable storage of receivers, before they are received"}},
	Setup:   setup,
	Mutants: mutants,
	Shapes: &protocol.Shapes{
		Items: 7, Needs: promise.Piecewise, Wildcards: true, Posts: true,
		Collectives: protocol.ExpandedCollectives, Checkpoints: protocol.OwnCheckpoints,
		Spontaneous: 1, Outputs: true,
		Settings:   []string{"at-once", "from-dead", "to-dead", "network", "stop", "torn"},
		Variations: []protocol.Variation{{}, {Options: "mode=receiver"}},
	},
}

// byReceiver reads the options.
func byReceiver(text string) (receivers bool, err error) {
	return receivers, protocol.ReadOptions(text,
		protocol.Setters{"mode": protocol.Either(&receivers, "sender", "receiver")})
}

// setup makes the protocol for the programs of a scenario.
func setup(r protocol.Request) (*core.Setup, error) {
	receivers, err := byReceiver(r.Options)
	if err != nil {
		return nil, err
	}
	rules := replay.Rules{Protocol: "pessimistic", Gate: replay.EverySend, Style: snapshot.Markers,
		Alone: true, Breaks: replay.BreaksOf(r.Errata, breaks...)}
	if r.Errata.Has(PE10) {
		rules.Breaks = rules.Breaks.With(replay.OutputsAtOnce)
	}
	s, err := replay.NewSetup(r.Layout, r.Programs, rules)
	if err != nil || !receivers {
		return s, err
	}
	greeted, err := rules.Greeted(r.Programs, func(a, b core.Rank) bool { return a == b })
	if err != nil {
		return nil, err
	}
	s.Logging, s.LogsOutside, s.Outputs = "receiver, stable", false, promise.AtOnce
	s.StableKeys = []string{snapshot.ImageKey, snapshot.CommitKey, ReceiptKey}
	// a message that has arrived is held until it is stable, and acknowledged then
	s.Flow, s.Traffic.Send = promise.NoFlow, 1
	s.New = func(p core.Proc) core.Machine {
		rank := core.Rank(p)
		return program.NewHost(rank, r.Programs[rank], func(app core.Application) core.Layer {
			return &receiver{ranks: len(r.Programs), greeted: greeted, rank: rank,
				errata: r.Errata, app: app}
		}).PostsWait()
	}
	return s, nil
}
