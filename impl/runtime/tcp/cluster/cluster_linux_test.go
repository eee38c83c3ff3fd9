package cluster_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/impl/protocol/all"

	"go.uber.org/goleak"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/soak"
	"github.com/domino-check/domino/checker/world"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/impl/runtime/plan"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// asChild, in the environment, makes the test's program one process of a run, or the supervisor of
// one.
const asChild = "DOMINO_CLUSTER_TEST"

func TestMain(m *testing.M) {
	switch os.Getenv(asChild) {
	case "":
		// for the children, which inherit it
		os.Setenv(asChild, "live")
		// a child that was built with -race would sleep for a second when it ends
		os.Setenv("GORACE", "atexit_sleep_ms=0 "+os.Getenv("GORACE"))
		goleak.VerifyTestMain(m)
	case "host":
		beHost(os.Args[1])
	case "launcher":
		os.Exit(beLauncher(os.Args[1]))
	case "relay":
		os.Exit(beRelay())
	case "limited":
		os.Setenv(asChild, "live")
		runLimited(os.Args[1:])
	case "supervisor":
		os.Setenv(asChild, "live")
		supervise(os.Args[1])
	default:
		if err := limitFiles(); err != nil {
			os.Exit(5)
		}
		if cluster.Live(os.Stdin, os.Stdout, func(text json.RawMessage) (*core.Setup, error) {
			if s, ok := toySetup(text); ok {
				return s, nil
			}
			r, err := resolve(text)
			if err != nil {
				return nil, err
			}
			if strings.Contains(string(text), hanging) {
				hang(r.Setup)
			}
			return r.Setup, nil
		}, func() { os.Exit(3) }) != nil {
			os.Exit(4)
		}
	}
}

// hanging, in the text of a scenario, makes its proc 1 hang in its first message.
const hanging = "A run that hangs"

// hang replaces proc 1.
func hang(s *core.Setup) {
	make := s.New
	s.New = func(p core.Proc) core.Machine {
		m := make(p)
		if p == 1 {
			return stuck{m.(*program.Host)}
		}
		return m
	}
}

// stuck is a machine whose first message takes for ever.
type stuck struct{ *program.Host }

func (s stuck) Step(in core.Input, out []core.Effect) []core.Effect {
	for in.Kind == core.Received {
	}
	return s.Host.Step(in, out)
}

// resolve makes the code of a scenario that travels as text.
func resolve(text json.RawMessage) (*verify.Resolved, error) {
	var file string
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, err
	}
	s, err := scenarios.Parse("test.txtar", []byte(file))
	if err != nil {
		return nil, err
	}
	r, err := verify.Resolve(all.Protocols(), s)
	if err == nil {
		alter(s.Title, r.Setup)
	}
	return r, err
}

// example is a small scenario for a protocol.
func example(protocol, program string, more ...string) string {
	return "A test\n-- scenario --\nprotocol: " + protocol + "\nfailures: 2\n" +
		strings.Join(more, "\n") + "\n-- program --\n" + program
}

const ring = "a: send b; recv c; send b; recv c; output\nb: recv a; send c; checkpoint; recv a; " +
	"send c\nc: recv b; send a; recv b; send a\n"

// config is a run of a scenario.
func config(t testing.TB, text string, plan plan.Plan) (cluster.Config, *verify.Resolved) {
	encoded, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	r, err := resolve(encoded)
	if err != nil {
		t.Fatal(err)
	}
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return cluster.Config{Setup: r.Setup, Case: text, Model: r.Model, Plan: plan, Dir: t.TempDir(),
		Path: path, Spread: time.Millisecond, Timeout: 20 * time.Second}, r
}

// run makes a run and judges it.
func run(t *testing.T, text string, plan plan.Plan) (*cluster.Result, *spec.Violation) {
	t.Helper()
	c, r := config(t, text, plan)
	return judged(t, c, r)
}

// judged makes the run of a configuration and judges it.
func judged(t *testing.T, c cluster.Config, r *verify.Resolved) (*cluster.Result,
	*spec.Violation) {
	t.Helper()
	w, reason, err := world.Open(t.Context(),
		world.Case{Setup: r.Setup, Baseline: r.Baseline, Model: r.Model}, checker.Options{})
	if err != nil || reason != "" {
		t.Fatal(err, reason)
	}
	out, err := cluster.Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if !out.Complete {
		t.Fatalf("the run is not complete: %s %s", out.Bound, out.Panic)
	}
	if broken := out.Processes.Judge(); broken != nil {
		return out, broken
	}
	return out, judge(t, w.Facts, out)
}

