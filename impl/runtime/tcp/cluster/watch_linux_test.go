package cluster_test

import (
	"errors"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/impl/protocol/all"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/plan"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// alter makes the setup of a scenario with a telling title misbehave, in the parent as in its
// children.
func alter(title string, s *core.Setup) {
	if title == "b rolls back, and may" {
		s.Promises.RollsBack = promise.All
	}
	if strings.HasPrefix(title, "b rolls back") {
		inner := s.New
		s.New = func(p core.Proc) core.Machine {
			if p == 1 {
				return &roller{Machine: inner(p)}
			}
			return inner(p)
		}
	}
}

// roller is a machine that rolls back, once, behind the third message that it gets.
type roller struct {
	core.Machine
	messages int
	again    bool
}

func (r *roller) Step(in core.Input, out []core.Effect) []core.Effect {
	out = r.Machine.Step(in, out)
	r.again = r.again || in.Kind == core.Restore
	if in.Kind == core.Received {
		r.messages++
	}
	if r.messages == 3 && !r.again {
		out = append(out, core.Effect{Kind: core.Rollback})
	}
	return out
}

func (r *roller) History() *trace.History { return core.HistoryOf(r.Machine) }

// titled is an example with another title.
func titled(title, text string) string { return strings.Replace(text, "A test", title, 1) }

// pair are two ranks that talk to each other.
const pair = "a: send b; recv b; send b; recv b; output\nb: recv a; send a; recv a; send a; " +
	"output\n"

// count counts events.
func count(out *cluster.Result, kind trace.Kind) (n int) {
	for _, e := range out.Trace.Events {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// TestNodes kills nodes of RADIC with all that runs on them: watchdogs expire, spares and
// neighbours adopt what ran there, and it starts again. The judge finds nothing, the digests are
// those without failures. Names: ranks, then loggers or vaults, then nodes, then spares.
func TestNodes(t *testing.T) {
	const a, n1, n2, n3, s1 = 0, 4, 5, 6, 8
	tests := []struct {
		name, protocol, more string
		victims              []core.Proc
		adopted              int // at least, after the start
	}{
		{"a node, with a spare", "radic-sbml", "options: nodes=4 spares=1\nfailures: 1",
			[]core.Proc{n1}, 1},
		{"a node, with a spare, receivers log", "radic-rbml",
			"options: nodes=4 spares=1\nfailures: 1", []core.Proc{n1}, 1},
		{"a node, without a spare", "radic-hmpl", "options: nodes=4\nfailures: 1", []core.Proc{n1},
			1},
		{"two neighbours at once", "radic-rbml",
			"options: nodes=4\nfailures: 2\nat-once: 2\nvictims: N2 N3", []core.Proc{n2, n3}, 2},
		{"a node and the spare at once", "radic-hmpl",
			"options: nodes=4 spares=1\nfailures: 2\nat-once: 2\nvictims: N1 S1",
			[]core.Proc{n1, s1}, 1},
		{"a rank alone", "radic-sbml", "options: nodes=4\nfailures: 1\nvictims: a", []core.Proc{a},
			0},
		{"a node that comes back", "radic-rbml", "options: nodes=4 rejoin=yes\nfailures: 1",
			[]core.Proc{n1}, 1},
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if i != 3 { // several nodes, several at once, watchdogs: it has them all
				effort.Seconds(t)
			}
			text := strings.Replace(example(tt.protocol, pair, tt.more), "failures: 2\n", "", 1)
			calm, v := run(t, text, plan.Plan{})
			if v != nil || count(calm, trace.Crashed) > 0 {
				t.Fatalf("without failures: %+v", v)
			}
			out, v := run(t, text, plan.Plan{
				Failures: []plan.Failure{{Victims: tt.victims, By: a, After: 2}}})
			if v != nil {
				t.Errorf("%s: %s", v.Property, v.Message)
			}
			if out.Failures != len(tt.victims) || !slices.Equal(out.Digests, calm.Digests) ||
				slices.Contains(out.Done, false) {
				t.Errorf("%d failures, digests %x, done %v, without failures %x", out.Failures,
					out.Digests, out.Done, calm.Digests)
			}
			if n := count(out, trace.Adopted) - count(calm, trace.Adopted); n < tt.adopted {
				t.Errorf("%d were adopted after the start, want at least %d", n, tt.adopted)
			}
			if out.Suspicions != 0 {
				t.Errorf("%d false suspicions", out.Suspicions)
			}
			for _, c := range out.Crashes {
				if len(c.Told) == 0 && tt.adopted > 0 {
					t.Error("no watchdog has expired")
				}
			}
		})
	}
}

// TestNodesJudged: what is broken is seen in a run as processes: an erratum of the control plane,
// and a rank that rolls back though nobody has failed.
func TestNodesJudged(t *testing.T) {
	tests := []struct {
		name, text, property string
		plan                 plan.Plan
	}{
		{"ranks restart beside their images",
			example("radic-hmpl", pair, "options: nodes=4", "variant: repaired+M31"),
			"kept-elsewhere",
			plan.Plan{Failures: []plan.Failure{{Victims: []core.Proc{4}, After: 2}}}},
		{"a rollback without a reason", titled("b rolls back", example("sbml", ring)), "contained",
			plan.Plan{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, v := run(t, strings.Replace(tt.text, "failures: 2", "failures: 1", 1), tt.plan)
			if v == nil || v.Property != tt.property {
				t.Errorf("%d failures, violation %+v, want of %s", out.Failures, v, tt.property)
			}
		})
	}
}

// TestLeaves: a node that is taken out stops with what runs on it, of its own accord: that is no
// failure, and what ran there goes on elsewhere.
func TestLeaves(t *testing.T) {
	text := strings.Replace(example("radic-rbml", pair, "options: nodes=3 spares=1 leaves=1"),
		"failures: 2", "failures: 0", 1)
	out, v := run(t, text, plan.Plan{})
	if v != nil {
		t.Errorf("%s: %s", v.Property, v.Message)
	}
	if len(out.Crashes) != 1 || !out.Crashes[0].Exit || !slices.Contains(out.Crashes[0].Procs, 0) ||
		out.Failures != 0 || slices.Contains(out.Done, false) {
		t.Errorf("crashes %+v, %d failures, done %v, want the exit of N1 with a", out.Crashes,
			out.Failures, out.Done)
	}
}

// TestRollback: a rank that restarts itself from its stable storage is a new incarnation of the
// same process, and ends as without.
func TestRollback(t *testing.T) {
	for _, protocol := range []string{"rbml", "sbml"}[:effort.Of(1, 2)] {
		t.Run(protocol, func(t *testing.T) {
			text := strings.Replace(example(protocol, ring), "failures: 2", "failures: 1", 1)
			calm, v := run(t, text, plan.Plan{})
			if v != nil {
				t.Fatalf("without a rollback: %s: %s", v.Property, v.Message)
			}
			c, r := config(t, titled("b rolls back, and may", text), plan.Plan{})
			started := 0
			c.Started = func(core.Proc, int) { started++ }
			out, v := judged(t, c, r)
			if v != nil {
				t.Errorf("%s: %s", v.Property, v.Message)
			}
			if count(out, trace.Crashed) != 1 || count(out, trace.Restored) != 1 ||
				started != len(c.Setup.Layout.Names) {
				t.Errorf("%d crashes, %d restarts, %d processes, want one rollback in its process",
					count(out, trace.Crashed), count(out, trace.Restored), started)
			}
			if !slices.Equal(out.Digests, calm.Digests) {
				t.Errorf("digests %x, without a rollback %x", out.Digests, calm.Digests)
			}
			if list := out.Recoveries(); len(list) != 1 || list[0].Rank != 1 ||
				list[0].Incarnation != 1 || list[0].CaughtUp == 0 {
				t.Errorf("recoveries %+v, want that of b", list)
			}
		})
	}
}

// TestStopped: a node that is stopped and goes on is suspected, given up and told so; what ran
// there runs elsewhere. A rank of HydEE that is stopped makes the recovery process ask, no more.
// Either ends as without.
func TestStopped(t *testing.T) {
	tests := []struct {
		name, text string
		stopped    core.Proc
		want       int  // suspicions
		far        bool // behind a launcher
	}{
		{"a node that is given up", example("radic-hmpl", pair,
			"options: nodes=4 spares=1 zombies=yes", "suspicions: 2", "victims: N1"), 4, 2, false},
		{"a node that is asked", example("radic-rbml", pair, "options: nodes=4 spares=1",
			"suspicions: 1", "victims: N1"), 4, 1, false},
		{"a rank", example("hydee", ring, "suspicions: 1"), 0, 1, false},
		{"a rank of another host", example("hydee", ring, "suspicions: 1"), 0, 1, true},
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if i != 1 {
				effort.Seconds(t)
			}
			text := strings.Replace(tt.text, "failures: 2", "failures: 0", 1)
			calm, v := run(t, text, plan.Plan{})
			if v != nil {
				t.Fatalf("without a stop: %s: %s", v.Property, v.Message)
			}
			c, r := config(t, text, plan.Plan{})
			if tt.far {
				c.Hosts = []cluster.Host{{Address: "127.0.0.2",
					Launcher: []string{"/usr/bin/env", c.Path}}}
			}
			c.Stops = []cluster.Stop{{Proc: tt.stopped, By: 0, After: 2,
				For: 20 * time.Millisecond}}
			out, v := judged(t, c, r)
			if v != nil {
				t.Errorf("%s: %s", v.Property, v.Message)
			}
			if !slices.Equal(out.Digests, calm.Digests) || slices.Contains(out.Done, false) {
				t.Errorf("digests %x, done %v, without a stop %x", out.Digests, out.Done,
					calm.Digests)
			}
			if len(out.Stops) != 1 || out.Stops[0].Stopped < out.Stops[0].At ||
				out.Stops[0].WentOn < out.Stops[0].Stopped || len(out.Stops[0].Suspected) == 0 ||
				out.Suspicions > tt.want ||
				!slices.Contains(out.Stops[0].Procs, tt.stopped) || len(out.Crashes) > 0 {
				t.Errorf("stops %+v, %d suspicions, crashes %+v, want one of proc %d", out.Stops,
					out.Suspicions, out.Crashes, tt.stopped)
			}
		})
	}
}

