package app

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/spec/report/browser"
)

var (
	links   = regexp.MustCompile(`<a\b[^>]*\shref="([^"]*)"`)
	anchors = regexp.MustCompile(`\sid="([^"]*)"`)
)

// sitePages reads all pages of a site, by their names with slashes.
func sitePages(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		all[filepath.ToSlash(name)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// follow follows every link of every page: it leads to a file of the site, and to an element of it
// where it names one; every page is reached from the index, and pages of runs lead back to it. They
// keep to their budget, and what is for programs to its schema.
func follow(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := sitePages(t, dir)
	reached := map[string]bool{"index.html": true}
	queue := []string{"index.html"}
	for len(queue) > 0 {
		from := queue[0]
		queue = queue[1:]
		if !strings.HasSuffix(from, ".html") {
			continue
		}
		for _, m := range links.FindAllStringSubmatch(all[from], -1) {
			to, err := url.Parse(strings.ReplaceAll(m[1], "&amp;", "&"))
			if err != nil || to.IsAbs() || to.Host != "" {
				t.Errorf("%s has a link %q: %v", from, m[1], err)
				continue
			}
			name := from
			if to.Path != "" {
				name = filepath.ToSlash(filepath.Join(filepath.Dir(from), to.Path))
			}
			text, ok := all[name]
			if !ok {
				t.Errorf("%s: the link %q leads nowhere", from, m[1])
				continue
			}
			// pages of runs make elements of addresses like step=3 while they are read
			if f := to.Fragment; f != "" && !strings.Contains(f, "=") &&
				!slices.ContainsFunc(anchors.FindAllStringSubmatch(text, -1),
					func(m []string) bool { return m[1] == f }) {
				t.Errorf("%s: %s has nothing that is called %q", from, name, f)
			}
			if !reached[name] {
				reached[name] = true
				queue = append(queue, name)
			}
		}
	}
	for name := range all {
		if !reached[name] {
			t.Errorf("nothing leads to %s", name)
		}
	}
	for name, text := range all {
		if strings.HasPrefix(name, "runs/") {
			if !strings.Contains(text, `<a href="../index.html">`) {
				t.Errorf("%s does not lead back", name)
			}
			if wrong := beyond(text); wrong != "" {
				t.Errorf("%s has %s", name, wrong)
			}
		}
	}
	valid(t, []byte(all["data.json"]))
	for line := range strings.Lines(all["runs.jsonl"]) {
		valid(t, []byte(line))
	}
	return all
}

var rows = regexp.MustCompile(` data-rows="(\d+)"`)

// beyond says what is wrong with the size of a page of a run, "" if it keeps to its budget: 120 kB
// for 30 steps, 600 kB for 1,000, in between and beyond as much for each step.
func beyond(page string) string {
	steps := 0
	for _, m := range rows.FindAllStringSubmatch(page, -1) {
		n, _ := strconv.Atoi(m[1]) // digits, or no step
		steps += n
	}
	if room := 120_000 + max(0, steps-30)*480_000/970; len(page) > room {
		return fmt.Sprintf("%d bytes for %d steps, the budget is %d", len(page), steps, room)
	}
	return ""
}

// TestErrataBudgets holds the pages of errata to their sizes: of those that were the largest ones
// two, in the long form all of these protocols, and in the huge one all. Then each of them is made
// too large, to see that it is told.
func TestErrataBudgets(t *testing.T) {
	effort.Seconds(t)
	which := effort.Of([][]string{{"camel", "C7"}, {"vaidya", "VA4"}},
		[][]string{{"camel"}, {"vaidya"}})
	if effort.Huge() {
		which = [][]string{nil}
	}
	for _, args := range which {
		dir := t.TempDir()
		code, _, err := domino(t.Context(), append([]string{"errata", "--save", "", "--html", dir},
			args...)...)
		if code != 0 {
			t.Fatalf("%q: exit %d, %s", args, code, err)
		}
		all, runs := follow(t, dir), 0
		for name, text := range all {
			if !strings.HasPrefix(name, "runs/") {
				continue
			}
			runs++
			if large := text + strings.Repeat(" ", 200_000); beyond(large) == "" {
				t.Errorf("%s with %d bytes is taken", name, len(large))
			}
		}
		if runs < max(1, len(args)-1) {
			t.Errorf("%q: %d pages of runs", args, runs)
		}
	}
}

// TestCheckPages writes the answers to scenarios of which one is not as expected: it comes first,
// every link leads somewhere, and the same again is the same bytes.
func TestCheckPages(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pages")
	args := []string{"check", "s1", "h10", "h1", "--variant", "repaired+H10", "--save", "",
		"--html", dir}
	code, _, errors := domino(t.Context(), args...)
	if code != 1 || !strings.Contains(errors, filepath.Join(dir, "index.html")) {
		t.Fatalf("exit %d, %s", code, errors)
	}
	all := follow(t, dir)
	index := all["index.html"]
	wrong, fine := strings.Index(index, `<tr id="h10"`), strings.Index(index, `<tr id="s1"`)
	if wrong < 0 || wrong > fine {
		t.Errorf("h10 is at %d, s1 at %d: what is not expected comes first", wrong, fine)
	}
	if n := len(all); n != 3 || all["runs/h10-repaired-H10.html"] == "" {
		t.Errorf("%d files, want the index, its data and the page of one run", n)
	}
	var data struct {
		Schema string
		Rows   []struct {
			Scenario, Page string
			States         int
			AsExpected     bool
			Seconds        float64
		}
	}
	if err := json.Unmarshal([]byte(all["data.json"]), &data); err != nil ||
		len(data.Rows) != 3 || data.Rows[0].Scenario != "s1" || data.Rows[1].AsExpected ||
		data.Rows[1].Page == "" || data.Rows[1].States == 0 || data.Rows[1].Seconds != 0 {
		t.Errorf("data %+v, %v", data, err)
	}
	domino(t.Context(), args...)
	for name, text := range sitePages(t, dir) {
		if text != all[name] {
			t.Errorf("again, %s is another one", name)
		}
	}
}

// TestCheckPagesHistory writes two runs with labels: of the second it shows what has changed.
func TestCheckPagesHistory(t *testing.T) {
	dir := t.TempDir()
	for _, args := range [][]string{{"s1", "h1", "--label", "one"},
		{"s1", "h1", "--label", "two", "--set", "failures=0"}} {
		code, _, errors := domino(t.Context(), append([]string{"check", "--save", "", "--html",
			dir}, args...)...)
		if code > 1 {
			t.Fatalf("exit %d, %s", code, errors)
		}
	}
	all := follow(t, dir)
	if !strings.Contains(all["index.html"], "Since one") ||
		!strings.Contains(all["index.html"], `<td>states</td>`) ||
		strings.Count(all["runs.jsonl"], "\n") != 2 {
		t.Errorf("no changes in %.6000s, of %s", all["index.html"], all["runs.jsonl"])
	}
}

// TestErrataPages writes the catalogue of a protocol in which no scenario shows one of the errata:
// each has an anchor, and a figure or the reason why none.
func TestErrataPages(t *testing.T) {
	dir := t.TempDir()
	code, _, errors := domino(t.Context(), "errata", "teams", "--save", "", "--html", dir)
	if code != 0 {
		t.Fatalf("exit %d, %s", code, errors)
	}
	checkErrata(t, follow(t, dir), "teams")
	dir = t.TempDir()
	if code, _, err := domino(t.Context(), "errata", "ho", "--html", dir); code != 0 {
		t.Fatalf("exit %d, %s", code, err)
	}
	all := follow(t, dir)
	checkErrata(t, all, "ho")
	if !strings.Contains(all["protocols/ho.html"], "scenario ho-race") {
		t.Error("HO1 does not say how it is shown")
	}
}

// checkErrata looks for each erratum of a protocol.
func checkErrata(t *testing.T, all map[string]string, name string) {
	t.Helper()
	p, err := catalogue().Find(name)
	if err != nil {
		t.Fatal(err)
	}
	sections := strings.Split(all["protocols/"+name+".html"], "<article ")
	if len(sections) != len(p.Listed())+1 {
		t.Fatalf("%d sections for %d errata", len(sections)-1, len(p.Listed()))
	}
	for i, e := range p.Listed() {
		section := sections[i+1]
		if !strings.HasPrefix(section, `id="`+e.ID+`"`) {
			t.Errorf("%s has no anchor: %.80s", e.ID, section)
		}
		if !strings.Contains(section, "<svg ") && !strings.Contains(section, "No figure") {
			t.Errorf("%s has no figure, and no reason why", e.ID)
		}
		if !strings.Contains(all["index.html"], `id="`+name+"-"+e.ID+`"`) {
			t.Errorf("%s is not in the matrix", e.ID)
		}
	}
}

// TestPagesRefused asks for pages that can not be written, or mean nothing: it says so before the
// search, and changes nothing.
func TestPagesRefused(t *testing.T) {
	full, file := t.TempDir(), filepath.Join(t.TempDir(), "file")
	for _, name := range []string{filepath.Join(full, "thesis.tex"), file} {
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"check", "s1", "--html", full}, "thesis.tex"},
		{[]string{"check", "s1", "--html", file}, file},
		{[]string{"errata", "ho", "--html", full}, "thesis.tex"},
		{[]string{"check", "s1", "--label", "one"}, "--html"},
		{[]string{"check", "s1", "--html", "x", "--estimate"}, "--estimate"},
	} {
		code, out, errors := domino(t.Context(), tt.args...)
		if code != exitUsage || !strings.Contains(errors, tt.want) || out != "" {
			t.Errorf("%q: exit %d, %q, %q", tt.args, code, out, errors)
		}
	}
	if all := sitePages(t, full); len(all) != 1 {
		t.Errorf("the folder has %d files", len(all))
	}
}

