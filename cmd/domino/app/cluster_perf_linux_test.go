package app

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/domino-check/domino/checker/effort"
)

// TestPerf measures a little with real processes in each format, kills one, and draws: every line
// has its shape, the stages add up, the pictures are there, and nothing is left behind.
func TestPerf(t *testing.T) {
	effort.Seconds(t)
	t.Setenv("DOMINO_TEST_MAIN", "1") // the processes are this program
	t.Setenv("TMPDIR", t.TempDir())
	plots, pages := filepath.Join(t.TempDir(), "new", "plots"), t.TempDir()
	base := []string{"cluster", "perf", "--kernels", "ring iterations=30, heat n=16 iterations=8",
		"--rounds", "1"}
	code, text, errors := domino(t.Context(),
		append(base, "--protocols", "hydee,none", "--checkpoint", "4", "--kill", "r2@20", "--plot",
			plots, "--html", pages)...)
	// four ranks and the recovery process
	if crowded := strings.HasPrefix(errors, "note: 5 processes on "); code != 0 ||
		crowded != (runtime.NumCPU() < 5) || strings.Count(errors, "\n") > 2 {
		t.Fatalf("exit code %d, %s\n%s", code, errors, text)
	}
	for _, line := range []string{`kernel +protocol +ms +overhead`,
		`(?m)^ring iterations=30 +none +[0-9.]+ +- +- +[0-9.]+ +- +120 +`,
		`(?m)^ +hydee +[0-9.]+ +[+-][0-9.]+ %  +[+-]`, `(?m)^hydee: overhead .* of 2 kernels`,
		`kernel +protocol +before checkpoint .* to the end +total +without`,
		`(?m)^heat n=16 iterations=8 +hydee( +[0-9.e-]+){12} +[+-]`} {
		if !regexp.MustCompile(line).MatchString(text) {
			t.Errorf("no line %s in\n%s", line, text)
		}
	}
	index := follow(t, pages)["index.html"]
	for _, want := range []string{`<th scope="row">hydee</th>`, `class="box"`,
		"heat n=16 iterations=8, with a failure", "Stages of recoveries",
		"Time with a protocol by time without"} {
		if !strings.Contains(index, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if strings.Contains(index, "Oversubscribed: 5 processes") != (runtime.NumCPU() < 5) {
		t.Error("the page does not say whether there were too many processes")
	}
	for _, name := range []string{"perf-time", "perf-bytes", "perf-logged",
		"perf-recovery-heat-n=16-iterations=8"} {
		for _, kind := range []string{".png", ".svg"} {
			if info, err := os.Stat(filepath.Join(plots, name+kind)); err != nil ||
				info.Size() < 1000 {
				t.Errorf("%s%s: %v", name, kind, err)
			}
		}
	}
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// TestPerfBenchmarks prints lines as go test does.
func TestPerfBenchmarks(t *testing.T) {
	effort.Seconds(t)
	t.Setenv("DOMINO_TEST_MAIN", "1") // the processes are this program
	_, text, _ := domino(t.Context(), "cluster", "perf", "--kernels",
		"ring iterations=30, heat n=16 iterations=8", "--rounds", "1", "--protocols", "none",
		"--bench")
	if !regexp.MustCompile(
		`^BenchmarkCluster/kernel=ring/iterations=30/ranks=4/run=bare/protocol=none 1 \d+ ns/op \d+ cpu-ns/op 120 sends .*\nBenchmarkCluster/kernel=heat/.*\n$`).MatchString(
		text) &&
		!regexp.MustCompile(
			`^BenchmarkCluster/kernel=heat/.*\nBenchmarkCluster/kernel=ring/.* 120 sends .*\n$`).MatchString(
			text) {
		t.Errorf("benchmark lines %s", text)
	}
}

// TestPerfStages prints a row for each protocol, and stages that add up to a recovery.
func TestPerfStages(t *testing.T) {
	effort.Seconds(t)
	t.Setenv("DOMINO_TEST_MAIN", "1") // the processes are this program
	_, text, _ := domino(t.Context(), "cluster", "perf", "--kernels", "ring iterations=30",
		"--rounds", "1", "--protocols", "hydee,none", "--kill", "r1@10", "--json")
	var parsed struct {
		Rows       []struct{ Kernel, Protocol string }
		Recoveries []struct {
			Stages []struct{ Time time.Duration }
			Total  time.Duration
		}
		Samples []struct{ Kind string }
	}
	if err := json.Unmarshal([]byte(text), &parsed); err != nil || len(parsed.Rows) != 2 ||
		len(parsed.Samples) != 4 || len(parsed.Recoveries) != 1 {
		t.Fatalf("%v in %s", err, text)
	}
	for _, r := range parsed.Recoveries {
		sum := time.Duration(0)
		for _, s := range r.Stages {
			sum += s.Time
		}
		if sum != r.Total || sum == 0 {
			t.Errorf("stages %v, total %v", r.Stages, r.Total)
		}
	}
}

// TestPerfLeavesOut measures what is possible of kernels and protocols that nobody has named, and
// says what is not. The short form only asks which kernels these are.
func TestPerfLeavesOut(t *testing.T) {
	if !effort.Long() {
		r := perfRun{flags: &perfFlags{kernels: "all", ranks: 2}}
		list, err := r.programs()
		if err != nil || len(list) < 10 || len(r.left) != 3 || r.left[0].Kernel != "bt" ||
			!strings.Contains(r.left[0].Why, "square") || r.left[1].Kernel != "openatom" ||
			!slices.ContainsFunc(list, func(k perfKernel) bool { return k.name == "leanmd" }) {
			t.Errorf("%v, left out %v, %v", list, r.left, err)
		}
		return
	}
	t.Setenv("DOMINO_TEST_MAIN", "1") // the processes are this program
	t.Setenv("TMPDIR", t.TempDir())
	code, text, errors := domino(t.Context(), "cluster", "perf", "--kernels", "all", "--ranks", "2",
		"--protocols", "none", "--rounds", "1", "--timeout", "20s")
	if code != 0 || errors != "" {
		t.Fatalf("exit code %d, %s\n%s", code, errors, text)
	}
	for _, line := range []string{`left out: kernel bt: kernel bt: .*square`,
		`left out: kernel openatom: .* 2 ranks, want a multiple of row=4: 4 or 8`,
		`(?m)^leanmd +none`} {
		if !regexp.MustCompile(line).MatchString(text) {
			t.Errorf("no line %s in\n%s", line, text)
		}
	}
}

// TestPerfErrors gives cluster perf what it must refuse before any process starts.
func TestPerfErrors(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"x"}, `unexpected ["x"]`},
		{[]string{"--json", "--bench"}, "not both"},
		{[]string{"--kernels", "heta"}, `unknown kernel "heta", did you mean "heat"`},
		{[]string{"--kernels", "heat, heat"}, "heat is there twice"},
		{[]string{"--kernels", "heat n=x"}, "n=x, want a number"},
		{[]string{"--kernels", ","}, "no kernel is left"},
		{[]string{"--kernels", "bt", "--ranks", "5"}, "want a square"},
		{[]string{"--ranks", "0"}, "--ranks 0"},
		{[]string{"--ranks", "5000"}, "--ranks 5000: want at most 4096"},
		{[]string{"--rounds", "0", "--protocols", "none"}, "0 rounds"},
		{[]string{"--checkpoint", "-1"}, "--checkpoint -1"},
		{[]string{"--timeout", "0s"}, "cluster perf: --timeout 0s: want more than 0"},
		{[]string{"--protocols", "hydra"}, `did you mean "hydee"`},
		{[]string{"--protocols", "paxos"}, "has no programs"},
		{[]string{"--protocols", "none,none"}, "there twice"},
		{[]string{"--protocols", "rbml/printed"}, "want repaired, published, published-measured"},
		{[]string{"--protocols", "none", "--options", "rbml: loggers=next"},
			"want PROTOCOL: OPTIONS"},
		{[]string{"--protocols", "rbml", "--options", "rbml: loggers=nowhere"}, "nowhere"},
		{[]string{"--protocols", "hydee", "--clusters", "0"}, "--clusters 0"},
		{[]string{"--protocols", "hydee", "--kernels", "heat", "--kill", "r9@1"}, `no proc "r9"`},
		{[]string{"--protocols", "hydee", "--kernels", "heat", "--kill", "r1@101%"},
			"--kill r1@101%"},
		{[]string{"--protocols", "none", "--plot", filepath.Join(file, "plots")}, "--plot: "},
		{[]string{"--protocols", "none", "--traffic", file}, "--traffic: "},
	} {
		code, out, errors := domino(t.Context(), append([]string{"cluster", "perf"}, tt.args...)...)
		if code != exitUsage || !strings.Contains(errors, tt.want) || out != "" {
			t.Errorf("%q: exit code %d, %q, want %q", tt.args, code, errors, tt.want)
		}
	}
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// TestPerfTraffic: what is written of each kernel and protocol is what its programs send, by hand
// of a ring: 30 laps of 500 bytes to the next rank, under whatever protocol; plan reads the same in
// it. The runs for it are no samples.
func TestPerfTraffic(t *testing.T) {
	t.Setenv("DOMINO_TEST_MAIN", "1") // the processes are this program
	t.Setenv("TMPDIR", t.TempDir())
	dir := filepath.Join(t.TempDir(), "new", "sent")
	protocols := []string{"hydee", "none"}[:effort.Of(1, 2)]
	code, out, errors := domino(t.Context(), "cluster", "perf", "--kernels",
		"ring size=500 iterations=30", "--rounds", "1", "--protocols", strings.Join(protocols, ","),
		"--traffic", dir, "--json")
	var a struct { // digests of samples are text in JSON
		Traffic []trafficOf
		Samples []struct{}
	}
	if err := json.Unmarshal([]byte(out), &a); code != 0 || err != nil ||
		len(a.Traffic) != len(protocols) || len(a.Samples) != len(protocols) {
		t.Fatalf("exit code %d, %v, %s\n%s", code, err, errors, out)
	}
	slices.Reverse(protocols) // none comes first in answers
	for i, name := range protocols {
		file := filepath.Join(dir, "ring-size=500-iterations=30."+name+".csv")
		text, err := os.ReadFile(file)
		const want = "src,dst,bytes,messages\n" +
			"0,1,15000,30\n1,2,15000,30\n2,3,15000,30\n3,0,15000,30\n"
		if err != nil || string(text) != want || a.Traffic[i].File != file ||
			a.Traffic[i].Protocol != name {
			t.Errorf("%v, %+v\n%s, want\n%s", err, a.Traffic[i], text, want)
		}
		code, out, errors := domino(t.Context(), "plan", file, "--json")
		var p plannedAnswer
		if err := json.Unmarshal([]byte(out), &p); code != 0 || err != nil || p.Ranks != 4 ||
			p.Channels != 4 || p.Bytes != 60_000 || p.Messages != 120 {
			t.Errorf("exit code %d, %v, %s\n%s", code, err, errors, out)
		}
	}
}

// TestClustersOf splits ranks into neighbours.
func TestClustersOf(t *testing.T) {
	for _, tt := range []struct {
		text  string
		ranks int
		want  string
	}{{"2", 4, "r0 r1 | r2 r3"}, {"2", 5, "r0 r1 r2 | r3 r4"}, {"9", 2, "r0 | r1"},
		{"1", 3, "r0 r1 r2"}, {"r1 | r0", 2, "r1 | r0"}} {
		if got, err := clustersOf(tt.text, tt.ranks); err != nil || got != tt.want {
			t.Errorf("%s clusters of %d: %q %v, want %q", tt.text, tt.ranks, got, err, tt.want)
		}
	}
}
