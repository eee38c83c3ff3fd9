package term

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Column is one of a table.
type Column struct {
	Title string
	Width int // at least; of the last one on the left it means nothing
	Left  bool
	// the colour of a cell, where colours are shown
	Colour func(cell string) Colour
}

// Table prints rows as soon as they are there, below a head that the first one brings.
type Table struct {
	w       io.Writer
	indent  string
	columns []Column
	colours bool
	begun   bool
}

// NewTable makes a table, indented by so many columns.
func NewTable(w io.Writer, indent int, columns ...Column) *Table {
	return &Table{w: w, indent: strings.Repeat(" ", indent), columns: columns,
		colours: Coloured(w)}
}

// Row prints one row; cells are in the order of the columns.
func (t *Table) Row(cells ...string) {
	if !t.begun {
		t.begun = true
		var titles []string
		for _, c := range t.columns {
			titles = append(titles, c.Title)
		}
		t.line(titles, false)
	}
	t.line(cells, t.colours)
}

func (t *Table) line(cells []string, colours bool) {
	var b strings.Builder
	b.WriteString(t.indent)
	for i, c := range t.columns {
		if i > 0 {
			b.WriteByte(' ')
		}
		padding := strings.Repeat(" ", max(0, c.Width-utf8.RuneCountInString(cells[i])))
		text := cells[i]
		if colours && c.Colour != nil {
			text = paint(c.Colour(text), text)
		}
		switch {
		case !c.Left:
			b.WriteString(padding + text)
		case i < len(t.columns)-1:
			b.WriteString(text + padding)
		default:
			b.WriteString(text)
		}
	}
	fmt.Fprintln(t.w, b.String())
}

// Note prints a line that belongs to the row before, below its second column.
func (t *Table) Note(format string, args ...any) {
	fmt.Fprintf(t.w, "%s%-*s    %s\n", t.indent, t.columns[0].Width, "",
		fmt.Sprintf(format, args...))
}

// paint is text in a colour.
func paint(c Colour, text string) string {
	if c == Plain {
		return text
	}
	return fmt.Sprintf("\x1b[%dm%s\x1b[0m", c, text)
}
