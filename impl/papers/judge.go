package papers

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Status is what is known of a printed value, the worse the larger.
type Status byte

// The statuses. That of several is the largest of them.
const (
	NoClaim      Status = iota // nothing that could be made
	Reproduced                 // ours may be rounded to the printed one
	NotHere                    // not reproducible here
	NotMade                    // not made now: --measure or --simulate does
	Unclear                    // our spread covers both answers
	Contradicted               // see Kind
	Failed                     // our own error
)

// Statuses are all, from the best to the worst.
func Statuses() []Status {
	return []Status{NoClaim, Reproduced, NotHere, NotMade, Unclear, Contradicted, Failed}
}

// String is the status in words.
func (s Status) String() string {
	return [...]string{"no claim", "reproduced", "not reproducible here", "not made", "unclear",
		"contradicted", "error"}[s]
}

// MarshalText is String.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (s *Status) UnmarshalText(text []byte) error {
	for _, known := range Statuses() {
		if known.String() == string(text) {
			*s = known
			return nil
		}
	}
	return fmt.Errorf("unknown status %q", text)
}

// Kind is how a contradiction is known.
type Kind string

// The kinds.
const (
	WithinPaper   Kind = "within the paper" // arithmetic on what it prints
	ByRun         Kind = "by a run"         // a command replays it
	ByMeasurement Kind = "by measurement"
)

// Got is a value of ours for a printed one.
type Got struct {
	Row, Name string
	Number    float64
	Text      string // for a printed word
	// Rounding is how far the number may be off because it is made of printed, rounded ones: one of
	// them that meets is enough. Spread is that of a measurement, all of which must meet.
	Rounding, Spread float64
	// Instead of a value: NotHere or Unclear, with Why. A number beside NotHere is shown, and not
	// judged: it stands for something else than what is printed.
	Status Status
	// why ours, if it contradicts, may do so for another reason than the paper: "" for none.
	// Disturbed: so much so that it does not agree either.
	Doubt     string
	Disturbed bool
	Why       string // where ours comes from, or why it differs; "" where that is clear
	Made      *Made  // of what is not quick
}

// Made is when and where a value was made that another run or machine may give otherwise.
type Made struct {
	At       string `json:"at"`       // by the clock, as in RFC 3339
	Build    string `json:"build"`    // of domino
	Computer string `json:"computer"` // in words
}

// Cell is a printed value and ours.
type Cell struct {
	*Value
	Got    *Got // nil: nothing was made
	Method Method
	Status Status
	Kind   Kind // of a contradiction
	Why    string
}

// Result is a claim with what came of it.
type Result struct {
	*Claim
	Cells  []Cell
	Status Status // the worst of the cells
	Err    error  // ours, where that is Failed
}

// Judge compares what was made for a claim with what is printed.
func Judge(c *Claim, got []Got, err error) *Result {
	r := &Result{Claim: c, Err: err}
	if err != nil {
		r.Status = Failed
	}
	byName := map[[2]string]*Got{}
	for i, g := range got {
		at := [2]string{g.Row, g.Name}
		if byName[at] != nil {
			r.wrong("%q made twice", g.Row+" "+g.Name)
		}
		byName[at] = &got[i]
	}
	for i := range c.Values {
		v := &c.Values[i]
		at := [2]string{v.Row, v.Name}
		cell := judge(c, v, byName[at])
		delete(byName, at)
		r.Cells = append(r.Cells, cell)
		if r.Status = max(r.Status, cell.Status); cell.Status == Failed {
			r.wrong("%q: %s", v.Row+" "+v.Name, cell.Why)
		}
	}
	for _, g := range got {
		if byName[[2]string{g.Row, g.Name}] != nil {
			r.wrong("made %q, which is not printed", g.Row+" "+g.Name)
			break
		}
	}
	if len(c.Values) == 0 && err == nil {
		if r.Status = c.unmade(c.Method); r.Status == Failed {
			r.wrong("a maker, and no value to be made")
		}
	}
	return r
}

