package main

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

// protocols stands, in the table of imports, for every folder directly under
// impl that is not one of implParts.
const protocols = "impl/*"

// implParts are the folders under impl that are not protocols.
var implParts = []string{
	"apps", "catalog", "clustering", "core", "disk", "fault", "kernels", "local", "msglog", "policy", "tcp",
}

// row is what the package in one folder may import, standard library aside.
type row struct {
	dir        string
	internal   []string // folders of this module; "*" is every one but commands
	thirdParty []string // module or package paths; what lies below is included
}

// importTable says who may import whom. A package without a row is a finding, so
// that a new package is a decision and not an accident.
var importTable = []row{
	{dir: "spec/trace"},
	{dir: "spec", internal: []string{"spec/trace"}, thirdParty: []string{"github.com/anishathalye/porcupine"}},
	{dir: "spec/report", internal: []string{"spec", "spec/trace"}},
	{dir: "proofs", internal: []string{"spec", "spec/trace"}},
	{dir: "proofs/spin"},

	{dir: "impl/core", internal: []string{"spec/trace"}, thirdParty: []string{"github.com/fxamacker/cbor/v2"}},
	{dir: "impl/fault", internal: []string{"impl/core", "spec/trace"}},
	{dir: "impl/apps", internal: []string{"impl/core", "spec/trace"}},
	{dir: "impl/kernels", internal: []string{"impl/core", "spec/trace"}},
	{dir: "impl/msglog", internal: []string{"impl/core", "spec/trace"}},
	{dir: "impl/policy", internal: []string{"impl/core", "spec/trace"}},
	{dir: "impl/clustering", internal: []string{"impl/core", "spec/trace"}},
	{dir: "impl/disk", internal: []string{"impl/core", "spec/trace"}},
	{dir: protocols, internal: []string{"impl/core", "impl/msglog", "spec/trace"}},
	// CAMEL is built on a causal protocol, as in its paper.
	{dir: "impl/camel", internal: []string{"impl/causal", "impl/core", "impl/msglog", "spec/trace"}},
	{dir: "impl/local", internal: []string{"impl/core", "impl/disk", "impl/fault", "spec/trace"}},
	{dir: "impl/tcp", internal: []string{
		"impl/core", "impl/disk", "impl/fault", "impl/tcp/buffer", "impl/tcp/frame", "impl/tcp/launch", "impl/tcp/link", "impl/tcp/mesh", "impl/tcp/node",
		"spec/trace",
	}},
	{dir: "impl/tcp/buffer"},
	{dir: "impl/tcp/frame"},
	// System calls that the standard library has not: memfd, epoll on every architecture.
	{dir: "impl/tcp/link", internal: []string{"impl/tcp/buffer", "impl/tcp/frame"}, thirdParty: []string{"golang.org/x/sys/unix"}},
	{
		dir:        "impl/tcp/mesh",
		internal:   []string{"impl/tcp/buffer", "impl/tcp/frame", "impl/tcp/link", "spec/trace"},
		thirdParty: []string{"golang.org/x/sys/unix"},
	},
	{dir: "impl/tcp/launch"},
	{
		dir: "impl/tcp/cluster",
		internal: []string{
			"impl/core", "impl/disk", "impl/fault", "impl/tcp/buffer", "impl/tcp/frame", "impl/tcp/launch", "impl/tcp/mesh", "impl/tcp/node", "spec/trace",
		},
	},
	{dir: "impl/tcp/chart", thirdParty: []string{"gonum.org/v1/plot"}},
	{dir: "impl/tcp/perf", internal: []string{"impl/core", "impl/tcp/chart", "impl/tcp/cluster", "spec/trace"}},
	{
		dir: "impl/tcp/netpipe",
		internal: []string{
			"impl/core", "impl/tcp/buffer", "impl/tcp/chart", "impl/tcp/frame", "impl/tcp/launch", "impl/tcp/mesh", "impl/tcp/node", "spec/trace",
		},
		thirdParty: []string{"golang.org/x/sys/unix"},
	},
	{
		dir: "impl/tcp/node",
		internal: []string{
			"impl/core", "impl/tcp/buffer", "impl/tcp/frame", "impl/tcp/link", "impl/tcp/mesh", "spec/trace",
		},
	},
	{dir: "impl/catalog", internal: []string{
		"impl/apps", "impl/clustering", "impl/core", "impl/fault", "impl/kernels", "impl/msglog", "impl/policy", protocols, "scenarios",
	}},
	{dir: "scenarios", internal: []string{"impl/fault", "spec/trace"}, thirdParty: []string{"golang.org/x/tools/txtar"}},

	{dir: "checker", internal: []string{"spec", "spec/trace"}},
	{dir: "checker/brute", internal: []string{"checker"}},
	{dir: "checker/mutants", internal: []string{"impl/core", "spec/trace"}},
	{
		// Mutants are hunted at the scope of scenarios, and what is found is made smaller, so it needs what minimise needs.
		dir: "checker/mutation",
		internal: []string{
			"checker", "checker/minimise", "checker/world", "impl/core", "scenarios", "spec", "spec/trace",
		},
	},
	{dir: "checker/performability"},
	{dir: "checker/world", internal: []string{"checker", "impl/core", "impl/fault", "spec", "spec/trace"}},
	{
		dir: "checker/minimise",
		internal: []string{
			"checker", "checker/world", "impl/apps", "impl/core", "impl/fault", "scenarios", "spec", "spec/trace",
		},
	},
	// It drives the goroutine runtime, and has its runs judged and repeated in the world.
	{
		dir:      "checker/soak",
		internal: []string{"checker", "checker/world", "impl/core", "impl/fault", "impl/local", "spec", "spec/trace"},
	},
	{
		dir: "checker/world/script",
		internal: []string{
			"checker", "checker/world", "impl/core", "impl/fault", "scenarios", "spec", "spec/trace",
		},
		thirdParty: []string{"golang.org/x/tools/txtar"},
	},
	{
		dir: "fuzz",
		internal: []string{
			"checker", "checker/minimise", "checker/world", "impl/apps", "impl/core", "impl/fault", "scenarios", "spec", "spec/trace",
		},
		thirdParty: []string{"pgregory.net/rapid"},
	},
	// Which random scenarios fit each registered protocol: between fuzz, which knows none, and the catalogue.
	{dir: "fuzz/targets", internal: []string{"checker/world", "fuzz", "impl/catalog", "impl/core", "scenarios"}},
	// A protocol of a user, with its tests.
	{dir: "fuzz/example", internal: []string{"impl/core", "spec/trace"}},
	{dir: "cmd/domino", internal: []string{"*"}, thirdParty: []string{"github.com/spf13/pflag", "golang.org/x/term"}},
	{dir: "cmd/tidy"},
}

