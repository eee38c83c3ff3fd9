package app

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/impl/papers"
)

// measuredCell is a cell of a file: the overhead of a kernel, as some run has measured it.
func measuredCell(row string, number, spread float64) *paperCell {
	return &paperCell{versioned: as("paper"), Paper: "hydee", ID: "abstract-2", Row: row,
		Name: "overhead", Printed: "2", Got: &number, Spread: spread,
		Made: &papers.Made{At: "2026-01-02T03:04:05Z", Build: "v1", Computer: "here"}}
}

// cellFile is a file with these cells, one a line.
func cellFile(t *testing.T, cells ...*paperCell) string {
	t.Helper()
	var b strings.Builder
	for _, c := range cells {
		line, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(line, '\n'))
	}
	return written(t, "values.json", b.String())
}

// Aim: values of an earlier run are judged as if they were measured now, by their spread and what
// has disturbed them, and say when and where they were made; what the run did not measure stays not
// made. Method: four kernels by hand. What is printed from them is a file that gives the same.
func TestPaperFrom(t *testing.T) {
	disturbed, shared := measuredCell("FT", 1, .1), measuredCell("LU", 9, .1)
	disturbed.Doubt, disturbed.Disturbed = "something else worked", true
	shared.Doubt = "4 processes shared 2 processors"
	file := cellFile(t, measuredCell("BT", 1.5, .2), measuredCell("CG", 5, .5),
		measuredCell("MG", 3, 2), disturbed, shared)
	args := []string{"paper", "hydee", "abstract-2", "--json", "--from"}
	_, out, errs := domino(t.Context(), append(args, file)...)
	got := map[string]string{}
	for line := range strings.Lines(out) {
		valid(t, []byte(line))
		var c paperCell
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		got[c.Row] = c.Status.String()
		if c.Got != nil && !strings.HasSuffix(strings.TrimSuffix(c.Why, "; "+c.Doubt),
			"made 2026-01-02T03:04:05Z by v1 on here") {
			t.Errorf("%s: %s", c.Row, c.Why)
		}
	}
	want := map[string]string{"BT": "reproduced", "CG": "contradicted", "MG": "unclear",
		"FT": "unclear", "LU": "unclear", "SP": "not made", "all": "no claim"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s%s", diff, errs)
	}
	again := filepath.Join(t.TempDir(), "again.json")
	if err := os.WriteFile(again, []byte(out), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, twice, _ := domino(t.Context(), append(args, again)...); twice != out {
		t.Error(cmp.Diff(out, twice))
	}
	other := cellFile(t, measuredCell("BT", 7, .1))
	if _, last, _ := domino(t.Context(), append(args, file, "--from", other)...); !strings.Contains(
		last, `"got":7,`) {
		t.Errorf("a later file: %s", last)
	}
}

// TestPaperFromErrors: what is no file of values, or of other ones, is said with its line.
func TestPaperFromErrors(t *testing.T) {
	good := measuredCell("BT", 1, .1)
	of := func(change func(*paperCell)) string {
		c := *good
		change(&c)
		return cellFile(t, good, &c)
	}
	for file, want := range map[string]string{
		filepath.Join(t.TempDir(), "none.json"): "--from: open ",
		of(func(c *paperCell) { c.Schema = "domino/perf/2" }): `:2: schema "domino/perf/2", want ` +
			`"domino/paper/`,
		of(func(c *paperCell) { c.Printed = "3" }): `:2: hydee abstract-2 BT overhead: the file ` +
			`has "3" as printed, this build "2"`,
		of(func(c *paperCell) { c.Row = "XY" }):  `:2: hydee abstract-2 has no value "XY overhead"`,
		of(func(c *paperCell) { c.Spread = -1 }): "spread -1 and rounding 0: negative",
		"paper_from_test.go":                     ":1: no line of ",
		cellFile(t):                              "has no value of these claims",
		cellFile(t, &paperCell{versioned: as("paper"), Paper: "radic", ID: "fig-4.8"}): "has no " +
			"value of these claims",
	} {
		code, out, errs := domino(t.Context(), "paper", "hydee", "abstract-2", "--from", file)
		if code != exitUsage || out != "" || !strings.Contains(errs, want) {
			t.Errorf("%s: %d %q %q, want %q", file, code, out, errs, want)
		}
	}
}
