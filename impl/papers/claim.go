package papers

import (
	"context"
	"fmt"
	"path"
	"slices"
	"time"
)

// Method is how our value of a claim is made.
type Method byte

// The methods. The zero value makes nothing; those up to Modelled need no process and no clock.
const (
	None       Method = iota // can not be made here: Claim.Why says why
	Data                     // kept for reference; nothing is claimed that could be made
	Arithmetic               // a closed form, or arithmetic on printed numbers
	Graph                    // the traffic of a program, which does not run
	Explored                 // all schedules of machines, or runs of them that are judged
	Modelled                 // runs of machines on a machine that is emulated, in modelled time
	Measured                 // ratios of real processes within one run
	Emulated                 // measured behind a card or store that is slowed down
	Simulated                // at scale, in modelled time
)

// Quick reports whether the method needs no process, no clock and at most seconds.
func (m Method) Quick() bool { return m >= Data && m <= Modelled }

// String is the word of a method.
func (m Method) String() string {
	return [...]string{"none", "data", "arithmetic", "graph", "explored", "modelled",
		"measured", "emulated", "simulated"}[m]
}

// contradicts is the kind of evidence that the method gives.
func (m Method) contradicts() Kind {
	switch m {
	case Data, Arithmetic:
		return WithinPaper
	case Graph, Explored:
		return ByRun
	}
	return ByMeasurement
}

// Claim is a table, a figure, an equation or a sentence of a paper.
type Claim struct {
	ID    string // e.g. "table-1"
	Where string // in the paper
	Says  string // what it says, in our words or its own
	Method
	Values []Value // as printed, row by row
	// Make makes our values, one for each of Values by Row and Name; it may leave out those whose
	// method is not quick. Nil: nothing is made, see Judge.
	Make func(context.Context, *Bench) ([]Got, error)
	// Long makes those whose method is not quick, for who asks for them; Takes is about how long.
	Long    func(context.Context, *Bench) ([]Got, error)
	Takes   time.Duration
	Why     string // what is not reproducible here, or what a reader should know
	Command string // of domino, that makes or replays it
}

// Paper is one paper and what it claims, in its order.
type Paper struct {
	Name   string // of the command
	Key    string // as in citations, e.g. "HydEE"
	Claims []Claim
}

// All are the papers, each made anew.
func All() []Paper { return []Paper{hydee(), hydeeFr(), camel(), radic(), errmgr()} }

// Match are the claims whose ID is one of the patterns, as in path.Match; all without patterns.
// Missing are the patterns that match none.
func (p *Paper) Match(patterns []string) (claims []*Claim, missing []string) {
	used := make([]bool, len(patterns))
	for i := range p.Claims {
		chosen := len(patterns) == 0
		for n, pattern := range patterns {
			if ok, err := path.Match(pattern, p.Claims[i].ID); err == nil && ok {
				chosen, used[n] = true, true
			}
		}
		if chosen {
			claims = append(claims, &p.Claims[i])
		}
	}
	for n, pattern := range patterns {
		if !used[n] {
			missing = append(missing, pattern)
		}
	}
	return claims, missing
}

// Find is a claim of a paper, which there must be.
func Find(paper, id string) *Claim {
	for _, p := range All() {
		for i := range p.Claims {
			if p.Name == paper && p.Claims[i].ID == id {
				return &p.Claims[i]
			}
		}
	}
	panic(fmt.Sprintf("%s has no claim %s", paper, id))
}

// Printed is what is printed of a row and name, and nothing where nothing is.
func (c *Claim) Printed(row, name string) string {
	for _, v := range c.Values {
		if v.Row == row && v.Name == name {
			return v.Printed
		}
	}
	return ""
}

// Number is the number that is printed of a row and name, which there must be.
func (c *Claim) Number(row, name string) float64 { return number(find(c.Values, row, name)) }

// Rows are the names of the rows of a claim, in their order.
func (c *Claim) Rows() (rows []string) {
	for _, v := range c.Values {
		if !slices.Contains(rows, v.Row) {
			rows = append(rows, v.Row)
		}
	}
	return rows
}

// method is that of a value: its own, or that of the claim.
func (c *Claim) method(v *Value) Method {
	if v.Method != None {
		return v.Method
	}
	return c.Method
}
