package mutation

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/scenarios/spelling"
)

// Status is what becomes of a mutant.
type Status string

// What is known of mutants: that some run breaks a property; that none does, but none shows either
// what some run of the original shows (a Sometimes property), so that a check is vacuous; that none
// does, and runs end otherwise, in a way that is within the specification; that none does and all
// runs end alike.
const (
	Broken     Status = "broken"
	Within     Status = "within"
	Equivalent Status = "equivalent"
	Vacuous    Status = "vacuous"
)

// Mutant is one way to break a protocol, or almost.
type Mutant struct {
	Name     string // protocol/what
	Protocol string
	Doc      string // what it does, as a clause about the proc
	Scenario string // where it is hunted: the scenario with the repaired protocol
	Expect   Status
	Why      string // of one that is not broken: the reason
	Erratum  string // the switch in the protocol; "" for a mutant at the boundary of the machines
	Variant  string // the variant that has the switch on, "" for a mutant at the boundary
	habit    habit
}

// Wrap returns a changed copy of the setup whose machines misbehave; fired counts how often that
// made a difference. A mutant that is a switch of the protocol changes nothing here: its setup is
// made with the variant.
func (m *Mutant) Wrap(s *core.Setup, fired *atomic.Int64) *core.Setup {
	if m.Variant != "" {
		return s
	}
	return m.habit.wrap(s, fired)
}

// broken is a mutant of which some run breaks a property at the scope of the scenario.
func broken(protocol, name, doc, scenario string, h habit) Mutant {
	return Mutant{Name: protocol + "/" + name, Protocol: protocol, Doc: doc, Scenario: scenario,
		Expect: Broken, habit: h}
}

// like is the mutant under further protocols of a family, each with its scenario.
func like(m Mutant, at ...string) family {
	list := family{m}
	_, name, _ := strings.Cut(m.Name, "/")
	for i := 0; i < len(at); i += 2 {
		n := m
		n.Name, n.Protocol, n.Scenario = at[i]+"/"+name, at[i], at[i+1]
		list = append(list, n)
	}
	return list
}

// family is one mutant under several protocols.
type family []Mutant

// but says of all of them that they are not broken, and why.
func (f family) but(s Status, why string) family {
	for i := range f {
		f[i] = f[i].but(s, why)
	}
	return f
}

// but says that the mutant is not broken, and why.
func (m Mutant) but(s Status, why string) Mutant {
	m.Expect, m.Why = s, why
	return m
}

// Boundary lists the mutants at the boundary of machines, by protocol and name.
func Boundary() []Mutant {
	list := slices.Concat(hydee(), causal(), camel(), pessimistic(), senderBased(), radic(),
		services())
	slices.SortFunc(list, func(a, b Mutant) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Catalogue lists all mutants by protocol and name: those at the boundary, then for each scenario
// of an erratum the protocol with that erratum, and the variants that are broken on purpose.
func Catalogue(all []*scenarios.Scenario) []Mutant {
	list := Boundary()
	for _, s := range all {
		switch {
		case s.Erratum != "":
			name := fmt.Sprintf("%s/%s", s.Protocol, s.Erratum)
			if slices.ContainsFunc(list, func(m Mutant) bool { return m.Name == name }) {
				name += "-" + s.Name // a second scenario of the same one
			}
			list = append(list, Mutant{Name: name, Protocol: s.Protocol, Doc: "erratum " +
				s.Erratum + ": " + s.Title, Scenario: s.Name,
				Expect: Broken, Erratum: s.Erratum, Variant: "repaired+" + s.Erratum})
		case s.Roles != "" && s.Variant != "repaired":
			list = append(list, Mutant{Name: s.Protocol + "/" + s.Variant, Protocol: s.Protocol,
				Doc: s.Title, Scenario: s.Name, Expect: Broken,
				Variant: s.Variant})
		}
	}
	slices.SortStableFunc(list, func(a, b Mutant) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Select finds the mutants of protocols, by name, or by pattern such as "rbml/log-*"; no words mean
// all.
func Select(list []Mutant, words []string) ([]Mutant, error) {
	if len(words) == 0 {
		return list, nil
	}
	chosen := make([]bool, len(list))
	for _, w := range words {
		found := false
		for i, m := range list {
			if ok, err := path.Match(w, m.Name); err != nil {
				return nil, fmt.Errorf("pattern %q: %w", w, err)
			} else if ok || m.Protocol == w {
				chosen[i], found = true, true
			}
		}
		if !found {
			return nil,
				fmt.Errorf("unknown mutant %q%s See: domino mutate --list",
					w, spelling.Guess(w, known(list)))
		}
	}
	var some []Mutant
	for i, m := range list {
		if chosen[i] {
			some = append(some, m)
		}
	}
	return some, nil
}

// known are the names that Select finds.
func known(list []Mutant) []string {
	var names []string
	for _, m := range list {
		names = append(names, m.Protocol, m.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