// TestPagesInBrowser opens sites from the disk: nothing is asked for but the page, nothing goes
// wrong, tables are sorted by clicks and filtered by keys, and no page is wider than the screen.
func TestPagesInBrowser(t *testing.T) {
	tab := browser.Find(t)
	suite, errata := t.TempDir(), t.TempDir()
	for _, args := range [][]string{{"check", "s1", "h10", "h1", "--variant", "repaired+H10",
		"--save", "", "--html", suite, "--label", "one"},
		{"errata", "teams", "--save", "", "--html", errata}} {
		if code, _, err := domino(t.Context(), args...); code > 1 {
			t.Fatalf("%q: exit %d, %s", args, code, err)
		}
	}
	tab.Open("file://" + suite + "/index.html")
	first := func() (name string) {
		tab.Eval(`document.querySelector("#all tbody tr:not([hidden]) th").textContent`, &name)
		return name
	}
	order := []string{first()}
	for range 3 {
		tab.Click("#all thead th:nth-child(6) button") // states
		order = append(order, first())
	}
	tab.Press("/", "h", "1", "0")
	order = append(order, first())
	if want := []string{"h10", "h10", "h1", "h10", "h10"}; !slices.Equal(order, want) {
		t.Errorf("the first rows are %q, want %q", order, want)
	}
	opened := 1
	for _, name := range []string{suite + "/index.html", errata + "/index.html",
		errata + "/protocols/teams.html"} {
		for _, width := range []int{1280, 360} {
			tab.Size(width, 800)
			tab.Open("about:blank")
			tab.Open("file://" + name)
			opened++
			var wide int
			if tab.Eval("document.documentElement.scrollWidth", &wide); wide > width {
				t.Errorf("%s is %d wide on a screen of %d", name, wide, width)
			}
		}
	}
	seen := tab.Seen()
	requests := slices.DeleteFunc(seen.Requests, func(r string) bool { return r == "about:blank" })
	if len(requests) != opened || len(seen.Errors) > 0 {
		t.Errorf("%d pages have loaded %q, and there went wrong: %q", opened, requests, seen.Errors)
	}
}

