package app

import (
	"encoding/xml"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestWord gives words to a shell, which must see each as one word, as it was.
func TestWord(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell to ask")
	}
	for _, text := range []string{"h1", "hydee/h1-repaired+H1.txtar", "a b", "it's", "$(exit 1)",
		"`exit 1`", "a\nb", "<x>&|;*?[~!#", `"\`, "", "~", "漢字", "''"} {
		out, err := exec.CommandContext(t.Context(), shell, "-c", "printf %s "+word(text)).Output()
		if err != nil || string(out) != text {
			t.Errorf("%q is %q for the shell, which reads %q, %v", text, word(text), out, err)
		}
	}
}

// TestCommandOfFile takes the command that an output gives for a scenario in a file of somebody's
// own: it finds the same again.
func TestCommandOfFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "it's <mine>")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	house, err := catalogue().Scenario("h1")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join("../../../scenarios", house.File))
	if err != nil {
		t.Fatal(err)
	}
	file, junit := filepath.Join(dir, "my own.txtar"), filepath.Join(dir, "j.xml")
	if err := os.WriteFile(file, text, 0o666); err != nil {
		t.Fatal(err)
	}
	code, _, _ := domino(t.Context(), "check", file, "--variant", "repaired+H1", "--save=",
		"--junit", junit)
	b, err := os.ReadFile(junit)
	if err != nil || code != 1 {
		t.Fatalf("exit %d, %v", code, err)
	}
	var got junitCounts
	if err := xml.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	run := got.Suite.Cases[0].Failure.Text
	want := "domino check " + word(file) + " --variant repaired+H1 --search bfs"
	if !strings.Contains(run, want) {
		t.Errorf("no %q in\n%s", want, run)
	}
}
