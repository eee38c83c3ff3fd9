package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker/effort"
)

// TestMTBF kills ranks by a law, twice by the same seed, and by a trace; the protocol that survives
// one failure at a time gets them one by one, and nobody is told that a moment was missed.
func TestMTBF(t *testing.T) {
	t.Setenv("DOMINO_TEST_MAIN", "1") // the processes are this program
	t.Setenv("TMPDIR", t.TempDir())
	dir := t.TempDir()
	trace := filepath.Join(dir, "trace.csv")
	if err := os.WriteFile(trace, []byte("0,a\n3600,b\n7200,a\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	kernel := []string{"cluster", "run", "--kernel",
		"heat ranks=3 n=24 iterations=150 checkpoint=10", "--protocol", "sbml", "--json"}
	laws := [][]string{{"--mtbf", "2ms", "--trace", trace}, {"--mtbf", "1ms"}}
	if !effort.Long() {
		t.Log("runs with failures by a law: " + effort.More)
		laws = nil
	}
	for _, law := range laws {
		code, out, wrong := domino(t.Context(), append(kernel, law...)...)
		if code != 0 || !strings.Contains(out, `"verdict":"fine"`) ||
			!strings.Contains(out, `"missed":0`) || strings.Contains(out, `"crashes":[]`) {
			t.Errorf("%s: exit code %d, %s\n%.2000s", law, code, wrong, out)
		}
	}
	for _, tt := range []struct{ args, want string }{
		{"--mtbf -1s", "between failures"}, {"--shape 2", "between failures"},
		{"--mtbf 1s --shape 100", "shape 100"}, {"--trace " + dir, "is a directory"},
		{"--trace nowhere", "no such file"}, {"--mtbf 1s --protocol none", "survives no failure"},
		{"--mtbf 1s --shape 1 --trace " + trace, "of a trace"},
	} {
		args := append(append([]string{}, kernel...), strings.Fields(tt.args)...)
		if code, _, wrong := domino(t.Context(), args...); code != 4 ||
			!strings.Contains(wrong, tt.want) {
			t.Errorf("%s: exit code %d, %q, want %q", tt.args, code, wrong, tt.want)
		}
	}
}

// TestEfficiency measures a little, as text and as JSON, and draws; what makes no sense is refused.
func TestEfficiency(t *testing.T) {
	t.Setenv("DOMINO_TEST_MAIN", "1") // the processes are this program
	t.Setenv("TMPDIR", t.TempDir())
	plots := filepath.Join(t.TempDir(), "plots")
	base := []string{"cluster", "efficiency", "--kernel", "heat n=16 iterations=30", "--ranks", "2",
		"--checkpoints", "10", "--rounds", "1", "--protocols", "sbml"}
	if effort.Long() {
		code, out, wrong := domino(t.Context(), append(base, "--mtbf", "3ms", "--plot", plots)...)
		if code != 0 || !strings.Contains(out, "\nsbml      3.00ms  10     ") ||
			!strings.Contains(out, "by Young") {
			t.Errorf("exit code %d, %s\n%s", code, wrong, out)
		}
		if info, err := os.Stat(filepath.Join(plots, "efficiency-sbml.svg")); err != nil ||
			info.Size() < 1000 {
			t.Error(err)
		}
	}
	code, out, _ := domino(t.Context(), append(base, "--mtbf", "1h", "--json")...)
	if code != 0 || !strings.Contains(out, `"schema":"domino/efficiency/`) ||
		!strings.Contains(out, `"mtbf":3600,"rounds":1,`) {
		t.Errorf("exit code %d\n%s", code, out)
	}
	for _, tt := range []struct{ args, want string }{
		{"--protocols none", "survives no failure"}, {"--checkpoints 0", "1 or more"},
		{"--checkpoints 999", "at least one"}, {"--mtbf 0s", "between failures"},
		{"--rounds 0", "0 rounds"}, {"--kernel matmul", "at least one"},
		{"--kernel nothing", "nothing"}, {"--protocols nobody", "nobody"}, {"word", "unexpected"},
	} {
		args := append(append([]string{}, base...), strings.Fields(tt.args)...)
		if code, _, wrong := domino(t.Context(), args...); code != 4 ||
			!strings.Contains(wrong, tt.want) {
			t.Errorf("%s: exit code %d, %q, want %q", tt.args, code, wrong, tt.want)
		}
	}
}