// TestMutatePages writes the matrix of some mutants: those that nothing kills are on top.
func TestMutatePages(t *testing.T) {
	dir := t.TempDir()
	code, _, errors := domino(t.Context(), "mutate", "hydee/H1", "hydee/late-begin", "--methods",
		"exhaustive,walk", "--schedules", "200", "--budget", "10m", "--shrink", "0", "--html", dir)
	if code != 0 {
		t.Fatalf("exit %d, %s", code, errors)
	}
	all := follow(t, dir)
	index := all["index.html"]
	top, below := strings.Index(index, `<tr id="hydee/late-begin"`),
		strings.Index(index, `<tr id="hydee/H1"`)
	if top < 0 || below < top || len(all) != 3 {
		t.Errorf("the equivalent is at %d, the killed one at %d, of %d files", top, below, len(all))
	}
	for _, want := range []string{`data-v="1036" title="exactly-once">1,036<`, `scope="row"`,
		"2 mutants: 1 equivalent, 1 killed.", "15 steps that kill it"} {
		if !strings.Contains(index, want) {
			t.Errorf("the matrix has no %q", want)
		}
	}
}

// TestPagesAreAccessible lets axe-core judge a page of each kind, light and dark. Its file is named
// by the variable DOMINO_AXE, which .ci/run sets.
func TestPagesAreAccessible(t *testing.T) {
	file := os.Getenv("DOMINO_AXE")
	if file == "" {
		t.Skip("no axe-core: pages are not judged by its rules")
	}
	axe, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var pages []string
	for i, args := range [][]string{
		{"check", "s1", "h10", "--variant", "repaired+H10", "--save", "", "--label", "one"},
		{"errata", "teams", "--save", ""}, {"mutate", "hydee/H1", "hydee/late-begin", "--methods",
			"exhaustive,walk", "--schedules", "200", "--shrink", "0"}} {
		to := filepath.Join(dir, args[0])
		for range 2 { // the second time with a history
			if code, _, err := domino(t.Context(), append(args, "--html", to)...); code > 1 {
				t.Fatalf("%q: exit %d, %s", args, code, err)
			}
		}
		runs, err := filepath.Glob(to + "/runs/*.html")
		if err != nil || len(runs) == 0 {
			t.Fatalf("%q: no page of a run, %v", args, err)
		}
		pages = append(pages, to+"/index.html", runs[0])
		if i == 1 {
			pages = append(pages, to+"/protocols/teams.html")
		}
	}
	claims := filepath.Join(dir, "claims.html")
	if code, _, err := domino(t.Context(), "paper", "camel", "fig-*", "table-*", "--html",
		claims); code == exitUsage {
		t.Fatalf("exit %d, %s", code, err)
	}
	pages = append(pages, claims)
	tab := browser.Find(t)
	for _, page := range pages {
		for _, scheme := range []string{"light", "dark"} {
			tab.Media("", "prefers-color-scheme: "+scheme)
			tab.Open("about:blank")
			tab.Open("file://" + page)
			tab.Eval(string(axe)+"\n;undefined", nil)
			var found []struct {
				ID    string
				Nodes []struct{ HTML, FailureSummary string }
			}
			tab.Eval(`axe.run().then(r => r.violations)`, &found)
			for _, f := range found {
				t.Errorf("%s, %s: %s: %d, %.600s", page, scheme, f.ID, len(f.Nodes),
					f.Nodes[0])
			}
		}
	}
}
