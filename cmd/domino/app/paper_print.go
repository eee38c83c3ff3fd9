package app

import (
	"errors"
	"fmt"
	"math"
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
	for _, lines := range grids(r, mostWidth) {
		w := tabwriter.NewWriter(o.std.out, 0, 0, 2, ' ', tabwriter.AlignRight)
		for _, line := range lines {
			fmt.Fprintln(w, "    \t"+strings.Join(line, "\t")+"\t")
		}
		err = errors.Join(err, w.Flush())
	}
	return err
}

// mostWidth is how wide a table may be whose values of a row stand beside each other.
const mostWidth = 120

// grids are the lines of the tables of a claim, with their heads: several where one would be wider
// than that.
func grids(r *papers.Result, width int) (tables [][][]string) {
	names, rows := columnsOf(r), r.Claim.Rows()
	if len(rows) < 2 || 3*len(r.Cells) < 2*len(rows)*len(names) {
		return belowEachOther(r)
	}
	for first := 0; first < len(names); {
		last := len(names)
		lines := sideBySide(r, names[first:last])
		for last > first+1 && widthOf(lines) > width {
			last--
			lines = sideBySide(r, names[first:last])
		}
		tables = append(tables, lines)
		first = last
	}
	return tables
}

// belowEachOther are the lines of a table with a value a line.
func belowEachOther(r *papers.Result) [][][]string {
	if len(r.Cells) == 0 {
		return nil
	}
	lines := [][]string{{"", "paper", "ours", "status"}}
	for _, c := range r.Cells {
		lines = append(lines, []string{strings.TrimSpace(c.Row + " " + withUnit(c.Value)),
			c.Bounded(), c.Ours(), c.Status.String()})
	}
	return [][][]string{lines}
}

// widthOf is how wide a table of these lines is.
func widthOf(lines [][]string) (width int) {
	for i := range lines[0] {
		most := 0
		for _, line := range lines {
			most = max(most, utf8.RuneCountInString(line[i]))
		}
		width += most + 2
	}
	return width
}

// sideBySide are the lines of a table of some values of each row, with the worst status of them.
func sideBySide(r *papers.Result, names []*papers.Value) (lines [][]string) {
	head, second := []string{""}, []string{""}
	for _, c := range names {
		head, second = append(head, withUnit(c), ""), append(second, "paper", "ours")
	}
	lines = [][]string{append(head, ""), append(second, "status")}
	for _, row := range r.Claim.Rows() {
		line, status, some := []string{row}, papers.NoClaim, false
		for _, c := range names {
			at := slices.IndexFunc(r.Cells, func(cell papers.Cell) bool {
				return cell.Row == row && cell.Name == c.Name
			})
			if at < 0 {
				line = append(line, "", "")
				continue
			}
			cell := &r.Cells[at]
			line = append(line, cell.Bounded(), cell.Ours())
			status, some = max(status, cell.Status), true
		}
		if some {
			lines = append(lines, append(line, status.String()))
		}
	}
	return lines
}

// columnsOf are the first values of each name.
func columnsOf(r *papers.Result) (names []*papers.Value) {
	for _, c := range r.Cells {
		if !slices.ContainsFunc(names, func(v *papers.Value) bool { return v.Name == c.Name }) {
			names = append(names, c.Value)
		}
	}
	return names
}

// withUnit is what a value is called.
func withUnit(v *papers.Value) string {
	return strings.TrimSuffix(v.Name+", "+v.Unit, ", ")
}

// notesOf says why cells are not reproduced, those with the same reason together, and what a reader
// should know of the claim.
func notesOf(r *papers.Result) (notes []string) {
	type reason struct {
		status papers.Status
		kind   papers.Kind
		why    string
	}
	var reasons []reason
	cells := map[reason][]string{}
	for _, c := range r.Cells {
		if c.Why == "" && c.Status != papers.Contradicted {
			continue
		}
		why := reason{c.Status, c.Kind, c.Why}
		if cells[why] == nil {
			reasons = append(reasons, why)
		}
		cells[why] = append(cells[why], strings.TrimSpace(c.Row+" "+c.Name))
	}
	for _, why := range reasons {
		list := cells[why]
		if more := len(list) - 4; more > 1 {
			list = append(slices.Clip(list[:4]), fmt.Sprintf("%d more", more))
		}
		notes = append(notes, strings.TrimSuffix(strings.TrimSpace(fmt.Sprintf("%s %s",
			why.status, why.kind))+": "+strings.Join(list, ", ")+": "+why.why, ": "))
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
	for _, lines := range grids(r, math.MaxInt) {
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
