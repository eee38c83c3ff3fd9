package epochs

import (
	_ "embed" // of the mutants
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

//go:embed mutants.txt
var mutants string

// Protocol is the protocol of epochs and phases.
var Protocol = protocol.Protocol{
	Name: "epochs",
	Dense: "each rank tells the recovery process what it has of every other one, for each of its " +
		"epochs, and that has it of all",
	Doc:    "own checkpoints without domino effect: logs by epochs, replay by phases [Epochs]",
	Errata: Errata(),
	Setup:  setup,
	Options: func(text string) error {
		_, err := readOptions(text)
		return err
	},
	OptionDocs: []protocol.Option{
		{Name: "variant", Values: "base|groups", Doc: "all ranks begin with one epoch, or each " +
			"cluster with one of its own, so that what goes to a later cluster is logged"},
		{Name: "phase", Values: "safe|logged|unlogged", Doc: "which receptions raise the phase: " +
			"all, or of logged messages only, or of others only (wrong, see the errata)"},
	},
	Mutants:    mutants,
	Properties: []spec.Property{noDomino, backWhereSaid},
	Shapes: &protocol.Shapes{
		Items: 8, Needs: promise.SendDeterministic, Wildcards: true, Posts: true,
		Collectives: protocol.ExpandedCollectives, Checkpoints: protocol.OwnCheckpoints,
		Spontaneous: 1, Outputs: true, Loops: true,
		Settings: []string{"at-once", "from-dead", "to-dead", "stop"},
		Variations: []protocol.Variation{{Options: "variant=base"},
			{Options: "variant=groups", Clusters: protocol.AnyClusters}},
	},
}

// rule is which receptions raise the phase.
type rule uint8

// The rules.
const (
	safe       rule = iota
	ifLogged        // erratum EP1
	ifUnlogged      // erratum EP2
)

// variant is with which epochs ranks begin.
type variant uint8

// The variants.
const (
	base variant = iota
	groups
)

// options are what a scenario chooses.
type options struct {
	variant variant
	rule    rule
}

func readOptions(text string) (o options, err error) {
	return o, protocol.ReadOptions(text, map[string]protocol.Setter{
		"variant": protocol.OneOf(&o.variant, "base", "groups"),
		"phase":   protocol.OneOf(&o.rule, "safe", "logged", "unlogged"),
	})
}

// config is shared by the procs of one setup and never changes.
type config struct {
	options
	ranks  int
	groups []uint32 // of each rank
	errata core.Switches
}

func (c *config) has(e Erratum) bool         { return c.errata.Has(e) }
func (c *config) recoveryProcess() core.Proc { return core.Proc(c.ranks) }

// apart is how many epochs each group has for itself.
const apart = 1 << 20

// first is the epoch that a rank begins with.
func (c *config) first(r core.Rank) uint32 { return c.groups[r]*apart + 1 }

// last is the last epoch that a rank may be in.
func (c *config) last(r core.Rank) uint32 { return (c.groups[r]+1)*apart - 1 }

// beginning is the state that a rank begins with, which needs no image.
func (c *config) beginning(r core.Rank) mark {
	return mark{Epoch: c.first(r), Sent: make([]uint32, c.ranks), Taken: make([]uint32, c.ranks),
		SPE: make([]uint32, c.ranks)}
}

// newConfig reads what is asked for, and refuses what can not be.
func newConfig(r *protocol.Request) (*config, error) {
	o, err := readOptions(r.Options)
	if err != nil {
		return nil, err
	}
	c := &config{options: o, ranks: r.Layout.Ranks, errata: r.Errata,
		groups: make([]uint32, r.Layout.Ranks)}
	switch {
	case slices.Contains(r.Layout.Names, "RP"):
		return nil,
			fmt.Errorf("epochs: a rank is called RP, which is the name of the recovery process")
	case r.Unordered:
		return nil, &core.ChoiceError{Key: "network",
			Err: fmt.Errorf("epochs: its channels are FIFO, and these are not")}
	}
	if c.has(EP1) {
		c.rule = ifLogged
	}
	if c.has(EP2) {
		c.rule = ifUnlogged
	}
	if c.variant == base {
		return c, nil
	}
	if len(r.Layout.Clusters) != c.ranks {
		return nil, &core.ChoiceError{Key: "clusters", Err: fmt.Errorf(
			"epochs: variant=groups needs a group for each of %d ranks, %d have one", c.ranks,
			len(r.Layout.Clusters))}
	}
	for q, k := range r.Layout.Clusters {
		if k < 0 || k >= c.ranks {
			return nil, &core.ChoiceError{Key: "clusters", Err: fmt.Errorf(
				"epochs: rank %d is in group %d, want a number in [0, %d)", q, k, c.ranks)}
		}
		c.groups[q] = uint32(k)
	}
	return c, nil
}

// setup makes the protocol for the programs of a scenario. Every rank fails and restarts alone,
// also in a group: groups say what is logged.
func setup(r protocol.Request) (*core.Setup, error) {
	layout := r.Layout
	bare := core.Setup{Protocol: "epochs", Layout: layout, Programs: r.Programs}
	if err := bare.Validate(); err != nil {
		return nil, err
	}
	c, err := newConfig(&r)
	if err != nil {
		return nil, err
	}
	layout.Names = append(layout.Names[:c.ranks:c.ranks], "RP")
	layout.Clusters, layout.Labels = nil, core.Labels(r.Programs)
	layout.Roles = roles()
	layout.Kinds = map[string]trace.Meaning{"Resume": trace.Gate, "Frontier": trace.Gate,
		"OrphanDone": trace.Replay, "There": trace.Evaluated, "Report": trace.Evaluated}
	s := &core.Setup{
		Protocol: "epochs", Layout: layout, Programs: r.Programs,
		NewMessage: func() core.Message { return new(message) },
		Promises: promise.Promises{
			Logging: "sender, what is received in a later epoch",
			Lines:   "none, each rank takes its own", RollsBack: promise.Dependents,
			Needs: promise.SendDeterministic, FIFO: true, Reliable: true,
			// Other rules do not say that phases rise with every reception, and that one message
			// always has the same, which is what the properties of phases would have of them.
			// Whether they are right, the orders of deliveries show, and whether runs end.
			Phases:    c.rule == safe && !c.has(EP12),
			Symmetric: c.variant == base, StableKeys: []string{imageKey, backKey},
			Writes: map[string]int{backKey: 0}, Flow: promise.EvenInLines,
			// a round begins with a failure, and takes nobody back twice
			Undo: promise.Undoing{Once: true, Orphans: true},
		},
		New: c.machine(r.Programs),
	}
	for q := range c.ranks {
		s.Initiators = append(s.Initiators, core.Proc(q))
	}
	return s, s.Validate()
}

// machine makes the machine of each proc.
func (c *config) machine(programs []core.Program) func(core.Proc) core.Machine {
	return func(p core.Proc) core.Machine {
		if p == c.recoveryProcess() {
			return &process{config: c}
		}
		rank := core.Rank(p)
		return program.NewHost(rank, programs[rank], func(app core.Application) core.Layer {
			return &layer{config: c, rank: rank, app: app}
		})
	}
}
