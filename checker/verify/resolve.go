package verify

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/kernels"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/none"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/scenarios/spelling"
	"github.com/domino-check/domino/spec"
)

// Resolved is a scenario with code in the place of names: a question to the checker.
type Resolved struct {
	world.Case
	Scenario *scenarios.Scenario
	Protocol *protocol.Protocol
}

// Resolve looks up every name of a scenario; errors carry file and line.
func Resolve(list protocol.List, s *scenarios.Scenario) (*Resolved, error) {
	p, err := list.Find(s.Protocol)
	if err != nil {
		return nil, s.Errorf("protocol", "%w", err)
	}
	r := &Resolved{Scenario: s, Protocol: p, Case: world.Case{Model: s.Model, MustSee: s.MustSee,
		Force: s.Force, Subject: string(scenarios.Format(s)), Properties: p.Properties}}
	if err := p.Accept(s.Options); err != nil {
		return nil, s.Errorf("options", "%w", err)
	}
	if err := p.AcceptPolicies(s.Policies); err != nil {
		return nil, s.Errorf("policies", "%w", err)
	}
	if s.Erratum != "" {
		if _, err := p.Erratum(s.Erratum); err != nil {
			return nil, s.Errorf("erratum", "%w", err)
		}
	}
	if p.Build != nil {
		err = r.build()
	} else {
		err = r.setUp()
	}
	if err != nil {
		return nil, err
	}
	if err := r.Setup.AtMost(core.MaxSearched); err != nil {
		return nil, s.Errorf("", "%w", err)
	}
	return r, errors.Join(r.procs(), r.properties())
}

// procs looks up the names of procs.
func (r *Resolved) procs() error {
	s, layout := r.Scenario, &r.Setup.Layout
	for _, list := range []struct {
		key, what string
		names     []string
		procs     *[]core.Proc
	}{{"victims", "victim", s.Victims, &r.Model.Victims},
		{"spoils", "proc", s.Spoils, &r.Model.Spoiled}} {
		for _, v := range list.names {
			i := slices.Index(layout.Names, v)
			if i < 0 {
				return s.Errorf(list.key, "%s %s does not exist, there are %s", list.what, v,
					strings.Join(layout.Names, " "))
			}
			*list.procs = append(*list.procs, core.Proc(i))
		}
	}
	r.spare()
	names := layout.Names[:layout.Ranks]
	for _, v := range s.Interchangeable {
		i := slices.Index(names, v)
		if i < 0 || slices.Contains(r.Interchangeable, core.Rank(i)) {
			return s.Errorf("interchangeable",
				"%s is not a rank, or is there twice; ranks are %s", v, strings.Join(names, " "))
		}
		r.Interchangeable = append(r.Interchangeable, core.Rank(i))
	}
	if err := r.Model.Validate(len(layout.Names)); err != nil {
		return s.Errorf("failures", "%w", err)
	}
	return nil
}

// spare makes everybody a victim but those whom the protocol takes not to fail, where the scenario
// does not say who may. What holds then holds for these victims, which the verdict names.
func (r *Resolved) spare() {
	if r.Model.Victims != nil || r.Setup.Spared == nil {
		return
	}
	for p := range core.Proc(len(r.Setup.Layout.Names)) {
		if !slices.Contains(r.Setup.Spared, p) {
			r.Model.Victims = append(r.Model.Victims, p)
		}
	}
}

// properties looks up the names of properties: a misspelt one would never be seen, or broken.
func (r *Resolved) properties() error {
	var all, sometimes []string
	for _, p := range slices.Concat(spec.Properties(), r.Protocol.Properties) {
		all = append(all, p.Name)
		if p.Kind == spec.Sometimes {
			sometimes = append(sometimes, p.Name)
		}
	}
	s := r.Scenario
	for _, name := range s.MustSee {
		if !slices.Contains(sometimes, name) {
			return s.Errorf("must-see", "%q is no property of kind sometimes%s "+
				"See: domino list properties", name, spelling.Guess(name, sometimes))
		}
	}
	if s.Breaks != "" && !slices.Contains(all, s.Breaks) && !slices.Contains(guards, s.Breaks) {
		return s.Errorf("breaks", "unknown property %q%s See: domino list properties",
			s.Breaks, spelling.Guess(s.Breaks, all))
	}
	return nil
}

// guards are what machines are judged by beside the properties: they are named like them.
var guards = []string{"no-panic", world.Returns, world.Contract, "terminates", "deterministic",
	"aliasing", "codec"}

// setUp prepares a protocol with programs.
func (r *Resolved) setUp() error {
	s, p := r.Scenario, r.Protocol
	if s.Roles != "" {
		return s.Errorf("roles", "protocol %s has programs, no roles", s.Protocol)
	}
	if s.Tolerates != nil && !p.Chooses {
		return s.Errorf("tolerates",
			"protocol %s does not choose how many failures it tolerates; the nearest that it can "+
				"carry: without tolerates", p.Name)
	}
	suite, err := readProgram(s)
	if err != nil {
		return err
	}
	if !p.Errors {
		for i, q := range suite.Programs {
			suite.Programs[i] = q.Blind()
		}
	}
	r.Places = places(s, suite)
	programs := suite.Programs
	layout := core.Layout{Names: suite.Names, Ranks: len(suite.Names), Trees: suite.Trees}
	if layout.Clusters, err = scenarios.ReadClusters(s.Clusters, suite.Names); err != nil {
		return s.Errorf("clusters", "%w", err)
	}
	kernel := strings.HasPrefix(s.Shape, "kernel ")
	if len(layout.Trees) > 0 && (!p.Collectives || p.Straight && kernel) {
		if programs, err = script.Expand(suite); err != nil {
			return s.Errorf("-- program --", "protocol %s has no collectives of its own: %w",
				s.Protocol, err)
		}
		layout.Trees, layout.Unjoined = nil, script.Unjoined(suite)
	}
	errata, err := p.Switches(s.Variant)
	if err != nil {
		return s.Errorf("variant", "%w", err)
	}
	r.Setup, err = p.Make(protocol.Request{Layout: layout, Programs: programs,
		Variant: s.Variant, Errata: errata, Options: s.Options,
		Policies: s.Policies, Unordered: s.Model.Unordered, Tolerates: s.Tolerates})
	if err != nil {
		return r.at(suite, err)
	}
	if r.Baseline, err = none.For(r.Setup.Promises, layout, programs); err != nil {
		return s.Errorf("-- program --", "%w", err)
	}
	return nil
}

// places are where the programs of the ranks are written; nil for those that are generated.
func places(s *scenarios.Scenario, suite *script.Suite) (list []string) {
	for _, line := range suite.Lines {
		if s.Shape == "" {
			list = append(list, fmt.Sprintf("%s:%d", s.File, line))
		}
	}
	return list
}

// Alone is the programs over the transparent protocol: what they do by themselves.
func Alone(layout core.Layout, programs []core.Program) (*core.Setup, error) {
	return none.NewSetup(layout, programs)
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
		return &script.Suite{Names: k.Names, Programs: k.Programs, Trees: k.Trees,
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
