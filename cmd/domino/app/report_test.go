package app

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/spec/report/browser"
)

// reported writes a report of a scenario or a file, and returns the name of the file.
func reported(t *testing.T, args ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "run.html")
	args = append([]string{"report", "-o", file}, args...)
	code, out, errors := domino(t.Context(), args...)
	if code != 0 || out != file+"\n" {
		t.Fatalf("%q: exit %d, output %q, %s", args, code, out, errors)
	}
	return file
}

// TestReport writes pages of runs of several kinds: what is known of each is there, and the same
// again is the same bytes (in the short form: of an erratum, and of what holds).
func TestReport(t *testing.T) {
	saved := saved(t, "h1", "--variant", "repaired+H1", "--search", "bfs")
	for _, tt := range []struct {
		name  string
		args  []string
		wants []string
	}{
		{"erratum", []string{"h10"}, []string{">violated<", "m7 leaves d although it depends on m2",
			"in the current round no message leaves before every message it depends on",
			"[HydEE] Alg. 2 l. 8", "it is needed only for the first message",
			"Every send is compared with the frontier.",
			"check h10 --variant repaired&#43;H10 --search bfs", `id="step=28"`, "1 failure",
			"does the same in the first 25 of 28 steps"}},
		{"replay file", []string{saved}, []string{">violated<", "replay " + saved, "exactly-once"}},
		{"holds", []string{"s1"}, []string{">holds<", "No run breaks a property.", "1,440 states"}},
		{"repaired", []string{"h10", "--variant", "repaired"}, []string{">holds<"}},
		{"out of model", []string{"outside-network"}, []string{">out of model<"}},
		{"refused when repaired", []string{"ho-race"}, []string{">violated<",
			"The repaired protocol does not take this run", "operation 1 receives from anyone"}},
		{"forced when repaired", []string{"h16"}, []string{">violated<",
			"To the repaired protocol this is out of its model: the program is not send-determ",
			"Forced to, it does the same in all steps"}},
		{"services only", []string{"paxos-stale"}, []string{">violated<"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if strings.HasSuffix(tt.name, "when repaired") {
				effort.Seconds(t)
			}
			page, err := os.ReadFile(reported(t, tt.args...))
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range tt.wants {
				if !strings.Contains(string(page), want) {
					t.Errorf("the page has no %q", want)
				}
			}
			if n := len(page); tt.name == "erratum" && n > 120_000 {
				t.Errorf("a page of 28 steps has %d bytes, want at most 120,000", n)
			}
			if tt.name != "holds" && !effort.Long() {
				t.Log("not written again: " + effort.More)
				return
			}
			if again, err := os.ReadFile(reported(t, tt.args...)); err != nil ||
				!bytes.Equal(again, page) {
				t.Errorf("again, the page is another one (%v)", err)
			}
		})
	}
}