// wrong notes an error of a maker.
func (r *Result) wrong(format string, args ...any) {
	r.Status, r.Err = Failed, cmp.Or(r.Err, fmt.Errorf(format, args...))
}

// unmade is the status of what has no value of ours.
func (c *Claim) unmade(m Method) Status {
	switch {
	case m == None:
		return NotHere
	case m == Data:
		return NoClaim
	case m.Quick() && c.Make != nil:
		return Failed // the maker has forgotten it
	case c.Long == nil:
		return NotHere // nothing makes it, whatever is asked for
	}
	return NotMade
}

// judge is one cell.
func judge(c *Claim, v *Value, g *Got) Cell {
	cell := Cell{Value: v, Got: g, Method: c.method(v), Why: v.Why}
	_, isNumber := v.Number()
	switch {
	case g == nil:
		cell.Status = c.unmade(cell.Method)
		if cell.Status == Failed {
			cell.Why = "nothing was made"
		}
		return cell
	case g.Why != "":
		cell.Why = g.Why
	}
	switch {
	case g.Status == NotHere || g.Status == Unclear:
		cell.Status = g.Status
	case isNumber && (g.Text != "" || math.IsNaN(g.Number) || math.IsInf(g.Number, 0) ||
		!(g.Spread >= 0) || !(g.Rounding >= 0)):
		cell.Status, cell.Why = Failed, fmt.Sprintf("no number: %v %s", g.Number, g.Text)
	case !isNumber && g.Text == "":
		cell.Status, cell.Why = Failed, "no word was made"
	case v.Shown:
		cell.Status = NoClaim
	case isNumber:
		cell.Status = v.meets(g)
	case g.Text == v.Printed:
		cell.Status = Reproduced
	default:
		cell.Status = Contradicted
	}
	if cell.Status == Contradicted && cell.Method == Modelled {
		// the prices of the model are ours: it is the first that may be wrong
		cell.Status = Unclear
	}
	if g.Doubt != "" && (cell.Status == Contradicted || g.Disturbed && cell.Status == Reproduced) {
		cell.Status, cell.Why = Unclear, strings.TrimPrefix(cell.Why+"; "+g.Doubt, "; ")
	}
	if cell.Status == Contradicted {
		cell.Kind = cell.Method.contradicts()
	}
	return cell
}

// Rows are the statuses of the rows of a claim, by name: the worst of its cells.
func (r *Result) Rows() map[string]Status {
	rows := map[string]Status{}
	for _, c := range r.Cells {
		rows[c.Row] = max(rows[c.Row], c.Status)
	}
	return rows
}

// Bounded is what is printed, with its sense.
func (c *Cell) Bounded() string { return [...]string{"", "<= ", ">= "}[c.Sense] + c.Printed }

// Ours is our value as text, with as many digits as are printed, or more where it would look like
// what it contradicts, or lies in the middle of two such numbers; "-" where there is none.
func (c *Cell) Ours() string {
	beside := c.Got != nil && c.Got.Status == NotHere && c.Got.Number != 0 // and not judged
	if c.Got == nil || c.Got.Status != NoClaim && !beside || c.Status == Failed {
		return "-"
	}
	if c.Got.Text != "" {
		return c.Got.Text
	}
	format, digits := byte('f'), 0
	mantissa, _, scientific := strings.Cut(strings.ToLower(c.plain()), "e")
	if scientific {
		format = 'E'
	}
	if _, fraction, ok := strings.Cut(mantissa, "."); ok {
		digits = len(fraction)
	}
	if c.Cut {
		digits++ // so that one sees what was cut
	}
	printed, _ := c.Number()
	for text := ""; ; digits++ {
		text = strconv.FormatFloat(c.Got.Number, format, digits, 64)
		again, _ := strconv.ParseFloat(text, 64)
		half := math.Pow10(-digits) / 2
		middle := !scientific && math.Abs(math.Abs(again-c.Got.Number)-half) < 1e-9*half
		if (again != printed || c.Status != Contradicted) && !middle || digits > 15 {
			return text
		}
	}
}
