package site

import "html/template"

// Claims is what a paper claims, table by table and figure by figure, beside what came of it.
type Claims struct {
	Head
	Heading string
	Facts   []Fact
	Sums    []ClaimSum
	Claims  []Claim
}

// ClaimSum are the claims of one status.
type ClaimSum struct {
	Status, Class string
	IDs           []string
}

// Claim is a table, a figure or a sentence of the paper.
type Claim struct {
	ID, Says, Where, Method string
	Status, Class           string
	Tables                  []ClaimTable
	Rest                    []ClaimRow  // with one cell, what else there is
	Notes, Agreeing         []ClaimNote // what a reader must know, and why the rest agrees
	Command                 string
	Charts                  []Chart
}

// ClaimTable is values that stand beside each other; of many columns a claim has several.
type ClaimTable struct {
	Columns []string
	Rows    []ClaimRow // with a cell for each column
}

// ClaimRow is a row of values.
type ClaimRow struct {
	Name, Status, Class string
	Cells               []ClaimCell // by column
}

// ClaimCell is a printed value and ours; the zero value is where nothing is printed.
type ClaimCell struct {
	Printed, Ours string
	Class         string // of its status
	Status        string // if it is not that of the row, or is not good
}

// ClaimNote is what is said of some cells, or of the whole claim.
type ClaimNote struct{ Status, Class, About, Why string }

// Number counts the tables of a claim from 1.
func (Claim) Number(table int) int { return table + 1 }

// Render makes the page.
func (c *Claims) Render() ([]byte, error) {
	return render("claims.html", c, shell{Head: c.Head, Title: "paper", Heading: c.Heading})
}

// ChartOf is a figure for a page, from a picture that escapes its text.
func ChartOf(title string, svg []byte) Chart { return Chart{title, template.HTML(svg)} }
