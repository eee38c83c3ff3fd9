package coordinated

import (
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/part/link"
	"github.com/domino-check/domino/impl/protocol/part/snapshot"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// Protocol is coordinated checkpoints of everybody, in both styles.
var Protocol = protocol.Protocol{
	Name:   "coordinated",
	Doc:    "checkpoints of all ranks together, to which all go back [Tamir] [CL]",
	Errata: errata,
	Many:   true,
	Options: func(text string) error {
		_, err := readOptions(text)
		return err
	},
	OptionDocs: []protocol.Option{{Name: "style", Values: snapshot.Styles,
		Doc: "nothing is sent during a checkpoint, or markers divide what is"},
		{Name: "channels", Values: channelWords, Doc: fmt.Sprintf("markers to everybody, or "+
			"where programs send; used is the default of more than %d ranks", core.MaxSearched)}},
	Setup:   setup,
	Mutants: mutants,
	Shapes: &protocol.Shapes{
		Items: 6, MaxRanks: 3, Wildcards: true, Posts: true, Overlapping: true,
		Collectives: protocol.ExpandedCollectives, Checkpoints: protocol.OwnCheckpoints,
		Crossing: true, Spontaneous: 1, Outputs: true, Picks: true,
		Loops:    true,
		Settings: []string{"at-once", "from-dead", "to-dead", "detect", "stop", "notice", "torn"},
		Variations: []protocol.Variation{{Options: "style=blocking"},
			{Options: "style=markers"}},
	},
}

// options are what can be chosen, the first one where nothing is said.
type options struct {
	style    snapshot.Style
	channels channels
}

// readOptions reads them.
func readOptions(text string) (o options, err error) {
	err = protocol.ReadOptions(text, map[string]protocol.Setter{"style": o.style.Set,
		"channels": o.channels.set})
	return o, err
}

// config is shared by all ranks of one setup and never changes.
type config struct {
	members []core.Rank
	style   snapshot.Style
	wiring  *snapshot.Wiring // nil: all channels are marked
	errata  core.Switches
}

func (c *config) has(e core.Switch) bool { return c.errata.Has(e) }

// setup makes everybody one group, whatever the clusters of the scenario.
func setup(r protocol.Request) (*core.Setup, error) {
	o, err := readOptions(r.Options)
	if err != nil {
		return nil, err
	}
	bare := core.Setup{Protocol: "coordinated", Layout: r.Layout, Programs: r.Programs}
	if err := bare.Validate(); err != nil {
		return nil, err
	}
	style := o.style
	layout, c := r.Layout, &config{style: style, errata: r.Errata}
	layout.Clusters, layout.Labels = make([]int, layout.Ranks), core.Labels(r.Programs)
	layout.Kinds = snapshot.Kinds()
	layout.Roles = snapshot.Roles().With(trace.RoleProgram, link.App)
	everybody := make([]core.Proc, layout.Ranks)
	for i := range everybody {
		c.members, everybody[i] = append(c.members, core.Rank(i)), core.Proc(i)
	}
	if c.wiring, err = o.channels.wiring(r.Programs, c.members); err != nil {
		return nil, err
	}
	layout.Groups = map[core.Proc][]core.Proc{}
	for _, p := range everybody {
		layout.Groups[p] = everybody
	}
	s := &core.Setup{
		Protocol: "coordinated", Layout: layout, Programs: r.Programs,
		NewMessage: func() core.Message { return new(Message) },
		Initiators: everybody[:1],
		Reads:      func(p core.Proc) []core.Proc { return snapshot.Reads(0, p) },
		Promises: promise.Promises{Lines: "coordinated, " + style.String(),
			RollsBack: promise.Cluster, Needs: promise.NoDeterminism, FIFO: true, Reliable: true,
			RestartTogether: true, Outputs: promise.WithTheLine,
			StableKeys: []string{snapshot.ImageKey, snapshot.CommitKey},
			Writes:     snapshot.Writes(), Flow: flow(style),
			Traffic: promise.Traffic{Promised: true, Line: 2}},
		New: func(p core.Proc) core.Machine {
			rank := core.Rank(p)
			return program.NewHost(rank, r.Programs[p], func(app core.Application) core.Layer {
				return &layer{config: c, rank: rank, app: app}
			})
		},
	}
	return s, s.Validate()
}

// flow is where programs are never held.
func flow(style snapshot.Style) promise.Flow {
	if style == snapshot.Markers {
		return promise.EvenInLines
	}
	return promise.Everything // but while a line is made
}
