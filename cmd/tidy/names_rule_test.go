package tidy

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// protocolFolder holds the protocols: what is there may speak of them by name.
const protocolFolder = "impl/protocol"

// papersFolder holds what papers print: each is about protocols, of which it bears the names.
const papersFolder = "impl/papers"

// checkNames reports code that knows a protocol by name: a string that is one, or an import of its
// package. Everything that differs between protocols is in their descriptors, so that the next one,
// or a stranger's, costs nothing elsewhere. Names are those that scenarios use; the transparent
// protocol is an exception, as all others are compared with it, and so are papers. Tests are free.
func checkNames(t *tree, report *reporter) {
	names := protocolNames(t)
	for _, f := range t.folders {
		if below(f.dir, protocolFolder) || below(f.dir, papersFolder) {
			continue
		}
		for _, s := range f.code() {
			checkNamesIn(t, report, f.dir, s, names)
		}
	}
}

func checkNamesIn(t *tree, report *reporter, dir string, s *source, names []string) {
	for _, spec := range s.ast.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue // the parser has let only valid import paths through
		}
		target, internal := t.internal(imported)
		list := target == protocolFolder+"/all" && below(dir, "cmd")
		if internal && strings.HasPrefix(target, protocolFolder+"/") && !list &&
			target != protocolFolder+"/none" {
			report.at(spec.Pos(), "%s knows the protocol %s: put what it needs into the descriptor",
				dir, target)
		}
	}
	ast.Inspect(s.ast, func(n ast.Node) bool {
		l, ok := n.(*ast.BasicLit)
		if !ok || l.Kind != token.STRING {
			return true
		}
		if text, err := strconv.Unquote(l.Value); err == nil && slices.Contains(names, text) {
			report.at(l.Pos(),
				"%q is the name of a protocol: put what it needs into the descriptor",
				text)
		}
		return true
	})
}

// protocolNames are the names that scenarios have, but for the transparent one.
func protocolNames(t *tree) []string {
	var names []string
	for _, text := range t.texts {
		if !strings.HasPrefix(text.path, "scenarios/") || !strings.HasSuffix(text.path, ".txtar") {
			continue
		}
		for line := range strings.Lines(string(text.data)) {
			name, ok := strings.CutPrefix(line, "protocol:")
			if name = strings.TrimSpace(name); ok && name != "none" {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
