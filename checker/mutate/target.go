package mutate

import (
	"fmt"

	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/scenarios"
)

// Resolve turns the names of a scenario into code.
type Resolve func(*scenarios.Scenario) (world.Case, error)

// Target is one mutant at the scope of one scenario.
type Target struct {
	Mutant   Mutant
	Scenario *scenarios.Scenario // in the variant of the mutant
	Case     world.Case          // of the mutant
	Tally    *Tally              // of the mutant, in all that is made by Resolve
	// of the repaired protocol at the same scope, at the boundary of its machines, too
	Original world.Case
	Resolve  Resolve // of smaller scenarios, with the mutant in them
}

// aim makes the target. Symmetry is not made use of: a mutant may tell ranks apart.
func aim(m Mutant, s *scenarios.Scenario, resolve Resolve) (*Target, error) {
	t := &Target{Mutant: m, Tally: new(Tally)}
	own := *s
	own.Variant, own.Expect, own.Breaks, own.States, own.MustSee, own.Interchangeable = "repaired",
		"holds", "", 0, nil, nil
	if s.Roles != "" && m.Variant != "" {
		own.Variant = m.Variant
	}
	original, err := resolve(&own)
	if err != nil {
		return nil, fmt.Errorf("mutant %s: %w", m.Name, err)
	}
	original.Setup, original.Force = Wrapped(original.Setup), true
	t.Original = original
	if m.Variant != "" {
		own.Variant = m.Variant
	}
	own.Force = true
	t.Scenario = &own
	t.Resolve = func(s *scenarios.Scenario) (world.Case, error) {
		c, err := resolve(s)
		if err != nil {
			return c, err
		}
		c.Setup, c.Force = m.Wrap(c.Setup, t.Tally), true
		return c, nil
	}
	t.Case, err = t.Resolve(&own)
	return t, err
}
