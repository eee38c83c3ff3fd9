package tidy

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

// row is what the package in one folder may import, standard library aside.
type row struct {
	// a folder, or a pattern as in path.Match; a row without a pattern comes first
	dir        string
	internal   []string // folders of this module or patterns of them; "*" is every one but commands
	thirdParty []string // module or package paths; what lies below is included
}

// vocabulary is what everybody may speak of: the evidence, the judge, the failure model, and the
// contract of machines.
var vocabulary = []string{"spec", "spec/trace", "spec/fault", "spec/promise", "impl/core"}

// ranks is what those need who make machines that run programs.
var ranks = and(vocabulary, "impl/program")

// searching is what those need who explore a world, or draw runs of it.
var searching = and(vocabulary, "checker", "checker/search", "checker/sample")

// and is a list with more in it.
func and(list []string, more ...string) []string { return slices.Concat(list, more) }

// importTable says who may import whom. A package without a row is a finding, so
// that a new package is a decision and not an accident.
var importTable = []row{
	{dir: "spec/report/wholefile"},
	{dir: "spec/report/browser"}, // for tests
	{dir: "spec/report/page", internal: []string{"spec", "spec/report", "spec/report/figure",
		"spec/report/look", "spec/trace"}},
	{dir: "spec/report/look"},
	{dir: "spec/report/site", internal: []string{"spec", "spec/report",
		"spec/report/figure",
		"spec/report/look", "spec/report/wholefile"}},

	{dir: "spec/trace"},
	{dir: "spec/promise"},
	{dir: "spec/fault", internal: []string{"spec/trace"}},
	{dir: "spec/order", internal: []string{"spec/trace"}},
	{dir: "spec/processes", internal: []string{"spec", "spec/trace"}},
	{dir: "spec/hydee", internal: []string{"spec/trace"}},
	{
		dir: "spec",
		internal: []string{"spec/trace", "spec/fault", "spec/order", "spec/promise",
			"spec/hydee"},
		thirdParty: []string{"github.com/anishathalye/porcupine"},
	},
	{dir: "spec/report", internal: []string{"spec", "spec/trace"}},
	{dir: "spec/report/figure", internal: []string{"spec", "spec/trace", "spec/report",
		"spec/report/look"}},
	{dir: "spec/report/markdown"},
	{dir: "spec/report/ci", internal: []string{"spec", "spec/trace", "spec/report",
		"spec/report/markdown"}},
	{dir: "spec/report/export", internal: []string{"spec", "spec/trace", "spec/report",
		"spec/report/markdown"}},
	{dir: "spec/report/chart", internal: []string{"spec/report/wholefile"},
		thirdParty: []string{"gonum.org/v1/plot"}},
	{dir: "proofs/coq"},
	{dir: "proofs/judge"},
	{dir: "proofs/peers"},
	// Certificates: who writes them and who checks them share no more than the format.
	{dir: "proofs/certificate", internal: []string{"spec/trace"}},
	{dir: "proofs/recheck", internal: []string{"spec", "spec/trace", "spec/fault",
		"proofs/certificate"}},

	{
		dir:        "impl/core",
		internal:   []string{"spec/trace", "spec/promise"},
		thirdParty: []string{"github.com/fxamacker/cbor/v2"},
	},
	{dir: "impl/performability"},
	{dir: "impl/program", internal: []string{"impl/core", "spec/trace"}},
	{dir: "impl/program/script", internal: []string{"impl/core", "spec/trace"}},
	{dir: "impl/program/kernels", internal: []string{"impl/core", "spec/trace"}},
	// Who sends how much to whom, without a run; and what is chosen by it.
	{dir: "impl/traffic", internal: []string{"impl/core", "impl/program/kernels", "spec/trace"}},
	{dir: "impl/clustering", internal: []string{"impl/traffic"}},
	// What papers print, beside what is made of it: by graphs, models and figures, and by whoever
	// gives it a way to explore.
	{dir: "impl/papers", internal: and(vocabulary, "impl/clustering", "impl/performability",
		"impl/program/kernels", "impl/program/script", "impl/protocol", "impl/protocol/radic",
		"impl/runtime/compare", "impl/runtime/census", "impl/traffic")},
	// What protocols share: parts, of which one may need another, and no protocol.
	// The recovery by logs is the whole of several protocols, setup included.
	{dir: "impl/protocol/part/replay", internal: and(ranks, "impl/protocol/part/*")},
	{dir: "impl/protocol/part/*", internal: and(vocabulary, "impl/protocol/part/*")},
	// The protocols to which those of the papers are compared.
	{
		dir:      "impl/protocol/baseline/*",
		internal: and(ranks, "impl/protocol", "impl/protocol/part/*"),
	},
	// A protocol knows no other, but CAMEL is built on a causal one, as in its paper, and RADIC is
	// a control plane over another.
	{
		dir:      "impl/protocol/camel",
		internal: and(vocabulary, "impl/protocol", "impl/protocol/causal", "impl/protocol/part/*"),
	},
	// What the two papers on HydEE stand on and do not print, and the form of the second one.
	{
		dir:      "impl/protocol/hydee/ground",
		internal: and(ranks, "impl/protocol", "impl/protocol/hydee", "impl/protocol/part/*"),
	},
	{
		dir:      "impl/protocol/hydee/printedfr",
		internal: and(vocabulary, "impl/protocol", "impl/protocol/hydee/ground"),
	},
	// A printed form stands beside the repaired one, and may extend another printed form, as its
	// paper does.
	{
		dir: "impl/protocol/*/printed",
		internal: and(ranks, "impl/protocol", "impl/protocol/*", "impl/protocol/*/printed",
			"impl/protocol/hydee/ground", "impl/protocol/part/*"),
	},
	{
		dir: "impl/protocol/radic",
		internal: and(ranks, "impl/protocol", "impl/protocol/pessimistic",
			"impl/protocol/part/*"),
	},
	// The composite of recovery policies: what decides is a package of its own, which whoever has a
	// policy of his own builds on.
	{dir: "impl/protocol/errmgr/policy", internal: and(vocabulary, "scenarios/spelling")},
	{
		dir:      "impl/protocol/errmgr",
		internal: and(ranks, "impl/protocol", "impl/protocol/errmgr/*", "impl/protocol/part/*"),
	},
	{
		dir: "impl/protocol/example/policy",
		internal: and(vocabulary, "impl/protocol", "impl/protocol/errmgr",
			"impl/protocol/errmgr/policy"),
	},
	{dir: "impl/protocol", internal: and(vocabulary, "scenarios/spelling")},
	{dir: "impl/protocol/errmgr/replicated", internal: and(vocabulary, "impl/protocol"),
		thirdParty: []string{"go.etcd.io/raft/v3"}},
	{dir: "impl/protocol/errmgr/sstore", internal: vocabulary,
		thirdParty: []string{"github.com/klauspost/compress"}},
	// Tables of papers, made again in closed form and by running machines.
	{
		dir: "impl/protocol/camel/volume",
		internal: and(vocabulary, "impl/papers", "impl/program/script", "impl/protocol",
			"impl/protocol/camel", "impl/protocol/causal", "impl/runtime/census"),
	},
	// Figures of a paper, made again by running machines in modelled time.
	{
		dir: "impl/protocol/errmgr/figures",
		internal: and(vocabulary, "impl/papers", "impl/protocol", "impl/protocol/errmgr",
			"impl/protocol/errmgr/sstore", "impl/runtime/emulate"),
	},
	// The list of the house: the only place that names all protocols.
	{dir: "impl/protocol/all", internal: []string{"impl/protocol", "impl/protocol/*",
		"impl/protocol/*/*"}},
	{dir: "impl/protocol/*", internal: and(ranks, "impl/protocol", "impl/protocol/part/*")},
	{
		dir:      "impl/protocol/example/*",
		internal: and(ranks, "impl/protocol", "impl/protocol/part/*"),
	},

	{dir: "impl/runtime/plan", internal: vocabulary},
	{dir: "impl/runtime/course", internal: []string{"impl/core"}},
	{dir: "impl/runtime/disk", internal: and(vocabulary, "spec/report/wholefile")},
	{dir: "impl/runtime/local", internal: and(vocabulary, "impl/runtime/plan",
		"impl/runtime/disk")},
	{dir: "impl/runtime/emulate", internal: vocabulary},
	{dir: "impl/runtime/census", internal: vocabulary},
	{dir: "impl/runtime/gauge", internal: []string{"impl/runtime/disk"}},
	// Kernels under protocols on modelled machines, compared with none.
	{dir: "impl/runtime/simulate", internal: and(ranks, "impl/performability",
		"impl/program/kernels", "impl/program/script", "impl/protocol", "impl/protocol/none",
		"impl/runtime/emulate", "scenarios/spelling")},
	// It runs whatever protocols it is given, and knows none.
	{dir: "impl/runtime/compare", internal: and(ranks, "impl/program/script", "impl/protocol",
		"impl/runtime/emulate", "impl/runtime/local", "impl/runtime/plan")},
	// System calls that the standard library has not: memfd, epoll on every architecture.
	{
		dir:        "impl/runtime/tcp/internal/*",
		internal:   and(vocabulary, "impl/runtime/tcp/internal/*"),
		thirdParty: []string{"golang.org/x/sys/unix"},
	},
	{dir: "impl/runtime/tcp/launch"},
	{
		dir: "impl/runtime/tcp/cluster",
		internal: and(vocabulary, "spec/processes", "impl/runtime/course", "impl/runtime/plan",
			"impl/runtime/disk", "impl/runtime/tcp/launch",
			"impl/runtime/tcp/internal/*"),
	},
	{
		dir: "impl/runtime/tcp/perf",
		internal: and(vocabulary, "impl/performability", "impl/protocol",
			"impl/runtime/tcp/cluster", "spec/report/chart"),
	},
	{
		dir: "impl/runtime/tcp/netpipe",
		internal: and(ranks, "impl/protocol", "impl/runtime/tcp/launch",
			"impl/runtime/tcp/internal/*", "spec/report/chart"),
		thirdParty: []string{"golang.org/x/sys/unix"},
	},

	{
		dir:        "scenarios",
		internal:   []string{"spec/fault", "scenarios/spelling", "spec/report/wholefile"},
		thirdParty: []string{"golang.org/x/tools/txtar"},
	},
	{dir: "scenarios/spelling"},

	{dir: "checker", internal: []string{"spec"}},
	{dir: "checker/internal/brute", internal: []string{"checker"}},
	{dir: "checker/internal/prefetch"},
	{
		dir: "checker/search",
		internal: []string{"checker", "checker/internal/prefetch", "checker/search/*", "spec",
			"spec/report/wholefile"},
	},
	{dir: "checker/search/*", internal: []string{"checker"}},
	{dir: "checker/sample", internal: []string{"checker", "spec"}},
	// It knows programs, and nothing that runs them.
	{dir: "checker/square", internal: []string{"impl/core", "spec/trace"}},
	{dir: "checker/survivors", internal: []string{"impl/core", "spec", "spec/trace"}},
	{dir: "checker/world", internal: and(searching, "checker/search/lasso", "checker/survivors",
		"impl/runtime/course",
		"proofs/certificate", "spec/report/wholefile")},
	// Work that is spread over machines, whatever carries it.
	{dir: "checker/shard", internal: []string{"spec/report/wholefile"}},
	{dir: "checker/shard/campaign", internal: []string{"checker/shard"}},
	{
		dir:      "checker/shard/level",
		internal: []string{"checker", "checker/internal/prefetch", "checker/shard", "spec"},
	},
	{dir: "checker/boundary", internal: vocabulary},
	// It hands machines to who knows neither them nor worlds.
	{dir: "checker/apart", internal: and(vocabulary, "proofs/certificate", "proofs/recheck")},
	// What is found is made smaller: at the scope of a scenario, so it needs what minimise needs.
	{
		dir: "checker/mutate",
		internal: and(searching, "checker/boundary", "checker/minimise", "checker/world",
			"scenarios", "scenarios/spelling"),
	},
	// It works on text and types, and runs what it has compiled; the switch in mutated source knows
	// nobody.
	{dir: "checker/mutate/source"},
	{dir: "checker/mutate/source/mutant"},
	{
		dir:      "checker/minimise",
		internal: and(searching, "checker/world", "impl/program/script", "scenarios"),
	},
	// It drives the goroutine runtime, and has its runs judged and repeated in the world.
	{
		dir: "checker/soak",
		internal: and(vocabulary, "checker", "checker/world", "impl/runtime/local",
			"impl/runtime/plan"),
	},
	// It reads what real processes leave, and finds it in the world.
	{
		dir: "checker/lift",
		internal: and(vocabulary, "checker/world", "impl/runtime/disk",
			"impl/runtime/tcp/cluster"),
	},
	// It makes real processes do what a run of the world does.
	{
		dir: "checker/enforce",
		internal: and(vocabulary, "checker/world", "impl/runtime/course",
			"impl/runtime/tcp/cluster"),
	},
	{
		dir: "fuzz",
		internal: and(searching, "checker/boundary", "checker/minimise",
			"checker/verify", "checker/world", "impl/program/script", "impl/protocol",
			"impl/runtime/plan", "spec/report/wholefile",
			"scenarios", "scenarios/spelling"),
		thirdParty: []string{"pgregory.net/rapid"},
	},
	// A scenario and protocols in, an answer out. It knows the transparent protocol, to which all
	// are compared.
	// Scenarios are followed by hand, in any variant of their protocol.
	{
		dir: "checker/explore",
		internal: and(searching, "checker/verify", "checker/world", "impl/protocol", "scenarios",
			"scenarios/spelling", "spec/report"),
	},
	{
		dir: "checker/verify",
		internal: and(searching, "checker/world", "impl/program/*", "impl/protocol",
			"impl/protocol/none", "scenarios", "scenarios/spelling", "spec/report"),
	},
	{
		dir:      "cmd/domino",
		internal: []string{"cmd/domino/app", "impl/protocol/all"},
	},
	{dir: "cmd/domino/app/help", internal: []string{"scenarios/spelling"}},
	{dir: "cmd/domino/app/term", thirdParty: []string{"golang.org/x/term"}},
	{
		dir: "cmd/domino/app/explorer",
		internal: []string{"checker", "checker/explore", "checker/verify", "impl/protocol",
			"scenarios", "spec", "spec/report", "spec/report/figure"},
	},
	{
		dir: "cmd/domino/app",
		internal: []string{"*", "cmd/domino/app/explorer", "cmd/domino/app/help",
			"cmd/domino/app/term"},
		thirdParty: []string{"github.com/spf13/pflag"},
	},
	{dir: "cmd/tidy"},

	// What the tests do; nothing but a test may ask.
	{dir: "checker/effort"},
}

