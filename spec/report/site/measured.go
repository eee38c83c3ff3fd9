package site

import (
	"fmt"
	"html/template"
	"math"
	"strings"
)

// Measured is what was measured, in tables that show how far the measurements are apart.
type Measured struct {
	Head
	Kind    string // of the site
	Heading string
	Facts   []Fact
	Tables  []Table
	Charts  []Chart
	Notes   []string // what is left out, and why
}

// Fact is something about all measurements.
type Fact struct{ Name, Text string }

// Chart is a figure.
type Chart struct {
	Title string
	SVG   template.HTML
}

// Table compares measurements of one quantity.
type Table struct {
	Title, Note string
	Thing       string // what a row is about
	Unit        string
	Columns     []string // behind the quantity
	Rows        []Measurement
}

// Measurement is a row: a quantity, measured several times, and what belongs to it.
type Measurement struct {
	Name   string
	Style  int // of the mark
	Median float64
	Spread Spread
	Times  int      // that it was measured
	Cells  []string // for the columns
	Wrong  string   // why it does not count, ""
}

// Several reports whether there is anything to be apart.
func (m *Measurement) Several() bool { return m.Times > 1 }

// Spread is how far measurements are apart: their extremes and their quartiles.
type Spread struct{ Least, Low, High, Most float64 }

// measuredTable is a table on the page.
type measuredTable struct {
	Table
	ID    string
	Axis  template.HTML
	Lines []measuredLine
}

// measuredLine is a row on the page.
type measuredLine struct {
	Measurement
	Box template.HTML
}

// Render makes the page. Data is a file beside it with the same as data, "" for none.
func (m *Measured) Render(data string) ([]byte, error) {
	var tables []measuredTable
	for i, t := range m.Tables {
		if len(t.Rows) == 0 {
			continue
		}
		one := measuredTable{Table: t, ID: fmt.Sprintf("table-%d", i+1)}
		a := axisOf(t.Rows)
		one.Axis = a.ticks()
		for _, r := range t.Rows {
			one.Lines = append(one.Lines, measuredLine{r, a.box(&r, t.Unit)})
		}
		tables = append(tables, one)
	}
	s := shell{Head: m.Head, Title: m.Kind, Heading: m.Heading}
	if data != "" {
		s.Links = []Link{{"The same as data", data}}
	}
	return render("measured.html", struct {
		*Measured
		Tables []measuredTable
	}{m, tables}, s)
}

// WriteMeasured writes the page and the data, which is an answer as JSON.
func (f *Folder) WriteMeasured(m *Measured, answer any) error {
	index, err := m.Render(dataName)
	if err != nil {
		return err
	}
	return f.finish(measuredData{stamp{Schema: schemaOf(m.Kind), Domino: m.Version}, answer}, index)
}

// The kinds of sites of measurements.
const (
	Perf    = "perf"
	Netpipe = "netpipe"
)

// measuredData is what data.json says of measurements: what the command prints as JSON.
type measuredData struct {
	stamp
	Answer any `json:"answer"`
}

// The size of a box, in pixels.
const (
	boxWide = 220.0
	boxHigh = 20.0
	boxEdge = 6.0
)

// axis is the common scale of a table: from zero, or logarithmic where the values are far apart.
type axis struct {
	least, most float64
	log         bool
}

// farApart is from what ratio on a scale is logarithmic.
const farApart = 30

// axisOf is the scale that all rows have a place on.
func axisOf(rows []Measurement) (a axis) {
	a.least = math.Inf(1)
	smallest := math.Inf(1) // median
	for _, r := range rows {
		if r.Times == 0 {
			continue
		}
		a.least, a.most = min(a.least, r.Spread.Least), max(a.most, r.Spread.Most)
		smallest = min(smallest, r.Median)
	}
	a.log = a.least > 0 && a.most/smallest > farApart
	if !a.log {
		a.least = min(0, a.least)
	}
	if a.most <= a.least {
		a.most = a.least + 1
	}
	return a
}

// at is the place of a value.
func (a axis) at(v float64) float64 {
	part := (v - a.least) / (a.most - a.least)
	if a.log {
		part = math.Log(v/a.least) / math.Log(a.most/a.least)
	}
	return boxEdge + part*(boxWide-2*boxEdge)
}

// ticks are some values of the scale, for the head of the column.
func (a axis) ticks() template.HTML {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="axis" aria-hidden="true" width="%.0f" height="18" `+
		`viewBox="0 0 %.0f 18">`, boxWide, boxWide)
	for _, part := range []float64{0, 0.5, 1} {
		v := a.least + part*(a.most-a.least)
		if a.log {
			v = a.least * math.Pow(a.most/a.least, part)
		}
		anchor := [...]string{"start", "middle", "end"}[int(part*2)]
		x := a.at(v)
		fmt.Fprintf(&b, `<path d="M%.1f 14V18"/><text x="%.1f" y="11" text-anchor="%s">%s</text>`, x,
			x, anchor, number(v))
	}
	b.WriteString("</svg>")
	return template.HTML(b.String()) // numbers only
}

// box is a box with whiskers: the extremes, the quartiles, the median.
func (a axis) box(m *Measurement, unit string) template.HTML {
	if m.Times == 0 {
		return ""
	}
	s := m.Spread
	const middle = boxHigh / 2
	label := template.HTMLEscapeString(fmt.Sprintf("median %s %s, quartiles %s to %s, all %s to %s",
		number(m.Median), unit, number(s.Low), number(s.High), number(s.Least), number(s.Most)))
	return template.HTML(fmt.Sprintf(`<svg class="box" role="img" aria-label="%s" width="%.0f" `+
		`height="%.0f" viewBox="0 0 %.0f %.0f"><title>%s</title>`+
		`<path class="reach" d="M%.1f %.0fH%.1fM%.1f 5V15M%.1f 5V15"/>`+
		`<rect x="%.1f" y="4.5" width="%.1f" height="11"/>`+
		`<path class="median" d="M%.1f 2.5V17.5"/></svg>`, label, boxWide, boxHigh, boxWide, boxHigh,
		label, a.at(s.Least), middle, a.at(s.Most), a.at(s.Least), a.at(s.Most), a.at(s.Low),
		max(0.5, a.at(s.High)-a.at(s.Low)), a.at(m.Median)))
}