// TestSilence: a process that somebody else stops is suspected when it gives no sign of life, and
// is back when it does. It is stopped when the life of another one begins, and goes on when the
// supervisor has noticed.
func TestSilence(t *testing.T) {
	effort.Seconds(t)
	text := strings.Replace(example("hydee", ring, "suspicions: 1"), "failures: 2", "failures: 1",
		1)
	c, r := config(t, text,
		plan.Plan{Failures: []plan.Failure{{Victims: []core.Proc{1}, By: 1, After: 2}}})
	processes := map[core.Proc]int{}
	c.Started = func(p core.Proc, process int) {
		if _, again := processes[p]; again {
			syscall.Kill(processes[0], syscall.SIGSTOP)
		}
		processes[p] = process
	}
	c.Silence = time.Second
	c.Note = func(text string) {
		if strings.HasPrefix(text, "a has been silent") {
			syscall.Kill(processes[0], syscall.SIGCONT)
		}
	}
	out, v := judged(t, c, r)
	if v != nil {
		t.Errorf("%s: %s", v.Property, v.Message)
	}
	if i := slices.IndexFunc(out.Stops, func(s cluster.Suspension) bool {
		return slices.Contains(s.Procs, 0)
	}); i < 0 || !out.Stops[i].Outside || out.Stops[i].WentOn == 0 ||
		slices.Contains(out.Done, false) {
		t.Errorf("stops %+v, done %v, want that of a from outside", out.Stops, out.Done)
	}
}

