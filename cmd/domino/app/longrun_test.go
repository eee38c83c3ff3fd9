package app

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSaveRunAndResume ends a search by a limit and goes on: the row is that of the whole search,
// but for times and memory. Other arguments are refused.
func TestSaveRunAndResume(t *testing.T) {
	file := filepath.Join(t.TempDir(), "s1.run")
	run := func(args ...string) (int, map[string]any, string) {
		t.Helper()
		code, out, errors := domino(t.Context(),
			append([]string{"check", "--save=", "--json", "--workers", "1"}, args...)...)
		var r map[string]any
		if errors == "" {
			if err := json.Unmarshal([]byte(out), &r); err != nil {
				t.Fatalf("%v in %s", err, out)
			}
		}
		delete(r, "bytes")
		delete(r, "seconds")
		return code, r, errors
	}
	_, whole, _ := run("s1")
	code, part, _ := run("s1", "--max-states", "400", "--save-run", file)
	why, _ := part["why"].(string)
	if code != 2 || part["run"] != file || part["states"] != 400.0 ||
		!strings.Contains(why, "goes on with: domino check --resume "+file) {
		t.Errorf("exit %d, %+v", code, part)
	}
	code, rest, _ := run("s1", "--resume", file)
	if d := cmp.Diff(whole, rest); code != 0 || d != "" {
		t.Errorf("exit %d (-want +got):\n%s", code, d)
	}
	for _, other := range [][]string{{"h5"}, {"s1", "--failures", "0"},
		{"s1", "--variant", "published"}, {"s1", "--reduce", "none"}, {"s1", "--search", "bfs"}} {
		code, _, errors := run(append(other, "--resume", file)...)
		if code != exitUsage || !strings.Contains(errors, "can not be resumed: it") ||
			strings.Count(errors, "\n") != 1 {
			t.Errorf("%v: exit %d, %q", other, code, errors)
		}
	}
}

// TestRunUsage gives switches for files that make no sense: refused before anything is explored.
func TestRunUsage(t *testing.T) {
	folder := t.TempDir()
	tests := []struct {
		name string
		args []string
		want string
	}{
		{"several", []string{"s1", "h5", "--save-run", filepath.Join(folder, "x")},
			"for one scenario, these are 2"},
		{"all", []string{"--resume", filepath.Join(folder, "x")}, "for one scenario, these are"},
		{"folder", []string{"s1", "--save-run", folder}, "is a directory"},
		{"no folder", []string{"s1", "--save-run", filepath.Join(folder, "none", "x")},
			"there is no directory"},
		{"every alone", []string{"s1", "--save-every", "1s"}, "--save-every needs --save-run"},
		{"negative", []string{"s1", "--save-every", "-1s", "--save-run",
			filepath.Join(folder, "x")}, "--save-every -1s: want 0 or more"},
		{"disk depth first", []string{"s1", "--disk", folder}, "--disk needs --search bfs"},
		{"disk saved", []string{"s1", "--disk", folder, "--search", "bfs", "--save-run",
			filepath.Join(folder, "x")}, "neither with --save-run"},
		{"no folder for the disk", []string{"s1", "--disk", filepath.Join(folder, "none"),
			"--search", "bfs"}, "make a folder on disk: "},
		{"nothing there", []string{"s1", "--resume", filepath.Join(folder, "x")}, "no such file"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code, out, errors := domino(t.Context(),
				append([]string{"check", "--save="}, tt.args...)...)
			if code != exitUsage || out != "" || !strings.Contains(errors, tt.want) {
				t.Errorf("exit %d, output %q, errors %q", code, out, errors)
			}
		})
	}
}

// TestSaveRunUnwritable interrupts a search that can not be saved: the result says so, and an older
// file is as it was.
func TestSaveRunUnwritable(t *testing.T) {
	file := filepath.Join(t.TempDir(), strings.Repeat("r", 250)) // no room for .new, also for root
	if err := os.WriteFile(file, []byte("older"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, _ := domino(context.Background(), "check", "s1", "--save=", "--max-states", "400",
		"--save-run", file)
	if code != 2 || !strings.Contains(out, "file name too long") {
		t.Errorf("exit %d\n%s", code, out)
	}
	if data, err := os.ReadFile(file); string(data) != "older" {
		t.Errorf("%q, %v", data, err)
	}
}
