package fuzz

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/scenarios"
)

// Constructor makes the setup of a protocol for programs.
type Constructor func(layout core.Layout, programs []core.Program) (*core.Setup, error)

// Protocol is a protocol under test, of anybody: it need not be in the catalogue.
type Protocol struct {
	Name string // of files and messages; "" is "mine"
	New  Constructor
	// Baseline makes the same programs without a protocol: none.NewSetup. It says what the programs
	// do when nothing fails.
	Baseline Constructor
	Shapes   Shapes

	Runs   int    // that Test draws, 0 = 4000; a tenth of it with -short
	Seed   uint64 // of what Test draws
	Folder string // where Test keeps failures and runs them again first; "" is testdata/domino
}

// errBaseline says what is missing.
var errBaseline = errors.New(
	"fuzz: Protocol.New and Protocol.Baseline must be set, e.g. Baseline: none.NewSetup")

// Target is the protocol as Run takes it.
func (p Protocol) Target() Target {
	t := Target{Shapes: p.Shapes, Resolve: p.Resolve}
	t.Template = scenarios.Scenario{Protocol: cmp.Or(p.Name, "mine"), Variant: "repaired",
		Expect: "holds"}
	return t
}

// Resolve makes a scenario ready to run with the protocol, whichever it names.
func (p Protocol) Resolve(s *scenarios.Scenario) (c world.Case, err error) {
	if p.New == nil || p.Baseline == nil {
		return c, errBaseline
	}
	suite, err := script.Read(s.Program, s.ProgramLine())
	if err != nil {
		return c, fmt.Errorf("%s: %w", s.File, err)
	}
	layout := core.Layout{Names: suite.Names, Ranks: len(suite.Names), Trees: suite.Trees}
	if layout.Clusters, err = scenarios.ReadClusters(s.Clusters, suite.Names); err != nil {
		return c, s.Errorf("clusters", "%w", err)
	}
	programs := suite.Programs
	if len(suite.Trees) > 0 && p.Shapes.Collectives != NativeCollectives {
		if programs, err = script.Expand(suite); err != nil {
			return c, fmt.Errorf("%s: %w", s.File, err)
		}
		layout.Trees, layout.Unjoined = nil, script.Unjoined(suite)
	}
	if c.Baseline, err = p.Baseline(layout, programs); err != nil {
		return c, fmt.Errorf("%s: %w", s.File, err)
	}
	if c.Setup, err = p.New(layout, programs); err != nil {
		return c, fmt.Errorf("%s: %w", s.File, err)
	}
	c.Model, c.Force = s.Model, s.Force
	for _, v := range s.Victims {
		i := slices.Index(c.Setup.Layout.Names, v)
		if i < 0 {
			return c, s.Errorf("victims", "victim %s does not exist", v)
		}
		c.Model.Victims = append(c.Model.Victims, core.Proc(i))
	}
	return c, c.Model.Validate(len(c.Setup.Layout.Names))
}
