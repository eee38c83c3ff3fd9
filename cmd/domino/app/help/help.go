// Package help has the texts of domino help, a file for each topic and for each command that needs
// more words than its flags. What the code has in a table is not written there: a line {{NAME}}
// stands for the table of that name, which comes from the caller.
package help

import (
	"bufio"
	"embed"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/domino-check/domino/scenarios/spelling"
)

//go:embed topic/*.txt command/*.txt
var files embed.FS

// Width is how wide a line of help is at most.
const Width = 96

// Topic is a text about one thing.
type Topic struct {
	Name string
	Doc  string // its first line
	text string // what follows
}

// Row is one line of a table: what is explained, and how.
type Row struct {
	Name, Doc string
}

// Tables are what the lines {{NAME}} stand for, by name.
type Tables map[string]func() []Row

// topics are all, in the order in which a reader wants them.
var order = []string{"verdicts", "own", "scenario", "program", "options", "jobs", "properties",
	"search", "kill", "hosts", "exit-codes", "json", "ci", "references"}

// Topics lists the topics, in an order in which they can be read.
func Topics() (list []Topic) {
	for _, name := range order {
		text, err := files.ReadFile("topic/" + name + ".txt")
		if err != nil {
			panic(err) // it is embedded, and tested
		}
		doc, rest, _ := strings.Cut(string(text), "\n")
		list = append(list, Topic{name, doc, strings.TrimLeft(rest, "\n")})
	}
	return list
}

// Find is the topic with the name; the error names the nearest of these and of what else could be
// asked about.
func Find(name string, others ...string) (Topic, error) {
	list := Topics()
	if i := slices.IndexFunc(list, func(t Topic) bool { return t.Name == name }); i >= 0 {
		return list[i], nil
	}
	return Topic{}, fmt.Errorf("no help about %q%s Topics: %s; commands: %s", name,
		spelling.Guess(name, slices.Concat(order, others)), strings.Join(order, ", "),
		strings.Join(others, ", "))
}

// Command is what has to be said about a command beside its flags, "" for most.
func Command(name string) string {
	text, err := files.ReadFile(path.Join("command", strings.ReplaceAll(name, " ", "-")+".txt"))
	if err != nil {
		return "" // nothing is to be said
	}
	return string(text)
}

var mark = regexp.MustCompile(`^\{\{([a-z-]+)\}\}$`)

// Print writes the text with its tables.
func (t Topic) Print(w io.Writer, tables Tables) error {
	fmt.Fprintf(w, "%s\n%s\n\n", t.Doc, strings.Repeat("=", utf8.RuneCountInString(t.Doc)))
	lines := bufio.NewScanner(strings.NewReader(t.text))
	for lines.Scan() {
		m := mark.FindStringSubmatch(lines.Text())
		if m == nil {
			fmt.Fprintln(w, lines.Text())
			continue
		}
		table, ok := tables[m[1]]
		if !ok {
			return fmt.Errorf("help %s: there is no table %s", t.Name, m[1])
		}
		Print(w, table()...)
	}
	return lines.Err()
}

// Print writes a table: names in a column, and beside it the words about each, over several lines
// where they are long. A row without a name is a heading, and one without words is as it stands.
func Print(w io.Writer, rows ...Row) {
	names := 0
	for _, r := range rows {
		if n := utf8.RuneCountInString(r.Name); r.Doc != "" && n <= Width/3 {
			names = max(names, n)
		}
	}
	for _, r := range rows {
		switch {
		case r.Name == "":
			fmt.Fprintf(w, "\n%s\n", strings.Join(Wrap(r.Doc, Width), "\n"))
			continue
		case r.Doc == "":
			fmt.Fprintf(w, "  %s\n", r.Name)
			continue
		}
		head := fmt.Sprintf("  %-*s", names, r.Name)
		if utf8.RuneCountInString(r.Name) > names {
			fmt.Fprintln(w, head)
			head = strings.Repeat(" ", names+2)
		}
		for _, line := range Wrap(r.Doc, Width-names-4) {
			fmt.Fprintf(w, "%s  %s\n", head, line)
			head = strings.Repeat(" ", names+2)
		}
	}
}

// Wrap breaks a text into lines of at most so many columns, if no word is longer.
func Wrap(text string, columns int) (lines []string) {
	line, width := "", 0
	for _, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case line == "":
			line, width = word, n
		case width+1+n > columns:
			lines = append(lines, line)
			line, width = word, n
		default:
			line, width = line+" "+word, width+1+n
		}
	}
	return append(lines, line)
}
