package app

import (
	"context"
	"errors"
	"html"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/papers"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/report/browser"
)

// TestPaperErrors: who asks for what is not there is told what is near.
func TestPaperErrors(t *testing.T) {
	for line, want := range map[string]string{
		"paper hyde": `did you mean "hydee"?`,
		"paper fig-6.14": `unknown paper "fig-6.14": that is a claim of radic: domino paper radic ` +
			"fig-6.14",
		"paper thm-1":                    "that is a claim of hydee, camel: ",
		"paper hydee fig-11":             `has no claim "fig-11", did you mean "fig-1"?`,
		"paper hydee nowhere-*":          `hydee has no claim "nowhere-*"`,
		"paper --json --markdown":        "--json contradicts --markdown",
		"paper hydee --quick=false":      "what is quick is always made",
		"paper hydee --quick --measure":  "--quick contradicts --measure",
		"paper hydee --quick --simulate": "--quick contradicts --simulate",
		"paper --html all.html":          "--html writes one paper: name it",
		"paper hydee --html no/a.html":   "the report has no folder",
	} {
		code, out, errs := domino(t.Context(), strings.Fields(line)...)
		if code != exitUsage || out != "" || !strings.Contains(errs, want) {
			t.Errorf("%s: %d %q %q, want %q", line, code, out, errs, want)
		}
	}
}

// Aim: a run for a claim is one of the protocol that is asked for, with all of the program, and
// what is counted is what the trees of the program say. A protocol that is not there is said to be
// absent.
func TestPaperRuns(t *testing.T) {
	w, err := script.LeanMD([3]int{3, 3, 1}, 1, 8, 2)
	if err != nil {
		t.Fatal(err)
	}
	std := streams{Catalogue: catalogue()}
	const steps = 2
	for name, v := range map[string]script.Volume{"causal": w.Plain(false), "camel": w.Aware()} {
		got, err := std.runClaimed(t.Context(), name, w.Program(steps), true)
		if err != nil {
			t.Fatal(err)
		}
		if got.Piggybacked == 0 {
			t.Errorf("%s piggybacks nothing", name)
		}
		sum := [4]int{got.Messages, got.Determinants, got.Copies + got.Parts, got.Seeds}
		want := [4]int{steps * v.Messages, steps * v.Determinants, steps * v.Logged,
			steps * v.Seeds}
		if sum != want {
			t.Errorf("%s: %v messages, determinants, logged, seeds, want %v", name, sum, want)
		}
	}
	if _, err := std.runClaimed(t.Context(), "nobody", w.Program(1), true); !errors.Is(err,
		papers.ErrAbsent) {
		t.Errorf("a protocol that is not there: %v", err)
	}
}

// TestPaperSame: what is printed for some claims of each method is the same twice, on any number of
// processors, as JSON, which has the digits that text and Markdown round; there each line is an
// object with its schema, and as Markdown each line of a table has as many cells as its head.
func TestPaperSame(t *testing.T) {
	claims := []string{"paper", "hydee", "15-15", "lemma-1"}
	if effort.Long() {
		claims = append(claims, "fig-1")
	}
	if effort.Huge() {
		claims = claims[:2] // all of it
	}
	for _, form := range []string{"", "--json", "--markdown"} {
		args := slices.DeleteFunc(append(slices.Clone(claims), form), func(a string) bool {
			return a == ""
		})
		var first string
		if form != "--json" && !effort.Long() {
			t.Log("as text, as Markdown: " + effort.More)
			continue
		}
		for i, cores := range []int{2, 1} {
			if i == 1 && form != "--json" {
				break
			}
			before := runtime.GOMAXPROCS(cores)
			code, out, errs := domino(t.Context(), args...)
			runtime.GOMAXPROCS(before)
			if code != exitCode(spec.Unknown) { // 15-15 is unclear
				t.Fatalf("%q: exit %d, %s", args, code, errs)
			}
			if i == 1 && out != first {
				t.Errorf("%q: another answer on 1 processor:\n%s", args, cmp.Diff(first, out))
			}
			first = out
		}
		switch form {
		case "--json":
			for line := range strings.Lines(first) {
				valid(t, []byte(line))
			}
		case "--markdown":
			tableCells(t, first)
		}
	}
}

