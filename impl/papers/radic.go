package papers

import (
	"context"
	"fmt"
	"slices"
)

// radic is [RADIC].
func radic() Paper {
	return Paper{Name: "radic", Key: "RADIC",
		Claims: slices.Concat(radicBasics(), radicLogging(), radicMapping(), radicModel(),
			radicFailures(), radicConfigurations(), radicTiles())}
}

// absolute is why a time of theirs is no value to meet.
const absolute = "an absolute time of 8 nodes of 8 cores each"

// yes and no are the words of a sentence that is judged as a whole.
const (
	yes = "yes"
	no  = "no"
)

// word is the answer to a sentence.
func word(holds bool) string {
	if holds {
		return yes
	}
	return no
}

// so is the column of sentences that stand in rows of their own.
const so = "so"

// sentence is a value for what the paper says in words: of a row, or as one.
func sentence(row, says string, m Method) Value {
	return Value{Row: row, Name: says, Printed: yes, Method: m}
}

// drawing is a figure that shows how something works.
func drawing(id, where, says string) Claim {
	return Claim{ID: id, Where: where, Says: says, Method: Data,
		Why: "a drawing, which claims nothing that could be made"}
}

// sheet is a printed table whose numbers others are made of. It shares its cells with the claim, so
// what is made follows from what is printed there.
type sheet []Value

// at is a cell.
func (s sheet) at(row, name string) *Value { return find(s, row, name) }

// number is a printed number.
func (s sheet) number(row, name string) float64 {
	n, ok := s.at(row, name).Number()
	if !ok {
		panic(fmt.Sprintf("invariant: the cell %q of %q is a number", name, row))
	}
	return n
}

// half is by how much a printed number may be off.
func (s sheet) half(row, name string) float64 {
	if s.number(row, name) == 0 {
		return 0 // nothing, not little
	}
	low, high := s.at(row, name).Band()
	return (high - low) / 2
}

// share is by how much of itself that is.
func (s sheet) share(row, name string) float64 {
	return s.half(row, name) / s.number(row, name)
}

// line is a row of a table, of which each cell stands for a column and is like another value.
func line(columns []string, like Value, printed ...string) (values []Value) {
	if len(printed) != len(columns) {
		panic(fmt.Sprintf("a row %q for %d columns", like.Row, len(columns)))
	}
	for i, p := range printed {
		v := like
		v.Name, v.Printed = columns[i], p
		values = append(values, v)
	}
	return values
}

// making is a maker that needs no context: arithmetic.
func making(make func() ([]Got, error)) func(context.Context, *Bench) ([]Got, error) {
	return func(context.Context, *Bench) ([]Got, error) { return make() }
}

// notHere answers for cells that nobody can make on another machine.
func notHere(why string, values ...Value) (got []Got) {
	for _, v := range values {
		got = append(got, Got{Row: v.Row, Name: v.Name, Status: NotHere, Why: why})
	}
	return got
}

// survives is a sentence about a figure: what it shows recovers from every failure of a scenario,
// at whatever moment.
const survives = "recovers whenever it fails"

// figure is a drawing of a run, of which all schedules are explored in scenarios.
func figure(id, where, says string, scenarios ...string) Claim {
	c := Claim{ID: id, Where: where, Says: says, Method: Explored,
		Why:     "explored is the repaired protocol; domino errata has what the text leaves out",
		Command: "domino check"}
	for _, s := range scenarios {
		c.Values = append(c.Values, sentence(s, survives, None))
		c.Command += " " + s
	}
	c.Make = func(ctx context.Context, b *Bench) (got []Got, err error) {
		for _, s := range scenarios {
			a, err := b.Check(ctx, s, "")
			if err != nil {
				return nil, err
			}
			g := Got{Row: s, Name: survives, Text: word(a.Verdict == "holds"), Why: a.Bounds}
			switch a.Verdict {
			case "violated":
				g.Why = fmt.Sprintf("%s is broken in %d steps: %s", a.Property, a.Steps, a.Command)
			case "unknown":
				g = Got{Row: s, Name: survives, Status: Unclear, Why: "not all was explored"}
			}
			got = append(got, g)
		}
		return got, nil
	}
	return c
}
