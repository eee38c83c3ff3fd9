package app

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/impl/protocol/all"
	"github.com/domino-check/domino/scenarios"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// domino runs one command line and returns its exit code and what it wrote.
func domino(ctx context.Context, args ...string) (code int, out, err string) {
	var o, e bytes.Buffer
	code = run(ctx, args, streams{Catalogue: catalogue(), out: &o, err: &e})
	return code, o.String(), e.String()
}

// catalogue is that of the house. It hands out copies, so that all commands may have the same.
var catalogue = sync.OnceValue(func() *verify.Catalogue {
	c, err := verify.NewCatalogue(all.Protocols()...)
	if err != nil {
		panic(err)
	}
	return c
})

// golden compares text with testdata/NAME.txt.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got), go test -update writes it:\n%s", file, diff)
	}
}

// timing are the columns of the table and the parts of other lines that differ from run to run.
var timing = regexp.MustCompile(`[0-9.]+ (ms|s)\b( +[0-9,]+)?`)

// mask replaces what depends on time.
func mask(text string) string { return timing.ReplaceAllString(text, "TIME") }

// TestHelp compares the help with golden files and checks the exit codes: help that was asked for
// is no error.
func TestHelp(t *testing.T) {
	tests := []struct {
		name string
		args []string
		code int
		file string
	}{
		{"asked for", []string{"help"}, 0, "help"},
		{"short flag", []string{"-h"}, 0, "help"},
		{"long flag", []string{"--help"}, 0, "help"},
		{"nothing", nil, 4, "help"},
		{"list", []string{"list", "--help"}, 0, "help-list"},
		{"replay", []string{"replay", "-h"}, 0, "help-replay"},
		{"report", []string{"report", "-h"}, 0, "help-report"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code, out, err := domino(t.Context(), tt.args...)
			if code != tt.code || err != "" {
				t.Errorf("exit %d, want %d; errors %q", code, tt.code, err)
			}
			golden(t, tt.file, out)
		})
	}
	for _, c := range commands() {
		code, out, _ := domino(t.Context(), c.name, "--help")
		if code != 0 || !strings.Contains(out, "Usage: domino "+c.name) ||
			!strings.Contains(out, "Examples:\n  domino "+c.name) {
			t.Errorf("%s --help: exit %d\n%s", c.name, code, out)
		}
	}
}

// TestList compares the whole list with a golden file, checks the choice of a part, and that the
// JSON has the same items.
func TestList(t *testing.T) {
	code, all, _ := domino(t.Context(), "list")
	if code != 0 {
		t.Errorf("exit %d", code)
	}
	golden(t, "list", all)
	code, part, _ := domino(t.Context(), "list", "protocols", "programs")
	if code != 0 || strings.Contains(part, "SCENARIOS") || !strings.Contains(part, "PROTOCOLS") ||
		!strings.Contains(part, "PROGRAMS") {
		t.Errorf("exit %d\n%s", code, part)
	}
	code, text, _ := domino(t.Context(), "list", "--json")
	var items []item
	for d := json.NewDecoder(strings.NewReader(text)); d.More(); {
		var i listed
		if err := d.Decode(&i); err != nil || code != 0 || i.Schema != formatName("list") {
			t.Fatalf("exit %d, %v, %+v", code, err, i)
		}
		items = append(items, i.item)
	}
	for _, i := range items {
		if i.Kind == "" || i.Name == "" || i.Doc == "" || !strings.Contains(all, "  "+i.Name+" ") {
			t.Errorf("item %+v is incomplete or not in the text", i)
		}
	}
	kinds := map[string]int{}
	for _, i := range items {
		kinds[i.Kind]++
	}
	list, err := scenarios.Embedded()
	if err != nil || kinds["scenarios"] != len(list) || len(kinds) != 5 {
		t.Errorf("kinds %v, want 5 and %d scenarios", kinds, len(list))
	}
}

