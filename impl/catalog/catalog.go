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
	"github.com/domino-check/domino/impl/paxos"
	"github.com/domino-check/domino/impl/twophase"
	"github.com/domino-check/domino/scenarios"
)

// Protocol is one registered protocol.
type Protocol struct {
	Name   string
	Doc    string
	Errata []core.Erratum // switches, in order
	// Setup prepares the protocol; the variant is "repaired", "published", or "repaired+ID+ID".
	Setup func(layout core.Layout, programs []core.Program, variant string) (*core.Setup, error)
	// Roles are the kinds of procs of a protocol without programs; Build, in the place of Setup, is given how many there are of each,
	// and "repaired" or one of the Variants.
	Roles    []string
	Variants []string // broken on purpose
	Build    func(counts []int, variant string) (*core.Setup, error)
}

// Protocols lists what is registered, by name.
func Protocols() []Protocol {
	return []Protocol{
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
		{Name: "paxos", Doc: "an example outside recovery: single-decree Paxos behind a register [Paxos]",
			Roles: []string{"servers", "clients"}, Variants: []string{"deaf", "stale"},
			Build: func(counts []int, variant string) (*core.Setup, error) {
				return paxos.NewSetup(paxos.Options{Servers: counts[0], Clients: counts[1], Deaf: variant == "deaf", Stale: variant == "stale"})
			}},
		{Name: "two-phase", Doc: "an example outside recovery: two-phase commit [Commit]", Roles: []string{"resources"}, Variants: []string{"hasty"},
			Build: func(counts []int, variant string) (*core.Setup, error) {
				return twophase.NewSetup(twophase.Options{Resources: counts[0], Hasty: variant == "hasty"})
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
	return Protocol{}, fmt.Errorf("unknown protocol %q, did you mean %q? Known: %s", name, scenarios.Nearest(name, names), strings.Join(names, ", "))
}

func hydeeVariant(variant string) (hydee.Set, error) {
	words := strings.Split(variant, "+")
	var set hydee.Set
	switch words[0] {
	case "repaired":
	case "published":
		set = hydee.Published()
	default:
		return 0, fmt.Errorf("unknown variant %q, want repaired, published, or repaired+ERRATUM", variant)
	}
	for _, id := range words[1:] {
		e, ok := hydee.ByID(id)
		if !ok {
			var known []string
			for _, e := range hydee.Errata() {
				known = append(known, e.ID)
			}
			return 0, fmt.Errorf("unknown erratum %q, did you mean %q? Known: %s", id, scenarios.Nearest(id, known), strings.Join(known, ", "))
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
			return nil, s.Errorf("victims", "victim %s does not exist, there are %s", v, strings.Join(r.Setup.Layout.Names, " "))
		}
		r.Model.Victims = append(r.Model.Victims, core.Proc(i))
	}
	names := r.Setup.Layout.Names[:r.Setup.Layout.Ranks]
	for _, v := range s.Interchangeable {
		i := slices.Index(names, v)
		if i < 0 || slices.Contains(r.Interchangeable, core.Rank(i)) {
			return nil, s.Errorf("interchangeable", "%s is not a rank, or is there twice; ranks are %s", v, strings.Join(names, " "))
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
	names, programs, err := readProgram(s)
	if err != nil {
		return err
	}
	layout := core.Layout{Names: names, Ranks: len(names)}
	if layout.Clusters, err = clusters(s.Clusters, names); err != nil {
		return s.Errorf("clusters", "%w", err)
	}
	if r.Setup, err = protocol.Setup(layout, programs, s.Variant); err != nil {
		return s.Errorf("variant", "%w", err)
	}
	if r.Baseline, err = none.NewSetup(layout, programs); err != nil {
		return s.Errorf("-- program --", "%w", err)
	}
	return nil
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
