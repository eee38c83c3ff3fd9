package source

import (
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// rendered is the text of a file with all its mutants in it, behind switches.
func (f *finder) rendered() string {
	edits := slices.DeleteFunc(slices.Clone(f.edits), func(e edit) bool {
		return f.without[e.group]
	})
	if len(edits) == 0 {
		return f.source // an import that nobody uses is an error
	}
	text := apply(f.source, edits)
	clause := strings.Index(text, "\npackage ")
	if strings.HasPrefix(text, "package ") {
		clause = -1
	}
	end := clause + 1 + strings.IndexByte(text[clause+1:], '\n')
	// on the line of the clause, so that lines keep their numbers
	return text[:end] + "; import " + calls + " \"" + switchboard + "\"" + text[end:]
}

// Texts are the files with mutants, by name.
func (p *Package) Texts() map[string]string {
	texts := map[string]string{}
	for _, f := range p.files {
		texts[f.file] = f.rendered()
	}
	return texts
}

// sites gives mutants of the same place the number of the first.
func (f *finder) sites() {
	for i, m := range f.mutants {
		m.Site = m.Number
		if i > 0 && m.group == f.mutants[i-1].group {
			m.Site = f.mutants[i-1].Site
		}
	}
}

// Build compiles the program with the mutants of the packages, and writes it to a file. Files in
// the checkout are not touched: the changed ones are in a folder of their own.
func (m *Module) Build(ctx context.Context, packages []*Package, folder, file string) error {
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for i, p := range packages {
		for name, text := range p.Texts() {
			at := filepath.Join(folder, fmt.Sprintf("%d-%s", i, name))
			if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
				return err
			}
			overlay.Replace[filepath.Join(p.folder, name)] = at
		}
	}
	data, err := json.Marshal(overlay)
	if err != nil {
		return err
	}
	at := filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(at, data, 0o600); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-ldflags=-s -w", "-overlay", at, "-o", file,
		m.Main)
	cmd.Dir = m.folder
	if out, err := cmd.CombinedOutput(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("the mutants do not compile, which is a mistake of the mutator: %w\n%s",
			err, out)
	}
	return nil
}

// compiles reports whether a package does, with its mutants in it.
func (m *Module) compiles(p *Package) error {
	texts := p.Texts()
	var files []*ast.File
	for _, name := range m.packages[p.Path].GoFiles {
		var text any
		if mutated, ok := texts[name]; ok {
			text = mutated
		}
		file, err := parser.ParseFile(m.fset, filepath.Join(p.folder, name), text, 0)
		if err != nil {
			return err
		}
		files = append(files, file)
	}
	_, _, err := m.check(p.Path, files)
	return err
}

// compilable leaves out the mutants that do not compile: what they change must fit the types, and
// so must the switch around it. They are found by halving, as all the others do not mind.
func (m *Module) compilable(p *Package) error {
	if m.compiles(p) == nil {
		return nil
	}
	for _, f := range p.files {
		f.without = map[int]bool{}
		f.skip(1, f.groups, true)
	}
	if err := m.compiles(p); err != nil {
		return fmt.Errorf("package %s does not compile with calls of %s: %w", p.Path, switchboard,
			err)
	}
	for _, f := range p.files {
		m.halve(p, f, 1, f.groups)
		var kept []*Mutant
		for _, g := range f.mutants {
			if f.without[g.group] {
				p.Left = append(p.Left, g)
				continue
			}
			kept = append(kept, g)
		}
		f.mutants = kept
	}
	return nil
}

// skip leaves out groups, or not.
func (f *finder) skip(first, last int, out bool) {
	for g := first; g <= last; g++ {
		f.without[g] = out
	}
}

// halve takes those of some groups in that compile.
func (m *Module) halve(p *Package, f *finder, first, last int) {
	f.skip(first, last, false)
	if first > last || m.compiles(p) == nil {
		return
	}
	f.skip(first, last, true)
	if first == last {
		return
	}
	middle := (first + last) / 2
	m.halve(p, f, first, middle)
	m.halve(p, f, middle+1, last)
}
