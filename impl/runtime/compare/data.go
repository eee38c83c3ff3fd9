package compare

import (
	_ "embed" // the texts
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/domino-check/domino/impl/protocol"
)

//go:embed printed.txt
var printedText string

//go:embed rows.txt
var rowsText string

// Printed is a table of a paper.
type Printed struct {
	Name    string // by which it is chosen
	Title   string
	Columns []string
	Rows    []PrintedRow
}

// PrintedRow is a row of it.
type PrintedRow struct {
	Name  string   `json:"name"`
	Cells []string `json:"cells"` // as they are printed
	Says  []string `json:"says"`  // in the words of the measures, several apart by " or "
}

// Tables are those of the papers, in order.
func Tables() (list []Printed) {
	var p *Printed
	for i, line := range strings.Split(printedText, "\n") {
		head, rest, _ := strings.Cut(line, ": ")
		fields := strings.Split(rest, " | ")
		var row *PrintedRow
		if p != nil && len(p.Rows) > 0 {
			row = &p.Rows[len(p.Rows)-1]
		}
		switch name, table := strings.CutPrefix(head, "table "); {
		case line == "" || line[0] == '#':
		case table:
			list = append(list, Printed{Name: name, Title: rest})
			p = &list[len(list)-1]
		case head == "columns":
			p.Columns = fields
		case head == "row":
			p.Rows = append(p.Rows, PrintedRow{Name: rest})
		case head == "source" && fields[0] == row.Name:
			row.Cells = fields[1:]
		case head == "values" && len(fields) == len(p.Columns) && len(row.Cells) == len(fields):
			row.Says = fields
		default:
			panic(fmt.Sprintf("invariant: printed.txt is well formed: line %d: %s", i+1, line))
		}
	}
	return list
}

// Row is something to be measured.
type Row struct {
	Table string `json:"table"`
	// the row of the paper; in brackets: there is none, and what stands beside it
	Paper     string `json:"paper"`
	Protocol  string `json:"protocol"` // with its options
	Grouped   bool   `json:"grouped"`
	Tolerates int    `json:"tolerates"`
}

// Rows are all, in the order of the tables.
func Rows() (list []Row) {
	for i, line := range strings.Split(rowsText, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		parts := strings.Split(line, "; ")
		r := Row{Table: parts[0], Paper: parts[1], Protocol: parts[2]}
		for _, word := range parts[3:] {
			n, tolerates := strings.CutPrefix(word, "tolerates ")
			switch {
			case word == "groups":
				r.Grouped = true
			case tolerates:
				var err error
				if r.Tolerates, err = strconv.Atoi(n); err == nil {
					break
				}
				fallthrough
			default:
				panic(fmt.Sprintf("invariant: rows.txt is well formed: line %d: %s", i+1, line))
			}
		}
		list = append(list, r)
	}
	return list
}

// Name is the name of the protocol of a row.
func (r *Row) Name() string { return strings.Fields(r.Protocol)[0] }

// find is the protocol of the row and its options.
func (r *Row) find(known protocol.List) (p *protocol.Protocol, options string, err error) {
	words := strings.Fields(r.Protocol)
	i := slices.IndexFunc(known, func(p protocol.Protocol) bool { return p.Name == words[0] })
	if i < 0 {
		return nil, "", fmt.Errorf("there is no protocol %s here", words[0])
	}
	options = strings.Join(words[1:], " ")
	return &known[i], options, known[i].Accept(options)
}