// tableCells counts the cells of each table.
func tableCells(t *testing.T, text string) {
	t.Helper()
	cells, tables := 0, 0
	for line := range strings.Lines(text) {
		n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
		switch {
		case !strings.HasPrefix(line, "|"):
			cells = 0
			continue
		case cells == 0:
			cells = n
			tables++
		}
		if n != cells {
			t.Errorf("%d cells, and %d in the head: %s", n, cells, line)
		}
	}
	if tables == 0 {
		t.Error("no table")
	}
}

// TestPaperEnds: all schedules of the execution of the figures end with m5 and m6 in one order or
// the other at p7, and phases as the text has them.
func TestPaperEnds(t *testing.T) {
	std := streams{Catalogue: catalogue()}
	ends, err := std.endsClaimed(t.Context(), "s0-free")
	if err != nil || len(ends) != 2 {
		t.Fatalf("%d ends, %v", len(ends), err)
	}
	want := map[string]uint64{"m1": 1, "m2": 2, "m3": 2, "m4": 3, "m5": 3, "m6": 1, "m7": 3,
		"m8": 4}
	for _, e := range ends {
		if diff := cmp.Diff(want, e.Messages); diff != "" {
			t.Error(diff)
		}
	}
	if _, err := std.endsClaimed(t.Context(), "nowhere"); !errors.Is(err, papers.ErrAbsent) {
		t.Errorf("a scenario that is not there: %v", err)
	}
}

// TestPaperInterrupted: what was finished is printed, what was not is counted, and the exit code
// says that not all is known.
func TestPaperInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	code, _, errs := domino(ctx, "paper", "hydee", "fig-1", "fig-2")
	if code != exitCode(spec.Unknown) || !strings.Contains(errs,
		"interrupted: 2 of 2 claims were not made") {
		t.Errorf("exit %d, %s", code, errs)
	}
}

// TestPaperStrict: a contradiction is a finding, and an error only for who asks.
func TestPaperStrict(t *testing.T) {
	for args, want := range map[string]int{"paper hydee lemma-4": 0,
		"paper hydee lemma-4 --strict": 1} {
		if code, _, errs := domino(t.Context(), strings.Fields(args)...); code != want {
			t.Errorf("%s: exit %d, want %d: %s", args, code, want, errs)
		}
	}
}

