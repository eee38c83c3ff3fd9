package app

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/domino-check/domino/impl/papers"
	"github.com/domino-check/domino/spec/report/chart"
	"github.com/domino-check/domino/spec/report/site"
	"github.com/domino-check/domino/spec/report/wholefile"
)

// paperClass is how a status looks on a page.
func paperClass(s papers.Status) string {
	switch s {
	case papers.Reproduced:
		return "good"
	case papers.Contradicted, papers.Failed:
		return "bad"
	case papers.Unclear:
		return "care"
	}
	return "soft"
}

// paperPage writes what was made of a paper as one page.
func paperPage(file string, p *wantedPaper, results []*papers.Result, left int) error {
	page := site.Claims{Heading: p.title(), Head: site.Head{Command: "paper " + p.Name,
		Version: thisBuild().String()}}
	if left > 0 {
		page.Notices = append(page.Notices, fmt.Sprintf("Interrupted: %d of %d claims were not "+
			"made.", left, len(p.claims)))
	}
	for _, s := range slices.Backward(papers.Statuses()) {
		sum := site.ClaimSum{Status: s.String(), Class: paperClass(s)}
		for _, r := range results {
			if r.Status == s {
				sum.IDs = append(sum.IDs, r.ID)
			}
		}
		if sum.IDs != nil {
			page.Sums = append(page.Sums, sum)
		}
	}
	for _, r := range results {
		one, err := claimOnPage(p, r)
		if err != nil {
			return err
		}
		page.Claims = append(page.Claims, one)
	}
	b, err := page.Render()
	if err != nil {
		return err
	}
	return wholefile.Write(file, b)
}

// claimOnPage is one claim.
func claimOnPage(p *wantedPaper, r *papers.Result) (c site.Claim, err error) {
	c = site.Claim{ID: r.ID, Says: r.Says, Where: r.Where, Method: r.Method.String(),
		Status: r.Status.String(), Class: paperClass(r.Status), Command: calledIfAny(r.Command)}
	g := gridOf(r)
	for _, columns := range g.parts(fitsPage) {
		c.Tables = append(c.Tables, g.onPage(columns))
	}
	for _, cell := range g.rest {
		c.Rest = append(c.Rest, site.ClaimRow{Status: cell.Status.String(),
			Name:  inUnit(cell.Label(), cell.Value),
			Class: paperClass(cell.Status), Cells: []site.ClaimCell{cellOnPage(cell)}})
	}
	for _, n := range reasons(r) {
		note := site.ClaimNote{Status: n.verdict(), Class: paperClass(n.status), About: n.about,
			Why: n.why}
		if n.status == papers.Reproduced {
			c.Agreeing = append(c.Agreeing, note)
		} else {
			c.Notes = append(c.Notes, note)
		}
	}
	if r.Err != nil {
		c.Notes = append(c.Notes, site.ClaimNote{Status: "error", Class: "bad",
			Why: r.Err.Error()})
	}
	if r.Why != "" {
		c.Notes = append(c.Notes, site.ClaimNote{Why: r.Why})
	}
	for _, f := range claimCharts(p, r) {
		svg, err := chart.SVG(f.figure)
		if err != nil {
			return c, err
		}
		c.Charts = append(c.Charts, site.ChartOf(f.name, svg))
	}
	return c, nil
}

// calledIfAny is a command as this build is called, "" for none.
func calledIfAny(command string) string {
	if command == "" {
		return ""
	}
	return called(command)
}

// mostPage is how wide a table of a page may be, in digits, with the space beside each cell: that
// of a screen of 1,280 points.
const mostPage = 142

// fitsPage reports whether a table of some lines fits on a page, where heads of columns are broken
// into lines and stand above two cells.
func fitsPage(lines [][]string) bool {
	words := [][]string{make([]string, len(lines[0]))}
	for i := 1; i+1 < len(lines[0]); i += 2 {
		for word := range strings.FieldsSeq(lines[0][i]) {
			half := word[:(len(word)+1)/2]
			if len(half) > len(words[0][i]) {
				words[0][i], words[0][i+1] = half, half
			}
		}
	}
	return widthOf(append(words, lines[1:]...), 3) <= mostPage
}