// TestKills kills processes of each protocol at every few effects of the victim: the judge finds
// nothing, the digests are those without failures. A plan that never strikes would prove nothing,
// so the first must.
func TestKills(t *testing.T) {
	tests := []struct {
		name, text string
		victims    []core.Proc
		by         core.Proc
		effects    []int
	}{
		{"hydee, a cluster", example("hydee", ring, "clusters: a b | c"), []core.Proc{0}, 0,
			[]int{1, 4}},
		{"hydee, two clusters at once", example("hydee", ring, "at-once: 2"), []core.Proc{1, 2}, 1,
			[]int{2}},
		{"hydee, recovery process", example("hydee", ring), []core.Proc{3}, 0, []int{2}},
		{"causal", example("causal", strings.ReplaceAll(ring, "checkpoint; ", ""), "tolerates: 2"),
			[]core.Proc{1}, 1, []int{1, 3}},
		{"receiver-based", example("rbml", ring, "failures: 1"), []core.Proc{1}, 1, []int{3}},
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if i > 0 {
				effort.Seconds(t)
			}
			tt.text = strings.Replace(tt.text, "failures: 2\nfailures: 1", "failures: 1", 1)
			calm, v := run(t, tt.text, plan.Plan{})
			if v != nil {
				t.Fatalf("without failures: %s: %s", v.Property, v.Message)
			}
			for i, after := range tt.effects[:effort.Of(1, len(tt.effects))] {
				out, v := run(t, tt.text, plan.Plan{
					Failures: []plan.Failure{{Victims: tt.victims, By: tt.by, After: after}}})
				if v != nil {
					t.Errorf("killed after %d effects: %s: %s", after, v.Property, v.Message)
				}
				if out.Failures == 0 && i == 0 {
					t.Errorf("nobody was killed after %d effects", after)
				}
				if !slices.Equal(out.Digests, calm.Digests) {
					t.Errorf("killed after %d effects: digests %x, without failures %x", after,
						out.Digests, calm.Digests)
				}
			}
		})
	}
}

