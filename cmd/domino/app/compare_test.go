package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker/effort"
)

// TestCompare measures one row, as text with figures, as CSV and with plots, shows one run, and
// refuses what can not be measured, with the place.
func TestCompare(t *testing.T) {
	_, out, _ := domino(t.Context(), "compare", "hydee", "--programs", "ring", "--ranks", "2",
		"--csv")
	if !strings.Contains(out, "2,HydEE,hydee,containment,Oui,yes,yes,as printed,") {
		t.Errorf("CSV:\n%s", out)
	}
	_, out, _ = domino(t.Context(), "compare", "--run",
		"hydee; program ring 4 8; groups r0 r1 | r2 r3; images every 3ms; fail r1 at 2ms")
	if !strings.Contains(out, "10 events lost, 10 done again") {
		t.Errorf("run:\n%s", out)
	}
	for _, tt := range []struct{ args, want string }{
		{"hidee", `unknown protocol "hidee"`},
		{"two-phase", "runs no programs"},
		{"--tables 3", `--tables: unknown table "3"`},
		{"--ranks 1", "1 ranks, want [2, 32]"},
		{"--programs rings", `unknown program "rings"`},
		{"--groups r0", `--groups "r0": rank r1 is in no group`},
		{"--fail r9,at,1ms", "--fail, part 1 (r9 at 1ms): rank r9 does not exist"},
		{"--run hydee", "has no program"},
	} {
		args := strings.Fields(tt.args)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], ",at,", " at ")
		}
		code, _, errors := domino(t.Context(), append([]string{"compare"}, args...)...)
		if code != exitUsage || !strings.Contains(errors, tt.want) {
			t.Errorf("%s: exit code %d: %s", tt.args, code, errors)
		}
	}
}

// TestCompareFigures prints rows with what is redone, and draws figures.
func TestCompareFigures(t *testing.T) {
	effort.Seconds(t)
	dir := t.TempDir()
	code, out, errors := domino(t.Context(), "compare", "hydee", "--programs", "ring", "--ranks",
		"4", "--figures", "--plot", dir)
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, errors)
	}
	for _, want := range []string{"Tableau 2", "between groups", "containment: yes, as printed",
		"domino compare --run 'hydee; program ring 4 8; groups r0 r1 | r2 r3", "redone"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	for _, name := range []string{"compare-blocked.png", "compare-line.svg"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() < 1000 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
