package mutate

import (
	"fmt"
	"path"
	"slices"
	"strings"

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
	Habit    string // what it does at the boundary, in the language; "" for a switch
	Source   string // FILE:LINE of its text, "" for a switch
	habit    habit
}

// Wrap returns a changed copy of the setup whose machines misbehave; the tally says how often that
// made a difference. A mutant that is a switch of the protocol changes nothing here: its setup is
// made with the variant.
func (m *Mutant) Wrap(s *core.Setup, tally *Tally) *core.Setup {
	if m.Variant != "" {
		return s
	}
	return m.habit.wrap(s, tally)
}

// Catalogue lists all mutants by protocol and name: those at the boundary, which are given, then
// for each scenario of an erratum the protocol with that erratum, and the variants that are broken
// on purpose.
func Catalogue(boundary []Mutant, all []*scenarios.Scenario) []Mutant {
	list := slices.Clone(boundary)
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
					w, spelling.Guess(w, names(list)))
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

// names are those that Select finds.
func names(list []Mutant) []string {
	var names []string
	for _, m := range list {
		names = append(names, m.Protocol, m.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
