package app

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/domino-check/domino/cmd/domino/app/help"
	"github.com/domino-check/domino/impl/papers"
	"github.com/domino-check/domino/spec/report/markdown"
)

// paperPrinter prints claims as they are made, or how many of each paper have which status.
type paperPrinter struct {
	std streams
	paperOptions
	counts bool
	rows   [][]string // of the counts
	tally  map[papers.Status]int
}

// open begins a paper.
func (o *paperPrinter) open(p *wantedPaper) error {
	o.tally = map[papers.Status]int{}
	if o.json || o.counts {
		return nil
	}
	title := p.Name + ": " + p.title()
	if o.markdown {
		title = "## " + markdown.Line(title)
	}
	_, err := fmt.Fprintln(o.std.out, strings.Join(help.Wrap(title, help.Width), "\n"))
	return err
}

// claim prints one claim.
func (o *paperPrinter) claim(p *wantedPaper, r *papers.Result) (err error) {
	o.tally[r.Status]++
	switch {
	case o.json:
		for _, cell := range paperCells(p, r) {
			if err == nil {
				err = printJSON(o.std.out, cell)
			}
		}
		return err
	case o.counts:
		return nil
	case o.markdown:
		return o.markdownClaim(p, r)
	}
	for _, line := range help.Wrap(r.ID+"  "+r.Says, help.Width) {
		fmt.Fprintf(o.std.out, "\n%s", line)
	}
	fmt.Fprintf(o.std.out, "\n    %s; %s: %s\n", r.Where, r.Method, r.Status)
	if err := o.table(r); err != nil {
		return err
	}
	for _, note := range notesOf(r) {
		for i, line := range help.Wrap(note, help.Width-6) {
			fmt.Fprintf(o.std.out, "%s%s\n", []string{"    ", "      "}[min(i, 1)], line)
		}
	}
	return nil
}

// table prints the values of a claim: those of a row beside each other where the rows have the same
// ones, otherwise below each other.
func (o *paperPrinter) table(r *papers.Result) (err error) {
	for _, lines := range grids(r, narrow(mostWidth, 2)) {
		w := tabwriter.NewWriter(o.std.out, 0, 0, 2, ' ', tabwriter.AlignRight)
		for _, line := range lines {
			fmt.Fprintln(w, "    \t"+strings.Join(line, "\t")+"\t")
		}
		err = errors.Join(err, w.Flush())
	}
	return err
}

// How wide a table may be, in characters, whose values of a row stand beside each other: as text,
// and as Markdown, whose cells have more space around them, on a page as wide as GitHub's.
const (
	mostWidth    = 120
	mostMarkdown = 110
)

// narrow reports whether a table of some lines is at most so wide, with space beside each cell.
func narrow(most, space int) func([][]string) bool {
	return func(lines [][]string) bool { return widthOf(lines, space) <= most }
}

// grids are the lines of the tables of a claim, with their heads: of the values that stand beside
// each other, in several where one would not fit, and of the others.
func grids(r *papers.Result, fits func([][]string) bool) (tables [][][]string) {
	g := gridOf(r)
	for _, part := range g.parts(fits) {
		tables = append(tables, g.lines(part))
	}
	if len(g.rest) == 0 {
		return tables
	}
	lines := [][]string{{"", "paper", "ours", "status"}}
	for _, c := range g.rest {
		lines = append(lines, []string{inUnit(c.Label(), c.Value),
			c.Bounded(), c.Ours(), c.Status.String()})
	}
	return append(tables, lines)
}

// parts divides the columns into tables that fit, or have one column.
func (g *paperGrid) parts(fits func([][]string) bool) (list [][]*papers.Value) {
	for first := 0; first < len(g.names); {
		last := len(g.names)
		for last > first+1 && !fits(g.lines(g.names[first:last])) {
			last--
		}
		list = append(list, g.names[first:last])
		first = last
	}
	return list
}

// paperGrid are the values of a claim that stand beside each other, and the rest.
type paperGrid struct {
	rows  []string
	names []*papers.Value // of the columns
	cells map[[2]string]*papers.Cell
	rest  []*papers.Cell
}

// gridOf puts values beside each other in rows that have several of which other rows have some,
// too; not where most of such a table would be empty.
func gridOf(r *papers.Result) *paperGrid {
	g := &paperGrid{cells: map[[2]string]*papers.Cell{}}
	rows, columns := map[string]int{}, map[string]int{}
	for _, c := range r.Cells {
		columns[c.Name]++
	}
	for _, c := range r.Cells {
		if columns[c.Name] > 1 {
			rows[c.Row]++
		}
	}
	for i := range r.Cells {
		c := &r.Cells[i]
		if columns[c.Name] < 2 || rows[c.Row] < 2 {
			g.rest = append(g.rest, c)
			continue
		}
		g.cells[[2]string{c.Row, c.Name}] = c
		if !slices.Contains(g.rows, c.Row) {
			g.rows = append(g.rows, c.Row)
		}
		if !slices.ContainsFunc(g.names, func(v *papers.Value) bool { return v.Name == c.Name }) {
			g.names = append(g.names, c.Value)
		}
	}
	if len(g.rows) > 1 && 2*len(g.cells) >= len(g.rows)*len(g.names) {
		return g
	}
	all := &paperGrid{}
	for i := range r.Cells {
		all.rest = append(all.rest, &r.Cells[i])
	}
	return all
}

