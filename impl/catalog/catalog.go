// Package catalog turns names into code: it is the place to register a protocol. Resolve makes a scenario ready to run.
package catalog

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/domino-check/domino/impl/apps"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/fault"
	"github.com/domino-check/domino/impl/hydee"
	"github.com/domino-check/domino/impl/none"
	"github.com/domino-check/domino/impl/pessimistic"
	"github.com/domino-check/domino/impl/radic"
	"github.com/domino-check/domino/scenarios"
)

// Protocol is one registered protocol.
type Protocol struct {
	Name   string
	Doc    string
	Errata []core.Erratum // switches, in order
	// Setup prepares the protocol; the variant is "repaired", "published", or "repaired+ID+ID".
	Setup func(layout core.Layout, programs []core.Program, variant string) (*core.Setup, error)
	// Options reports what is wrong with options in a scenario; nil means that there are none. Setup finds them behind the variant.
	Options func(options string) error
}

// Protocols lists what is registered, by name.
func Protocols() []Protocol {
	return []Protocol{
		logging(pessimistic.HMPL, "hybrid: temporary buffers at both ends, log at the receiver's protector [RADIC]"),
		{Name: "hydee", Doc: "checkpoints in clusters, payload logs between them, no determinants [HydEE]", Errata: hydee.Errata(),
			Setup: func(layout core.Layout, programs []core.Program, variant string) (*core.Setup, error) {
				set, err := hydeeVariant(variant)
				if err != nil {
					return nil, err
				}
				return hydee.NewSetup(layout, programs, hydee.Options{Errata: set})
			}},
		{Name: "none", Doc: "no protocol: a failure loses the rank; the baseline",
			Setup: func(layout core.Layout, programs []core.Program, variant string) (*core.Setup, error) {
				if variant != "repaired" {
					return nil, fmt.Errorf("protocol none has no variant %q", variant)
				}
				return none.NewSetup(layout, programs)
			}},
		resilient(pessimistic.HMPL),
		resilient(pessimistic.RBML),
		logging(pessimistic.RBML, "receiver-based message logging, pessimistic [RADIC]"),
		logging(pessimistic.SBML, "sender-based message logging, pessimistic: the order in volatile logs of senders [RADIC]"),
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
	return Protocol{}, fmt.Errorf("unknown protocol %q, did you mean %q? Known: %s", name, scenarios.Nearest(name, names), strings.Join(names, ", "))
}

// logging is one of the three protocols of the pessimistic family.
func logging(p pessimistic.Protocol, doc string) Protocol {
	return Protocol{Name: p.String(), Doc: doc, Errata: pessimistic.Errata(p),
		Options: func(options string) error {
			_, err := pessimistic.ParseOptions(options)
			return err
		},
		Setup: func(layout core.Layout, programs []core.Program, variant string) (*core.Setup, error) {
			variant, options, _ := strings.Cut(variant, " ")
			o, err := pessimistic.ParseOptions(options)
			if err != nil {
				return nil, err
			}
			published, ids, err := splitVariant(variant, pessimistic.Errata(p))
			if err != nil {
				return nil, err
			}
			if published {
				o.Errata = pessimistic.Published(p)
			}
			for _, id := range ids {
				e, _ := pessimistic.ByID(p, id)
				o.Errata = o.Errata.With(e)
			}
			return pessimistic.NewSetup(p, layout, programs, o)
		}}
}

// resilient is a logging protocol on nodes that RADIC controls. Its errata are those of the control plane.
func resilient(p pessimistic.Protocol) Protocol {
	parse := func(options string) (radic.Options, pessimistic.Options, error) {
		o, rest, err := radic.ParseOptions(options)
		if err != nil {
			return o, pessimistic.Options{}, err
		}
		inner, err := pessimistic.ParseOptions(rest)
		return o, inner, err
	}
	return Protocol{Name: "radic-" + p.String(), Doc: "protectors, observers and spares of RADIC over " + p.String() + " [RADIC]", Errata: radic.Errata(),
		Options: func(options string) error {
			_, _, err := parse(options)
			return err
		},
		Setup: func(layout core.Layout, programs []core.Program, variant string) (*core.Setup, error) {
			variant, options, _ := strings.Cut(variant, " ")
			o, inner, err := parse(options)
			if err != nil {
				return nil, err
			}
			published, ids, err := splitVariant(variant, radic.Errata())
			if err != nil {
				return nil, err
			}
			if published {
				o.Errata = radic.Published()
			}
			for _, id := range ids {
				e, _ := radic.ByID(id)
				o.Errata = o.Errata.With(e)
			}
			setup, err := pessimistic.NewSetup(p, layout, programs, inner)
			if err != nil {
				return nil, err
			}
			return radic.NewSetup(setup, layout.Clusters, o)
		}}
}

func hydeeVariant(variant string) (hydee.Set, error) {
	published, ids, err := splitVariant(variant, hydee.Errata())
	var set hydee.Set
	if published {
		set = hydee.Published()
	}
	for _, id := range ids {
		e, _ := hydee.ByID(id)
		set = set.With(e)
	}
	return set, err
}

// splitVariant reads "repaired", "published", or one of them with "+ID" for known errata.
func splitVariant(variant string, errata []core.Erratum) (published bool, ids []string, err error) {
	words := strings.Split(variant, "+")
	if words[0] != "repaired" && words[0] != "published" {
		return false, nil, fmt.Errorf("unknown variant %q, want repaired, published, or repaired+ERRATUM", variant)
	}
	var known []string
	for _, e := range errata {
		known = append(known, e.ID)
	}
	for _, id := range words[1:] {
		if !slices.Contains(known, id) {
			return false, nil, fmt.Errorf("unknown erratum %q, did you mean %q? Known: %s", id, scenarios.Nearest(id, known), strings.Join(known, ", "))
		}
	}
	return words[0] == "published", words[1:], nil
}

// Resolved is a scenario with code in the place of names.
type Resolved struct {
	Scenario *scenarios.Scenario
	Setup    *core.Setup
	Baseline *core.Setup // the same programs without a protocol
	Model    fault.Model
}

// Resolve looks up every name of a scenario; errors carry file and line.
func Resolve(s *scenarios.Scenario) (*Resolved, error) {
	names, programs, err := readProgram(s)
	if err != nil {
		return nil, err
	}
	layout := core.Layout{Names: names, Ranks: len(names)}
	if layout.Clusters, err = clusters(s.Clusters, names); err != nil {
		return nil, s.Errorf("clusters", "%w", err)
	}
	protocol, err := Find(s.Protocol)
	if err != nil {
		return nil, s.Errorf("protocol", "%w", err)
	}
	r := &Resolved{Scenario: s, Model: s.Model}
	variant := s.Variant
	if s.Options != "" {
		if protocol.Options == nil {
			return nil, s.Errorf("options", "protocol %s has no options", protocol.Name)
		}
		if err := protocol.Options(s.Options); err != nil {
			return nil, s.Errorf("options", "%w", err)
		}
		variant += " " + s.Options
	}
	if r.Setup, err = protocol.Setup(layout, programs, variant); err != nil {
		return nil, s.Errorf("variant", "%w", err)
	}
	if r.Baseline, err = none.NewSetup(layout, programs); err != nil {
		return nil, s.Errorf("-- program --", "%w", err)
	}
	for _, v := range s.Victims {
		i := slices.Index(r.Setup.Layout.Names, v)
		if i < 0 {
			return nil, s.Errorf("victims", "victim %s does not exist, there are %s", v, strings.Join(r.Setup.Layout.Names, " "))
		}
		r.Model.Victims = append(r.Model.Victims, core.Proc(i))
	}
	if err := r.Model.Validate(len(r.Setup.Layout.Names)); err != nil {
		return nil, s.Errorf("failures", "%w", err)
	}
	return r, nil
}

func readProgram(s *scenarios.Scenario) ([]string, []core.Program, error) {
	text, line := s.Program, s.ProgramLine()
	if s.Shape != "" {
		var err error
		if text, err = apps.Generate(s.Shape); err != nil {
			return nil, nil, s.Errorf("program", "%w", err)
		}
		line = 1
	}
	names, programs, err := apps.Parse(text, line)
	var at *apps.LineError
	if errors.As(err, &at) {
		return nil, nil, fmt.Errorf("%s:%d: %w", s.File, at.Line, at.Err)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", s.File, err)
	}
	return names, programs, nil
}

// clusters reads "a | b c | d": every rank exactly once. Empty text puts every rank into a cluster of its own.
func clusters(text string, names []string) ([]int, error) {
	of := make([]int, len(names))
	if text == "" {
		for r := range of {
			of[r] = r
		}
		return of, nil
	}
	given := map[string]bool{}
	for k, part := range strings.Split(text, "|") {
		members := strings.Fields(part)
		if len(members) == 0 {
			return nil, fmt.Errorf("cluster %d of %q is empty", k+1, text)
		}
		for _, m := range members {
			r := slices.Index(names, m)
			if r < 0 {
				return nil, fmt.Errorf("rank %s does not exist, there are %s", m, strings.Join(names, " "))
			}
			if given[m] {
				return nil, fmt.Errorf("rank %s is in two clusters", m)
			}
			given[m], of[r] = true, k
		}
	}
	for _, n := range names {
		if !given[n] {
			return nil, fmt.Errorf("rank %s is in no cluster", n)
		}
	}
	return of, nil
}