// TestUsageErrors gives bad command lines: exit code 4, one line of error, nothing on standard
// output.
func TestUsageErrors(t *testing.T) {
	tests := []struct {
		name string
		args []string
		want string // in the error
	}{
		{"command", []string{"chekc"},
			`unknown command "chekc", did you mean "check"? Commands: list, show, check, errata, fuzz, mutate`},
		{"scenario", []string{"check", "s00"}, `unknown scenario "s00", did you mean "s0"?`},
		{"misspelt scenario", []string{"check", "wildcart"}, `did you mean "wildcard"?`},
		{"pattern that matches nothing", []string{"check", "zz*"},
			`unknown scenario "zz*". See: domino list scenarios`},
		{"bad pattern", []string{"check", "["}, `pattern "[": syntax error in pattern`},
		{"file", []string{"check", "./none.txtar"}, "file ./none.txtar does not exist"},
		{"folder", []string{"check", "."}, "is a directory"},
		{"flag", []string{"check", "s1", "--nosuch"},
			"unknown flag: --nosuch. See: domino check --help"},
		{"misspelt flag", []string{"check", "s1", "--max-stats", "5"},
			"unknown flag: --max-stats, did you mean --max-states?"},
		{"misspelt flag of a cluster", []string{"cluster", "torture", "--fialures", "5"},
			"unknown flag: --fialures, did you mean --failures?"},
		{"search", []string{"check", "s1", "--search", "posh"},
			`unknown search "posh", want dfs, bfs or odpor`},
		{"runs of a search", []string{"check", "s1", "--runs", "5"},
			`--runs contradicts --search dfs: only random, pos, pctcp, urw draw runs`},
		{"seed of a search", []string{"check", "s1", "--search", "bfs", "--seed", "5"},
			`--seed contradicts --search bfs`},
		{"estimate of samples", []string{"check", "s1", "--estimate", "--search", "pos"},
			"--estimate is about the states of a search"},
		{"estimate to go on with", []string{"check", "s1", "--estimate", "--resume", "f"},
			"it contradicts --resume"},
		{"reduced lasso", []string{"check", "s1", "--lasso", "--reduce", "sleep"},
			"--lasso needs every step: it contradicts --reduce sleep"},
		{"unknown reduction", []string{"check", "s1", "--reduce", "sleep,singleton"},
			`unknown reduction "singleton"`},
		{"samples without reduction", []string{"check", "s1", "--search", "pos", "--reduce", "all"},
			`--reduce contradicts --search pos`},
		{"bound on states of samples", []string{"check", "s1", "--search", "urw", "--max-states",
			"9"}, `--max-states contradicts --search urw`},
		{"lasso breadth first", []string{"check", "s1", "--search", "bfs", "--lasso"},
			"it contradicts --search bfs"},
		{"lasso of samples", []string{"check", "s1", "--search", "pos", "--lasso"},
			"it contradicts --search pos"},
		{"depth of a walk", []string{"check", "s1", "--search", "random", "--depth", "2"},
			`--depth contradicts --search random: only pctcp has a depth`},
		{"depth", []string{"check", "s1", "--search", "pctcp", "--depth", "0"},
			"depth is 0, want 1 to 10000"},
		{"certify without states", []string{"certify", "s1", "--max-states", "0"},
			"--max-states 0: want 1 or more"},
		{"erratum without protocol", []string{"errata", "H10"},
			"H10 is an erratum of hydee: name hydee before it"},
		{"huge depth", []string{"check", "s1", "--search", "pctcp", "--depth", "1000000000"},
			"depth is 1000000000, want 1 to 10000"},
		{"no runs", []string{"check", "s1", "--search", "pos", "--runs", "0"},
			"--runs 0: want 1 or more"},
		{"steps of a search", []string{"check", "s1", "--max-steps", "5"},
			"--max-steps contradicts --search dfs"},
		{"unreduced traces", []string{"check", "s1", "--search", "odpor", "--reduce", "none"},
			"--reduce contradicts --search odpor"},
		{"workers", []string{"check", "s1", "--workers", "0"}, "--workers 0: want 1 to 1024"},
		{"too many workers", []string{"check", "s1", "--workers", "1000000"},
			"--workers 1000000: want 1 to 1024"},
		{"no number", []string{"check", "s1", "--search", "pos", "--seed", "x"},
			`invalid argument "x" for "--seed" flag: it is no number of this kind`},
		{"states", []string{"check", "s1", "--max-states", "-1"},
			"--max-states -1: want 0 or more"},
		{"memory", []string{"check", "s1", "--max-memory", "-1"},
			"--max-memory -1: want 0 or more"},
		{"timeout", []string{"check", "s1", "--timeout", "-1s"},
			"--timeout -1s: want 0 or more"},
		{"no duration", []string{"check", "s1", "--timeout", "soon"},
			`invalid argument "soon" for "--timeout"`},
		{"no number", []string{"check", "s1", "--failures", "one"},
			`invalid argument "one" for "--failures"`},
		{"too many failures", []string{"check", "s1", "--failures", "16"},
			`"--failures" flag: failures: "16", want a number in [0, 15]`},
		{"far too many failures", []string{"check", "s1", "--failures", "99999999999999999999"},
			"want a number in [0, 15]"},
		{"unknown key", []string{"check", "s1", "--set", "looss=1"},
			`looss: unknown key, did you mean "loss"?`},
		{"key without value", []string{"check", "s1", "--set", "loss"}, "want KEY=VALUE"},
		{"value without key", []string{"check", "s1", "--set", "=x"}, "want KEY=VALUE"},
		{"no value", []string{"check", "s1", "--variant", ""}, `"--variant" flag: want a value`},
		{"two values", []string{"check", "s1", "--failures", "1", "--set", "failures=2"},
			`failures is "1" already`},
		{"bad value", []string{"run", "s1", "--set", "network=lifo"},
			`network: "lifo", want fifo, unordered or set`},
		{"too many checkpoints", []string{"check", "s1", "--checkpoints", "16"},
			`checkpoints: "16", want a number in [0, 15]`},
		{"variant", []string{"check", "s1", "--variant", "fixed"},
			`unknown variant "fixed", want repaired, published, published-started, published-fr, or repaired+ERRATUM`},
		{"erratum of a variant", []string{"check", "s1", "--variant", "repaired+H99"},
			`unknown erratum "H99", did you mean "H9a"?`},
		{"list", []string{"list", "scenarois"},
			`unknown list "scenarois", did you mean "scenarios"?`},
		{"protocol", []string{"errata", "hyde"}, `unknown protocol "hyde", did you mean "hydee"?`},
		{"erratum", []string{"errata", "hydee", "H99"},
			`unknown erratum "H99", did you mean "H9a"?`},
		{"report nothing", []string{"report"}, "file or folder, or two of them, got 0"},
		{"report missing", []string{"report", "./none.txtar"}, "file ./none.txtar does not exist"},
		{"report unknown", []string{"report", "h100"}, "h100"},
		{"report form", []string{"report", "s1", "--format", "htm"}, `did you mean "html"?`},
		{"report ending", []string{"report", "s1", "-o", "s1.doc"}, "ends in .doc"},
		{"report folder", []string{"report", "s1", "-o", "."}, "is a folder"},
		{"report no folder", []string{"report", "s1", "-o", "none/s1.html"}, "no folder"},
		{"replay nothing", []string{"replay"}, "want one replay file, got 0 arguments"},
		{"replay two", []string{"replay", "a", "b"}, "want one replay file, got 2 arguments"},
		{"replay missing", []string{"replay", "./none.txtar"}, "there is no file ./none.txtar"},
		{"replay a name", []string{"replay", "s1"}, "want a replay file"},
		{"enforce a name", []string{"run", "s1", "--enforce"}, "want a replay file"},
		{"replay a scenario", []string{"replay", "../../../scenarios/hydee/s1.txtar"},
			`has no section "-- schedule --" with events`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code, out, err := domino(t.Context(), tt.args...)
			if code != exitUsage || out != "" {
				t.Errorf("exit %d, output %q", code, out)
			}
			if !strings.HasPrefix(err, "domino") || !strings.Contains(err, tt.want) ||
				strings.Count(err, "\n") != 1 {
				t.Errorf("got %q\nwant one line with %q", err, tt.want)
			}
		})
	}
}