// testImports are the third-party packages that every test may import, beside
// those that its package may.
var testImports = []string{
	"github.com/google/go-cmp",
	"github.com/santhosh-tekuri/jsonschema/v6", // official schemas of JSON, which are many pages
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
			report.at(f.files[0].ast.Package,
				"package %s: no row, add it to the table in cmd/tidy/imports_rule_test.go", f.dir)
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
			report.at(spec.Pos(), "%s must not import %s: it may import %s", dir, target,
				list(r.internal))
		case !internal && thirdParty(imported) && !mayDepend(r, imported, s.test):
			report.at(spec.Pos(), "%s must not depend on %s: it may depend on %s", dir, imported,
				list(r.thirdParty))
		}
	}
}

// importRow returns the row of a folder: its own one, else the first whose pattern it matches.
func importRow(dir string) (row, bool) {
	at := slices.IndexFunc(importTable, func(r row) bool { return r.dir == dir })
	if at < 0 {
		at = slices.IndexFunc(importTable, func(r row) bool { return matches(r.dir, dir) })
	}
	if at < 0 {
		return row{}, false
	}
	return importTable[at], true
}

// matches tells whether a folder is the one that the pattern names, or one of those.
func matches(pattern, dir string) bool {
	ok, err := path.Match(pattern, dir)
	return err == nil && ok // the patterns are constants, and tested
}

// mayImport tells whether the row allows a package of this module.
func mayImport(r row, target string, test bool) bool {
	command := below(target, "cmd") // only a command may stand on a command, where its row says so
	return test && !command || slices.ContainsFunc(r.internal, func(allowed string) bool {
		return allowed == "*" && !command || matches(allowed, target)
	})
}

// mayDepend tells whether the row allows a third-party package.
func mayDepend(r row, imported string, test bool) bool {
	within := func(module string) bool { return below(imported, module) }
	return slices.ContainsFunc(r.thirdParty, within) ||
		(test && slices.ContainsFunc(testImports, within))
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
