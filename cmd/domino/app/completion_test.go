package app

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestCompletionWords asks what may follow the words before the cursor.
func TestCompletionWords(t *testing.T) {
	tests := []struct {
		words, want string
		exactly     bool
	}{
		{"ch", "check", true},
		{"check s1-k", "s1-kept s1-kept-two", true},
		{"check --res", "--resume", true},
		{"check s1 --variant published+", "", true},
		{"check s1 --variant repaired+H1", "repaired+H10 repaired+H12a", false},
		{"cluster to", "torture", true},
		{"cluster run --kern", "--kernel", true},
		{"cluster run --protocol hy", "hydee", true},
		{"errata hyd", "hydee", true},
		{"errata hydee H10", "H10", true},
		{"help exit", "exit-codes", true},
		{"show term", "terminates", true},
		{"completion ", "bash fish zsh", true},
		{"nonsense ", "", true},
	}
	for _, tt := range tests {
		args := append([]string{"completion", "words", "--"}, strings.Split(tt.words, " ")...)
		code, out, err := domino(t.Context(), args...)
		got, want := strings.Fields(out), strings.Fields(tt.want)
		missing := slices.ContainsFunc(want, func(w string) bool {
			return !slices.Contains(got, w)
		})
		if code != 0 || err != "" || missing || tt.exactly && len(got) != len(want) {
			t.Errorf("%q: exit %d, %q, got %q", tt.words, code, err, got)
		}
	}
	if code, _, _ := domino(t.Context(), "completion", "tcsh"); code != exitUsage {
		t.Errorf("a shell that is not known: exit %d", code)
	}
}

// TestCompletionOfBash has bash complete a line, if it is there, by this test as domino.
func TestCompletionOfBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not there")
	}
	_, script, _ := domino(t.Context(), "completion", "bash")
	_, words, _ := domino(t.Context(), "completion", "words", "--", "check", "s1-k")
	dir := t.TempDir()
	// a domino that knows this answer only, and shows what it was asked
	fake := "#!/bin/sh\n[ \"$*\" = 'completion words -- check s1-k' ] && printf '" +
		strings.ReplaceAll(words, "\n", `\n`) + "'\n"
	if err := os.WriteFile(filepath.Join(dir, "domino"), []byte(fake), 0o755); err != nil {
		t.Fatal(err)
	}
	test := script + "\nCOMP_WORDS=(domino check s1-k) COMP_CWORD=2\n_domino\n" +
		"echo \"${COMPREPLY[@]}\"\n"
	run := exec.CommandContext(t.Context(), bash, "--norc", "-c", test)
	run.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := run.CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "s1-kept s1-kept-two" {
		t.Errorf("%v: %q", err, out)
	}
}
