package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
	for _, law := range [][]string{{"--mtbf", "1ms"}, {"--mtbf", "2ms", "--trace", trace}} {
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
