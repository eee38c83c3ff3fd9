package app

import (
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/spec/report/ci"
)

// junitCounts are the numbers of a suite in JUnit XML.
type junitCounts struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
	Suite    struct {
		Name    string `xml:"name,attr"`
		Skipped int    `xml:"skipped,attr"`
		Cases   []struct {
			Name    string `xml:"name,attr"`
			Class   string `xml:"classname,attr"`
			Failure *struct {
				Type string `xml:"type,attr"`
				Text string `xml:",chardata"`
			} `xml:"failure"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

// TestOutputsOfCommands asks every command with a verdict for JUnit XML, and compares what it
// counts with what is known of the question, whose exit code stays what it was.
func TestOutputsOfCommands(t *testing.T) {
	replay := saved(t, "h1", "--variant", "repaired+H1", "--search", "bfs")
	tests := []struct {
		command                          string
		code                             int
		tests, failures, errors, skipped int
	}{
		{"check h1 --search dfs", 0, 1, 0, 0, 0},
		{"check h1 s1 --max-states 5", 2, 2, 0, 2, 0},
		{"check h1 --variant repaired+H1 --search bfs --save=", 1, 1, 1, 0, 0},
		{"check h1 --search pos --runs 3", 5, 1, 0, 0, 1},
		{"check h1 --set loss=1 --json", 3, 1, 0, 0, 1},
		{"errata hydee H1 --save=", 0, 2, 0, 0, 0},
		{"run h1 --runs 2", 5, 1, 0, 0, 1},
		{"run " + replay + " --enforce", 1, 1, 1, 0, 0},
		{"replay " + replay, 1, 1, 1, 0, 0},
		{"fuzz rbml --runs 2 --for 0 --corpus=", 5, 1, 0, 0, 1},
		{"fuzz hydee --variant repaired+H1 --runs 3000 --for 0 --corpus= --json", 1, 1, 1, 0, 0},
		{"certify ring 3 --needs deterministic", 0, 1, 0, 0, 0},
		{"certify master-worker 3 --needs send-deterministic", 3, 1, 1, 0, 0},
		{"compare hydee --ranks 2 --programs ring", 0, 1, 0, 0, 0},
		{"mutate hydee/H1 --methods exhaustive --shrink 0", 0, 1, 0, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.command, func(t *testing.T) {
			if strings.HasPrefix(tt.command, "compare") {
				effort.Seconds(t)
			}
			file := filepath.Join(t.TempDir(), "new", "junit.xml")
			code, out, failed := domino(t.Context(), append(strings.Fields(tt.command), "--junit",
				file)...)
			if code != tt.code {
				t.Fatalf("exit %d, want %d\n%s%s", code, tt.code, out, failed)
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var got junitCounts
			if err := xml.Unmarshal(text, &got); err != nil {
				t.Fatal(err)
			}
			name, _, _ := strings.Cut(tt.command, " ")
			if got.Suite.Name != "domino "+name || got.Tests != tt.tests ||
				got.Failures != tt.failures || got.Errors != tt.errors ||
				got.Suite.Skipped != tt.skipped || len(got.Suite.Cases) != tt.tests {
				t.Errorf("got %s", text)
			}
		})
	}
}

// TestOutputs asks for all outputs of one broken scenario: each says the property, and the place of
// the scenario as the repository of the house has it.
func TestOutputs(t *testing.T) {
	dir := t.TempDir()
	args := []string{"check", "h1", "h2", "--variant", "repaired+H1", "--search", "bfs", "--save=",
		"--annotate", "github"}
	for _, flag := range []string{"junit", "sarif", "summary", "comment"} {
		args = append(args, "--"+flag, filepath.Join(dir, flag))
	}
	plain, out, _ := domino(t.Context(), args[:8]...)
	code, same, notes := domino(t.Context(), args...)
	// columns are as wide as times are
	if code != 1 || plain != 1 || !slices.Equal(strings.Fields(mask(out)),
		strings.Fields(mask(same))) {
		t.Errorf("exit %d, %d before; printed\n%s\nbefore\n%s", code, plain, same, out)
	}
	if !strings.HasPrefix(notes, "::error file=scenarios/hydee/h1.txtar,line=") {
		t.Errorf("annotations\n%s", notes)
	}
	for flag, want := range map[string]string{"junit": `type="exactly-once"`,
		"sarif": `"uri": "scenarios/hydee/h1.txtar"`, "summary": "### h1 (repaired+H1): breaks ex",
		"comment": "### h1 (repaired+H1): breaks ex"} {
		text, err := os.ReadFile(filepath.Join(dir, flag))
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s, %v: no %q in\n%s", flag, err, want, text)
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 4 {
		t.Errorf("%d files, %v", len(files), err)
	}
}

// TestOutputsPlace: findings are at the files that a repository has, relative to where the command
// runs, and at none where a scenario is in no file.
func TestOutputsPlace(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	o := &outputs{std: streams{Catalogue: catalogue()}}
	house, err := catalogue().Scenario("h1")
	if err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd() // TempDir may be a link
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{house.File: "scenarios/hydee/h1.txtar",
		"a/../mine.txtar": "mine.txtar", inputFile: "", kernelFile: "", "": "",
		filepath.Join(here, "deep", "mine.txtar"): "deep/mine.txtar"} {
		s := *house
		s.File = file
		if got, line := o.place(&s); got != want || (line > 1) != (want != "") {
			t.Errorf("%q is at %q, line %d, want %q", file, got, line, want)
		}
	}
}

// TestOutputsFingerprint: two searches that find the same run in different numbers of states give
// it the same fingerprint.
func TestOutputsFingerprint(t *testing.T) {
	var prints []string
	for _, limit := range []string{"0", "100000"} {
		file := filepath.Join(t.TempDir(), "sarif")
		domino(t.Context(), "check", "h1", "--variant", "repaired+H1", "--search", "bfs", "--save=",
			"--max-states", limit, "--workers", "1", "--sarif", file)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var log struct {
			Runs []struct {
				Results []struct {
					Prints map[string]string `json:"partialFingerprints"`
				}
			}
		}
		if err := json.Unmarshal(text, &log); err != nil {
			t.Fatal(err)
		}
		prints = append(prints, log.Runs[0].Results[0].Prints["dominoRun/v1"])
	}
	if prints[0] == "" || len(slices.Compact(prints)) != 1 {
		t.Errorf("fingerprints %q", prints)
	}
}

// TestOutputsRefused gives outputs that can not be written, or mean nothing: that is said before
// anything is explored, and nothing is written.
func TestOutputsRefused(t *testing.T) {
	dir := t.TempDir()
	blocked := filepath.Join(dir, "file")
	if err := os.WriteFile(blocked, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ args, want string }{
		{"check h1 --annotate gitlab", `unknown service "gitlab", want github`},
		{"check h1 --junit " + dir, "is a folder, want a file"},
		{"check h1 --junit " + dir + "/a --sarif " + dir + "/./a", "name the same file"},
		{"check h1 --sarif " + blocked + "/x", "--sarif: "},
		{"check h1 --estimate --junit " + dir + "/a", "--estimate gives no verdict"},
		{"mutate --list --junit " + dir + "/a", "--list gives no verdict"},
	}
	if os.Getuid() != 0 && runtime.GOOS != "windows" { // whom nothing stops
		closed := filepath.Join(dir, "closed")
		if err := os.Mkdir(closed, 0o555); err != nil {
			t.Fatal(err)
		}
		tests = append(tests, struct{ args, want string }{"errata --junit " + closed + "/x",
			"permission denied"})
	}
	for _, tt := range tests {
		code, out, failed := domino(t.Context(), strings.Fields(tt.args)...)
		if code != exitUsage || out != "" || !strings.Contains(failed, tt.want) {
			t.Errorf("%s: exit %d, %q, %s", tt.args, code, failed, out)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "a")); err == nil {
		t.Error("a file is written")
	}
}

// TestStepSummary runs two commands of one step of GitHub: the second summary is added to the
// first, within the room of both; to any other file it is not.
func TestStepSummary(t *testing.T) {
	file := filepath.Join(t.TempDir(), "summary.md")
	if err := os.WriteFile(file, []byte(strings.Repeat("x", ci.SummaryBytes-2000)+"\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv(stepSummary, file)
	run := func() string {
		domino(t.Context(), "check", "h1", "--summary", file)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	run()
	if text := run(); !strings.HasPrefix(text, "xxx") || len(text) > ci.SummaryBytes ||
		strings.Count(text, "## domino check: all as expected") != 2 {
		t.Errorf("%d bytes, ending in %q", len(text), text[max(0, len(text)-1500):])
	}
	t.Setenv(stepSummary, "")
	if text := run(); strings.Count(text, "## domino check") != 1 {
		t.Errorf("a file that is not GitHub's has %d bytes", len(text))
	}
}