// onPage is a table of some columns.
func (g *paperGrid) onPage(columns []*papers.Value) (t site.ClaimTable) {
	for _, v := range columns {
		t.Columns = append(t.Columns, withUnit(v))
	}
	for _, name := range g.rows {
		if row, some := g.rowOnPage(name, columns); some {
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// rowOnPage is a row of values beside each other; some is false where there is none.
func (g *paperGrid) rowOnPage(name string, columns []*papers.Value) (row site.ClaimRow, some bool) {
	row.Name = name
	worst := papers.NoClaim
	for _, v := range columns {
		c := g.cells[[2]string{name, v.Name}]
		if c == nil {
			row.Cells = append(row.Cells, site.ClaimCell{})
			continue
		}
		row.Cells = append(row.Cells, cellOnPage(c))
		worst, some = max(worst, c.Status), true
	}
	row.Status, row.Class = worst.String(), paperClass(worst)
	return row, some
}

// cellOnPage is one value. What a reader must not miss is said, too, and not in colour alone.
func cellOnPage(c *papers.Cell) site.ClaimCell {
	bound := strings.NewReplacer("<= ", "≤ ", ">= ", "≥ ")
	cell := site.ClaimCell{Printed: bound.Replace(c.Bounded()), Ours: c.Ours()}
	switch c.Status {
	case papers.Contradicted, papers.Failed, papers.Unclear:
		cell.Class, cell.Status = paperClass(c.Status), c.Status.String()
	}
	return cell
}

// paperChart is a figure with the name of its file.
type paperChart struct {
	name   string
	figure *chart.Beside
}

// The numbers of values that a figure has: fewer are read in the table, more in several figures.
const (
	fewPairs  = 4
	manyPairs = 40
)

// claimCharts are the figures of a table or figure of a paper: one for the values of each unit.
func claimCharts(p *wantedPaper, r *papers.Result) (list []paperChart) {
	if !strings.HasPrefix(r.ID, "fig-") && !strings.HasPrefix(r.ID, "table-") {
		return nil
	}
	var keys []string
	figures := map[string][]chart.Pair{}
	add := func(key string, pair chart.Pair) {
		if figures[key] == nil {
			keys = append(keys, key)
		}
		figures[key] = append(figures[key], pair)
	}
	units := map[string]int{}
	for _, c := range r.Cells {
		if _, ok := numberPair(&c); ok {
			units[c.Unit]++
		}
	}
	for _, c := range r.Cells {
		switch pair, ok := numberPair(&c); {
		case !ok || c.Unit == "":
		case units[c.Unit] > manyPairs:
			add(c.Name+", "+c.Unit, pair)
		default:
			add(c.Unit, pair)
		}
	}
	for _, key := range keys {
		if len(figures[key]) < fewPairs {
			continue
		}
		list = append(list, paperChart{"paper-" + p.Name + "-" + r.ID + "-" + fileWord(key),
			&chart.Beside{Title: fmt.Sprintf("[%s] %s", p.Key, r.ID), X: key,
				Rows: figures[key]}})
	}
	return list
}

// numberPair is a printed number beside ours; ok is false where either is none.
func numberPair(c *papers.Cell) (pair chart.Pair, ok bool) {
	printed, ok := c.Number()
	if !ok || c.Ours() == "-" || c.Got.Text != "" {
		return pair, false
	}
	low, high := c.Band()
	pair = chart.Pair{Name: c.Label(), Printed: printed, Low: low,
		High: high, Ours: c.Got.Number, Spread: c.Got.Spread,
		Apart: c.Status == papers.Contradicted}
	if c.Shown { // nothing is asked of it
		pair.Low, pair.High = math.NaN(), math.NaN()
	}
	return pair, true
}

// fileWord is a text as a part of the name of a file.
func fileWord(text string) string {
	text = strings.ReplaceAll(text, "%", "percent")
	return strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, text), "-")
}

// plotPaper draws the figures of a paper.
func plotPaper(dir string, p *wantedPaper, results []*papers.Result) (err error) {
	for _, r := range results {
		for _, f := range claimCharts(p, r) {
			err = errors.Join(err, ifAny(f.figure.Save(dir, f.name)))
		}
	}
	return err
}