// TestReportRefuses gives report files that are no runs: it says so, and writes nothing.
func TestReportRefuses(t *testing.T) {
	whole, err := os.ReadFile(saved(t, "h1", "--variant", "repaired+H1", "--search", "bfs"))
	if err != nil {
		t.Fatal(err)
	}
	cut := bytes.Index(whole, []byte("-- schedule --")) + 40
	for name, tt := range map[string]struct{ content, want string }{
		"empty":   {"", "no section"},
		"binary":  {"\x00\x01\xff", "no section"},
		"cut off": {string(whole[:cut]), "does not fit"},
		"no file": {"", "does not exist"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file, out := filepath.Join(dir, "run.txtar"), filepath.Join(dir, "out.html")
			if name != "no file" {
				if err := os.WriteFile(file, []byte(tt.content), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			code, _, errors := domino(t.Context(), "report", file, "-o", out)
			if code != exitUsage || !strings.Contains(errors, tt.want) {
				t.Errorf("exit %d, %q, want %q", code, errors, tt.want)
			}
			if list, _ := filepath.Glob(filepath.Join(dir, "out*")); len(list) > 0 {
				t.Errorf("it leaves %q", list)
			}
		})
	}
}

// TestReportForms writes each form, by name and by the ending of the file, and to standard output.
func TestReportForms(t *testing.T) {
	dir := t.TempDir()
	_, page, _ := domino(t.Context(), "help", "report")
	for _, f := range formats {
		line := "\n  " + fmt.Sprintf("%-8s %-15s ", f.name, strings.Join(f.endings, " "))
		if !strings.Contains(page, line) {
			t.Errorf("the help has no line %q", line)
		}
		file := filepath.Join(dir, "run"+f.endings[0])
		if code, _, err := domino(t.Context(), "report", "h1", "-o", file); code != 0 {
			t.Fatalf("%s: exit %d, %s", f.name, code, err)
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		code, out, _ := domino(t.Context(), "report", "h1", "--format", f.name, "-o", "-")
		if code != 0 || out != string(want) || out == "" {
			t.Errorf("%s: exit %d; standard output is not what the file has", f.name, code)
		}
		if f.name == "svg" && !strings.Contains(out, "<style") {
			t.Error("the figure alone has no style")
		}
	}
}

// TestReportInBrowser opens pages of real runs in a browser: from the disk alone, nothing goes
// wrong, each part is there, and on paper the page of H10 is light, short, and begins with the
// verdict and the whole figure.
func TestReportInBrowser(t *testing.T) {
	tab := browser.Find(t)
	for _, name := range []string{"h10", "s1", "radic-hmpl-spare"} {
		tab.Open("file://" + reported(t, name))
		tab.Press("j", "n", "p", "o", "c", "v")
		var views int
		tab.Eval(`new Promise(r => setTimeout(r, 200)).then(() =>
			document.querySelectorAll("#figure .scroll > svg").length)`, &views)
		if views != 1 {
			t.Errorf("%s: %d figures of the run", name, views)
		}
	}
	if s := tab.Seen(); len(s.Requests) != 3 || len(s.Errors) > 0 {
		t.Errorf("the pages have loaded %q, and there went wrong: %q", s.Requests, s.Errors)
	}
	tab = browser.Find(t)
	tab.Open("file://" + reported(t, "h10"))
	// within margins of 0.4 inches, as wide as A4 and as high as Letter, which both are paper
	const wide, high = 718, 979
	tab.Size(wide, high)
	tab.Media("print", "prefers-color-scheme: dark")
	var look struct {
		Bottom float64
		Paper  string
		Width  float64
	}
	tab.Eval(`({bottom: document.querySelector("#figure").getBoundingClientRect().bottom,
		paper: getComputedStyle(document.documentElement).backgroundColor,
		width: document.documentElement.scrollWidth})`, &look)
	if look.Bottom > high || look.Width > wide || look.Paper != "rgb(255, 255, 255)" {
		t.Errorf("on paper: %+v", look)
	}
	if n := pages(tab.PDF()); n < 1 || n > 4 {
		t.Errorf("%d pages on paper, want at most 4", n)
	}
}

// TestReportLongWords: no word of a program makes the page wider than the window.
func TestReportLongWords(t *testing.T) {
	tab := browser.Find(t)
	file := filepath.Join(t.TempDir(), "long.txtar")
	text := "Long\n\n-- scenario --\nprotocol: hydee\nvariant: published\nfailures: 1\n" +
		"clusters: a | b\n-- program --\na: send b " + strings.Repeat("Ж", 300) + "\nb: recv *\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	written := reported(t, file)
	tab.Size(390, 900)
	tab.Open("file://" + written)
	var width int
	tab.Eval("document.documentElement.scrollWidth", &width)
	if width > 390 {
		t.Errorf("the page is %d wide in a window of 390", width)
	}
	page, err := os.ReadFile(written)
	if want := "does the same in the first of 10 steps"; err != nil ||
		!bytes.Contains(page, []byte(want)) {
		t.Errorf("the page has no %q (%v)", want, err)
	}
}

// pages counts the pages of a PDF.
func pages(pdf []byte) int {
	return len(regexp.MustCompile(`/Type */Page\b`).FindAll(pdf, -1))
}

// TestReportIsAccessible lets axe-core judge pages of several kinds, light and dark, with all that
// can be opened open. Its file is named by the variable DOMINO_AXE, which .ci/run sets.
func TestReportIsAccessible(t *testing.T) {
	file := os.Getenv("DOMINO_AXE")
	if file == "" {
		t.Skip("no axe-core: pages are not judged by its rules")
	}
	axe, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	tab := browser.Find(t)
	type view struct{ page, hash, scheme string }
	views := []view{}
	for _, p := range []view{{reported(t, "h10"), "#step=28&causes=yes", ""},
		{reported(t, "h10", "h10", "--variant", "repaired"), "#step=3&as=down", ""},
		{reported(t, "paxos-stale"), "#step=8", ""}, // services only
		{reported(t, "radic-hmpl-spare"), "#step=6&show=all", ""}} {
		views = append(views, view{p.page, p.hash, "light"}, view{p.page, p.hash, "dark"})
	}
	for _, v := range views {
		scheme := v.page + v.hash + " " + v.scheme
		tab.Media("", "prefers-color-scheme: "+v.scheme)
		tab.Open("about:blank")
		tab.Open("file://" + v.page + v.hash)
		tab.Eval(`new Promise(r => setTimeout(r, 400)).then(() => {
			for (const d of document.querySelectorAll("details")) d.open = true;
			return new Promise(r => setTimeout(r, 400)); // for the fading to be over
		})`, nil)
		tab.Eval(string(axe)+"\n;undefined", nil)
		var found []struct {
			ID    string
			Nodes []struct{ HTML, FailureSummary string }
		}
		tab.Eval(`axe.run().then(r => r.violations)`, &found)
		for _, f := range found {
			t.Errorf("%s: %s: %s", scheme, f.ID, fmt.Sprint(f.Nodes))
		}
	}
}

// TestReportOfRecorded writes a run as JSON, and reports it: with all that is in it, and without
// what is not.
func TestReportOfRecorded(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "run.json")
	_, text, _ := domino(t.Context(), "replay", saved(t, "h10", "--variant", "repaired+H10",
		"--search", "bfs"), "--json")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{file, dir} {
		page, err := os.ReadFile(reported(t, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{">violated<", "m7 leaves d although it depends on m2",
			"are not recorded in this run", "program.history.delivered"} {
			if !strings.Contains(string(page), want) {
				t.Errorf("the page of %s has no %q", name, want)
			}
		}
	}
	for name, tt := range map[string]struct {
		text string
		args []string
		want string
	}{
		"cut off":   {text[:len(text)/2], nil, "cut off"},
		"another":   {`{"schema": "domino/run/1"}`, nil, `but "domino/run/1"`},
		"a variant": {text, []string{"--variant", "repaired"}, "nothing of it can be changed"},
		"small":     {text, []string{"--small"}, "nothing of it can be changed"},
	} {
		if err := os.WriteFile(file, []byte(tt.text), 0o666); err != nil {
			t.Fatal(err)
		}
		code, _, errors := domino(t.Context(), append([]string{"report", file}, tt.args...)...)
		if code != exitUsage || !strings.Contains(errors, tt.want) {
			t.Errorf("%s: exit %d, %s", name, code, errors)
		}
	}
	code, _, errors := domino(t.Context(), "report", t.TempDir())
	if code != exitUsage || !strings.Contains(errors, "has no run.json") {
		t.Errorf("an empty folder: exit %d, %s", code, errors)
	}
}

// TestReportSmall: the page says what was left out in vain.
func TestReportSmall(t *testing.T) {
	page, err := os.ReadFile(reported(t, "h10", "--small"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Why so small", "no single change leaves less", "<td>holds</td>",
		"minimise h10"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if code, _, err := domino(t.Context(), "report", "s1", "--small"); code != exitUsage ||
		!strings.Contains(err, "nothing to make smaller") {
		t.Errorf("of a run that breaks nothing: exit %d, %s", code, err)
	}
}
