package compare

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/domino-check/domino/impl/protocol"
)

// Columns are what is measured for Tableau 1 and 2, in the order of their columns.
var Columns = []string{"images", "piggyback", "stable", "memory", "line", "containment"}

// Study is a row that was measured.
type Study struct {
	Row     Row         `json:"row"`
	Printed *PrintedRow `json:"printed"` // nil where the paper has no such row
	// why nothing of it was measured; "" where something was
	Why       string     `json:"why"`
	Programs  []string   `json:"programs"` // that it was run with
	Cells     []Cell     `json:"cells"`    // by column
	Costs     Costs      `json:"costs"`    // what the tables do not have
	Loads     []Loads    `json:"loads"`
	Stalls    []Stalls   `json:"stalls"`
	Ages      []Age      `json:"ages"`
	Distances []Distance `json:"distances"`
	Spreads   []Spread   `json:"spreads"`
	Runs      int        `json:"runs"`
	Stuck     []string   `json:"stuck"` // runs that did not end
	Wrong     []string   `json:"wrong"` // runs whose programs end otherwise than without a failure
}

// Verdict is what a measure says of the cell of a paper.
type Verdict string

// The verdicts.
const (
	Same       Verdict = "as printed"
	Contrary   Verdict = "contradicted"
	Unmeasured Verdict = "not measured"
	Alone      Verdict = "not in the paper" // a row of ours
)

// Cell is one measured cell beside that of a paper.
type Cell struct {
	Column  string  `json:"column"`
	Printed string  `json:"printed"` // as it is printed, "" where the paper has no such row
	Says    string  `json:"says"`    // in the words of the measures
	Value   string  `json:"value"`   // that was measured, "" where nothing could be
	Figures string  `json:"figures"` // what it follows from
	Why     string  `json:"why"`     // what could not be measured, and why; or a remark
	Runs    int     `json:"runs"`
	Verdict Verdict `json:"verdict"`
	Shows   string  `json:"shows"` // the run that shows it, as Parse reads it
}

// judge compares the cell with what the paper says.
func (c *Cell) judge(p *PrintedRow, column int) {
	if p != nil {
		c.Printed, c.Says = p.Cells[column], p.Says[column]
	}
	switch {
	case c.Value == "":
		c.Verdict = Unmeasured
	case p == nil:
		c.Verdict = Alone
	case slices.Contains(strings.Split(c.Says, " or "), c.Value):
		c.Verdict = Same
	default:
		c.Verdict = Contrary
	}
}

// Measure measures a row. What can not be measured is in the study, and why; the error is that of
// the context, or of a run that breaks a contract.
func Measure(ctx context.Context, row Row, scale Scale, known protocol.List) (s *Study, err error) {
	s = &Study{Row: row, Printed: printedRow(row)}
	l := &lab{ctx: ctx, scale: scale, row: row, study: s, known: known,
		takes: map[string]time.Duration{}, finals: map[string][]uint64{}}
	columns := Columns
	if row.Table == "radic" {
		columns = RadicColumns
	}
	if err := l.open(known); err != nil {
		s.Why = err.Error()
		for i, name := range columns {
			s.Cells = append(s.Cells, Cell{Column: name, Why: s.Why})
			s.Cells[i].judge(s.Printed, i)
		}
		return s, nil
	}
	s.Programs = l.programs()
	if row.Table == "radic" {
		s.Cells, err = l.radic()
		for i := range s.Cells {
			s.Cells[i].judge(s.Printed, i)
		}
		return s, err
	}
	for i, measure := range []func() (Cell, error){l.scheduling, l.piggyback, l.stable, l.logs,
		l.line, l.containment} {
		l.runs = 0
		c, err := measure()
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, ErrRefused):
			c = Cell{Why: err.Error()}
		case err != nil:
			return nil, fmt.Errorf("compare: %s, column %s: %w", row.Protocol, Columns[i], err)
		}
		c.Column, c.Runs = Columns[i], l.runs
		c.judge(s.Printed, i)
		s.Cells = append(s.Cells, c)
	}
	return s, l.costs()
}

// Words are the cells of the row of the paper in the words of the measures, nil if it has none.
func Words(row Row) []string {
	if p := printedRow(row); p != nil {
		return p.Says
	}
	return nil
}

// printedRow is the row of the paper, if it has one.
func printedRow(row Row) *PrintedRow {
	for _, t := range Tables() {
		for i := range t.Rows {
			if t.Name == row.Table && t.Rows[i].Name == row.Paper {
				return &t.Rows[i]
			}
		}
	}
	return nil
}