// TestServices runs what is no recovery protocol, over a network in which ignored messages stay: it
// decides, and the judge agrees.
func TestServices(t *testing.T) {
	for _, tt := range []struct{ protocol, keys string }{
		{"paxos", "roles: servers 3, clients 2\nnetwork: unordered\nignored: kept\n"},
		{"two-phase", "roles: resources 3\nnetwork: set\n"},
	} {
		out, v := run(t, "A test\n-- scenario --\nprotocol: "+tt.protocol+"\n"+tt.keys, plan.Plan{})
		if v != nil {
			t.Errorf("%s: %s: %s", tt.protocol, v.Property, v.Message)
		}
		if count(out, trace.Decided) == 0 {
			t.Errorf("%s: nothing is decided", tt.protocol)
		}
	}
}

// TestScenarios: every scenario that is expected to hold can be run as processes, but for those in
// which the network keeps what is on its way to the dead, or all that they have sent.
func TestScenarios(t *testing.T) {
	list, err := scenarios.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	var refused []string
	for _, s := range list {
		if s.Expect != "holds" {
			continue
		}
		r, err := verify.Resolve(all.Protocols(), s)
		if err != nil {
			t.Fatal(err)
		}
		c := cluster.Config{Setup: r.Setup, Model: r.Model, Dir: "-", Path: "-"}
		if err := c.Validate(); err == nil {
			continue
		} else if !errors.Is(err, cluster.ErrModel) {
			t.Errorf("%s: %v", s.Name, err)
		}
		refused = append(refused, s.Name)
	}
	want := []string{"causal-kept", "causal-twice", "coordinated-notice", "coordinated-undone",
		"h23-kept", "h7-order", "hmpl-former-put",
		"kept-three-rp", "koo-toueg-undone",
		"m25", "m60-rbml", "m60", "manetho-kept", "manetho-mn13",
		"ping-kept-three", "race3-kept",
		"rbml-former-put", "s1-kept-two", "s1-kept"}
	if !slices.Equal(refused, want) {
		t.Errorf("refused are %v, want %v", refused, want)
	}
}
