package boundary_test

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// Mutant is one way to break a setup, or almost.
type Mutant struct {
	Name string
	Doc  string // what it does, as a clause about the proc
	// name of the property that it must make fail; of a near miss, the property that it comes close
	// to
	Breaks string
	Legal  bool // a near miss: no property may fail
	// Wrap returns a changed copy of the setup whose machines misbehave; the given setup stays as
	// it is.
	Wrap func(*core.Setup) *core.Setup
}

// Catalogue lists all mutants and near misses by name.
func Catalogue() []Mutant {
	list := slices.Concat(programs(), networks(), stamps(), logs(), records(), answers(),
		services(), memories(), holdings(), quiets(), jobs())
	slices.SortFunc(list, func(a, b Mutant) int {
		switch {
		case a.Name < b.Name:
			return -1
		case a.Name > b.Name:
			return 1
		}
		return 0
	})
	return list
}

// Find returns the mutant or near miss with the name.
func Find(name string) (Mutant, bool) {
	list := Catalogue()
	if i := slices.IndexFunc(list, func(m Mutant) bool { return m.Name == name }); i >= 0 {
		return list[i], true
	}
	return Mutant{}, false
}

// breaks makes a mutant that a property must catch.
func breaks(property, name, doc string, h habit) Mutant {
	return Mutant{Name: name, Doc: doc, Breaks: property, Wrap: h.wrap}
}

// nearly makes a near miss of a property.
func nearly(property, name, doc string, h habit) Mutant {
	m := breaks(property, name, doc, h)
	m.Legal = true
	return m
}