// widthOf is how wide a table of these lines is, with so much space beside each cell.
func widthOf(lines [][]string, space int) (width int) {
	for i := range lines[0] {
		most := 0
		for _, line := range lines {
			most = max(most, utf8.RuneCountInString(line[i]))
		}
		width += most + space
	}
	return width
}

// lines are those of a table of some columns, with the worst status of each row in it.
func (g *paperGrid) lines(columns []*papers.Value) (lines [][]string) {
	head, second := []string{""}, []string{""}
	for _, c := range columns {
		head, second = append(head, withUnit(c), ""), append(second, "paper", "ours")
	}
	lines = [][]string{append(head, ""), append(second, "status")}
	for _, row := range g.rows {
		line, status, some := []string{row}, papers.NoClaim, false
		for _, v := range columns {
			c := g.cells[[2]string{row, v.Name}]
			if c == nil {
				line = append(line, "", "")
				continue
			}
			line = append(line, c.Bounded(), c.Ours())
			status, some = max(status, c.Status), true
		}
		if some {
			lines = append(lines, append(line, status.String()))
		}
	}
	return lines
}

// withUnit is what a column is called.
func withUnit(v *papers.Value) string { return inUnit(v.Name, v) }

// inUnit is a name of a value with its unit.
func inUnit(name string, v *papers.Value) string {
	return strings.TrimSuffix(name+", "+v.Unit, ", ")
}

// paperNote is what is said of some cells of a claim, or, without a status, of all of it.
type paperNote struct {
	status     papers.Status
	kind       papers.Kind
	about, why string
}

// verdict is the status of a note with how it is known.
func (n *paperNote) verdict() string {
	return strings.TrimSpace(fmt.Sprintf("%s %s", n.status, n.kind))
}

// reasons says why cells have the status that they have, those with the same reason together.
func reasons(r *papers.Result) (notes []paperNote) {
	cells := map[paperNote][]string{}
	for _, c := range r.Cells {
		if c.Why == "" && c.Status != papers.Contradicted {
			continue
		}
		note := paperNote{c.Status, c.Kind, "", c.Why}
		if cells[note] == nil {
			notes = append(notes, note)
		}
		cells[note] = append(cells[note], c.Label())
	}
	for i, note := range notes {
		list := cells[note]
		if more := len(list) - 4; more > 1 {
			list = append(slices.Clip(list[:4]), fmt.Sprintf("%d more", more))
		}
		notes[i].about = strings.Join(list, ", ")
	}
	return notes
}

// notesOf says why cells have the status that they have, and what else a reader should know.
func notesOf(r *papers.Result) (notes []string) {
	for _, n := range reasons(r) {
		notes = append(notes, strings.TrimSuffix(n.verdict()+": "+n.about+": "+n.why, ": "))
	}
	if r.Err != nil {
		notes = append(notes, "error: "+r.Err.Error())
	}
	if r.Why != "" {
		notes = append(notes, r.Why)
	}
	if r.Command != "" {
		notes = append(notes, "see "+called(r.Command))
	}
	return notes
}

// markdownClaim prints one claim as Markdown.
func (o *paperPrinter) markdownClaim(_ *wantedPaper, r *papers.Result) error {
	var b strings.Builder
	fmt.Fprintf(&b, "\n### %s\n\n%s (%s; %s): **%s**\n", markdown.Line(r.ID),
		markdown.Line(r.Says), markdown.Line(r.Where), r.Method, r.Status)
	for _, lines := range grids(r, narrow(mostMarkdown, 3)) {
		markdownTable(&b, lines)
	}
	if notes := notesOf(r); len(notes) > 0 {
		b.WriteByte('\n')
		for _, note := range notes {
			fmt.Fprintf(&b, "- %s\n", markdown.Line(note))
		}
	}
	_, err := fmt.Fprint(o.std.out, b.String())
	return err
}

// markdownTable writes lines as a table, of which the first is the head.
func markdownTable(b *strings.Builder, lines [][]string) {
	for i, line := range lines {
		if i == 0 {
			b.WriteByte('\n')
		}
		for _, cell := range line {
			b.WriteString("| " + markdown.Line(cell) + " ")
		}
		b.WriteString("|\n")
		if i == 0 {
			b.WriteString("|:--" + strings.Repeat("|--:", len(line)-1) + "|\n")
		}
	}
}

// close ends a paper.
func (o *paperPrinter) close(p *wantedPaper) error {
	row := []string{p.Name, fmt.Sprint(len(p.claims))}
	for _, s := range papers.Statuses() {
		row = append(row, fmt.Sprint(o.tally[s]))
	}
	o.rows = append(o.rows, row)
	if o.json || o.counts || o.markdown {
		return nil
	}
	_, err := fmt.Fprintln(o.std.out)
	return err
}

// end prints the counts.
func (o *paperPrinter) end() error {
	if !o.counts || o.json {
		return nil
	}
	head := []string{"paper", "claims"}
	for _, s := range papers.Statuses() {
		head = append(head, s.String())
	}
	lines := append([][]string{head}, o.rows...)
	if o.markdown {
		var b strings.Builder
		markdownTable(&b, lines)
		_, err := fmt.Fprint(o.std.out, strings.TrimPrefix(b.String(), "\n"))
		return err
	}
	w := tabwriter.NewWriter(o.std.out, 0, 0, 2, ' ', 0)
	for _, line := range lines {
		fmt.Fprintln(w, strings.Join(line, "\t"))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(o.std.out, "\n%s shows the claims of one.\n", called("domino paper NAME"))
	return err
}
