package cluster_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/verify"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/plan"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
	"github.com/domino-check/domino/spec/trace"
)

// reach makes a run of a text with failures at progress, as run does with a plan.
func reach(t *testing.T, text string, list ...cluster.Reached) *cluster.Result {
	t.Helper()
	c, r := config(t, text, plan.Plan{})
	c.Reached = list
	return right(t, &c, r)
}

// right makes a run, which must be complete and right.
func right(t *testing.T, c *cluster.Config, r *verify.Resolved) *cluster.Result {
	t.Helper()
	out, v := judged(t, *c, r)
	if v != nil {
		t.Fatalf("%+v", v)
	}
	return out
}

// looping is a program in which a and b exchange a message in each of four iterations, after one
// exchange before the loop.
const looping = "a: send b; recv b; loop 4; send b; recv b; end\nb: recv a; send a; loop 4; recv " +
	"a; send a; end\n"

// TestReached kills a at an iteration, a date and a phase, and counts in the trace what it had done
// when it stopped: iteration 3 begins after 3 sends and 3 deliveries; the date is their sum; a
// message of the phase was the last to leave. All must have struck, once, and end as without
// failures.
func TestReached(t *testing.T) {
	text := example("hydee", looping)
	calm := reach(t, text)
	tests := []struct {
		what           cluster.Measure
		number         uint64
		sent, received uint32
	}{
		{cluster.Iteration, 1, 1, 1}, {cluster.Iteration, 3, 3, 3}, {cluster.Date, 3, 2, 1},
		{cluster.Date, 6, 3, 3}, {cluster.Phase, 3, 2, 1},
	}
	for i, tt := range tests {
		if i != 1 && i != 4 && !effort.Long() {
			t.Logf("%s %d: %s", tt.what, tt.number, effort.More)
			continue
		}
		out := reach(t, text, cluster.Reached{Victims: []core.Proc{0}, By: 0, What: tt.what,
			Number: tt.number})
		var h trace.History
		crashes, last := 0, trace.Stamp{}
		for _, e := range out.Trace.Events {
			switch {
			case e.Kind == trace.Crashed:
				if crashes++; crashes == 1 &&
					(h.Sent != tt.sent || len(h.Delivered) != int(tt.received)) {
					t.Errorf("%s %d: killed after %d sends and %d deliveries, want %d and %d",
						tt.what, tt.number, h.Sent, len(h.Delivered), tt.sent, tt.received)
				}
				if tt.what == cluster.Phase && last.Phase != tt.number {
					t.Errorf("killed when it had sent in phase %d, want %d", last.Phase, tt.number)
				}
			case crashes == 0 && e.Proc == 0:
				if h.Apply(e); e.Kind == trace.Emitted && !e.ID.IsZero() {
					last = e.Stamp
				}
				if e.Kind == trace.Emitted && !e.ID.IsZero() &&
					e.Stamp.Date != uint64(h.Sent)+uint64(len(h.Delivered)) {
					t.Errorf("a message of date %d after %d sends and %d deliveries", e.Stamp.Date,
						h.Sent, len(h.Delivered))
				}
			}
		}
		if crashes != 1 || out.Failures != 1 || !slices.Equal(out.Digests, calm.Digests) {
			t.Errorf("%s %d: %d crashes in the trace, %d failures, digests %x, want %x", tt.what,
				tt.number, crashes, out.Failures, out.Digests, calm.Digests)
		}
	}
}

// TestReachedInRecovery kills during the recovery from another failure: the recovery process and a
// survivor when the victim has begun its second life, and the victim itself after the first effect
// of that life; several at once, too.
func TestReachedInRecovery(t *testing.T) {
	text := example("hydee", ring, "at-once: 2")
	first := cluster.Reached{Victims: []core.Proc{1}, By: 1, What: cluster.Date, Number: 2}
	for _, victims := range [][]core.Proc{{0, 3}, {3}, {0}, {1}}[:effort.Of(1, 4)] {
		text := text
		if len(victims) > 1 {
			text = strings.Replace(text, "failures: 2", "failures: 3", 1)
		}
		out := reach(t, text, first, cluster.Reached{Victims: victims, By: 1, What: cluster.Renewed,
			Number: 1})
		if len(out.Crashes) != 2 || !slices.Equal(out.Crashes[1].Procs, victims) ||
			out.Unstruck > 0 {
			t.Fatalf("%v: crashes %+v", victims, out.Crashes)
		}
		restarted, struck := -1, -1
		for i, e := range out.Trace.Events {
			if e.Kind == trace.Restored && e.Proc == 1 && restarted < 0 {
				restarted = i
			}
			if e.Kind == trace.Crashed && e.Proc == victims[0] {
				struck = i
			}
		}
		if restarted < 0 || struck < restarted {
			t.Errorf("%v: killed at event %d, the other was restarted at %d", victims, struck,
				restarted)
		}
	}
}