// TestPaperDrawn: a page and figures are written of what was made; a figure has no number as
// printed that the claim does not print; and a full disk is an error after the claims.
func TestPaperDrawn(t *testing.T) {
	dir := t.TempDir()
	page, plots := filepath.Join(dir, "camel.html"), filepath.Join(dir, "plots")
	claims := []string{"paper", "camel", "fig-6a", "table-3-log", "fig-2", "--plot", plots}
	code, out, errs := domino(t.Context(), append(claims, "--html", page)...)
	text, err := os.ReadFile(page)
	if code != 0 || err != nil {
		t.Fatalf("exit %d, %s, %v", code, errs, err)
	}
	for _, want := range []string{`id="table-3-log"`, `href="#fig-2"`, "<svg", "269.49", "no claim",
		"The Journal of Supercomputing"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page has no %q", want)
		}
	}
	files, err := filepath.Glob(plots + "/paper-camel-table-3-log-*.svg")
	if err != nil || len(files) != 2 {
		t.Errorf("figures %q, %v", files, err)
	}
	p := wantedPaper{Paper: papers.Paper{Key: "CAMEL", Name: "camel"}}
	r, err := (&papers.Bench{}).Make(t.Context(), papers.Find("camel", "table-3-log"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range claimCharts(&p, r) {
		for _, pair := range f.figure.Rows {
			if !slices.ContainsFunc(r.Values, func(v papers.Value) bool {
				number, ok := v.Number()
				return ok && number == pair.Printed && pair.Name == v.Row+" "+v.Name
			}) {
				t.Errorf("%s: %+v is not printed", f.name, pair)
			}
		}
	}
	code, again, errs := domino(t.Context(), append(claims, "--html", "/dev/full")...)
	if runtime.GOOS == "linux" && (code != exitUsage || again != out ||
		!strings.Contains(errs, "--html: ")) {
		t.Errorf("a full disk: exit %d, %s", code, errs)
	}
}

// Aim: tables of claims can be read where they are looked at. Method: the widest ones as a page, on
// a screen as wide as that of a laptop, which none runs out of, and on that of a telephone, where
// they can be moved, and nothing else; as Markdown none is wider than a page of GitHub.
func TestPaperFits(t *testing.T) {
	claims := [][]string{{"radic", "table-3.1", "table-6.2", "fig-6.11"}}
	if effort.Long() {
		claims = [][]string{{"radic", "table-*", "fig-6.5", "fig-6.11"}, {"hydee-fr", "table-4"},
			{"errmgr", "table-1b"}}
	}
	tab := browser.Find(t)
	for _, words := range claims {
		page := filepath.Join(t.TempDir(), "page.html")
		code, out, errs := domino(t.Context(), append(append([]string{"paper"}, words...),
			"--markdown", "--html", page)...)
		if code == exitUsage {
			t.Fatalf("%q: %s", words, errs)
		}
		tableWidths(t, out)
		for _, width := range []int{1280, 390} {
			tab.Size(width, 900)
			tab.Open("file://" + page)
			var wide int
			if tab.Eval("document.documentElement.scrollWidth", &wide); wide > width {
				t.Errorf("%q: the page is %d wide on a screen of %d", words, wide, width)
			}
			var regions []string
			tab.Eval(`[...document.querySelectorAll(".scroll")].filter(e => e.scrollWidth >
				e.clientWidth + 1).map(e => e.ariaLabel + " is " + e.scrollWidth + " wide")`,
				&regions)
			if width == 1280 && len(regions) > 0 {
				t.Errorf("%q: on a screen of %d: %q", words, width, regions)
			}
		}
	}
}

// tableWidths measures the lines of tables, of which each cell has a bar and two blanks.
func tableWidths(t *testing.T, text string) {
	t.Helper()
	var lines []string
	for line := range strings.Lines(text + "\n") {
		if strings.HasPrefix(line, "|") {
			lines = append(lines, strings.TrimSpace(line))
			continue
		}
		wide := 1
		var columns []int
		for _, line := range lines {
			for i, cell := range strings.Split(strings.Trim(
				html.UnescapeString(line), "|"), "|") {
				if i == len(columns) {
					columns = append(columns, 0)
				}
				columns[i] = max(columns[i], utf8.RuneCountInString(cell)+1)
			}
		}
		for _, n := range columns {
			wide += n
		}
		if len(columns) > 4 && wide > mostMarkdown+1 { // of three values there is but one column
			t.Errorf("a table of %d characters: %s", wide, lines[0])
		}
		lines = nil
	}
}

// TestPaperReasons: in JSON, where each value stands alone, what is not reproducible here has a
// reason, also where that is one of the whole claim.
func TestPaperReasons(t *testing.T) {
	reasons := 0
	for _, p := range papers.All() {
		for i := range p.Claims {
			r := papers.Judge(&p.Claims[i], nil, nil)
			for _, cell := range paperCells(&wantedPaper{Paper: p}, r) {
				if cell.Status != papers.NotHere {
					continue
				}
				if reasons++; cell.Why == "" {
					t.Errorf("%s %s %s %s: no reason", p.Name, cell.ID, cell.Row, cell.Name)
				}
			}
		}
	}
	if reasons < 40 {
		t.Errorf("%d values", reasons)
	}
}
