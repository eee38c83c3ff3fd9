package app

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker/effort"
	mutated "github.com/domino-check/domino/checker/mutate/source"
)

// TestMutateSource mutates the source of a small protocol, from the text to the verdict of another
// process: most mutants are killed by scenarios, what is killed says by what, and a second time
// goes on from the file without asking anything.
func TestMutateSource(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command, and mutants of source are compiled")
	}
	if !effort.Long() {
		t.Skip("compiles and links a program: " + effort.More)
	}
	out := filepath.Join(t.TempDir(), "results")
	args := []string{"mutate", "--source", "two-phase", "--sample", "12", "--workers", "1", "--out",
		out, "--json"}
	code, text, errors := domino(t.Context(), args...)
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if code > exitUndecided || len(lines) != 13 {
		t.Fatalf("exit code %d\n%s%s", code, text, errors)
	}
	var sum mutated.Summary
	if err := json.Unmarshal([]byte(lines[12]), &sum); err != nil {
		t.Fatal(err)
	}
	if sum.All.Mutants != 12 || sum.All.Check < 6 || sum.All.Fuzz > 0 ||
		len(sum.Packages) != 1 || sum.Packages[0].Check != sum.All.Check {
		t.Errorf("%+v", sum)
	}
	for _, l := range lines[:12] {
		var r mutated.Result
		if err := json.Unmarshal([]byte(l), &r); err != nil {
			t.Fatal(err)
		}
		if r.Fate == mutated.Killed && (r.By != "check" || r.Why == "" ||
			!strings.HasPrefix(r.Trial, "two-phase/")) {
			t.Errorf("%+v", r)
		}
	}
	_, again, errors := domino(t.Context(), args...)
	if again != text {
		t.Errorf("the second time\n%s%s\nwant\n%s", again, errors, text)
	}
}

// TestMutateSourceOdd gives arguments that make no sense, and a folder without source.
func TestMutateSourceOdd(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{"--sample -1", "want 0 or more"},
		{"--within -1", "want 0 or more"},
		{"--methods pos", "--methods has no meaning with --source"},
		{"two-phase nobody-has-this", `no mutant has "nobody-has-this" in its name`},
	} {
		if tt.args[0] != '-' && !effort.Long() {
			t.Log(tt.args + ", for which the go command compiles: " + effort.More)
			continue
		}
		code, out, errors := domino(t.Context(), append([]string{"mutate", "--source", "--list"},
			strings.Fields(tt.args)...)...)
		if code != exitUsage || !strings.Contains(out+errors, tt.want) {
			t.Errorf("mutate --source %s: exit code %d, want %d with %q\n%s%s", tt.args, code,
				exitUsage, tt.want, out, errors)
		}
	}
	list := []string{"mutate", "--source", "--list"}
	if !effort.Long() {
		t.Log("--list of what the go command compiles: " + effort.More)
	} else if code, out, errors := domino(t.Context(), append(list, "twophase.go")...); code != 0 ||
		!strings.Contains(out, "twophase/twophase.go ") {
		t.Errorf("--list: exit code %d\n%s%s", code, out, errors)
	}
	t.Chdir(t.TempDir())
	if code, out, errors := domino(t.Context(), list...); code != exitUsage ||
		!strings.Contains(errors, "run this in a checkout") {
		t.Errorf("outside: exit code %d\n%s%s", code, out, errors)
	}
	t.Setenv("PATH", t.TempDir())
	if code, out, errors := domino(t.Context(), list...); code != exitUsage ||
		!strings.Contains(errors, "there is no go command") {
		t.Errorf("without go: exit code %d\n%s%s", code, out, errors)
	}
}
