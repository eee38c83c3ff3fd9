package source

import (
	"fmt"
	"slices"
	"strings"
)

// Mutant is one change of the source.
type Mutant struct {
	Number   int    `json:"number"` // in the program that was built, from 1
	Site     int    `json:"site"`   // number of the first mutant of the same place
	Package  string `json:"package"`
	File     string `json:"file"` // without folder
	Line     int    `json:"line"`
	Function string `json:"function"` // with its receiver, as in layer.join
	Operator string `json:"operator"`
	Before   string `json:"before"` // on one line
	After    string `json:"after"`  // "" = nothing
	// which one of those in the function that read the same, from 1
	Nth int `json:"nth"`

	group int // in its file, of those that are alternatives at one place
}

// Operator is one kind of change.
type Operator struct{ Name, Doc string }

// The operators.
const (
	negate    = "negate"
	boundary  = "boundary"
	logic     = "logic"
	operand   = "operand"
	never     = "never"
	always    = "always"
	number    = "number"
	arith     = "arithmetic"
	extreme   = "extreme"
	flip      = "flip"
	statement = "statement"
	effect    = "append"
	field     = "field"
	swap      = "swap"
	early     = "return"
	jump      = "jump"
)

// Operators are all kinds of changes.
func Operators() []Operator {
	return []Operator{
		{negate, "a condition or a part of it is its opposite: == is !=, < is >="},
		{boundary, "a comparison is shifted by one: < is <=, and so on"},
		{logic, "&& is ||, || is &&"},
		{operand, "one operand of && or || is dropped"},
		{never, "an if, case or loop is never entered"},
		{always, "an if is always entered"},
		{number, "an integer constant is one more or one less"},
		{arith, "+ is -, - is +"},
		{extreme, "min is max, max is min"},
		{flip, "true is false, false is true"},
		{statement, "a call, an assignment or a part of one is dropped"},
		{effect, "what is appended within an expression is dropped, as effects are"},
		{field, "a field of a composite literal is left out, as of a message or an image"},
		{swap, "two arguments of the same type are swapped"},
		{early, "a function returns early"},
		{jump, "a continue, a break, or a return without results is dropped"},
	}
}

// Name tells a mutant from all others, as long as its function stays as it is.
func (m *Mutant) Name() string {
	name := fmt.Sprintf("%s/%s %s: %s", short(m.Package), m.File, m.Function, m.Change())
	if m.Nth > 1 {
		name += fmt.Sprintf(" #%d", m.Nth)
	}
	return name
}

// Change is what is changed into what.
func (m *Mutant) Change() string { return m.Before + " -> " + orNothing(m.After) }

// nothing is how a text that is dropped is written.
const nothing = "(nothing)"

func orNothing(text string) string {
	if text == "" {
		return nothing
	}
	return text
}

// short is the last part of an import path.
func short(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// line is a text on one line.
func line(text string) string {
	var lines []string
	for l := range strings.Lines(text) {
		if at := strings.Index(l, "//"); at >= 0 && !strings.Contains(l[:at], `"`) {
			l = l[:at]
		}
		lines = append(lines, l)
	}
	return strings.Join(strings.Fields(strings.Join(lines, " ")), " ")
}

// enumerate numbers the mutants, and tells those apart that read the same.
func enumerate(mutants []*Mutant, first int) {
	type key struct{ file, function, operator, before, after string }
	count := map[key]int{}
	for i, m := range mutants {
		k := key{m.File, m.Function, "", m.Before, m.After}
		count[k]++
		m.Number, m.Nth = first+i, count[k]
	}
}

// Select takes the mutants of files and functions that the words name: "hydee", "survivor.go",
// "hydee/survivor.go", "layer.join", a name, or a part of one; no words mean all.
func Select(mutants []*Mutant, words []string) ([]*Mutant, error) {
	if len(words) == 0 {
		return mutants, nil
	}
	var list []*Mutant
	for _, w := range words {
		if !slices.ContainsFunc(mutants, func(m *Mutant) bool { return m.fits(w) }) {
			return nil, fmt.Errorf("no mutant has %q in its name; see the list of all: --list", w)
		}
	}
	for _, m := range mutants {
		if slices.ContainsFunc(words, m.fits) {
			list = append(list, m)
		}
	}
	return list, nil
}

func (m *Mutant) fits(word string) bool { return strings.Contains(m.Name(), word) }