// TestReachedErrors gives moments that never come.
func TestReachedErrors(t *testing.T) {
	tests := []struct {
		reached cluster.Reached
		want    string
	}{
		{cluster.Reached{By: 9}, "there are 4 procs"},
		{cluster.Reached{Victims: []core.Proc{4}}, "there are 4 procs"},
		{cluster.Reached{What: "mood"}, `"mood" is no measure`},
		{cluster.Reached{By: 3, What: cluster.Date}, "RP: it has no program"},
		{cluster.Reached{What: cluster.Iteration, Number: 1}, "its program has 0"},
	}
	for _, tt := range tests {
		c, _ := config(t, example("hydee", ring), plan.Plan{})
		c.Reached = []cluster.Reached{tt.reached}
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want %q", tt.reached, err, tt.want)
		}
	}
	c, _ := config(t, example("none", ring), plan.Plan{})
	c.Reached = []cluster.Reached{{What: cluster.Phase}}
	if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "has no phases") {
		t.Errorf("phases of no protocol: %v", err)
	}
}

// TestSlowDisk: the writes of a run with slow disks take their time, one after the other, and
// nothing else changes.
func TestSlowDisk(t *testing.T) {
	text := example("hydee", "a: checkpoint; send b; checkpoint; send b\nb: recv a; recv a\n")
	c, _ := config(t, text, plan.Plan{})
	c.DiskDelay = 50 * time.Millisecond
	out, err := cluster.Run(t.Context(), c)
	if err != nil || !out.Complete {
		t.Fatal(err, out)
	}
	stored := 0
	for _, e := range out.Trace.Events {
		if e.Kind == trace.Stored && e.Proc == 0 {
			stored++
		}
	}
	if stored < 2 || out.Elapsed < time.Duration(stored)*c.DiskDelay {
		t.Errorf("%d writes of %v each in a run of %v", stored, c.DiskDelay, out.Elapsed)
	}
	c.DiskDelay = -1
	if err := c.Validate(); err == nil {
		t.Error("a negative delay is taken")
	}
}

// TestNothingSurvives: where nothing in flight from the dead arrives, what still comes when the
// failure is known is not heard. A receiver is kept busy by a slow disk while its sender sends
// three messages and is killed; the control, where a prefix survives, hears some of them with one
// of the seeds, which decide whether they leave the sender.
func TestNothingSurvives(t *testing.T) {
	effort.Seconds(t)
	text := example("hydee",
		"a: send b; recv b; send b; send b; send b; recv b\nb: recv a; send a; checkpoint; recv "+
			"a; recv a; recv a; send a\n", "from-dead: SURVIVAL")
	heard := func(survival string, seed uint64) (n int) {
		c, _ := config(t, strings.Replace(text, "SURVIVAL", survival, 1), plan.Plan{})
		c.Reached = []cluster.Reached{{Victims: []core.Proc{0}, By: 0, What: cluster.Date,
			Number: 5}}
		c.DiskDelay, c.Seed = 150*time.Millisecond, seed
		out, err := cluster.Run(t.Context(), c)
		if err != nil || !out.Complete || out.Failures != 1 {
			t.Fatal(err, out)
		}
		for _, e := range out.Trace.Events {
			if e.Proc == 0 && e.Kind == trace.Restored {
				return n
			}
			if e.Proc == 1 && e.Kind == trace.Arrived && !e.ID.IsZero() && e.ID.Number > 1 {
				n++
			}
		}
		return n
	}
	for seed := range uint64(8) {
		if heard("prefix", seed) == 0 {
			continue
		}
		if n := heard("nothing", seed); n > 0 {
			t.Errorf("seed %d: %d messages of the dead are heard", seed, n)
		}
		return
	}
	t.Error("no control has heard anything")
}
