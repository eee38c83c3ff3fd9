package tidy

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// fixture is a small module and what one rule must find in it.
type fixture struct {
	name  string
	rule  string
	files map[string]string // go.mod of module example.org/m is added
	want  []string          // "file:line: message"; none for a near miss
}

// std is shared by the tests, one after the other: it remembers what it has read.
var std = sync.OnceValue(standardLibrary)

// TestRepository holds the repository to the rules.
func TestRepository(t *testing.T) {
	root, err := findRoot(".")
	if err != nil {
		t.Fatal(err)
	}
	findings, err := check(os.DirFS(root), std())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		t.Error(f)
	}
}

// nested are modules of ours below this one: they have a go.mod so that nobody else needs what they
// need, and keep the rules but those on who imports what.
var nested = []string{"cmd/domino-farm"}

// TestNested holds nested modules to the rules.
func TestNested(t *testing.T) {
	root, err := findRoot(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range nested {
		findings, err := check(os.DirFS(filepath.Join(root, dir)), std())
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range findings {
			if f.rule != "imports" && f.rule != "layout" && f.rule != "names" {
				t.Errorf("%s/%v", dir, f)
			}
		}
	}
}

// TestLightCore holds the module itself free of what carries work to other machines.
func TestLightCore(t *testing.T) {
	root, err := findRoot(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, module := range []string{"nats-io", "minio"} {
			if strings.Contains(string(data), module) {
				t.Errorf("%s names %s: what needs it goes into cmd/domino-farm", name, module)
			}
		}
	}
}

// TestRules runs each rule over modules that break it and over near misses that
// do not, and compares every finding. The fixtures of a rule are beside it, in
// <rule>_test.go; a rule must have both kinds, or nobody knows that it can fail
// or that it can pass.
func TestRules(t *testing.T) {
	var fixtures []fixture
	for _, group := range [][]fixture{
		syntaxFixtures(), importFixtures(), coreFixtures(), globalFixtures(), sizeFixtures(),
		widthFixtures(), knownFixtures(),
		docFixtures(), layoutFixtures(),
	} {
		fixtures = append(fixtures, group...)
	}
	triggers, nearMisses := map[string]int{}, map[string]int{}
	for _, tt := range fixtures {
		if len(tt.want) > 0 {
			triggers[tt.rule]++
		} else {
			nearMisses[tt.rule]++
		}
		t.Run(tt.rule+"/"+tt.name, func(t *testing.T) {
			findings, err := check(module(tt.files), std())
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range findings {
				if f.rule == tt.rule {
					got = append(got, strings.Replace(f.String(), " "+f.rule+":", "", 1))
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
	for _, r := range rules() {
		if triggers[r.name] == 0 || nearMisses[r.name] == 0 {
			t.Errorf("rule %s: %d fixtures trigger it, %d must not; both kinds are needed",
				r.name, triggers[r.name], nearMisses[r.name])
		}
	}
}

// module returns the files as a module.
func module(files map[string]string) fs.FS {
	m := fstest.MapFS{"go.mod": {Data: []byte("module example.org/m\n\ngo 1.26\n")}}
	for name, content := range files {
		m[name] = &fstest.MapFile{Data: []byte(content)}
	}
	return m
}

// TestCheckIsSortedAndStable: findings come by file, line, rule and message, and
// twice the same.
func TestCheckIsSortedAndStable(t *testing.T) {
	files := map[string]string{
		"util/b.go":                "package util\n\nfunc B() {}\n\nfunc A() {}\n",
		"impl/protocol/hydee/a.go": "package hydee\n\nimport \"os\"\n\nvar X = os.Args[0]\n",
		"notes":                    "XX" + "X\n",
	}
	var runs [2][]finding
	for i := range runs {
		var err error
		if runs[i], err = check(module(files), std()); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(runs[0], runs[1]) {
		t.Errorf("two runs differ:\n%v\n%v", runs[0], runs[1])
	}
	var places []string
	for _, f := range runs[0] {
		places = append(places, strings.Join(strings.Split(f.String(), ":")[:3], ":"))
	}
	want := []string{
		"impl/protocol/hydee/a.go:1: docs",
		"impl/protocol/hydee/a.go:3: cores",
		"impl/protocol/hydee/a.go:5: docs",
		"impl/protocol/hydee/a.go:5: globals",
		"notes:1: docs",
		"notes:1: layout",
		"util:1: layout",
		"util/b.go:1: docs",
		"util/b.go:1: imports",
		"util/b.go:1: layout",
		"util/b.go:3: docs",
		"util/b.go:5: docs",
	}
	if diff := cmp.Diff(want, places); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

// TestCheckFindsTheModule looks for the root of a module in temporary folders, and checks it.
func TestCheckFindsTheModule(t *testing.T) {
	broken, noModuleLine := t.TempDir(), t.TempDir()
	write(t, broken, "go.mod", "module example.org/m\n")
	write(t, broken, "spec/trace/doc.go", "package trace\n")
	write(t, noModuleLine, "go.mod", "go 1.26\n")
	root, err := findRoot(filepath.Join(broken, "spec"))
	if err != nil || root != broken {
		t.Fatalf("findRoot below %s = %q, %v", broken, root, err)
	}
	findings, err := check(os.DirFS(root), std())
	want := "spec/trace/doc.go:1: docs: package trace has no package comment in doc.go or trace.go"
	if err != nil || len(findings) != 1 || findings[0].String() != want {
		t.Errorf("findings %v, %v, want %q", findings, err, want)
	}
	if _, err := check(os.DirFS(noModuleLine), std()); err == nil {
		t.Error("a go.mod without a module line was read")
	}
	if _, err := findRoot(string(filepath.Separator)); err == nil {
		t.Error("a module at the root of all folders was found")
	}
}

// write stores one file below dir.
func write(t *testing.T, dir, name, content string) {
	t.Helper()
	name = filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// syntaxFixtures are files that do, and do not quite, parse.
func syntaxFixtures() []fixture {
	return []fixture{
		{
			name:  "missing brace",
			rule:  "syntax",
			files: map[string]string{"spec/spec.go": "package spec\n\nfunc f() {\n"},
			want:  []string{"spec/spec.go:3: expected '}', found 'EOF'"},
		},
		{
			name: "not code",
			rule: "syntax",
			files: map[string]string{
				"spec/testdata/broken.go": "package\n",
				"spec/_draft.go":          "package\n",
				"spec/spec.go":            "package spec\n\nfunc f() int { return undefined }\n",
			},
		},
	}
}
