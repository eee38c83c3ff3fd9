// Package catalog turns names into code: it is the place to register a protocol. Resolve makes a
// scenario ready to run.
package catalog

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/kernels"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol/camel"
	"github.com/domino-check/domino/impl/protocol/causal"
	"github.com/domino-check/domino/impl/protocol/example/paxos"
	"github.com/domino-check/domino/impl/protocol/example/twophase"
	"github.com/domino-check/domino/impl/protocol/hydee"
	"github.com/domino-check/domino/impl/protocol/none"
	"github.com/domino-check/domino/impl/protocol/pessimistic"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/scenarios/spelling"
	"github.com/domino-check/domino/spec/fault"
)

// Protocol is one registered protocol.
type Protocol struct {
	Name   string
	Doc    string
	Errata []core.Erratum // switches, in order
	// Collectives says that it runs multicasts and reductions itself; for others they are expanded
	// into sends and receives.
	Collectives bool
	// Options reports what is wrong with options of its own in a scenario; nil means that it has
	// none.
	Options func(options string) error
	// Setup prepares the protocol.
	Setup func(layout core.Layout, programs []core.Program, o Options) (*core.Setup, error)
	// Roles are the kinds of procs of a protocol without programs; Build, in the place of Setup, is
	// given how many there are of each, and "repaired" or one of the Variants.
	Roles    []string
	Variants []string // broken on purpose
	Build    func(counts []int, variant string) (*core.Setup, error)
}

// Options are what a scenario says about its protocol.
type Options struct {
	Variant   string // "repaired", "published", or "repaired+ID+ID"
	Own       string // options that only this protocol has, e.g. "loggers=next mode=semi"
	Unordered bool   // the network does not keep the order of channels
	// failures at a time that the protocol is to tolerate; nil where it does not choose
	Tolerates *int
}

// Protocols lists what is registered, by name.
func Protocols() []Protocol {
	return []Protocol{
		{Name: "camel",
			Doc: "causal message logging that knows collectives: one copy of a multicast, of a " +
				"reduction what the root gets [CAMEL]",
			Errata: camel.Errata().List(), Collectives: true,
			Setup: func(layout core.Layout, programs []core.Program, o Options) (*core.Setup,
				error) {
				set, err := variant(o.Variant, camel.All())
				if err != nil {
					return nil, err
				}
				return camel.NewSetup(layout, programs,
					causal.Options{F: o.tolerates(min(1, len(programs)-1)), Errata: set,
						Unordered: o.Unordered})
			}},
		{Name: "causal",
			Doc: "simple causal message logging: determinants travel on messages until f+1 " +
				"processes hold them [CAMEL]", Errata: causal.Errata().List(),
			Setup: func(layout core.Layout, programs []core.Program, o Options) (*core.Setup,
				error) {
				set, err := variant(o.Variant, causal.Errata())
				if err != nil {
					return nil, err
				}
				return causal.NewSetup(layout, programs,
					causal.Options{F: o.tolerates(min(1, len(programs)-1)), Errata: set,
						Unordered: o.Unordered})
			}},
		logging(pessimistic.HMPL,
			"hybrid: temporary buffers at both ends, log at the receiver's protector [RADIC]"),
		{Name: "hydee",
			Doc:    "checkpoints in clusters, payload logs between them, no determinants [HydEE]",
			Errata: hydee.Errata().List(),
			Setup: func(layout core.Layout, programs []core.Program, o Options) (*core.Setup,
				error) {
				set, err := variant(o.Variant, hydee.Errata())
				if err != nil {
					return nil, err
				}
				if err := o.noChoice("hydee"); err != nil {
					return nil, err
				}
				return hydee.NewSetup(layout, programs, hydee.Options{Errata: set})
			}},
		{Name: "none", Doc: "no protocol: a failure loses the rank; the baseline",
			Collectives: true,
			Setup: func(layout core.Layout, programs []core.Program, o Options) (*core.Setup,
				error) {
				if o.Variant != "repaired" {
					return nil, fmt.Errorf("protocol none has no variant %q", o.Variant)
				}
				if err := o.noChoice("none"); err != nil {
					return nil, err
				}
				return none.NewSetup(layout, programs)
			}},
		{Name: "paxos",
			Doc:   "an example outside recovery: single-decree Paxos behind a register [Paxos]",
			Roles: []string{"servers", "clients"}, Variants: []string{"deaf", "stale"},
			Build: func(counts []int, variant string) (*core.Setup, error) {
				return paxos.NewSetup(paxos.Options{Servers: counts[0], Clients: counts[1],
					Deaf: variant == "deaf", Stale: variant == "stale"})
			}},
		resilient(pessimistic.HMPL),
		resilient(pessimistic.RBML),
		resilient(pessimistic.SBML),
		logging(pessimistic.RBML, "receiver-based message logging, pessimistic [RADIC]"),
		logging(pessimistic.SBML,
			"sender-based message logging, pessimistic: the order in volatile logs of senders "+
				"[RADIC]"),
		{Name: "two-phase", Doc: "an example outside recovery: two-phase commit [Commit]",
			Roles: []string{"resources"}, Variants: []string{"hasty"},
			Build: func(counts []int, variant string) (*core.Setup, error) {
				return twophase.NewSetup(twophase.Options{Resources: counts[0],
					Hasty: variant == "hasty"})
			}},
	}
}

