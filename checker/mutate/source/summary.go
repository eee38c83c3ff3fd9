package source

import (
	"cmp"
	"slices"
)

// Tally counts the fates of some mutants.
type Tally struct {
	Name       string `json:"name,omitempty"`
	Mutants    int    `json:"mutants"`
	Check      int    `json:"check"` // killed by scenarios
	Fuzz       int    `json:"fuzz"`  // killed by random scenarios
	Survived   int    `json:"survived"`
	Uncovered  int    `json:"uncovered"`
	Unanswered int    `json:"unanswered"`
	Equivalent int    `json:"equivalent"`
}

// add counts one.
func (t *Tally) add(r *Result) {
	t.Mutants++
	switch r.Fate {
	case Survived:
		t.Survived++
	case Uncovered:
		t.Uncovered++
	case Unanswered:
		t.Unanswered++
	case Equal:
		t.Equivalent++
	case Killed:
		if r.By == "fuzz" {
			t.Fuzz++
		} else {
			t.Check++
		}
	}
}

// Score is the share of killed mutants among those that are not equivalent.
func (t *Tally) Score() float64 {
	if t.Mutants == t.Equivalent {
		return 1
	}
	return float64(t.Check+t.Fuzz) / float64(t.Mutants-t.Equivalent)
}

// Summary is what a campaign has shown in figures.
type Summary struct {
	All       Tally    `json:"all"`
	Packages  []Tally  `json:"packages"`
	Operators []Tally  `json:"operators"`
	Left      []string `json:"left,omitempty"` // mutants that do not compile
}

// Sum counts what a campaign has shown.
func Sum(c *Campaigned) *Summary {
	s := &Summary{}
	for _, r := range c.Results {
		s.All.add(r)
		into(&s.Packages, short(r.Package)).add(r)
		into(&s.Operators, r.Operator).add(r)
	}
	for _, m := range c.Left {
		s.Left = append(s.Left, m.Name())
	}
	slices.SortStableFunc(s.Operators, func(a, b Tally) int { return cmp.Compare(a.Name, b.Name) })
	return s
}

// into is the tally with the name, a new one if there is none.
func into(list *[]Tally, name string) *Tally {
	at := slices.IndexFunc(*list, func(t Tally) bool { return t.Name == name })
	if at < 0 {
		*list, at = append(*list, Tally{Name: name}), len(*list)
	}
	return &(*list)[at]
}
