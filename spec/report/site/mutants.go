package site

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Mutants is the kind of the site of a mutation matrix.
const Mutants = "mutate"

// Matrix is what was found of mutants by several methods.
type Matrix struct {
	Head
	Asked   int // mutants, of which Mutants may be the first
	Scores  []Score
	Mutants []*Mutant
}

// Score is what one method has achieved.
type Score struct {
	Method string `json:"method"`
	Killed int    `json:"killed"`
	Of     int    `json:"of"`
	// schedules to the first kill; 0 when it draws none, or kills less than half
	Median float64  `json:"median,omitempty"`
	Missed []string `json:"missed,omitempty"`
}

// Mutant is one, with the answer of every method.
type Mutant struct {
	Name       string `json:"mutant"`
	Protocol   string `json:"protocol"`
	Scenario   string `json:"scenario"`
	Doc        string `json:"doc"`
	Expect     string `json:"expect"`
	Why        string `json:"why,omitempty"` // it survives
	Unexpected string `json:"unexpected,omitempty"`
	Undecided  string `json:"undecided,omitempty"` // what came first
	Proof      string `json:"proof,omitempty"`     // that nothing can kill it
	Cells      []Kill `json:"methods"`
	// steps of a run that a method has drawn, made smaller, and of a shortest one; 0 for none
	Drawn    int      `json:"drawn,omitempty"`
	Shrunk   int      `json:"shrunk,omitempty"`
	Least    int      `json:"least,omitempty"`
	Property string   `json:"property,omitempty"`
	Run      []string `json:"run,omitempty"`    // the events of the shortest run that kills it
	Page     string   `json:"page,omitempty"`   // of that run
	NoPage   string   `json:"noPage,omitempty"` // why there is none, of one that is killed
}

// Kill is the answer of a method.
type Kill struct {
	Method   string `json:"method"`
	Killed   bool   `json:"killed"`
	Property string `json:"property,omitempty"`
	// schedules that were drawn or, of a search, states that were visited
	Count int  `json:"count"`
	Drawn bool `json:"drawn"` // Count is of schedules
	Steps int  `json:"steps,omitempty"`
	// what it says if it does not kill: why it can not, what ended it
	Word string `json:"word,omitempty"`
	Note string `json:"note,omitempty"`
}

// mostDecade is the last with a colour of its own: a million and more.
const mostDecade = 6

// Decade is that of the count, from 0 for less than ten.
func (k *Kill) Decade() int {
	d := 0
	for n := k.Count; n >= 10 && d < mostDecade; n /= 10 {
		d++
	}
	return d
}

// Killed reports whether any method has killed it.
func (m *Mutant) Killed() bool {
	return slices.ContainsFunc(m.Cells, func(k Kill) bool { return k.Killed })
}

// Status says in a word or two what the mutant is.
func (m *Mutant) Status() string {
	switch {
	case m.Unexpected != "":
		return "not as expected"
	case m.Undecided != "":
		return "undecided"
	case m.Proof != "":
		return m.Expect
	case !m.Killed():
		return "survives"
	}
	return "killed"
}

// rank is the place of the status: what wants attention first, then what nothing kills.
func (m *Mutant) rank() int {
	switch {
	case m.Unexpected != "":
		return 0
	case m.Undecided != "":
		return 1
	case m.Proof == "" && !m.Killed():
		return 2
	case m.Proof != "":
		return 3
	}
	return 4
}

// Wrong reports whether the mutant wants attention.
func (m *Mutant) Wrong() bool { return m.rank() < 2 }

// Class is the status for the style sheet.
func (m *Mutant) Class() string {
	return [...]string{"bad", "care", "care", "soft", "good"}[m.rank()]
}

// decade is an entry of the legend.
type decade struct {
	Number int
	Words  string
}

// mutantsView is what the template of the matrix is filled with.
type mutantsView struct {
	*Matrix
	Rows    []*Mutant
	Decades []decade
}

// WriteMutants writes the data and the index.
func (f *Folder) WriteMutants(m *Matrix) error {
	v := &mutantsView{Matrix: m, Rows: slices.Clone(m.Mutants)}
	slices.SortStableFunc(v.Rows, func(a, b *Mutant) int { return cmp.Compare(a.rank(), b.rank()) })
	most := 1
	for d := range mostDecade + 1 {
		words := fmt.Sprintf("%s to %s", count(most), count(10*most-1))
		if d == mostDecade {
			words = count(most) + " and more"
		}
		v.Decades = append(v.Decades, decade{d, words})
		most *= 10
	}
	index, err := render("mutants.html", v, shell{Head: m.Head, Title: Mutants,
		Heading: v.heading(), Links: []Link{{"The same as data", dataName}}})
	if err != nil {
		return err
	}
	return f.finish(mutantsData{stamp{schemaOf(Mutants), m.Version, len(m.Mutants) < m.Asked},
		m.Scores, m.Mutants}, index, Runs)
}

// mutantsData is what data.json says of a mutation matrix.
type mutantsData struct {
	stamp
	Scores  []Score   `json:"scores"`
	Mutants []*Mutant `json:"mutants"`
}

// heading counts what became of the mutants.
func (v *mutantsView) heading() string {
	n := map[string]int{}
	var order []string
	for _, m := range v.Rows {
		if n[m.Status()] == 0 {
			order = append(order, m.Status())
		}
		n[m.Status()]++
	}
	if len(order) == 0 {
		return "No mutants were hunted."
	}
	if len(order) == 1 && order[0] == "killed" {
		return "All " + plural(len(v.Rows), "mutant") + " are killed."
	}
	var parts []string
	for _, s := range order {
		parts = append(parts, count(n[s])+" "+s)
	}
	return plural(len(v.Rows), "mutant") + ": " + strings.Join(parts, ", ") + "."
}
