package papers

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Sense is how a value must compare with the printed one.
type Sense byte

// The senses.
const (
	Equal   Sense = iota
	AtMost        // the paper gives an upper bound
	AtLeast       // the paper gives a lower bound
)

// Value is one number, or word, that a paper prints.
type Value struct {
	Row     string // "" where the claim has one row
	Name    string // within the row; both together are unique in the claim
	Unit    string
	Printed string // digits as printed, in which a comma is that of a decimal; or a word
	Sense   Sense
	// A value meets the printed one within half a unit of its last digit, or within Tolerance, or
	// within that Share of it, whichever is most. Why is the reason for either.
	Tolerance, Share float64
	// Cut: the digits that are not printed were cut off, as other cells of the table show, so ours
	// is up to a unit above. Why says which.
	Cut bool
	Why string
	// Shown: ours stands beside the printed one and is not judged, for the reason in Why.
	Shown  bool
	Method Method // if not that of the claim
}

// Number is the printed value; ok is false for a word.
func (v *Value) Number() (number float64, ok bool) {
	number, err := strconv.ParseFloat(v.plain(), 64)
	return number, err == nil
}

// Label is what a value is called: its row and its name, or, of a sentence that stands in a row of
// its own, the sentence.
func (v *Value) Label() string {
	if v.Name == so {
		return v.Row
	}
	return strings.TrimSpace(v.Row + " " + v.Name)
}

// plain is the printed number in the form of Go.
func (v *Value) plain() string { return strings.Replace(v.Printed, ",", ".", 1) }

// Band is what a value may be to meet the printed one, bounds included. A word has none: it is met
// by itself.
func (v *Value) Band() (low, high float64) {
	number, ok := v.Number()
	if !ok {
		return math.NaN(), math.NaN()
	}
	below, above := v.lost()
	half := max(v.Tolerance, v.Share*math.Abs(number))
	low, high = number-max(below, half), number+max(above, half)
	switch v.Sense {
	case AtMost:
		low = math.Inf(-1)
	case AtLeast:
		high = math.Inf(1)
	}
	return low, high
}

// lost is how far the number that was printed may have been below and above.
func (v *Value) lost() (below, above float64) {
	if v.Cut {
		return 0, v.unit()
	}
	return v.unit() / 2, v.unit() / 2
}

// unit is one of the last digit printed.
func (v *Value) unit() float64 {
	mantissa, power, _ := strings.Cut(strings.ToLower(v.plain()), "e")
	exponent, _ := strconv.Atoi(power) // 0 without one
	_, digits, _ := strings.Cut(mantissa, ".")
	return math.Pow10(exponent - len(digits))
}

// meets compares a number of ours.
func (v *Value) meets(g *Got) Status {
	low, high := v.Band()
	slack := g.Rounding + 1e-9*math.Abs(g.Number) // of binary fractions
	low, high = low-slack, high+slack
	switch {
	case g.Number-g.Spread >= low && g.Number+g.Spread <= high:
		return Reproduced
	case g.Number+g.Spread < low || g.Number-g.Spread > high:
		return Contradicted
	}
	return Unclear
}

// quotient is a printed number by another, as the value of a row and name, within what both have
// lost. Both are positive. In the middle of what it may be, it stands for all of it.
func quotient(a, b *Value, scale float64, row, name string) Got {
	x, _ := a.Number()
	y, _ := b.Number()
	xBelow, xAbove := a.lost()
	yBelow, yAbove := b.lost()
	low, high := scale*(x-xBelow)/(y+yAbove), scale*(x+xAbove)/(y-yBelow)
	return Got{Row: row, Name: name, Number: (low + high) / 2, Rounding: (high - low) / 2}
}

// find is the value of a row and name, which there must be.
func find(values []Value, row, name string) *Value {
	for i := range values {
		if values[i].Row == row && values[i].Name == name {
			return &values[i]
		}
	}
	panic(fmt.Sprintf("no value %q %q is printed", row, name))
}

// table makes the values of a table that is printed as rows of words: the first names the row, the
// others stand below the columns. "-" is a cell in which nothing is printed. A column is a value
// without row and print.
func table(columns []Value, rows ...string) (values []Value) {
	for _, row := range rows {
		words := strings.Fields(row)
		if len(words) != len(columns)+1 {
			panic(fmt.Sprintf("a row %q for %d columns", row, len(columns)))
		}
		for i, word := range words[1:] {
			if word == "-" {
				continue
			}
			v := columns[i]
			v.Row, v.Printed = words[0], word
			values = append(values, v)
		}
	}
	return values
}
