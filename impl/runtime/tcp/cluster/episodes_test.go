package cluster_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
	"github.com/domino-check/domino/spec/trace"
)

// TestEpisodes compares with steps worked out by hand: one episode with all of them, one that is
// overtaken before a snapshot is selected, and one of a policy that neither fences nor selects. An
// order of a daemon is no failure. A selection ends when it is stable; what another replica of the
// head says later is no news.
func TestEpisodes(t *testing.T) {
	const ms = time.Millisecond
	r := &cluster.Result{Crashes: []cluster.Crash{{Procs: []core.Proc{1, 0}, At: 10 * ms},
		{Procs: []core.Proc{1}, At: 12 * ms, Ordered: true}, {Procs: []core.Proc{2}, At: 70 * ms},
		{Procs: []core.Proc{3}, At: 80 * ms}}}
	event := func(at int, kind trace.Kind, text string, episode uint64, peer trace.Proc) {
		r.Trace.Events = append(r.Trace.Events, trace.Event{Kind: kind, Text: text, Peer: peer,
			Stamp: trace.Stamp{Round: episode}})
		r.Trace.At = append(r.Trace.At, int64(at)*int64(ms))
	}
	event(5, trace.Snapped, "established", 0, 9)
	event(13, trace.Ruled, "opened", 1, 1)
	event(14, trace.Ruled, "opened", 1, 0)
	event(20, trace.Ruled, "stabilised", 1, 9)
	event(21, trace.Ruled, "claimed autor", 1, 9)
	event(22, trace.Snapped, "selected", 1, 9)
	event(24, trace.Stored, "file", 0, 0)
	r.Trace.Events[len(r.Trace.Events)-1].Proc = 5 // somebody else
	event(25, trace.Stored, "ruling", 0, 0)
	event(30, trace.Ruled, "fenced", 1, 9)
	event(40, trace.Snapped, "restored", 1, 0)
	event(45, trace.Snapped, "restored", 1, 1)
	event(50, trace.Ruled, "resumed", 1, 9)
	replica := func(at int, text string, episode uint64, peer trace.Proc) {
		event(at, trace.Ruled, text, episode, peer)
		r.Trace.Events[len(r.Trace.Events)-1].Proc = 7
	}
	replica(51, "opened", 1, 1)
	replica(52, "opened", 1, 0)
	replica(53, "resumed", 1, 9)
	event(71, trace.Ruled, "opened", 2, 2)
	event(75, trace.Ruled, "stabilised", 2, 9)
	event(82, trace.Ruled, "opened", 3, 3)
	event(85, trace.Ruled, "claimed sustain", 3, 9)
	event(90, trace.Ruled, "resumed", 3, 9)
	want := []cluster.Episode{
		{Number: 1, Failed: []core.Proc{1, 0}, Owner: "autor", At: 10 * ms, Resumed: true,
			Restored: 2, Steps: [cluster.Steps]time.Duration{3 * ms, 7 * ms, 5 * ms, 5 * ms,
				15 * ms, 5 * ms}},
		{Number: 2, Failed: []core.Proc{2}, At: 70 * ms,
			Steps: [cluster.Steps]time.Duration{1 * ms, 4 * ms}},
		{Number: 3, Failed: []core.Proc{3}, Owner: "sustain", At: 80 * ms, Resumed: true,
			Steps: [cluster.Steps]time.Duration{2 * ms, 0, 0, 0, 0, 8 * ms}},
	}
	got := r.Episodes()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("episodes (-want +got):\n%s", diff)
	}
	if took := got[0].Took(); took != 40*ms {
		t.Errorf("the first took %v, want 40ms", took)
	}
}
