//go:build unix

package judge_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/all"
	"github.com/domino-check/domino/impl/runtime/local"
	"github.com/domino-check/domino/impl/runtime/plan"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec/trace"
)

// graphOf is a recorded trace as a graph, made without package order: of ranks, what they send and
// receive on the pasts that they have. A cut and points are drawn.
func graphOf(t *testing.T, recorded *trace.Trace, r *rand.Rand) *run {
	t.Helper()
	d := &run{Rand: r, names: map[string]int{}, steady: true,
		lives: make([]trace.Incarnation, len(recorded.Layout.Names))}
	d.trace.Layout = recorded.Layout
	for range recorded.Layout.Ranks {
		d.tips, d.former = append(d.tips, -1), append(d.former, -2)
	}
	for _, e := range recorded.Events {
		p := int(e.Proc)
		d.lives[p] = e.Incarnation
		if p >= recorded.Layout.Ranks {
			d.add(e, -1)
			continue
		}
		switch e.Kind {
		case trace.Sent:
			d.sent = append(d.sent, d.do(p, e, nil))
		case trace.Delivered:
			d.do(p, e, d.source(e))
		case trace.Restored, trace.Resumed:
			d.steady = false
			tip := d.tips[p]
			if e.Kind == trace.Resumed && d.former[p] != -2 {
				tip = d.former[p]
			}
			d.former[p] = -2
			if e.Kind == trace.Restored {
				d.former[p] = tip
			}
			d.tips[p] = d.pointOf(t, tip, e)
			d.add(e, -1)
		default:
			d.add(e, -1)
		}
	}
	d.drawCut()
	return d
}

// pointOf is where on the past of a thing a rank stands that has gone back.
func (d *run) pointOf(t *testing.T, tip int, e trace.Event) int {
	t.Helper()
	for tip >= 0 && (d.things[tip].sent != e.Sent || d.things[tip].received != e.Received) {
		tip = d.things[tip].last
	}
	if tip < 0 && e.Sent+e.Received > 0 {
		t.Fatalf("%+v goes to a point that it has never been at", e)
	}
	return tip
}

// source is a driver that records traces of a scenario.
type source struct {
	name   string
	traces func(t *testing.T, name string, n int) []*trace.Trace
}

// opened is a scenario and its world.
func opened(t *testing.T, name string) (*verify.Resolved, *world.World) {
	t.Helper()
	files, err := filepath.Glob("../../scenarios/*/" + name + ".txtar")
	if err != nil || len(files) != 1 {
		t.Fatalf("%s: %v %v", name, files, err)
	}
	s, err := scenarios.Load(files[0])
	if err != nil {
		t.Fatal(err)
	}
	r, err := verify.Resolve(all.Protocols(), s)
	if err != nil {
		t.Fatal(err)
	}
	w, _, err := world.Open(t.Context(), r.Case, checker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r, w
}

// explored are random runs of the checker's world.
func explored(t *testing.T, name string, n int) (list []*trace.Trace) {
	t.Helper()
	_, w := opened(t, name)
	r := rand.New(rand.NewPCG(3, 4))
	for range n {
		state := make([]uint32, w.Words())
		w.Initial(state)
		var codes []uint64
		for x := checker.NewExpansion(w.Words()); len(codes) < 300; {
			w.Expand(state, checker.Unreduced, x)
			if len(x.Steps) == 0 {
				break
			}
			i := r.IntN(len(x.Steps))
			codes = append(codes, x.Steps[i].Code)
			if x.Steps[i].Violation != 0 {
				break
			}
			state = x.State(i, nil)
		}
		run, err := w.Follow(codes)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, &run.Trace)
	}
	return list
}

// executed are runs as goroutines, with a crash at any place.
func executed(t *testing.T, name string, n int) (list []*trace.Trace) {
	t.Helper()
	r, _ := opened(t, name)
	random := rand.New(rand.NewPCG(5, 6))
	for i := range n {
		c := local.Config{Model: r.Model, Seed: uint64(i)}
		v := random.IntN(r.Setup.Layout.Ranks)
		g := r.Setup.Group(core.Proc(v))
		if r.Model.Victims == nil || slices.Contains(r.Model.Victims, core.Proc(v)) {
			c.Plan = plan.Plan{Failures: []plan.Failure{{Victims: g[:1], By: core.Proc(v),
				After: random.IntN(6)}}}
		}
		got, err := local.Run(t.Context(), r.Setup, c)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, &got.Trace)
	}
	return list
}

