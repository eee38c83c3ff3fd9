package tidy

import (
	"go/ast"
	"go/token"
	"strings"
	"unicode/utf8"
)

// maxColumns is how wide a line may be; a tab counts as tabColumns.
const (
	maxColumns = 100
	tabColumns = 4
)

// checkWidth reports lines that are too wide to be read beside others. Exempt are lines of raw
// strings, which are golden output or texts of scenarios, preformatted lines of a comment (commands
// and tables), and lines whose last word alone makes them too wide, such as an address.
func checkWidth(t *tree, report *reporter) {
	for _, f := range t.folders {
		for _, s := range f.files {
			var raw map[int]bool
			for i, line := range strings.Split(string(s.data), "\n") {
				if columns(line) <= maxColumns || preformatted(line) || lastWordIsWide(line) {
					continue
				}
				if raw == nil {
					raw = rawLines(t.fset, s.ast)
				}
				if !raw[i+1] {
					report.line(s.path, i+1, "%d columns, the limit is %d", columns(line),
						maxColumns)
				}
			}
		}
	}
}

// columns is the width of a line.
func columns(line string) int {
	return utf8.RuneCountInString(line) + (tabColumns-1)*strings.Count(line, "\t")
}

// preformatted tells whether a line is one of a comment that is set as it stands.
func preformatted(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "//\t") }

// lastWordIsWide tells whether nothing but the last word could be put on another line, and that
// would not help.
func lastWordIsWide(line string) bool {
	words := strings.Fields(line)
	return len(words) > 0 && len(words[len(words)-1]) > maxColumns/2
}

// rawLines are the lines on which raw strings lie.
func rawLines(fset *token.FileSet, f *ast.File) map[int]bool {
	lines := map[int]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING && l.Value[0] == '`' {
			for at := fset.Position(l.Pos()).Line; at <= fset.Position(l.End()).Line; at++ {
				lines[at] = true
			}
		}
		return true
	})
	return lines
}