// TestJudged: without a protocol, the run with a failure is wrong, and the evidence shows it: the
// tests above can fail.
// judge is the first violation of the trace.
func judge(t *testing.T, f *spec.Facts, out *cluster.Result) *spec.Violation {
	t.Helper()
	j, err := soak.NewJudge(f)
	if err != nil {
		t.Fatal(err)
	}
	v, err := j.Trace(&out.Trace, out.Complete)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestJudged(t *testing.T) {
	c, _ := config(t, example("none", ring), plan.Plan{
		Failures: []plan.Failure{{Victims: []core.Proc{1}, By: 1, After: 1}}})
	out, err := cluster.Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	v := judge(t, &spec.Facts{Layout: &c.Setup.Layout, Failures: true,
		Promises: promise.Promises{RollsBack: promise.All}}, out)
	// what shows first, a message received twice or one never sent again, depends on how far the
	// others were
	if out.Failures != 1 || v == nil {
		t.Errorf("%d failures, complete %t, no violation", out.Failures, out.Complete)
	}
}

// TestOrder: the merged trace agrees with causality: nothing arrives before it was emitted, on no
// channel more than was; and the steps of a proc are in its order.
func TestOrder(t *testing.T) {
	out, _ := run(t, example("hydee", ring), plan.Plan{
		Failures: []plan.Failure{{Victims: []core.Proc{1}, By: 1, After: 3}}})
	onWay := map[string]int{}
	crashed := 0
	if len(out.Trace.At) != len(out.Trace.Events) || slices.Max(out.Trace.At) <= 0 {
		t.Errorf("%d events, at %v", len(out.Trace.Events), out.Trace.At)
	}
	for _, e := range out.Trace.Events {
		switch e.Kind {
		case trace.Emitted:
			onWay[fmt.Sprint(e.Proc, e.Peer, e.Text, e.ID, e.Stamp)]++
		case trace.Arrived:
			key := fmt.Sprint(e.Peer, e.Proc, e.Text, e.ID, e.Stamp)
			if onWay[key]--; onWay[key] < 0 {
				t.Errorf("%s arrived before it was emitted", key)
			}
		case trace.Crashed:
			crashed++
		case trace.Told:
			if crashed == 0 {
				t.Error("a failure is told of before it happens")
			}
		}
	}
	if crashed != 1 {
		t.Errorf("%d crashes in the trace, want 1", crashed)
	}
	if list := out.Recoveries(); len(list) != 1 || list[0].CaughtUp < list[0].Restored ||
		list[0].Restored < list[0].Stopped {
		t.Errorf("recoveries %+v, want one that ends", list)
	}
}

// TestRefused: what can not be run is said, and nothing is started.
func TestRefused(t *testing.T) {
	good := example("hydee", ring)
	file := t.TempDir() + "/file"
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, text string
		change     func(*cluster.Config)
		want       string
	}{
		{"files of another run", good, func(c *cluster.Config) {
			c.Dir = strings.TrimSuffix(file, "/file")
		}, "has files already"},
		{"folder that can not be", good, func(c *cluster.Config) {
			c.Dir = file + "/x"
		}, "not a directory"},
		{"address of somebody else", good, func(c *cluster.Config) {
			c.Address = "192.0.2.1:0"
		}, "listen"},
		{"model of a set", strings.Replace(good, "failures", "network: set\nfailures", 1), nil,
			"do not keep this model"},
		{"messages to the dead", strings.Replace(good, "failures", "to-dead: kept\nfailures", 1),
			nil, "do not keep this model"},
		{"stop that nobody notices", strings.Replace(example("rbml", ring), "failures",
			"suspicions: 1\nfailures", 1), func(c *cluster.Config) {
			c.Stops = []cluster.Stop{{}}
		},
			"nobody suspects anybody"},
		{"stop without a budget", good, func(c *cluster.Config) {
			c.Stops = []cluster.Stop{{}}
		}, "none is allowed"},
		{"stop of nobody", good, func(c *cluster.Config) {
			c.Stops = []cluster.Stop{{Proc: 99}}
		}, "makes no sense"},
		{"silence of no length", good, func(c *cluster.Config) {
			c.Silence = time.Millisecond
		}, "means nothing"},
		{"delays longer than a number", good, func(c *cluster.Config) {
			c.Spread = math.MaxInt64
		}, "spread of notices and restarts is 2562047h47m16.854775807s, want 0 to"},
		{"negative delays", good, func(c *cluster.Config) { c.Spread = -1 }, "want 0 to"},
		{"negative delays of disks", good, func(c *cluster.Config) { c.DiskDelay = -1 },
			"delay of the disks"},
		{"negative time limit", good, func(c *cluster.Config) { c.Timeout = -1 }, "time limit"},
		{"failure before the beginning", good, func(c *cluster.Config) {
			c.Timed = []cluster.Timed{{At: -1, Victims: []core.Proc{0}}}
		}, "time of timed failure 1"},
		{"timed failure of nobody", good, func(c *cluster.Config) {
			c.Timed = []cluster.Timed{{}}
		}, "no victim"},
		{"failure of nobody", good, func(c *cluster.Config) {
			c.Reached = []cluster.Reached{{What: cluster.Date}}
		}, "no victim"},
		{"failure after less than nothing", good, func(c *cluster.Config) {
			c.Plan.Failures = []plan.Failure{{Victims: []core.Proc{0}, After: -1}}
		}, "after -1 effects"},
		{"failure that leaves what nobody knows", good, func(c *cluster.Config) {
			c.Plan.Failures = []plan.Failure{{Victims: []core.Proc{0}, Survive: 77}}
		}, "what survives is 77"},
		{"request after less than nothing", good, func(c *cluster.Config) {
			c.Plan.Requests = []plan.Request{{After: -1}}
		}, "after -1 effects"},
		{"negative reserve", good, func(c *cluster.Config) { c.Reserve = -1 }, "reserve"},
		{"host that means every host", good, func(c *cluster.Config) {
			c.Hosts = []cluster.Host{{Address: "node1"}, {Address: "0.0.0.0"}}
			c.Address = "10.0.0.1:0"
		}, "host 2: 0.0.0.0 is no address at which other hosts reach it"},
		{"host that only itself reaches", good, func(c *cluster.Config) {
			c.Hosts = []cluster.Host{{Address: "node1"}, {Address: "localhost"}}
			c.Address = "10.0.0.1:0"
		}, "host 2: localhost is no address at which other hosts reach it"},
		{"program that is none", good, func(c *cluster.Config) {
			c.Path = file
		}, "permission denied"},
		{"case of nobody", good, func(c *cluster.Config) { c.Case = "nothing" }, "no section"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, _ := config(t, tt.text, plan.Plan{})
			if tt.change != nil {
				tt.change(&c)
			}
			if _, err := cluster.Run(t.Context(), c); err == nil ||
				!strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}
