package verify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/scenarios/spelling"
)

// Erratum is one erratum at one scenario: what the switch breaks, and the repaired protocol at the
// same scope.
type Erratum struct {
	core.Erratum
	Protocol  string  `json:"protocol"`
	Scenario  string  `json:"scenario,omitempty"` // "" when none shows it, see Shown
	Broken    *Answer `json:"broken,omitempty"`   // with the erratum
	Repaired  *Answer `json:"repaired,omitempty"` // without
	Confirmed bool    `json:"confirmed"`

	scenario *scenarios.Scenario
}

// Errata lists those of one protocol, or of all with "", by their IDs, or all without: one entry
// for each scenario of each erratum.
func (c *Catalogue) Errata(name string, ids ...string) ([]*Erratum, error) {
	protocols := c.protocols
	if name != "" {
		p, err := c.Find(name)
		if err != nil {
			for _, p := range c.protocols {
				if _, err := p.Erratum(name); err == nil {
					return nil, fmt.Errorf("%s is an erratum of %s: name %s before it", name,
						p.Name, p.Name)
				}
			}
			return nil, err
		}
		protocols = protocol.List{*p}
	}
	var list []*Erratum
	var known []string
	for _, p := range protocols {
		for _, e := range p.Listed() {
			known = append(known, e.ID)
			if len(ids) > 0 && !slices.Contains(ids, e.ID) {
				continue
			}
			before := len(list)
			for _, s := range c.scenarios {
				if s.Protocol == p.Name && s.Erratum == e.ID {
					list = append(list, &Erratum{Erratum: e, Protocol: p.Name, Scenario: s.Name,
						scenario: s})
				}
			}
			if len(list) == before {
				list = append(list, &Erratum{Erratum: e, Protocol: p.Name})
			}
		}
	}
	for _, id := range ids {
		if !slices.Contains(known, id) {
			return nil, fmt.Errorf("unknown erratum %q%s Known: %s", id,
				spelling.Guess(id, known), strings.Join(known, " "))
		}
	}
	return list, nil
}

// Asked is the scenario as it is asked with the erratum; nil when none shows it.
func (e *Erratum) Asked() *scenarios.Scenario {
	if e.scenario == nil {
		return nil
	}
	broken := *e.scenario
	broken.Variant, broken.Expect, broken.States = "repaired+"+e.ID, "violated", 0
	broken.MustSee, broken.Force = nil, true
	return &broken
}

// Explore finds the shortest run with the erratum, then looks at the repaired protocol at the same
// scope, each by the way of searching that it is given.
func (e *Erratum) Explore(o Options, check func(*scenarios.Scenario, Options) (*Answer,
	error)) (err error) {
	broken := e.Asked()
	if broken == nil {
		return nil
	}
	o.Order = checker.BreadthFirst
	if e.Broken, err = check(broken, o); err != nil {
		return err
	}
	o.Order, o.Reduce = checker.DepthFirst, DefaultReduction
	repaired := *e.scenario
	repaired.Variant, repaired.Breaks = "repaired", ""
	if e.Repaired, err = check(&repaired, o); err != nil {
		return err
	}
	e.Broken.Repaired = e.Repaired
	e.Confirmed = e.Broken.AsExpected && e.Repaired.AsExpected
	return nil
}
