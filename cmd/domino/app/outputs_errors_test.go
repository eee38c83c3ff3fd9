package app

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/example/subject"
	"github.com/domino-check/domino/spec"
)

// sick runs a command over a protocol with a property that scenarios of two ranks break, and that
// panics where there are three. It asks for JUnit XML, SARIF and a summary.
func sick(t *testing.T, ctx context.Context, args ...string) (code int, out, err string,
	files map[string]string) {
	t.Helper()
	p := subject.Protocol(false)
	broken := own[1]
	broken.Applies = func(f *spec.Facts) bool {
		if f.Layout.Ranks == 3 {
			panic("no facts")
		}
		return true
	}
	p.Properties = []spec.Property{broken}
	p.Errata = []core.Erratum{{ID: "R1", Place: "here", Switched: "three", Repaired: "nothing"},
		{ID: "R2", Place: "here", Switched: "two", Repaired: "nothing"}}
	p.Scenarios = fstest.MapFS{}
	for id, ranks := range map[string]string{"R1": "failures: 1\n-- program --\na:\nb:\nc:\n",
		"R2": "failures: 1\n-- program --\na:\nb:\n"} {
		p.Scenarios.(fstest.MapFS)[id+".txtar"] = &fstest.MapFile{Data: []byte(
			"-- scenario --\nprotocol: resend\nerratum: " + id + "\nbreaks: own-final\n" + ranks)}
	}
	dir := t.TempDir()
	for _, flag := range []string{"junit", "sarif", "summary"} {
		args = append(args, "--"+flag, filepath.Join(dir, flag))
	}
	var o, e bytes.Buffer
	code = start(ctx, args, streams{out: &o, err: &e}, []protocol.Protocol{p}...)
	files = map[string]string{}
	list, _ := os.ReadDir(dir)
	for _, f := range list {
		b, _ := os.ReadFile(filepath.Join(dir, f.Name()))
		files[f.Name()] = string(b)
	}
	return code, o.String(), e.String(), files
}

// two and three are scenarios of so many ranks, in files.
func twoAndThree(t *testing.T) (two, three string) {
	t.Helper()
	two = answering(t)
	three = filepath.Join(t.TempDir(), "three.txtar")
	if err := os.WriteFile(three, []byte("-- scenario --\nprotocol: resend\n-- program --\n"+
		"a: send b m1\nb: recv a\nc: \n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return two, three
}

// TestOutputsOfErrors ends commands by errors, with and without answers before and behind them:
// what is known is written, and the error stands beside it, once. So it is when a command is
// interrupted, which is no error.
func TestOutputsOfErrors(t *testing.T) {
	two, three := twoAndThree(t)
	done, cancel := context.WithCancel(t.Context())
	cancel()
	const panics = "no facts"
	for _, tt := range []struct {
		name            string
		ctx             context.Context
		args            []string
		code            int
		tests, failures int
		errors          int
		why             string
	}{
		{"first", nil, []string{"check", three, two, "--save="}, 4, 2, 1, 1, panics},
		{"last", nil, []string{"check", two, three, "--save="}, 4, 2, 1, 1, panics},
		{"evidence", nil, []string{"check", three, two, "--save=", "--json", "--evidence",
			"--workers=1"}, 4, 2, 1, 1, panics},
		{"both", nil, []string{"check", three, three, "--save="}, 4, 2, 0, 2, panics},
		{"run", nil, []string{"run", three, two, "--save="}, 4, 2, 1, 1, panics},
		{"errata", nil, []string{"errata", "--save=", "--json", "--evidence", "--workers=1"}, 4, 3,
			1, 1, panics},
		{"fuzz", nil, []string{"fuzz", "--corpus", two, "--runs=9"}, 4, 1, 0, 1, "not a directory"},
		{"no scenario", nil, []string{"check", two, "nobody"}, 4, 1, 0, 1, "nobody"},
		{"no file", nil, []string{"replay", "nobody.txtar"}, 4, 1, 0, 1, "nobody.txtar"},
		{"no class", nil, []string{"certify", two, "--needs", "none-such"}, 4, 1, 0, 1,
			"none-such"},
		{"interrupted", done, []string{"check", two, "--save="}, 2, 1, 0, 1, "interrupted"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.ctx == nil {
				tt.ctx = t.Context()
			}
			code, out, said, files := sick(t, tt.ctx, tt.args...)
			if code != tt.code || !strings.Contains(said, tt.why) {
				t.Errorf("exit %d, want %d, and to read %q\n%s%s", code, tt.code, tt.why, out, said)
			}
			var got junitCounts
			if err := xml.Unmarshal([]byte(files["junit"]), &got); err != nil {
				t.Fatalf("%v: %s", err, files["junit"])
			}
			if got.Tests != tt.tests || got.Failures != tt.failures || got.Errors != tt.errors ||
				!strings.Contains(files["junit"], tt.why) {
				t.Errorf("JUnit XML: %s", files["junit"])
			}
			checkSick(t, files["sarif"], tt.failures, tt.errors, tt.ctx.Err() == nil)
			if sick := strings.Contains(files["summary"], "ended in an error"); sick !=
				(tt.ctx.Err() == nil) || !strings.Contains(files["summary"], tt.why) {
				t.Errorf("summary: %s", files["summary"])
			}
		})
	}
}

// checkSick looks for so many failures and errors in a document of SARIF. That the command ended in
// an error is said of all of it, too.
func checkSick(t *testing.T, text string, failures, errors int, failed bool) {
	t.Helper()
	var log struct {
		Runs []struct {
			Invocations []struct{ ExecutionSuccessful bool }
			Results     []struct{ RuleID string }
		}
	}
	if err := json.Unmarshal([]byte(text), &log); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	run, n := log.Runs[0], 0
	for _, r := range run.Results {
		if r.RuleID == "completed" || r.RuleID == "decided" {
			n++
		}
	}
	if len(run.Results) != failures+errors || n != errors ||
		run.Invocations[0].ExecutionSuccessful == failed {
		t.Errorf("SARIF, want %d failures and %d errors: %s", failures, errors, text)
	}
}