// testImports are the third-party packages that every test may import, beside
// those that its package may.
var testImports = []string{
	"github.com/google/go-cmp",
	"go.uber.org/goleak",
	"golang.org/x/tools/txtar",
	"pgregory.net/rapid",
}

// checkImports compares the imports of every file with the table. A test may
// import every package of the module but a command. Build constraints are not
// read: a file for another system is held to the same table.
func checkImports(t *tree, report *reporter) {
	for _, f := range t.folders {
		r, ok := importRow(f.dir)
		if !ok {
			report.at(f.files[0].ast.Package, "package %s: no row, add it to the table in cmd/tidy/imports.go", f.dir)
			continue
		}
		for _, s := range f.files {
			checkFileImports(t, report, f.dir, r, s)
		}
	}
}

// checkFileImports compares the imports of one file with its row.
func checkFileImports(t *tree, report *reporter, dir string, r row, s *source) {
	for _, spec := range s.ast.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue // the parser has let only valid import paths through
		}
		target, internal := t.internal(imported)
		switch {
		case internal && !mayImport(r, target, s.test):
			report.at(spec.Pos(), "%s must not import %s: it may import %s", dir, target, list(r.internal))
		case !internal && thirdParty(imported) && !mayDepend(r, imported, s.test):
			report.at(spec.Pos(), "%s must not depend on %s: it may depend on %s", dir, imported, list(r.thirdParty))
		}
	}
}

// importRow returns the row of a folder.
func importRow(dir string) (row, bool) {
	at := slices.IndexFunc(importTable, func(r row) bool { return r.dir == dir })
	if at < 0 && isProtocol(dir) {
		at = slices.IndexFunc(importTable, func(r row) bool { return r.dir == protocols })
	}
	if at < 0 {
		return row{}, false
	}
	return importTable[at], true
}

// isProtocol tells whether dir is the folder of one protocol.
func isProtocol(dir string) bool {
	return path.Dir(dir) == "impl" && !slices.Contains(implParts, path.Base(dir))
}

// mayImport tells whether the row allows a package of this module.
func mayImport(r row, target string, test bool) bool {
	if target == "cmd" || strings.HasPrefix(target, "cmd/") {
		return false
	}
	return test || slices.ContainsFunc(r.internal, func(allowed string) bool {
		return allowed == "*" || allowed == target || (allowed == protocols && isProtocol(target))
	})
}

// mayDepend tells whether the row allows a third-party package.
func mayDepend(r row, imported string, test bool) bool {
	within := func(module string) bool { return below(imported, module) }
	return slices.ContainsFunc(r.thirdParty, within) || (test && slices.ContainsFunc(testImports, within))
}

// internal returns the folder of an import path of this module.
func (t *tree) internal(imported string) (dir string, ok bool) {
	if imported == t.module {
		return ".", true
	}
	return strings.CutPrefix(imported, t.module+"/")
}

// thirdParty tells whether an import path is outside the standard library, given
// that it is outside this module. cgo counts as third party.
func thirdParty(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return imported == "C" || strings.Contains(first, ".")
}

// below tells whether name is the path parent or lies under it.
func below(name, parent string) bool {
	return name == parent || strings.HasPrefix(name, parent+"/")
}

// list joins names for a message.
func list(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}
