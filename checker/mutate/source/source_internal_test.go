package source

import (
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite golden files")

// stub imports packages as far as samples need them, and the switchboard from its source.
type stub struct{ *token.FileSet }

func (s stub) Import(path string) (*types.Package, error) {
	var text any
	name := filepath.Join("mutant", "mutant.go")
	switch path {
	case "fmt":
		text = "package fmt\nfunc Sprint(...any) string { return \"\" }"
	case "of/impl/core":
		text = "package core\ntype Switch uint8"
	}
	file, err := parser.ParseFile(s.FileSet, name, text, 0)
	if err != nil {
		return nil, err
	}
	return new(types.Config).Check(path, s.FileSet, []*ast.File{file}, nil)
}

// sample is the package of one file with the text.
func sample(t *testing.T, text string) *Package {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "sample.go"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	m := &Module{fset: token.NewFileSet(), packages: map[string]*listed{"sample": {
		ImportPath: "sample", Dir: folder, GoFiles: []string{"sample.go"}}}}
	m.importer = stub{m.fset}
	p, err := m.Package("sample", 1)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestGolden compares the mutants of a file that has one of everything, and the file with all of
// them behind switches, with a golden file; every operator has one.
func TestGolden(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "sample.go.txt"))
	if err != nil {
		t.Fatal(err)
	}
	p := sample(t, string(text))
	var b strings.Builder
	seen := map[string]bool{}
	for _, m := range p.Mutants {
		seen[m.Operator] = true
		fmt.Fprintf(&b, "%2d %2d %-10s line %2d  %s\n", m.Number, m.Site, m.Operator, m.Line,
			m.Name())
	}
	for _, o := range Operators() {
		if !seen[o.Name] && o.Name != arith && o.Name != flip {
			t.Errorf("the sample has no mutant of %s", o.Name)
		}
	}
	if len(p.Left) > 0 {
		t.Errorf("%d mutants do not compile, e.g. %s", len(p.Left), p.Left[0].Name())
	}
	fmt.Fprintf(&b, "\n%s", p.Texts()["sample.go"])
	at := filepath.Join("testdata", "sample.txt")
	if *update {
		if err := os.WriteFile(at, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(at)
	if err != nil || string(want) != b.String() {
		t.Errorf("not as in %s (%v), see -update:\n%s", at, err, b.String())
	}
}

// TestErrata: what only an erratum makes alive has no mutants, nor has the question for it, nor an
// assertion; what an erratum leaves out has.
func TestErrata(t *testing.T) {
	p := sample(t, `package sample

import "of/impl/core"

type Erratum = core.Switch

const (
	H1 Erratum = iota
	H2
)

func has(Erratum) bool

func f(a, b bool, n int) int {
	if a && b {
		panic("invariant")
	}
	if has(H1) && a {
		n = 1001
	} else {
		n = 2
	}
	switch {
	case has(H2):
		n = 1003
	case !has(H1) && b:
		n = 4
	}
	if !has(H2) {
		n = 6
	}
	return n
}
`)
	var got []string
	for _, m := range p.Mutants {
		if m.Operator != number && m.Operator != early {
			got = append(got, m.Operator+": "+m.Change())
		}
	}
	want := []string{"statement: n = 2 -> (nothing)", "never: !has(H1) && b -> false",
		"negate: b -> !b", "statement: n = 4 -> (nothing)", "statement: n = 6 -> (nothing)"}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestUncompilable: a mutant that does not compile is left out alone.
func TestUncompilable(t *testing.T) {
	text := "package sample\n\nfunc f(a int) int {\n\ta += 2\n\treturn a\n}\n"
	p := sample(t, text)
	f := p.files[0]
	before := len(f.mutants)
	bad := f.mutant(token.Pos(1), statement, "a", "b")
	f.edits = append(f.edits, edit{strings.Index(text, "a +="), strings.Index(text, "a +=") + 1,
		bad.group, func(string) string { return "unknown" }})
	m := &Module{fset: token.NewFileSet(), packages: map[string]*listed{"sample": {
		Dir: p.folder, GoFiles: []string{"sample.go"}}}}
	m.importer = stub{m.fset}
	if err := m.compilable(p); err != nil || len(p.Left) != 1 || p.Left[0] != bad ||
		len(f.mutants) != before {
		t.Errorf("%v, %d left out, %d of %d mutants", err, len(p.Left), len(f.mutants), before)
	}
}

// TestApply nests edits, and puts insertions before what begins at the same place.
func TestApply(t *testing.T) {
	around := func(a, b string) func(string) string {
		return func(inner string) string { return a + inner + b }
	}
	for _, tt := range []struct {
		name  string
		edits []edit
		want  string
	}{
		{"none", nil, "abcdef"},
		{"side by side", []edit{{0, 1, 0, around("(", ")")}, {1, 2, 0, around("[", "]")}},
			"(a)[b]cdef"},
		{"nested", []edit{{2, 3, 0, around("[", "]")}, {1, 4, 0, around("(", ")")}},
			"a(b[c]d)ef"},
		{"same place, the later outside", []edit{{1, 3, 0, around("[", "]")},
			{1, 3, 0, around("(", ")")}}, "a([bc])def"},
		{"insertion", []edit{{1, 3, 0, around("(", ")")}, {1, 1, 0, around("+", "")}},
			"a+(bc)def"},
		{"dropped", []edit{{0, 6, 0, func(string) string { return "x" }},
			{1, 2, 0, around("(", ")")}}, "x"},
	} {
		if got := apply("abcdef", tt.edits); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestSample takes alike of packages, as they are of operators, and the same for a seed.
func TestSample(t *testing.T) {
	var all []*Mutant
	for i := range 400 {
		m := &Mutant{Number: i + 1, Package: "a", Operator: flip, Before: fmt.Sprint(i)}
		if i >= 300 {
			m.Package = "b"
		}
		if i%4 == 0 {
			m.Operator = swap
		}
		all = append(all, m)
	}
	some := Sample(all, 80, 7)
	counts := map[string]int{}
	for _, m := range some {
		counts[m.Package+" "+m.Operator]++
	}
	for key, want := range map[string]int{"a flip": 30, "a swap": 10, "b flip": 30, "b swap": 10} {
		if got := counts[key]; got < want-1 || got > want+1 {
			t.Errorf("%s: %d, want about %d", key, got, want)
		}
	}
	if !slices.IsSortedFunc(some, func(a, b *Mutant) int {
		return cmp.Compare(a.Number, b.Number)
	}) {
		t.Error("not in order")
	}
	if again := Sample(all, 80, 7); !slices.Equal(some, again) {
		t.Error("the same seed takes others")
	}
	if other := Sample(all, 80, 8); slices.Equal(some, other) {
		t.Error("another seed takes the same")
	}
	if len(Sample(all, 0, 1)) != 400 || len(Sample(all, 500, 1)) != 400 {
		t.Error("no sample is not all")
	}
}

// TestEquivalent reads texts of equivalent mutants: entries name their mutant, a stale one is
// reported, and what is not of the form has its line.
func TestEquivalent(t *testing.T) {
	const good = "# why nobody can tell\na.go f\n\t- x\n\t+ (nothing)\n\tit is\n" +
		"\tread by nobody\n\na.go t.g #2\n\t- y\n\t+ z\n\tthe same\n"
	folder := t.TempDir()
	at := filepath.Join(folder, EquivalentFile)
	if err := os.WriteFile(at, []byte(good), 0o600); err != nil {
		t.Fatal(err)
	}
	first := &Mutant{File: "a.go", Function: "f", Before: "x", Nth: 1}
	other := &Mutant{File: "a.go", Function: "t.g", Before: "y", After: "z", Nth: 1}
	c := &Campaign{Packages: []*Package{{folder: folder, Mutants: []*Mutant{first, other}}}}
	why, stale, err := c.equivalents()
	if err != nil || why[first] != "it is read by nobody" || why[other] != "" || len(stale) != 1 ||
		!strings.Contains(stale[0], EquivalentFile+":8: a.go t.g: y -> z") {
		t.Errorf("%v, %q, %v", why, stale, err)
	}
	for text, want := range map[string]string{
		"a.go\n":                    ":1: want FILE FUNCTION",
		"a.go f #x\n":               ":1: want FILE FUNCTION #NUMBER",
		"\t- x\n":                   ":1: want FILE FUNCTION before",
		"a.go f\n\t- x\n\twhy\n":    ":3: want a line",
		"a.go f\n\t- x\n\t+ y\n":    ":1: want what is before",
		"\na.go f\n\t+ y\n\t- x\n":  ":3: want a line",
		"a.go f\n\tno line of it\n": ":2: want a line",
	} {
		if _, err := parseEquivalent("e", text); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestEquivalentOfProtocols reads the texts of the protocols of the house.
func TestEquivalentOfProtocols(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "impl", "protocol", "*",
		EquivalentFile))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		if list, err := ReadEquivalent(filepath.Dir(file)); err != nil || len(list) == 0 {
			t.Errorf("%s: %d entries, %v", file, len(list), err)
		}
	}
}

// TestOdds puts the likely killer first, and of equals the cheap one.
func TestOdds(t *testing.T) {
	o := newOdds()
	m := &Mutant{Package: "p", Function: "f"}
	cost := map[string]float64{"a": 1e4, "b": 1e3, "c": 2e4}
	order := func(m *Mutant) (names string) {
		list := []Trial{{Scenario: "a"}, {Scenario: "b"}, {Scenario: "c"}}
		o.sort(m, list, func(name string) float64 { return cost[name] })
		for _, t := range list {
			names += t.Scenario
		}
		return names
	}
	if got := order(m); got != "bac" {
		t.Errorf("at first %s, want bac", got)
	}
	for range 40 {
		o.note(m, "b", false)
		o.note(m, "c", true)
	}
	if got := order(m); got != "cab" {
		t.Errorf("later %s, want cab", got)
	}
	if got := order(&Mutant{Package: "q"}); got != "bac" {
		t.Errorf("another package: %s, want bac", got)
	}
}

// TestResults goes on from a file: what was killed counts while the package is the same, what lives
// while everything is.
func TestResults(t *testing.T) {
	c := &Campaign{Out: filepath.Join(t.TempDir(), "r"), sources: map[string]string{"p": "s"},
		budget: "today"}
	dead, alive := &Mutant{Package: "p", Before: "a"}, &Mutant{Package: "p", Before: "b"}
	for _, r := range []*Result{{Mutant: *dead, Fate: Killed, Source: "s", Budget: "old"},
		{Mutant: *alive, Fate: Survived, Source: "s", Budget: "today"}} {
		if err := c.keep(r); err != nil {
			t.Fatal(err)
		}
	}
	known, err := results(c.Out)
	if err != nil {
		t.Fatal(err)
	}
	has := func(m *Mutant) bool { return c.known(m, known) != nil }
	if !has(dead) || !has(alive) {
		t.Error("what is in the file is not known")
	}
	if c.budget = "tomorrow"; !has(dead) || has(alive) {
		t.Error("with another budget the killed one alone is known")
	}
	if c.sources["p"] = "changed"; has(dead) {
		t.Error("the source has changed, and its mutant is known")
	}
	if none, err := results(c.Out + "x"); err != nil || len(none) > 0 {
		t.Errorf("no file: %v, %v", none, err)
	}
}