// TestNegativeFailures checks that a negative number is refused like any other value that makes no
// sense.
func TestNegativeFailures(t *testing.T) {
	for _, name := range []string{"--failures", "--checkpoints"} {
		if code, _, _ := domino(t.Context(), "check", "h5", "--save=", name,
			"-5"); code != exitUsage {
			t.Errorf("%s -5: exit %d", name, code)
		}
	}
}

// TestCheck runs scenarios that take well under a second each and compares the exit code.
func TestCheck(t *testing.T) {
	tests := []struct {
		name string
		args []string
		code int
		want string // in the output
	}{
		{"holds", []string{"s1"}, 0, "1 scenarios, 1 as expected"},
		{"violated", []string{"s1", "--variant", "published"}, 1,
			"violated, expected holds; terminates: the run is stuck"},
		{"violated as expected", []string{"published"}, 0, "VIOLATED  terminates"},
		{"out of model as expected", []string{"s6"}, 0,
			"the program is not send-deterministic: send 1 of b (s)"},
		{"a reduction that w never joins", []string{"camel-stuck"}, 0,
			"reduction 1 of group g waits for w"},
		{"the same as messages", []string{"causal-stuck"}, 0, "reduction 1 of group g waits for w"},
		{"out of model", []string{"s6", "--failures", "0"}, 3, "out of model, expected holds"},
		{"unknown", []string{"s1", "--max-states", "10"}, 2,
			"unknown, expected holds; failure-free behaviour of the program"},
		{"unknown in the search", []string{"s1", "--max-states", "100"}, 2,
			"unknown, expected holds; limit of 100 states"},
		{"lowest code wins", []string{"s6", "s1", "--variant", "published"}, 1,
			"2 scenarios, 0 as expected"},
		{"pattern", []string{"h9*"}, 0, "3 scenarios, 3 as expected"},
		{"file", []string{"../../../scenarios/hydee/h5.txtar"}, 0, "1 scenarios, 1 as expected"},
		{"breadth first", []string{"h5", "--search", "bfs"}, 0, "1 scenarios, 1 as expected"},
		{"one run of each trace", []string{"h5", "--search", "odpor"}, 0,
			"h5        holds             32,743 "},
		{"one run of each trace, as JSON", []string{"h5", "--search", "odpor", "--json"}, 0,
			`"traces":32743,`},
		{"too many traces", []string{"s1", "--search", "odpor", "--max-states", "1000"}, 2,
			"unknown, expected holds; limit of 1000 states"},
		{"a trace that breaks", []string{"s1", "--search", "odpor", "--variant", "published"}, 1,
			"violated, expected holds"},
		{"estimate within", []string{"m12", "--estimate"}, 0,
			"; within 1 failure, victims p1, network unordered\n"},
		{"estimate of what is small", []string{"s1", "--estimate"}, 0,
			"s1: holds, all of 1,440 states in "},
		{"estimate of what breaks", []string{"s1", "--estimate", "--variant", "published"}, 0,
			"s1: violated, "},
		{"estimate of what is large", []string{"s2", "--estimate", "--reduce", "none"}, 0,
			" states, between "},
		{"not reduced", []string{"h5", "--reduce", "none"}, 0,
			"1 scenarios, 1 as expected"},
		{"one worker", []string{"h5", "h6", "h17", "--workers", "1"}, 0,
			"3 scenarios, 3 as expected"},
		{"endless runs", []string{"h5", "s1", "--lasso"}, 0, "14,560        58,011"},
		{"limit of endless runs", []string{"s1", "--lasso", "--max-states", "100"}, 2,
			"unknown, expected holds; limit of 100 states"},
		{"one failure less", []string{"s1", "--failures", "0"}, 0, "no failures"},
		{"another model", []string{"s1", "--set", "failures=0", "--set", "victims=x", "--set",
			"from-dead=every"}, 0, "no failures, victims x, from-dead every\n"},
		{"the whole model in JSON", []string{"m12", "--max-states", "10", "--json"}, 2,
			`"bounds":"1 failure, victims p1, network unordered"`},
		{"the whole model", []string{"m12", "--max-states", "10"}, 2,
			"1 failure, victims p1, network unordered\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if strings.HasSuffix(tt.name, "large") || strings.HasPrefix(tt.name, "endless") ||
				strings.HasSuffix(tt.name, "as JSON") {
				effort.Seconds(t)
			}
			code, out, err := domino(t.Context(),
				append(append([]string{"check"}, tt.args...), "--save=")...)
			// a slow machine shows progress
			if slow := strings.HasPrefix(err, `{"type":"progress"`); code != tt.code || err != "" &&
				!slow {
				t.Errorf("exit %d, want %d; errors %q", code, tt.code, err)
			}
			if !strings.Contains(out, tt.want) {
				t.Errorf("no %q in\n%s", tt.want, out)
			}
		})
	}
}