// clustered are runs as processes of the operating system, one of which is killed.
func clustered(t *testing.T, name string, n int) (list []*trace.Trace) {
	t.Helper()
	if !effort.Long() {
		return nil
	}
	r, _ := opened(t, name)
	victim := core.Proc(0)
	if len(r.Model.Victims) > 0 {
		victim = r.Model.Victims[0]
	}
	for i := range min(n, 3) {
		dir := filepath.Join(t.TempDir(), "run")
		c := exec.CommandContext(t.Context(), command(t), "cluster", "run", name, "--kill",
			fmt.Sprintf("%s@%d", r.Setup.Layout.Name(victim), 1+2*i), "--dir", dir)
		out, problem := c.CombinedOutput() // there is one, too, where nothing has struck
		content, err := os.ReadFile(filepath.Join(dir, "run.json"))
		if err != nil {
			t.Fatalf("%v: %v, %v\n%s", c.Args, err, problem, out)
		}
		list = append(list, reported(t, content))
	}
	return list
}

// reported is the trace of a report.
func reported(t *testing.T, content []byte) *trace.Trace {
	t.Helper()
	var report struct {
		Layout trace.Layout
		Events []struct {
			trace.Event
			Digest string `json:"digest"` // hexadecimal, or nothing
		}
	}
	if err := json.Unmarshal(content, &report); err != nil {
		t.Fatal(err)
	}
	recorded := &trace.Trace{Layout: report.Layout}
	for _, e := range report.Events {
		if e.Digest != "" {
			digest, err := strconv.ParseUint(e.Digest, 16, 64)
			if err != nil {
				t.Fatal(err)
			}
			e.Event.Digest = digest
		}
		recorded.Events = append(recorded.Events, e.Event)
	}
	return recorded
}

// command is the command line tool.
func command(t *testing.T) string {
	t.Helper()
	if tool.path == "" && tool.err == nil {
		tool.path = filepath.Join(t.TempDir(), "domino")
		if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", tool.path,
			"../../cmd/domino").CombinedOutput(); err != nil {
			tool.err = fmt.Errorf("%w: %s", err, out)
		}
	}
	if tool.err != nil {
		t.Fatal(tool.err)
	}
	return tool.path
}

// tool is built by the one test that needs it.
var tool struct {
	path string
	err  error
}

// TestRecorded feeds the judge with what drivers have recorded.
func TestRecorded(t *testing.T) {
	judge := build(t, "judge")
	n := effort.Cases(10, 80)
	random := rand.New(rand.NewPCG(7, 8))
	for _, s := range []source{{"checker", explored}, {"goroutines", executed},
		{"processes", clustered}} {
		compared, back := 0, 0
		for _, name := range strings.Fields("h1 s1 causal-s4 ping epochs-second radic-rbml-lost " +
			"optimistic-orphan b10-unlogged") {
			var in []byte
			var want []string
			for _, recorded := range s.traces(t, name, n) {
				d := graphOf(t, recorded, random)
				in, want = d.line(in), append(want, string(d.said(nil)))
				if !d.steady {
					back++
				}
			}
			c := exec.CommandContext(t.Context(), judge)
			c.Stdin, c.Stderr = strings.NewReader(string(in)), os.Stderr
			out, err := c.Output()
			if err != nil {
				t.Fatal(err)
			}
			said := strings.SplitAfter(string(out), "\n")
			for i := range want {
				if compared++; said[i] != want[i] {
					t.Fatalf("%s, run %d of %s: package order says %sthe judge          %s", s.name,
						i+1, name, want[i], said[i])
				}
			}
		}
		t.Logf("%s: %d traces, %d with ranks that go back", s.name, compared, back)
		if back < compared/10 {
			t.Errorf("%s: ranks go back in only %d of %d traces", s.name, back, compared)
		}
	}
}
