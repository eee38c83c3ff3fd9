package app

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/gauge"
	"github.com/domino-check/domino/impl/runtime/tcp/netpipe"
)

// TestNetpipe measures a little in each format, with real processes: every line must have its
// shape, every sample be there.
func TestNetpipe(t *testing.T) {
	t.Setenv("DOMINO_TEST_MAIN", "1") // the processes are this program
	run := func(args ...string) string {
		t.Helper()
		code, out, err := domino(t.Context(),
			append([]string{"cluster", "netpipe", "--sizes", "8,64K", "--perturb", "0", "--rounds",
				"2", "--sample", "1us"}, args...)...)
		slow := strings.HasPrefix(err, `{"type":"progress"`) // on a busy machine it reports
		if code != 0 || err != "" && !slow {
			t.Fatalf("%v: exit code %d, %s", args, code, err)
		}
		return out
	}
	text := run()
	for _, line := range []string{`(?m)^ +tcp +raw +none +hydee-1 +hydee-2 *$`,
		`(?m)^ +shared +raw`, `(?m)^ +65536( +[0-9.e-]+){16} *$`, `(?m)^ +8( +[0-9.e-]+){16} *$`} {
		if !regexp.MustCompile(line).MatchString(text) {
			t.Errorf("no line %s in\n%s", line, text)
		}
	}
	if !effort.Long() {
		t.Log("as JSON, as lines of benchmarks, a page, and a ring: " + effort.More)
		return
	}
	page := filepath.Join(t.TempDir(), "netpipe.html")
	code, _, err := domino(t.Context(), "cluster", "netpipe", "--sizes", "8", "--perturb", "0",
		"--rounds", "3", "--sample", "1us", "--links", "shared", "--html", page)
	if b, failed := os.ReadFile(page); code != 0 || failed != nil ||
		strings.Count(string(b), `class="box"`) != 4 || !strings.Contains(string(b), "shared, 8 B") {
		t.Errorf("exit code %d, %s, %v, %.3000s", code, err, failed, b)
	}
	bench := strings.Split(strings.TrimSpace(
		run("--bench", "--links", "shared", "--protocols", "none")), "\n")
	line := regexp.MustCompile(
		`^BenchmarkNetpipe/link=shared/protocol=none/bytes=(8|65536)-\d+ \d+ [0-9.]+ ns/op [0-9.]+ MB/s [0-9.]+ B/op$`)
	for _, l := range bench {
		if !line.MatchString(l) {
			t.Errorf("line %q", l)
		}
	}
	if len(bench) != 4 {
		t.Errorf("%d lines for 2 sizes and 2 rounds", len(bench))
	}
	ring := regexp.MustCompile(
		`^(BenchmarkRing/procs=3/link=tcp/protocol=none/bytes=(8|65536)-\d+ \d+ [0-9.]+ ns/op [0-9.]+ B/op\s*){4}$`)
	if out := run("--bench", "--ring", "3", "--links", "tcp", "--protocols",
		"none"); !ring.MatchString(out) {
		t.Errorf("a ring of three: %s", out)
	}
	if out := run("--ring", "3", "--links", "tcp", "--protocols", "none"); !strings.Contains(out,
		"a ring of 3 processes") {
		t.Errorf("a ring of three: %s", out)
	}
	var parsed struct {
		Rows    []struct{ Link, Case string }
		Samples []struct{ Round int }
	}
	if err := json.Unmarshal([]byte(run("--json", "--links", "tcp", "--protocols", "raw,none")),
		&parsed); err != nil || len(parsed.Rows) != 4 || len(parsed.Samples) != 8 {
		t.Errorf("%d rows, %d samples, %v; want 4 and 8", len(parsed.Rows), len(parsed.Samples),
			err)
	}
}

