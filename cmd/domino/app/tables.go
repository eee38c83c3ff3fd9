package app

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/scenarios/spelling"
)

// tableAnswer is one table of a paper as JSON.
type tableAnswer struct {
	versioned
	Name  string      `json:"name"`
	Doc   string      `json:"doc"`
	Parts []tablePart `json:"tables"`
}

// tablePart is one of its parts, cell by cell as they are printed.
type tablePart struct {
	Title   string     `json:"title"`
	Columns []string   `json:"columns"`
	Rows    [][]string `json:"rows"`
}

// runTables prints what papers print in numbers, made again.
func runTables(ctx context.Context, args []string, std streams) (int, error) {
	f := flags("tables", "[NAME ...]", std, "tables", "tables volume", "tables volume --json")
	asJSON := f.Bool("json", false, "print JSON, one object a line: the tables, cell by cell "+
		"as they are printed; without a name those that there are, empty")
	if err := f.Parse(args); err != nil {
		return 0, err
	}
	var all []protocol.Table
	var names []string
	for _, p := range std.Protocols() {
		for _, t := range p.Tables {
			all, names = append(all, t), append(names, t.Name)
		}
	}
	if f.NArg() == 0 {
		return 0, listTables(all, std.out, *asJSON)
	}
	for _, name := range f.Args() {
		at := slices.Index(names, name)
		if at < 0 {
			return 0, fmt.Errorf("unknown table %q%s Tables: %s", name, spelling.Guess(name, names),
				strings.Join(names, ", "))
		}
		if err := printTable(ctx, &all[at], std.out, *asJSON); err != nil {
			return 0, err
		}
	}
	return 0, nil
}

// listTables prints what tables there are.
func listTables(all []protocol.Table, out io.Writer, asJSON bool) error {
	for _, t := range all {
		if !asJSON {
			fmt.Fprintf(out, "%-12s %s\n", t.Name, t.Doc)
			continue
		}
		if err := printJSON(out, tableAnswer{as("tables"), t.Name, t.Doc,
			[]tablePart{}}); err != nil {
			return err
		}
	}
	return nil
}

// printTable prints a table part by part, so that what is there is shown, or whole in JSON.
func printTable(ctx context.Context, t *protocol.Table, out io.Writer, asJSON bool) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	answer := tableAnswer{versioned: as("tables"), Name: t.Name, Doc: t.Doc}
	for _, part := range t.Parts {
		text, err := heard(ctx, func() (string, error) {
			var b strings.Builder
			err := part(&b)
			return b.String(), err
		})
		if err != nil {
			return err
		}
		answer.Parts = append(answer.Parts, readTable(text))
		if !asJSON {
			fmt.Fprint(w, text)
			if err := w.Flush(); err != nil {
				return err
			}
		}
	}
	if asJSON {
		return printJSON(out, answer)
	}
	_, err := io.WriteString(out, t.Notes)
	return err
}

// readTable reads a part as it goes to a tabwriter.
func readTable(text string) (t tablePart) {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	t.Title = lines[0]
	for i, line := range lines[1:] {
		cells := strings.Split(strings.TrimSuffix(line, "\t"), "\t")
		if i == 0 {
			t.Columns = cells
		} else {
			t.Rows = append(t.Rows, cells)
		}
	}
	return t
}
