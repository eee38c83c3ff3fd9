package site

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/spec"
)

// files are the names of all files below a folder.
func files(t *testing.T, dir string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(dir, path)
			list = append(list, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(list)
	return list
}

// put writes a file of somebody else.
func put(t *testing.T, parts ...string) {
	t.Helper()
	name := filepath.Join(parts[:len(parts)-1]...)
	if err := os.WriteFile(name, []byte(parts[len(parts)-1]), 0o666); err != nil {
		t.Fatal(err)
	}
}

// suite writes a suite of some scenarios with pages.
func suite(t *testing.T, dir string, scenarios ...string) {
	t.Helper()
	f, err := Open(dir, Check)
	if err != nil {
		t.Fatal(err)
	}
	s := &Suite{Asked: len(scenarios), Head: Head{Command: Check}}
	for _, name := range scenarios {
		r := Row{Scenario: name, Verdict: spec.Violated, Steps: 1, Page: f.Page(Runs, name)}
		if err := f.Write(r.Page, []byte(name)); err != nil {
			t.Fatal(err)
		}
		s.Rows = append(s.Rows, r)
	}
	if err := f.WriteSuite(s); err != nil {
		t.Fatal(err)
	}
}

// TestFolderIsOurs opens folders with something in them: only what we have written is taken.
func TestFolderIsOurs(t *testing.T) {
	for name, tt := range map[string]struct{ file, content, want string }{
		"empty":             {"", "", ""},
		"of somebody":       {"thesis.tex", "x", "thesis.tex"},
		"data of somebody":  {"data.json", `{"schema": "mine"}`, "data.json"},
		"data cut off":      {"data.json", `{"schema": "domino/site/che`, "data.json"},
		"of another kind":   {"data.json", `{"schema": "domino/site/errata/1"}`, "data.json"},
		"ours":              {"data.json", `{"schema": "domino/site/check/1"}`, ""},
		"a newer version":   {"data.json", `{"schema": "domino/site/check/2"}`, "data.json"},
		"ours, not written": {"data.json", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			switch {
			case name == "ours, not written": // opened, and nothing came
				if _, err := Open(dir, Check); err != nil {
					t.Fatal(err)
				}
			case tt.file != "":
				put(t, dir, tt.file, tt.content)
			}
			before := files(t, dir)
			_, err := Open(dir, Check)
			if (err == nil) != (tt.want == "") {
				t.Fatalf("error %v", err)
			}
			if err != nil && (!strings.Contains(err.Error(), tt.want) ||
				!strings.Contains(err.Error(), dir)) {
				t.Errorf("%q does not say %q and the folder", err, tt.want)
			}
			if err != nil && !slices.Equal(files(t, dir), before) {
				t.Errorf("it has left %q", files(t, dir))
			}
		})
	}
}

// TestFolderIsNone gives it what can not be a folder.
func TestFolderIsNone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	put(t, file, "x")
	for _, dir := range []string{file, filepath.Join(file, "below")} {
		if _, err := Open(dir, Check); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

// TestStalePages writes a suite again with fewer pages: those that nothing leads to are gone, and
// what is not ours stays.
func TestStalePages(t *testing.T) {
	dir := t.TempDir()
	suite(t, dir, "a", "b", "c")
	put(t, dir, "notes.txt", "mine")
	put(t, dir, Runs, "notes.txt", "mine")
	put(t, dir, Runs, "b.html.0a0b0c0d.new", "half a page")
	suite(t, dir, "b")
	want := []string{"data.json", "index.html", "notes.txt", "runs/b.html", "runs/notes.txt"}
	if got := files(t, dir); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestLinkedFolder does not write through a link in the place of a folder of pages, nor remove
// anything behind it.
func TestLinkedFolder(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	put(t, other, "precious.html", "x")
	if err := os.Symlink(other, filepath.Join(dir, Runs)); err != nil {
		t.Skip("no links here")
	}
	put(t, dir, "data.json", `{"schema": "domino/site/check/1"}`)
	f, err := Open(dir, Check)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Write(f.Page(Runs, "a"), []byte("x")); err == nil {
		t.Error("a page is written through a link")
	}
	if err := f.WriteSuite(&Suite{}); err != nil {
		t.Fatal(err)
	}
	if got := files(t, other); !slices.Equal(got, []string{"precious.html"}) {
		t.Errorf("behind the link is %q", got)
	}
}

// TestPageNames makes names of anything: they stay in their folder, and differ.
func TestPageNames(t *testing.T) {
	f, err := Open(t.TempDir(), Check)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, words := range [][]string{{"h10", "repaired+H10"}, {"h10", "repaired-H10"},
		{"H10", "REPAIRED+h10"}, {"../../etc/passwd"}, {".."}, {""}, {"", ""}, {"ä ö"},
		{strings.Repeat("x", 500)}, {strings.Repeat("x", 501)}, {"a\x00b\nc"}, {"con:"}} {
		name := f.Page(Runs, words...)
		folder, file, _ := strings.Cut(name, "/")
		if folder != Runs || strings.ContainsAny(file, "/\\: \x00\n") ||
			strings.HasPrefix(file, ".") || len(file) > 120 || !filepath.IsLocal(name) {
			t.Errorf("%q is called %q", words, name)
		}
		if seen[strings.ToLower(name)] {
			t.Errorf("%q is called %q, as another one", words, name)
		}
		seen[strings.ToLower(name)] = true
		if err := f.Write(name, nil); err != nil {
			t.Error(err)
		}
	}
}
