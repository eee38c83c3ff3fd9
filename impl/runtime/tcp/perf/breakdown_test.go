package perf_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
	"github.com/domino-check/domino/impl/runtime/tcp/perf"
	"github.com/domino-check/domino/spec/trace"
)

// failed is a run of two ranks in which rank 0 reaches a line after one send and one delivery, is
// killed after two of each, restarts at the line and does all again.
func failed() *cluster.Result {
	r := &cluster.Result{Trace: trace.Trace{Layout: trace.Layout{Ranks: 2}}, Complete: true,
		Done: []bool{true, true}, Ended: []time.Duration{100 * ms, 90 * ms}}
	event := func(at int, e trace.Event) {
		r.Trace.Events = append(r.Trace.Events, e)
		r.Trace.At = append(r.Trace.At, int64(at)*int64(ms))
	}
	id := func(n int) trace.MsgID { return trace.MsgID{Number: uint32(n)} }
	event(5, trace.Event{Kind: trace.Sent, ID: id(1)})
	event(8, trace.Event{Kind: trace.Committed, Proc: 1}) // of the other
	event(10, trace.Event{Kind: trace.Delivered, ID: id(1)})
	event(14, trace.Event{Kind: trace.Committed, Sent: 1, Received: 1})
	event(20, trace.Event{Kind: trace.Sent, ID: id(2)})
	event(25, trace.Event{Kind: trace.Delivered, ID: id(2)})
	event(33, trace.Event{Kind: trace.Crashed})
	event(50, trace.Event{Kind: trace.Restored, Incarnation: 1, Sent: 1, Received: 1})
	event(60, trace.Event{Kind: trace.Delivered, Incarnation: 1, ID: id(2)})
	event(67, trace.Event{Kind: trace.Sent, Incarnation: 1, ID: id(2)})
	r.Crashes = []cluster.Crash{{Procs: []core.Proc{0}, At: 30 * ms, Reaped: 33 * ms,
		Agreed: 35 * ms, Told: []time.Duration{36 * ms}, Restarts: []time.Duration{48 * ms}}}
	r.Failures = 1
	return r
}

func text(stages []perf.Stage) string {
	var words []string
	for _, s := range stages {
		words = append(words, fmt.Sprintf("%s %d", s.Name, s.Time/ms))
	}
	return strings.Join(words, ", ")
}

// TestBreakdown compares with stages worked out by hand, the last with a second failure that
// strikes before the rank has caught up.
func TestBreakdown(t *testing.T) {
	r := failed()
	want := "before checkpoint 10, checkpoint 4, to failure 16, detection 3, agreement 2, " +
		"restart 13, restore 2, replay 10, catch-up 7, to the end 33"
	if got := text(perf.Breakdown(r)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	r.Crashes = append(r.Crashes, cluster.Crash{Procs: []core.Proc{1}, At: 55 * ms, Reaped: 58 * ms,
		Agreed: 70 * ms})
	want = "before checkpoint 10, checkpoint 4, to failure 16, detection 6, agreement 14, " +
		"restart 13, restore 2, replay 5, catch-up 0, to the end 30"
	if got := text(perf.Breakdown(r)); got != want {
		t.Errorf("two failures: got  %s\nwant %s", got, want)
	}
	r.Crashes = nil
	if got := perf.Breakdown(r); got != nil {
		t.Errorf("no failure: %v", got)
	}
	r = failed()
	r.Trace.Events, r.Trace.At = nil, nil
	want = "before checkpoint 0, checkpoint 0, to failure 30, detection 3, agreement 2, restart " +
		"13, restore 0, replay 0, catch-up 0, to the end 52"
	if got := text(perf.Breakdown(r)); got != want {
		t.Errorf("nothing is known: got  %s\nwant %s", got, want)
	}
}

// TestBreakdownAddsUp draws the times of failures at random, in any order: no stage is negative,
// and they add up to the time of the run.
func TestBreakdownAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := failed()
		at := func(name string) time.Duration {
			return time.Duration(rapid.IntRange(0, 120).Draw(t, name)) * ms
		}
		for i := range r.Trace.At {
			r.Trace.At[i] = int64(at("wall"))
		}
		r.Crashes = nil
		for range rapid.IntRange(1, 3).Draw(t, "failures") {
			c := cluster.Crash{Procs: []core.Proc{
				core.Proc(rapid.IntRange(0, 1).Draw(t, "victim"))}, At: at("at"),
				Reaped: at("reaped"), Agreed: at("agreed")}
			for range rapid.IntRange(0, 2).Draw(t, "restarts") {
				c.Restarts = append(c.Restarts, at("restart"))
			}
			r.Crashes = append(r.Crashes, c)
		}
		sum := time.Duration(0)
		for _, s := range perf.Breakdown(r) {
			if s.Time < 0 {
				t.Errorf("stage %s takes %v", s.Name, s.Time)
			}
			sum += s.Time
		}
		if sum != 100*ms {
			t.Errorf("the stages add up to %v of 100 ms: %s", sum, text(perf.Breakdown(r)))
		}
	})
}

// TestRecoveries takes the run of median length, so that its stages add up, and leaves out runs in
// which nothing struck.
func TestRecoveries(t *testing.T) {
	p := plan()
	run := func(kind perf.Kind, round int, time time.Duration, struck int) perf.Sample {
		s := sample("bt", "hydee", round, time)
		s.Kind, s.Struck, s.Stages = kind, struck, []perf.Stage{{Name: "all", Time: time}}
		return s
	}
	rows := perf.Recoveries(p, []perf.Sample{run(perf.Calm, 0, 100*ms, 0),
		run(perf.Failed, 0, 150*ms, 1), run(perf.Calm, 1, 50*ms, 0), run(perf.Failed, 1, 100*ms, 1),
		run(perf.Calm, 2, 100*ms, 0), run(perf.Failed, 2, 170*ms, 1), run(perf.Calm, 3, 100*ms, 0),
		run(perf.Failed, 3, 100*ms, 0), sample("bt", "none", 0, ms)})
	if len(rows) != 1 {
		t.Fatalf("rows %+v", rows)
	}
	r := rows[0]
	if r.Total != 150*ms || r.Stages[0].Time != r.Total || r.Calm != 100*ms || r.Overhead < 69.9 ||
		r.Overhead > 70.1 || r.Unstruck != 1 || r.Rounds != 3 || r.Wrong != "" {
		t.Errorf("row %+v", r)
	}
}
