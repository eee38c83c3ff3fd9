package app

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/spec"
)

// simulated is the answer of a command line as JSON.
func simulated(t *testing.T, args ...string) (a simulatedAnswer, text string) {
	t.Helper()
	code, out, errors := domino(t.Context(), append([]string{"simulate", "--json"},
		underHydEE(args)...)...)
	if code != 0 || errors != "" {
		t.Fatalf("%s: exit %d, %s", args, code, errors)
	}
	valid(t, []byte(out))
	if err := json.Unmarshal([]byte(out), &a); err != nil {
		t.Fatal(err)
	}
	return a, out
}

// underHydEE adds a protocol to a line that has none.
func underHydEE(args []string) []string {
	if strings.Contains(strings.Join(args, " "), "--protocol") {
		return args
	}
	return append([]string{"--protocol", "hydee"}, args...)
}

// TestSimulate: messages, logs and clusters are those of the program, the parts of an overhead add
// up, one failure takes one cluster back, and the answer is the same bytes again.
func TestSimulate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.json")
	var list []string
	for name, value := range map[string]string{"between.latency": `10,"unit":"us"`,
		"between.overhead": `1,"unit":"us"`, "between.rate": `1,"unit":"GB/s"`,
		"within.latency": `1,"unit":"us"`, "within.rate": `1,"unit":"GB/s"`,
		"memory.rate": `1,"unit":"GB/s"`, "step": `100,"unit":"ns"`,
		"operation": `50,"unit":"ns"`, "store.rate": `1,"unit":"GB/s"`,
		"store.servers": `1,"unit":"1"`, "detect": `1,"unit":"ms"`, "restart": `2,"unit":"ms"`} {
		list = append(list, `{"name":"`+name+`","source":"test","value":`+value+`}`)
	}
	text := `{"name":"m","parameters":[` + strings.Join(list, ",") + `]}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"ring size=1000 iterations=5", "--ranks", "8,16", "--clusters", "4",
		"--machine", file, "--failures", "1"}
	a, first := simulated(t, args...)
	if _, again := simulated(t, args...); again != first {
		t.Errorf("not the same again:\n%s\n%s", first, again)
	}
	for i, ranks := range []int{8, 16} {
		p := a.Points[i]
		if got := p.Waiting + p.Bytes + p.CPU; math.Abs(got-(p.Calm-p.Base)) > 1e-15 {
			t.Errorf("%d ranks: parts add up to %v of %v", ranks, got, p.Calm-p.Base)
		}
		if p.Ranks != ranks || p.Clusters != 4 || p.Messages != 5*ranks || p.Control != 0 ||
			p.Logged != 5*4*1000 || p.SentBase != int64(5*ranks*1004) {
			t.Errorf("%+v", p)
		}
		if s := p.Struck; len(s.Failures) != 1 || s.Failures[0].Ranks != ranks/4 ||
			s.RolledBack != .25 || s.Recovery < 3e-3 || s.Completion < p.Calm+s.Recovery-1e-4 {
			t.Errorf("%+v", s)
		}
	}
}

// TestSimulateWork: iterations take the time that ranks are said to compute, where none waits for
// another one in between.
func TestSimulateWork(t *testing.T) {
	for _, kernel := range []string{"heat iterations=20", "ring iterations=20",
		"cg iterations=20"} {
		a, _ := simulated(t, kernel, "--ranks", "4", "--work", "50ms")
		if p := a.Points[0]; math.Abs(p.Base-1) > .05 || math.Abs(p.Overhead) > .01 {
			t.Errorf("%s: 20 iterations of 50 ms take %v s, with overhead %v", kernel, p.Base,
				p.Overhead)
		}
	}
}

// TestSimulateFailures: with an interval by Daly and drawn failures the run ends later than without
// any, and protocols meet the same failures.
func TestSimulateFailures(t *testing.T) {
	var moments []float64
	for _, protocol := range []string{"hydee", "coordinated"} {
		a, _ := simulated(t, fmt.Sprintf("heat iterations=%d checkpoint=1", effort.Of(100, 400)),
			"--ranks", "16", "--work", "1s",
			"--mtbf", "15m", "--interval", "daly", "--image", "10000000", "--protocol", protocol)
		p := a.Points[0]
		if p.Struck == nil || len(p.Struck.Failures) < 2 || p.Struck.Completion <= p.Calm ||
			p.Interval <= 0 || p.Writes == 0 {
			t.Fatalf("%s: %+v %+v", protocol, p, p.Struck)
		}
		moments = append(moments, p.Struck.Failures[0].At)
		share := .25
		if protocol == "coordinated" {
			share = 1
		}
		if p.Struck.RolledBack != share {
			t.Errorf("%s takes %v back, want %v", protocol, p.Struck.RolledBack, share)
		}
	}
	if moments[0] != moments[1] {
		t.Errorf("failures at %v", moments)
	}
}

// TestSimulateNamed: failures that are named strike at their moments, in any order of the list, two
// of one moment as one, and during recoveries; one behind the end is told about.
func TestSimulateNamed(t *testing.T) {
	a, _ := simulated(t, "heat iterations=20", "--ranks", "8", "--work", "100ms", "--machine",
		"myrinet", "--fail", "r6@4s,r1@1s,r5@1s,r2@1d")
	s := a.Points[0].Struck
	if len(s.Failures) != 2 || len(a.Notes) != 2 ||
		!strings.Contains(a.Notes[1], "2 of 3 failures came") {
		t.Fatalf("%+v %q", s, a.Notes)
	}
	for i, want := range []simulatedFailure{{At: 1, AtOnce: 2, Ranks: 4},
		{At: 4, AtOnce: 3, Ranks: 2}} {
		f := s.Failures[i]
		if f.At != want.At || f.AtOnce != want.AtOnce || f.Ranks != want.Ranks ||
			math.Abs(f.Down+f.Restore+f.Again-f.Takes) > 1e-12 || f.Down < 3 {
			t.Errorf("%+v, want %+v", f, want)
		}
	}
	// the time of failures at even distances stands still during a recovery, unless they overlap
	for _, words := range []string{"", "--overlap"} {
		a, _ := simulated(t, append(strings.Fields(words), "heat iterations=20", "--ranks", "8",
			"--work", "100ms", "--machine", "myrinet", "--failures", "2")...)
		s := a.Points[0].Struck
		if len(s.Failures) != 2 || (s.Failures[1].AtOnce == 2) != (words != "") {
			t.Errorf("%s: %+v", words, s)
		}
	}
}

// TestSimulateProtocols: several protocols with several numbers of ranks are the points that each
// has alone, in their order, and what one of them can not do is left out; the figure is drawn.
func TestSimulateProtocols(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "plots")
	args := []string{"heat iterations=5", "--failures", "1", "--ranks"}
	all, text := simulated(t, append(args, "4,8", "--protocol", "hydee,none,radic-rbml", "--plot",
		dir)...)
	var alone []simulatedPoint
	for _, protocol := range []string{"hydee", "radic-rbml"} {
		for _, ranks := range []string{"4", "8"} {
			a, _ := simulated(t, append(args, ranks, "--protocol", protocol)...)
			alone = append(alone, a.Points...)
		}
	}
	if diff := cmp.Diff(alone, all.Points); diff != "" {
		t.Errorf("points (-alone +together):\n%s", diff)
	}
	if len(all.LeftOut) != 2 || all.LeftOut[1].Protocol != "none" ||
		!strings.Contains(all.LeftOut[1].Why, "survives no failure") {
		t.Errorf("left out %+v in %s", all.LeftOut, text)
	}
	for _, p := range all.Points {
		for _, f := range p.Struck.Failures {
			// failures are known after a second, under RADIC after two watchdogs of one, and who
			// failed runs again after two more
			known := 1.
			if p.Protocol == "radic-rbml" {
				known = 2
			}
			if math.Abs(f.Down+f.Restore+f.Again-f.Takes) > 1e-12 || f.Down < known+2 ||
				f.Again < 0 || f.Restore < 0 || f.Takes > known+2.1 {
				t.Errorf("%s, %d ranks: stages %+v", p.Protocol, p.Ranks, f)
			}
		}
	}
	for _, kind := range []string{".png", ".svg"} {
		if _, err := os.Stat(filepath.Join(dir, "simulated-overhead"+kind)); err != nil {
			t.Error(err)
		}
	}
}

// TestSimulateSweep: of the intervals around Daly's that are tried the one is taken with which the
// run under failures ends first, and that is the run that is shown; the same one given as an
// interval ends at the same time.
func TestSimulateSweep(t *testing.T) {
	heat := fmt.Sprintf("heat iterations=%d", effort.Of(150, 300))
	args := []string{heat, "--ranks", "8", "--work", "1s", "--mtbf", "15m",
		"--image", "10000000", "--protocol", "coordinated", "--interval"}
	a, _ := simulated(t, append(args, "sweep")...)
	p := a.Points[0]
	least := p.Swept[0]
	for _, s := range p.Swept {
		if s.Completion < least.Completion {
			least = s
		}
	}
	if len(p.Swept) != 9 || p.Swept[4].Interval != math.Round(p.Daly*1e9)/1e9 ||
		least.Completion <= 0 || p.Struck.Completion != least.Completion || p.Young <= 0 {
		t.Errorf("%+v, shown %v with %v s", p.Swept, p.Struck.Completion, p.Interval)
	}
	b, _ := simulated(t, append(args, fmt.Sprintf("%dns", int64(math.Round(p.Interval*1e9))))...)
	if b.Points[0].Struck.Completion != p.Struck.Completion {
		t.Errorf("with an interval of %v s it ends at %v s, in the sweep at %v s", p.Interval,
			b.Points[0].Struck.Completion, p.Struck.Completion)
	}
	if !effort.Long() {
		t.Log("what it prints: " + effort.More)
		return
	}
	_, out, _ := domino(t.Context(), append([]string{"simulate"}, append(args, "sweep")...)...)
	if !strings.Contains(out, "coordinated, 8 ranks: best interval") {
		t.Errorf("no best interval in\n%s", out)
	}
}

// patient is a context that ends when it is asked for its end so many times.
type patient struct {
	context.Context
	left *int
}

func (p patient) Done() <-chan struct{} {
	if *p.left--; *p.left < 0 {
		ended := make(chan struct{})
		close(ended)
		return ended
	}
	return nil
}

// TestSimulateInterrupted: what is known when the user has had enough is printed, and said to be
// not all.
func TestSimulateInterrupted(t *testing.T) {
	for left := range 3 {
		n := left
		var a simulatedAnswer
		code, out, errors := domino(patient{t.Context(), &n}, "simulate", "heat iterations=400",
			"--protocol", "hydee,rbml", "--ranks", "8,16", "--json")
		if code != exitCode(spec.Unknown) {
			t.Errorf("after %d: exit %d, %s", left, code, errors)
		}
		if left == 0 {
			if out != "" {
				t.Errorf("nothing is known, and printed is %s", out)
			}
			continue
		}
		if err := json.Unmarshal([]byte(out), &a); err != nil || !a.Interrupted ||
			len(a.Points) != left {
			t.Errorf("after %d: %v, %d points", left, err, len(a.Points))
		}
	}
}

// TestSimulateBeyond: of failures that a protocol does not promise to survive a run says so, though
// it has ended; of those that it does, and of those one after the other, it does not.
func TestSimulateBeyond(t *testing.T) {
	for _, tt := range []struct {
		protocol, fail string
		said           bool
	}{
		{"causal", "r0@730ms,r1@730ms", true}, {"causal", "r0@730ms", false},
		{"hydee", "r0@730ms,r3@730ms", false},
	} {
		a, _ := simulated(t, "heat", "iterations=30", "--protocol", tt.protocol, "--ranks", "4",
			"--work", "50ms", "--machine", "ethernet-10g", "--fail", tt.fail)
		if got := strings.Contains(fmt.Sprint(a.Notes), "2 were down or recovering at a time, and "+
			"it promises to survive 1"); got != tt.said {
			t.Errorf("%s, %s: notes %q", tt.protocol, tt.fail, a.Notes)
		}
	}
}

// TestSimulateFewFailures: failures that come too late for a run are said.
func TestSimulateFewFailures(t *testing.T) {
	a, _ := simulated(t, "ring", "--protocol", "rbml", "--ranks", "2", "--failures", "50")
	came := len(a.Points[0].Struck.Failures)
	want := fmt.Sprintf("rbml, 2 ranks: %d of 50 failures came before the end", came)
	if came == 50 || len(a.Notes) != 2 || a.Notes[1] != want {
		t.Errorf("notes %q, want %q", a.Notes, want)
	}
	for _, f := range a.Points[0].Struck.Failures {
		if f.Takes > 0 && f.Down < 3 {
			t.Errorf("%+v: it was up before it was started", f)
		}
	}
}

// TestSimulateIsPrinted: tables say what JSON says; what makes no sense is said plainly.
func TestSimulateIsPrinted(t *testing.T) {
	code, out, errors := domino(t.Context(), "simulate", "heat", "--protocol", "hydee",
		"--ranks", "4", "--failures", "1", "--interval", "100ms")
	if code != 0 || errors != "" || !strings.Contains(out, "rolled back") ||
		!strings.Contains(out, "modelled, not measured") {
		t.Errorf("exit %d, %s\n%s", code, errors, out)
	}
	for line, want := range map[string]string{
		"":                                    "want a kernel",
		"heat --protocol=":                    "want --protocol",
		"heat --protocol hydee --ranks 4,9,4": "--ranks: 4 is there twice",
		"haet":                                "unknown kernel",
		"heat ranks=4":                        "by --ranks",
		"heat --ranks 65537":                  "[1, 65536]",
		"heat --ranks 1048576":                "[1, 65536]",
		"ring --ranks 4097 --protocol vaidya": "at most 4096",
		"ft n=4096 --ranks 4096":              "at most 8388608 such pairs",
		"heat --machine myrinett":             `did you mean "myrinet"`,
		"heat --machine ./none":               "no such file",
		"heat --protocol hyde":                `did you mean "hydee"`,
		"heat --protocol paxos":               "has no programs",
		"heat --interval soon":                "want a time",
		"heat --interval young":               "follows from --mtbf",
		"heat --interval sweep":               "follows from --mtbf",
		"heat --protocol hydee,hydee":         "there twice",
		"heat --protocol hydee,paxos":         "has no programs",
		"heat --protocol none,paxos --failures 1 --ranks 4":     "has no programs",
		"heat --protocol all --options loggers=next":            "those of one --protocol",
		"heat --clusters 0":                                     "want at least 1",
		"heat --clusters r0|r1":                                 "is in no cluster",
		"heat --clusters r0|rx":                                 "does not exist",
		"heat --clusters r0|r0":                                 "in two clusters",
		"heat --failures -1":                                    "want 0 or more",
		"heat --mtbf 0 --protocol hydee":                        "--mtbf 0: a node can not",
		"heat --mtbf 1h --failures 1":                           "want one of them",
		"heat --protocol none --failures 1":                     "survives no failure",
		"heat --protocol none --fail r0@1s":                     "survives no failure",
		"heat --fail r16@1s":                                    "no rank r16 among 16, from r0",
		"heat --fail r1":                                        "want a rank and a moment",
		"heat --fail r1@soon":                                   "want a time with its unit",
		"heat --fail r1@-1s":                                    "want a time with its unit",
		"heat --fail r1@9w":                                     "want at most 4e6 s",
		"heat --fail r1@1s --failures 1":                        "want one of them",
		"heat --overlap":                                        "is about --failures or --mtbf",
		"heat --protocol radic-rbml --ranks 2":                  "NeedThreeNodes",
		"heat --mtbf 1s --interval 1m --image 1000000000":       "no progress",
		"heat --interval 1us":                                   "no progress",
		"heat --protocol rbml --options nonsense=1":             "nonsense",
		"heat --protocol hydee/repaired+H99 --ranks 4 --seed 3": "H99",
	} {
		code, out, errors := domino(t.Context(), append([]string{"simulate"},
			underHydEE(strings.Fields(line))...)...)
		if code != exitUsage || out != "" || !strings.Contains(errors, want) {
			t.Errorf("%s: exit %d, %s%s, want %q", line, code, out, errors, want)
		}
	}
}
