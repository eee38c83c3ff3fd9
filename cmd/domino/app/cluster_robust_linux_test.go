package app

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/impl/protocol/all"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/plan"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
)

// TestParseKills reads moments of every kind.
func TestParseKills(t *testing.T) {
	list, err := catalogue().Select([]string{"ring3"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := verify.Resolve(all.Protocols(), list[0])
	if err != nil {
		t.Fatal(err)
	}
	got, err := parseKills([]string{"a@3", "b+a@c:4", "c@250ms", "a@iteration=7", "RP@a:date=5",
		"b@phase=2", "RP@b:recovery", "b@recovery=9"}, r.Setup, 0)
	want := strikes{
		Plan: plan.Plan{Failures: []plan.Failure{{Victims: []core.Proc{0}, After: 3},
			{Victims: []core.Proc{0, 1}, By: 2, After: 4}}},
		Timed: []cluster.Timed{{At: 250 * time.Millisecond, Victims: []core.Proc{2}}},
		Reached: []cluster.Reached{{Victims: []core.Proc{0}, What: cluster.Iteration, Number: 7},
			{Victims: []core.Proc{3}, What: cluster.Date, Number: 5},
			{Victims: []core.Proc{1}, By: 1, What: cluster.Phase, Number: 2},
			{Victims: []core.Proc{3}, By: 1, What: cluster.Renewed, Number: 1},
			{Victims: []core.Proc{1}, By: 1, What: cluster.Renewed, Number: 9}},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for text, want := range map[string]string{"a": "want PROC@MOMENT", "a@": "want a number",
		"a@date=": "want a number", "a@date=-1": "want a number", "a@date": "want a number",
		"a@-5ms": "negative",
		"a@50%":  "for cluster perf", "a@150%": "[0, 100] %", "z@1": "no proc"} {
		if _, err := parseKills([]string{text}, r.Setup, 0); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestHurry moves failures into recoveries: none is lost, the first stays, each of the others that
// moves waits for a victim of the one before it; over many draws, some move and some stay.
func TestHurry(t *testing.T) {
	moved, stayed := 0, 0
	for seed := range uint64(50) {
		list := []plan.Failure{{Victims: []core.Proc{0}}, {Victims: []core.Proc{1, 2}},
			{Victims: []core.Proc{3}}}
		k := strikes{Plan: plan.Plan{Failures: slices.Clone(list)}}
		k.hurry(rand.New(rand.NewPCG(seed, 0)))
		if len(k.Plan.Failures)+len(k.Reached) != len(list) || k.Plan.Failures[0].Victims[0] != 0 {
			t.Fatalf("%+v", k)
		}
		for _, r := range k.Reached {
			i := slices.IndexFunc(list, func(f plan.Failure) bool {
				return slices.Equal(f.Victims, r.Victims)
			})
			if i < 1 || !slices.Contains(list[i-1].Victims, r.By) || r.What != cluster.Renewed ||
				r.Number >= hurried {
				t.Fatalf("%+v", r)
			}
		}
		moved, stayed = moved+len(k.Reached), stayed+len(k.Plan.Failures)-1
	}
	if moved < 10 || stayed < 10 {
		t.Errorf("%d failures moved, %d stayed", moved, stayed)
	}
}

// TestParseHosts reads hosts as text and from a file, with quotes and comments.
func TestParseHosts(t *testing.T) {
	want := []cluster.Host{{Address: "10.0.0.1"},
		{Address: "node2", Launcher: []string{"ssh", "-o", "BatchMode=yes", "node2",
			"/opt/a domino", ""}}}
	file := filepath.Join(t.TempDir(), "hosts")
	if err := os.WriteFile(file,
		[]byte("# two hosts\n10.0.0.1 # here\n\n  node2 ssh -o 'BatchMode=yes' node2 \"/opt/a "+
			"domino\" ''\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{file,
		`10.0.0.1,node2=ssh -o BatchMode=yes node2 '/opt/a domino' ""`} {
		got, err := parseHosts(text)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", text, err, diff)
		}
	}
	if got, err := parseHosts("a=sh -c 'x, y',b"); err != nil || len(got) != 2 ||
		got[0].Launcher[2] != "x, y" {
		t.Errorf("%+v %v", got, err)
	}
	for text, want := range map[string]string{"/nowhere/hosts": "no such file", ",": "no hosts",
		"a=sh 'x": "not closed"} {
		if _, err := parseHosts(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestClusterPlan saves a run, repeats it, and refuses it for another scenario, with a --kill
// beside it, and when it is no plan; a folder that has been used is refused.
func TestClusterPlan(t *testing.T) {
	t.Setenv("DOMINO_TEST_MAIN", "1") // the processes are this program
	t.Setenv("TMPDIR", t.TempDir())
	dir := filepath.Join(t.TempDir(), "run")
	code, out, errors := domino(t.Context(), "cluster", "run", "ring3", "--kill", "a@date=2",
		"--seed", "7", "--dir", dir, "--json")
	var first, again struct {
		Crashes []cluster.Crash
		Digests []string
		Why     string
	}
	if err := json.Unmarshal([]byte(out), &first); err != nil || code != 0 ||
		len(first.Crashes) != 1 {
		t.Fatalf("exit code %d %v %s%s", code, err, out, errors)
	}
	plan := filepath.Join(dir, "plan.json")
	code, out, errors = domino(t.Context(), "cluster", "run", "--plan", plan, "--json")
	if err := json.Unmarshal([]byte(out), &again); err != nil || code != 0 ||
		len(again.Crashes) != 1 || !slices.Equal(first.Digests, again.Digests) ||
		!slices.Equal(first.Crashes[0].Procs, again.Crashes[0].Procs) {
		t.Errorf("exit code %d %v %s%s", code, err, out, errors)
	}
	if !effort.Long() {
		t.Log("with the same scenario: " + effort.More)
	} else if code, _, errors := domino(t.Context(), "cluster", "run", "ring3", "--plan",
		plan); code != 0 {
		t.Errorf("with the same scenario: exit code %d %s", code, errors)
	}
	other := filepath.Join(t.TempDir(), "other.json")
	if err := os.WriteFile(other, []byte(`{"plan": {}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"s1 --plan " +
			plan: "is a plan for scenario ring3 as it was then, not for this s1",
		"--plan " + plan + " --seed 3":     "--plan has its own",
		"--plan " + plan + " --kill a@3":   "--plan has its own",
		"--plan /nowhere":                  "no such file",
		"--plan " + other:                  "is no plan: it has no scenario",
		"--plan " + dir + "/run/run":       "is no plan",
		"ring3 --dir " + dir:               "has files already",
		"ring3 --dir /dev/null/x":          "--dir: mkdir",
		"ring3 --address 127.0.0.1":        "want HOST:PORT",
		"ring3 --kill a@lap=3":             "want iteration, date, phase, recovery or says",
		"ring3 --kernel ring":              "1 scenarios and 1 kernels",
		"ring3 --hosts 127.0.0.2=/nowhere": "/nowhere: no such file",
		"ring3 --disk-delay -1s":           "--disk-delay -1s: want 0 or more",
	} {
		if code, _, errors := domino(t.Context(),
			append([]string{"cluster", "run"}, strings.Fields(args)...)...); code != exitUsage ||
			!strings.Contains(errors, want) {
			t.Errorf("%s: exit code %d, %q, want %q", args, code, errors, want)
		}
	}
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// TestTortureKills stops after a number of failures, with more of them in a run than the scenarios
// have, and prints JSON with a line a protocol.
func TestTortureKills(t *testing.T) {
	effort.Seconds(t)
	t.Setenv("DOMINO_TEST_MAIN", "1") // the processes are this program
	t.Setenv("TMPDIR", t.TempDir())
	code, out, errors := domino(t.Context(), "cluster", "torture", "ring3", "causal-s1", "--kills",
		"8", "--failures", "4", "--json", "--dir", t.TempDir())
	var got struct {
		Wrong     int
		Protocols []tally
		All       tally
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != exitSampled {
		t.Fatalf("exit code %d %v %s%s", code, err, out, errors)
	}
	kills, most := 0, 0
	for _, p := range got.Protocols {
		kills += p.Kills
		if most = max(most, p.Kills-p.Runs); p.Kills > 0 &&
			(p.Detected.Median <= 0 || p.Detected.Most < p.Detected.Median ||
				p.Processes < p.Kills) {
			t.Errorf("%+v", p)
		}
	}
	if got.All.Kills < 8 || kills != got.All.Kills || most <= 0 {
		t.Errorf("%+v", got)
	}
	for args, want := range map[string]string{"--kills -1": "--kills -1: want 0 or more",
		"--failures 16": "want 0 to 15", "--kills 3 --for 1s": "only one of",
		"--kills 3 --runs 9": "only one of"} {
		if code, _, errors := domino(t.Context(),
			append([]string{"cluster", "torture"},
				strings.Fields(args)...)...); code != exitUsage || !strings.Contains(errors, want) {
			t.Errorf("%s: exit code %d, %q, want %q", args, code, errors, want)
		}
	}
}

// TestClusterSignals ends a run that takes long by a signal, when so many of its files are there,
// and by SIGKILL: no process that has our environment is left, nothing in the temporary folder, and
// an end in order says so.
func TestClusterSignals(t *testing.T) {
	t.Setenv("DOMINO_TEST_MAIN", "1") // the processes are this program
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for i, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP,
		syscall.SIGKILL} {
		if ignored(signal) { // as under nohup, which a run keeps to
			t.Logf("%v is ignored here", signal)
			continue
		}
		for j, files := range []int{0, 3, 12} {
			if j != i%3 && !effort.Long() { // each signal once, each moment once
				t.Logf("%v at %d files: %s", signal, files, effort.More)
				continue
			}
			dir := t.TempDir()
			cmd := exec.Command(self, "cluster", "run", "--kernel",
				"ring ranks=3 iterations=100000", "--protocol", "hydee")
			cmd.Env = append(os.Environ(), "TMPDIR="+dir)
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			// the folder itself, at least: before, there is nothing to leave behind
			for filesBelow(dir) < files+1 {
			}
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			cmd.Wait() // how it ended is what the code says
			if code := cmd.ProcessState.ExitCode(); signal != syscall.SIGKILL &&
				(code != 2 && code != 3 && code != exitUsage ||
					!regexp.MustCompile(`(?i)interrupt|cancel`).MatchString(out.String())) {
				t.Errorf("%v at %d files: exit code %d, %s", signal, files, code, out.String())
			}
			for end := time.Now().Add(10 * time.Second); ; {
				left := withEnvironment("TMPDIR=" + dir)
				n := filesBelow(dir)
				if len(left) == 0 && n == 0 {
					break
				}
				if signal != syscall.SIGKILL && len(left) == 0 || time.Now().After(end) {
					t.Errorf("%v (%d) at %d files: %d files and processes %v are left", signal, i,
						files, n, left)
					break
				}
			}
		}
	}
}

// ignored reports whether a signal is ignored here, and by whoever is started from here.
func ignored(s os.Signal) bool { return signal.Ignored(s) }

// filesBelow counts files and folders below one.
func filesBelow(dir string) (n int) {
	filepath.WalkDir(dir, func(string, os.DirEntry, error) error {
		n++
		return nil
	})
	return n - 1
}

// withEnvironment lists the processes that live with a variable in their environment.
func withEnvironment(variable string) (list []string) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, name := range files {
		text, _ := os.ReadFile(name) // a process that has ended has none
		if slices.Contains(strings.Split(string(text), "\x00"), variable) {
			list = append(list, filepath.Base(filepath.Dir(name)))
		}
	}
	return list
}

// TestClusterPort gives a port that is in use: an error, and nothing is left behind.
func TestClusterPort(t *testing.T) {
	t.Setenv("DOMINO_TEST_MAIN", "1") // the guard is this program
	t.Setenv("TMPDIR", t.TempDir())
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	code, _, errors := domino(t.Context(), "cluster", "run", "ring3", "--address",
		l.Addr().String())
	if code != exitUsage || !strings.Contains(errors, "address already in use") ||
		!strings.Contains(errors, l.Addr().String()) {
		t.Errorf("exit code %d, %s", code, errors)
	}
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	t.Setenv("TMPDIR", "/nowhere")
	if code, _, errors = domino(t.Context(), "cluster", "run", "ring3"); code != exitUsage ||
		!strings.Contains(errors, "no temporary folder") {
		t.Errorf("exit code %d, %s", code, errors)
	}
}
