package tidy

import (
	"go/ast"
	"path"
	"slices"
	"strconv"
	"strings"
)

// topLevel are the names at the root of the module, beside dot-files.
var topLevel = []string{
	"LICENSE", "README.md", "checker", "cmd", "fuzz", "go.mod", "go.sum", "impl",
	"proofs", "scenarios", "spec",
}

// vagueNames are package names that say nothing about what is inside.
var vagueNames = []string{"common", "helpers", "types", "util"}

// testTypes are the types through which a test is skipped.
var testTypes = []string{"testing.B", "testing.F", "testing.T", "testing.TB", "rapid.T"}

// checkLayout reports strangers at the root, packages with vague names, and tests
// that are skipped without a reason or that sleep. A skip is seen where the value
// it is called on has the name of a parameter or field of a testing type in the
// same file.
func checkLayout(t *tree, report *reporter) {
	ignored := ignoredAtRoot(t)
	for _, name := range t.top {
		if !slices.Contains(topLevel, name) && name[0] != '.' && !ignored(name) {
			report.line(name, 1, "%s does not belong at the top level", name)
		}
	}
	for _, f := range t.folders {
		checkPackageName(report, f)
		for _, s := range f.files {
			if s.test {
				checkTest(report, s)
			}
		}
	}
}

// ignoredAtRoot tells which names at the root git ignores, by the plain patterns
// of .gitignore ("name", "/name", "*.ext"): what was built there is no stranger.
func ignoredAtRoot(t *tree) func(name string) bool {
	var patterns []string
	for _, text := range t.texts {
		if text.path != ".gitignore" {
			continue
		}
		for line := range strings.Lines(string(text.data)) {
			line = strings.TrimSpace(line)
			if line != "" && line[0] != '#' && line[0] != '!' {
				patterns = append(patterns, strings.Trim(line, "/"))
			}
		}
	}
	return func(name string) bool {
		return slices.ContainsFunc(patterns, func(pattern string) bool {
			matched, err := path.Match(pattern, name)
			return err == nil && matched // a pattern that path cannot read ignores nothing
		})
	}
}

// checkPackageName reports a folder or a package with a vague name, once.
func checkPackageName(report *reporter, f *folder) {
	name := f.files[0].ast.Name
	for _, candidate := range []string{path.Base(f.dir), strings.TrimSuffix(name.Name, "_test")} {
		if slices.Contains(vagueNames, candidate) {
			report.at(name.Pos(), "package name %s says nothing: name the concept", candidate)
			return
		}
	}
}

// checkTest reports the skips without a reason and the sleeps of a test file.
func checkTest(report *reporter, s *source) {
	clock := importName(s.ast, "time")
	testers := testerNames(s.ast)
	ast.Inspect(s.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok && clock != "" && id.Name == clock &&
				n.Sel.Name == "Sleep" {
				report.at(n.Pos(), "time.Sleep in a test: wait for the event")
			}
		case *ast.CallExpr:
			fun, ok := n.Fun.(*ast.SelectorExpr)
			if !ok || !testers[lastName(fun.X)] {
				return true
			}
			if fun.Sel.Name == "SkipNow" || (fun.Sel.Name == "Skip" && len(n.Args) == 0) {
				report.at(n.Pos(), "test skipped without a reason: call Skip with one")
			}
		}
		return true
	})
}

// testerNames returns the names of the parameters and fields of testing types.
func testerNames(f *ast.File) map[string]bool {
	names := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		field, ok := n.(*ast.Field)
		if !ok || !slices.Contains(testTypes, typeName(field.Type)) {
			return true
		}
		for _, name := range field.Names {
			names[name.Name] = true
		}
		return true
	})
	return names
}

// typeName returns "package.Name" of a type expression or of what it points to.
func typeName(e ast.Expr) string {
	if star, ok := e.(*ast.StarExpr); ok {
		e = star.X
	}
	if selector, ok := e.(*ast.SelectorExpr); ok {
		return lastName(selector.X) + "." + selector.Sel.Name
	}
	return ""
}

// lastName returns the last identifier of a dotted expression, or "".
func lastName(e ast.Expr) string {
	if id := callee(e); id != nil {
		return id.Name
	}
	return ""
}

// importName returns the name under which a file imports a path, or "".
func importName(f *ast.File, imported string) string {
	for _, spec := range f.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err != nil || p != imported {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		return path.Base(imported)
	}
	return ""
}
