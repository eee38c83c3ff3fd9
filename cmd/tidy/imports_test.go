package tidy

import (
	"path"
	"slices"
	"testing"
)

// importing returns a Go file of package name that imports the given paths.
func importing(name string, paths ...string) string {
	code := "package " + name + "\n\n"
	for _, path := range paths {
		code += "import _ \"" + path + "\"\n"
	}
	return code
}

// importFixtures are packages on both sides of the table of imports.
func importFixtures() []fixture {
	const m = "example.org/m/"
	return []fixture{
		{
			name: "protocol imports a driver, another protocol, its checker; a part a protocol",
			rule: "imports",
			files: map[string]string{
				"impl/protocol/hydee/hydee.go": importing("hydee", m+"impl/runtime/local",
					m+"impl/protocol/causal", m+"checker"),
				"impl/protocol/part/order/order.go": importing("order", m+"impl/protocol/hydee"),
			},
			want: []string{
				"impl/protocol/hydee/hydee.go:3: impl/protocol/hydee must not import " +
					"impl/runtime/local: it may import " + list(ranks) + ", " +
					"impl/protocol, impl/protocol/part/*",
				"impl/protocol/hydee/hydee.go:4: impl/protocol/hydee must not import " +
					"impl/protocol/causal: it may import " + list(ranks) +
					", impl/protocol, impl/protocol/part/*",
				"impl/protocol/hydee/hydee.go:5: impl/protocol/hydee must not import checker: it " +
					"may import " + list(ranks) + ", " +
					"impl/protocol, impl/protocol/part/*",
				"impl/protocol/part/order/order.go:3: impl/protocol/part/order must not import " +
					"impl/protocol/hydee: it may import " + list(vocabulary) +
					", impl/protocol/part/*",
			},
		},
		{
			name: "protocols within the table, camel with its exception",
			rule: "imports",
			files: map[string]string{
				"impl/protocol/hydee/hydee.go": importing("hydee", "fmt", m+"impl/core",
					m+"spec/trace"),
				"impl/protocol/none/none.go": importing("none", m+"impl/core"),
				"impl/protocol/camel/camel.go": importing("camel", m+"impl/core",
					m+"impl/protocol/causal"),
			},
		},
		{
			name: "the list imports a driver and the checker",
			rule: "imports",
			files: map[string]string{
				"impl/protocol/all/all.go": importing("all",
					m+"impl/runtime/tcp", m+"checker/world"),
			},
			want: []string{
				"impl/protocol/all/all.go:3: impl/protocol/all must not import impl/runtime/tcp: " +
					"it may import impl/protocol, impl/protocol/*, impl/protocol/*/*",
				"impl/protocol/all/all.go:4: impl/protocol/all must not import checker/world: " +
					"it may import impl/protocol, impl/protocol/*, impl/protocol/*/*",
			},
		},
		{
			name: "the list imports every protocol",
			rule: "imports",
			files: map[string]string{
				"impl/protocol/all/all.go": importing("all", m+"impl/protocol/none",
					m+"impl/protocol/camel", m+"impl/protocol/example/paxos"),
			},
		},
		{
			name: "a module of its own has rules of its own",
			rule: "imports",
			files: map[string]string{
				"impl/protocol/example/mine/go.mod":  "module example.com/mine\n",
				"impl/protocol/example/mine/mine.go": importing("mine", m+"checker", "C"),
			},
		},
		{
			name: "trace imports the spec",
			rule: "imports",
			files: map[string]string{"spec/trace/trace.go": importing("trace", m+"spec",
				"example.org/m")},
			want: []string{
				"spec/trace/trace.go:3: spec/trace must not import spec: it may import nothing",
				"spec/trace/trace.go:4: spec/trace must not import .: it may import nothing",
			},
		},
		{
			name: "packages without a row",
			rule: "imports",
			files: map[string]string{
				"checker/heap/heap.go":             "package heap\n",
				"impl/protocol/hydee/wire/wire.go": "package wire\n",
				"cmd/other/main.go":                "package main\n",
				"spec/conform/all_test.go":         "package conform\n",
			},
			want: []string{
				"checker/heap/heap.go:1: package checker/heap: no row, add it to the table in " +
					"cmd/tidy/imports_rule_test.go",
				"cmd/other/main.go:1: package cmd/other: no row, add it to the table in " +
					"cmd/tidy/imports_rule_test.go",
				"impl/protocol/hydee/wire/wire.go:1: package impl/protocol/hydee/wire: no row, " +
					"add it to the table in cmd/tidy/imports_rule_test.go",
				"spec/conform/all_test.go:1: package spec/conform: no row, add it to the table " +
					"in cmd/tidy/imports_rule_test.go",
			},
		},
		{
			name: "tests import anything but commands",
			rule: "imports",
			files: map[string]string{
				"spec/spec_test.go": importing("spec_test", m+"impl/runtime/tcp", m+"cmd/domino",
					"pgregory.net/rapid",
					"github.com/google/go-cmp/cmp", "go.uber.org/goleak",
					"golang.org/x/tools/txtar"),
			},
			want: []string{
				"spec/spec_test.go:4: spec must not import cmd/domino: it may import spec/trace, " +
					"spec/fault, spec/order, spec/promise, spec/hydee"},
		},
		{
			name: "third party out of place",
			rule: "imports",
			files: map[string]string{
				"spec/spec.go": importing("spec", "github.com/google/go-cmp/cmp",
					"pgregory.net/rapid"),
				"spec/spec_test.go": importing("spec", "github.com/spf13/pflag"),
				"scenarios/scenarios.go": importing("scenarios", "golang.org/x/tools/go/packages",
					"C"),
			},
			want: []string{
				"scenarios/scenarios.go:3: scenarios must not depend on " +
					"golang.org/x/tools/go/packages: it may depend on golang.org/x/tools/txtar",
				"scenarios/scenarios.go:4: scenarios must not depend on C: it may depend on " +
					"golang.org/x/tools/txtar",
				"spec/spec.go:3: spec must not depend on github.com/google/go-cmp/cmp: it may " +
					"depend on github.com/anishathalye/porcupine",
				"spec/spec.go:4: spec must not depend on pgregory.net/rapid: it may depend on " +
					"github.com/anishathalye/porcupine",
				"spec/spec_test.go:3: spec must not depend on github.com/spf13/pflag: it may " +
					"depend on github.com/anishathalye/porcupine",
			},
		},
		{
			name: "third party in place",
			rule: "imports",
			files: map[string]string{
				"spec/spec.go":           importing("spec", "github.com/anishathalye/porcupine"),
				"spec/spec_test.go":      importing("spec", "github.com/anishathalye/porcupine"),
				"fuzz/fuzz.go":           importing("fuzz", "pgregory.net/rapid"),
				"scenarios/scenarios.go": importing("scenarios", "golang.org/x/tools/txtar"),
				"impl/core/core.go":      importing("core", "github.com/fxamacker/cbor/v2"),
				"cmd/domino/app/app.go": importing("app", "github.com/spf13/pflag",
					m+"impl/runtime/tcp", m+"fuzz", "net/http"),
			},
		},
	}
}

// TestImportTable: every row is there once, and names only folders that have a
// row themselves, so that a misspelt folder cannot allow or forbid nothing.
func TestImportTable(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range importTable {
		if seen[r.dir] {
			t.Errorf("row %s is there twice", r.dir)
		}
		seen[r.dir] = true
	}
	for _, r := range importTable {
		for _, dir := range and(r.internal, r.dir) {
			if _, err := path.Match(dir, dir); err != nil {
				t.Errorf("row %s: %s: %v", r.dir, dir, err)
			}
			of := func(r row) bool { return matches(dir, r.dir) }
			if _, ok := importRow(dir); !ok && !slices.ContainsFunc(importTable, of) && dir != "*" {
				t.Errorf("row %s allows %s, which has no row", r.dir, dir)
			}
		}
	}
}
