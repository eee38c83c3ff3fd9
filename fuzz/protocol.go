package fuzz

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/scenarios"
)

// Names are the protocols of the list that there are random scenarios for, in its order.
func Names(list protocol.List) []string {
	var names []string
	for _, p := range list {
		if p.Shapes != nil {
			names = append(names, p.Name)
		}
	}
	return names
}

// TargetOf is a protocol of the list in a variant ("repaired", "published", "repaired+ID") as Run
// takes it.
func TargetOf(list protocol.List, name, variant string) (Target, error) {
	p, err := list.Find(name)
	if err != nil {
		return Target{}, err
	}
	switch {
	case p.Setup == nil:
		return Target{}, fmt.Errorf("protocol %s takes no programs, so there is nothing to draw",
			p.Name)
	case p.Shapes == nil:
		return Target{}, fmt.Errorf(
			"protocol %s does not say which random scenarios fit it (Shapes), so none are drawn",
			p.Name)
	}
	if _, err := p.Switches(variant); err != nil {
		return Target{}, err
	}
	t := Target{Shapes: *p.Shapes, Resolve: func(s *scenarios.Scenario) (world.Case, error) {
		r, err := verify.Resolve(list, s)
		if bug := new(protocol.PanicError); errors.As(err, &bug) {
			panic(bug.What) // others refuse a scenario, this is found in one
		} else if err != nil {
			return world.Case{}, err
		}
		return r.Case, nil
	}}
	t.Template = scenarios.Scenario{Protocol: p.Name, Variant: variant, Expect: "holds"}
	return t, nil
}

// Trial is what Test and Fuzz do with a protocol. The zero value is what most tests want.
type Trial struct {
	Variant string // "" is "repaired"
	Runs    int    // that Test draws, 0 = 4000; a tenth of it with -short
	Seed    uint64 // of what Test draws
	// where Test keeps failures and runs them again first; "" is testdata/domino
	Folder string
}

// target is the protocol as Run takes it.
func (trial Trial) target(p protocol.Protocol) (Target, error) {
	list := protocol.List{p}
	if err := list.Validate(); err != nil {
		return Target{}, err
	}
	return TargetOf(list, p.Name, cmp.Or(trial.Variant, "repaired"))
}