// Find returns the protocol with the name; the error names the nearest known one.
func Find(name string) (Protocol, error) {
	list := Protocols()
	var names []string
	for _, p := range list {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return Protocol{}, fmt.Errorf("unknown protocol %q%s Known: %s", name,
		spelling.Guess(name, names), strings.Join(names, ", "))
}

// tolerates is what the scenario asks for, or the default.
func (o Options) tolerates(otherwise int) int {
	if o.Tolerates == nil {
		return otherwise
	}
	return *o.Tolerates
}

func (o Options) noChoice(protocol string) error {
	if o.Tolerates != nil {
		return &core.ChoiceError{Key: "tolerates",
			Err: fmt.Errorf("protocol %s does not choose how many failures it tolerates", protocol)}
	}
	return nil
}

// variant reads "repaired", "published" or "repaired+ID+ID" with the errata of one protocol.
func variant(text string, errata core.Errata) (core.Switches, error) {
	words := strings.Split(text, "+")
	var set core.Switches
	switch words[0] {
	case "repaired":
	case "published":
		set = errata.Published()
	default:
		return 0, fmt.Errorf("unknown variant %q, want repaired, published, or repaired+ERRATUM",
			text)
	}
	for _, id := range words[1:] {
		e, ok := errata.Find(id)
		if !ok {
			var known []string
			for _, e := range errata.List() {
				known = append(known, e.ID)
			}
			return 0, fmt.Errorf("unknown erratum %q%s Known: %s", id,
				spelling.Guess(id, known), strings.Join(known, ", "))
		}
		set = set.With(e)
	}
	return set, nil
}

// Resolved is a scenario with code in the place of names.
type Resolved struct {
	Scenario *scenarios.Scenario
	Setup    *core.Setup
	Baseline *core.Setup // the same programs without a protocol; nil when there are no programs
	Model    fault.Model

	Interchangeable []core.Rank
}

// Resolve looks up every name of a scenario; errors carry file and line.
func Resolve(s *scenarios.Scenario) (*Resolved, error) {
	r := &Resolved{Scenario: s, Model: s.Model}
	protocol, err := Find(s.Protocol)
	if err != nil {
		return nil, s.Errorf("protocol", "%w", err)
	}
	if s.Options != "" {
		if protocol.Options == nil {
			return nil, s.Errorf("options", "protocol %s has no options", protocol.Name)
		}
		if err := protocol.Options(s.Options); err != nil {
			return nil, s.Errorf("options", "%w", err)
		}
	}
	if protocol.Roles != nil {
		err = r.build(protocol)
	} else {
		err = r.setUp(protocol)
	}
	if err != nil {
		return nil, err
	}
	for _, v := range s.Victims {
		i := slices.Index(r.Setup.Layout.Names, v)
		if i < 0 {
			return nil, s.Errorf("victims", "victim %s does not exist, there are %s", v,
				strings.Join(r.Setup.Layout.Names, " "))
		}
		r.Model.Victims = append(r.Model.Victims, core.Proc(i))
	}
	names := r.Setup.Layout.Names[:r.Setup.Layout.Ranks]
	for _, v := range s.Interchangeable {
		i := slices.Index(names, v)
		if i < 0 || slices.Contains(r.Interchangeable, core.Rank(i)) {
			return nil, s.Errorf("interchangeable",
				"%s is not a rank, or is there twice; ranks are %s", v, strings.Join(names, " "))
		}
		r.Interchangeable = append(r.Interchangeable, core.Rank(i))
	}
	if err := r.Model.Validate(len(r.Setup.Layout.Names)); err != nil {
		return nil, s.Errorf("failures", "%w", err)
	}
	return r, nil
}

// setUp prepares a protocol with programs.
func (r *Resolved) setUp(protocol Protocol) error {
	s := r.Scenario
	if s.Roles != "" {
		return s.Errorf("roles", "protocol %s has programs, no roles", s.Protocol)
	}
	suite, err := readProgram(s)
	if err != nil {
		return err
	}
	programs := suite.Programs
	layout := core.Layout{Names: suite.Names, Ranks: len(suite.Names), Trees: suite.Trees}
	if layout.Clusters, err = scenarios.ReadClusters(s.Clusters, suite.Names); err != nil {
		return s.Errorf("clusters", "%w", err)
	}
	if len(layout.Trees) > 0 && !protocol.Collectives {
		if programs, err = script.Expand(suite); err != nil {
			return s.Errorf("-- program --", "protocol %s has no collectives of its own: %w",
				s.Protocol, err)
		}
		layout.Trees, layout.Unjoined = nil, script.Unjoined(suite)
	}
	if r.Setup, err = protocol.Setup(layout, programs,
		Options{Variant: s.Variant, Own: s.Options, Unordered: s.Model.Unordered,
			Tolerates: s.Tolerates}); err != nil {
		return r.at(suite, err)
	}
	if r.Baseline, err = none.NewSetup(layout, programs); err != nil {
		return s.Errorf("-- program --", "%w", err)
	}
	return nil
}

// at gives an error of a protocol the place of what it is about.
func (r *Resolved) at(suite *script.Suite, err error) error {
	var choice *core.ChoiceError
	switch {
	case !errors.As(err, &choice):
		return r.Scenario.Errorf("variant", "%w", err)
	case choice.Key != "program":
		return r.Scenario.Errorf(choice.Key, "%w", err)
	case r.Scenario.Shape != "":
		return r.Scenario.Errorf("program", "%w", err)
	}
	return fmt.Errorf("%s:%d: %w", r.Scenario.File, suite.Lines[choice.Rank], err)
}

func readProgram(s *scenarios.Scenario) (*script.Suite, error) {
	text, line := s.Program, s.ProgramLine()
	if words, ok := strings.CutPrefix(s.Shape+" ", "kernel "); ok {
		k, err := kernels.Build(words)
		if err != nil {
			return nil, s.Errorf("program", "%w", err)
		}
		return &script.Suite{Names: k.Names, Programs: k.Programs,
			Lines: make([]int, len(k.Names))}, nil
	}
	if s.Shape != "" {
		var err error
		if text, err = script.Generate(s.Shape); err != nil {
			return nil, s.Errorf("program", "%w", err)
		}
		line = 1
	}
	suite, err := script.Read(text, line)
	var at *script.LineError
	if errors.As(err, &at) {
		return nil, fmt.Errorf("%s:%d: %w", s.File, at.Line, at.Err)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.File, err)
	}
	return suite, nil
}
