package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRunRecorded writes runs as goroutines down: report reads one that breaks a property, the last
// one of a scenario that holds, and that of a schedule; several scenarios of the same name have
// folders of their own; a folder with something in it is refused before anything is run.
func TestRunRecorded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	other := answering(t)
	for _, tt := range []struct {
		args string
		code int
		runs map[string]string // by folder, what their reports say
	}{
		{"run s1 --variant published --save " + dir + "/saved --dir " + dir + "/bad", 1,
			map[string]string{"bad": "VIOLATED  terminates"}},
		{"run " + dir + "/saved/s1-published.txtar --enforce --dir " + dir + "/again", 1,
			map[string]string{"again": "VIOLATED  terminates"}},
		{"run s1 --runs 3 --save= --dir " + dir + "/good", exitSampled,
			map[string]string{"good": "R1"}},
		{"run h1 ping hydee/h1 --runs 2 --save= --dir " + dir + "/many", exitSampled,
			map[string]string{"many/h1": "h1 (hydee, repaired)", "many/ping": "a and b"}},
	} {
		code, out, errs := domino(t.Context(), strings.Fields(tt.args)...)
		if code != tt.code {
			t.Fatalf("%s: exit %d, want %d\n%s%s", tt.args, code, tt.code, out, errs)
		}
		for name, want := range tt.runs {
			code, out, errs := domino(t.Context(), "report", filepath.Join(dir, name), "--format",
				"txt", "-o", "-")
			if code != 0 || !strings.Contains(out, want) {
				t.Errorf("%s: exit %d, no %q\n%s%s", name, code, want, out, errs)
			}
		}
		b, err := os.ReadFile(filepath.Join(dir, "bad", runFile))
		if err != nil {
			t.Fatal(err)
		}
		valid(t, b)
	}
	code, out, errs := domino(t.Context(), "run", other, "--dir", filepath.Join(dir, "bad"))
	if code != exitUsage || !strings.Contains(errs, "has files already") || out != "" {
		t.Errorf("exit %d, %s%s", code, out, errs)
	}
}

// TestRecorderNames: folders of scenarios stay within the folder, and apart.
func TestRecorderNames(t *testing.T) {
	c := recorder{names: map[string]bool{}}
	for _, tt := range [][2]string{{"s1", "s1"}, {"s1", "s1~2"}, {"a/../b", "a-..-b"}, {"..", "~2"},
		{"", "~3"}, {"x\ny", "x-y"}} {
		if got := c.folder(tt[0]); got != tt[1] {
			t.Errorf("%q is in %q, want %q", tt[0], got, tt[1])
		}
	}
}