// TestNetpipeCalibrates: what is measured becomes a machine of this computer that simulate takes,
// and that has a step of each protocol; or it is refused because no line fits it.
func TestNetpipeCalibrates(t *testing.T) {
	effort.Seconds(t)
	t.Setenv("DOMINO_TEST_MAIN", "1") // the processes are this program
	file := filepath.Join(t.TempDir(), "here.json")
	code, out, errors := domino(t.Context(), "cluster", "netpipe", "--calibrate", file, "--sizes",
		effort.Of("8,1K,64K", "8,1K,64K,1M"), "--rounds", "1", "--sample", "1us", "--protocols",
		effort.Of("raw,none,hydee-2,rbml", "raw,none,hydee-1,hydee-2,rbml"))
	if strings.Contains(errors, "no line of positive latency and rate fits") {
		// on a computer with much else to do: refused, and nothing is written
		if _, err := os.Stat(file); code != exitUsage || !os.IsNotExist(err) {
			t.Errorf("exit code %d, %v", code, err)
		}
		return
	}
	if code != 0 || !strings.Contains(out, "parameters of "+gauge.This().Host) {
		t.Fatalf("exit code %d, %s\n%s", code, errors, out)
	}
	a, _ := simulated(t, "heat iterations=2", "--machine", file)
	if c := a.Machine.Computer; c == nil || gauge.Computer(*c) != gauge.This() ||
		a.Machine.Name != "here" || a.Points[0].Base <= 0 {
		t.Errorf("%+v", a)
	}
	var steps []string
	woken := false // what it costs to be woken was measured, beside other ranks
	busy := fmt.Sprintf("a round of %d and %d busy ranks on %d cores", 2*runtime.NumCPU(),
		4*runtime.NumCPU(), runtime.NumCPU())
	for _, p := range a.Machine.Parameters {
		if p.Name == "step.rbml" && 4*runtime.NumCPU() <= core.MaxSearched &&
			!strings.Contains(p.Source, busy) {
			t.Errorf("%+v: no source %q", p, busy)
		}
		woken = woken || p.Name == "wake" && p.Value > 0 && strings.Contains(p.Source,
			fmt.Sprintf("a lap of %d ranks that share %d cores", 4*runtime.NumCPU(),
				runtime.NumCPU()))
		if name, ok := strings.CutPrefix(p.Name, "step."); ok {
			steps = append(steps, name)
		}
	}
	if few := 4*runtime.NumCPU() <= netpipe.MaxRing; woken != few {
		t.Errorf("wake was measured: %t, want %t: %+v", woken, few, a.Machine.Parameters)
	}
	want := []string{"hydee.header", "hydee", "rbml.header", "rbml"}
	if diff := cmp.Diff(want, steps); diff != "" {
		t.Errorf("steps of protocols (-want +got):\n%s", diff)
	}
}

// TestNetpipeErrors gives netpipe what it must refuse before any process starts.
func TestNetpipeErrors(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{"netpip", `did you mean "netpipe"`},
		{"netpipe x", `unexpected ["x"]`},
		{"netpipe --json --bench", "not both"},
		{"netpipe --sizes 8X", `size "8X"`},
		{"netpipe --sizes 0", `size "0"`},
		{"netpipe --sizes 2G", "1024M"},
		{"netpipe --sizes 9..8", "smaller first"},
		{"netpipe --sizes 9..15 --perturb 0", "no power of two"},
		{"netpipe --sizes ,", "nothing to measure"},
		{"netpipe --perturb -1", "--perturb -1"},
		{"netpipe --links udp", `unknown link "udp"`},
		{"netpipe --rounds 0", "0 rounds"},
		{"netpipe --sample 0s", "samples of 0s"},
		{"netpipe --ring 1", "ring of 1"},
		{"netpipe --ring 3 --calibrate x", "not with --ring"},
		{"netpipe --card 1G --calibrate x", "not with --ring or --card"},
		{"netpipe --protocols raw --calibrate x", "must have none"},
		{"netpipe --calibrate no-such-folder/x", "no such file"},
		{"netpipe --ring 1000", "ring of 1000"},
		{"netpipe --ring 3 --protocols rbml", "services"},
		{"netpipe --protocols hydee", "hydee-1"},
		{"netpipe --protocols hydee+write", "hydee-1"},
		{"netpipe --protocols raw+copy", "raw"},
		{"netpipe --protocols none+wrote", "none+wrote"},
		{"netpipe --protocols none,none", "twice"},
		{"netpipe --protocols radic-hmpl", "at least 3"},
		{"netpipe --card 1T", `--card "1T"`},
		{"netpipe --card 5", `--card "5"`},
		{"netpipe --card 1G --protocols raw,none", "raw has no card"},
		{"netpipe --protocols paxos", "no programs"},
		{"netpipe --protocols rwa", `did you mean "raw"`},
		{"netpipe --congestion hyde --sizes 8", `congestion control "hyde"`},
	} {
		code, out, err := domino(t.Context(),
			append([]string{"cluster"}, strings.Fields(tt.args)...)...)
		if code != exitUsage || !strings.Contains(err, tt.want) || strings.Contains(out, "GB/s") {
			t.Errorf("%q: exit code %d, %q, want %q", tt.args, code, err, tt.want)
		}
	}
}

// TestNetpipeInterrupted ends a long run at once: the command returns, with both processes gone (it
// waits for them).
func TestNetpipeInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if code, _, err := domino(ctx, "cluster", "netpipe", "--rounds", "10000"); code != 2 ||
		!strings.Contains(err, "interrupted") {
		t.Errorf("exit code %d, %s", code, err)
	}
}

// TestParseSizes pins lists and ranges.
func TestParseSizes(t *testing.T) {
	for _, tt := range []struct {
		text    string
		perturb int
		want    []int
	}{
		{"8,8k,1M", 0, []int{8, 8192, 1 << 20}},
		{"1..8", 0, []int{1, 2, 4, 8}},
		{"2..8", 1, []int{2, 3, 4, 5, 7, 8}},
		{"1", 3, []int{1, 4}},
		{"1G", 1, []int{1<<30 - 1, 1 << 30}},
	} {
		got, err := parseSizes(tt.text, tt.perturb)
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v", tt.text, cmp.Diff(tt.want, got))
		}
	}
}
