package app

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/runtime/simulate"
	"github.com/domino-check/domino/impl/runtime/tcp/perf"
)

// counted is what a run of programs under a protocol has in modelled time and as processes.
type counted struct {
	Messages, Bytes, Logs, Logged uint64
	Digests                       []uint64
}

// Aim: what happens in modelled time is what happens between processes over TCP: the same messages,
// bytes and entries of logs, and the same digests, with one kill -9, too. Method: cluster perf and
// the simulator run the same cells; protocols with messages that depend on the order of events,
// as those whose acknowledgements may be late, are held to their digests alone.
func TestSimulateProcesses(t *testing.T) {
	effort.Seconds(t)
	t.Setenv("DOMINO_TEST_MAIN", "1") // the processes are this program
	t.Setenv("TMPDIR", t.TempDir())
	o := perfFlags{kernels: "heat n=16 iterations=6", protocols: "none,hydee", ranks: 4, rounds: 1,
		clusters: "2", seed: 1, kills: []string{"r1@50%"}, timeout: time.Minute}
	nine := o
	o.kernels += ",ring iterations=10,cg inner=2"
	o.protocols += ",rbml,hmpl,causal"
	likeProcesses(t, o, 9, 12)
	// with more of them, bytes of rbml follow arrivals: numbers have as many bytes as they need
	nine.ranks, nine.clusters = 9, "3"
	nine.kernels += ",ring iterations=10"
	likeProcesses(t, nine, 4, 2)
}

// likeProcesses compares runs, of which so many are compared by what they count, and so many have
// been killed.
func likeProcesses(t *testing.T, o perfFlags, counts, kills int) {
	t.Helper()
	const orderly = "none hydee rbml"
	std := streams{Catalogue: catalogue(), err: new(strings.Builder)}
	r := &perfRun{flags: &o, std: std, cases: map[[2]string]*clusterCase{}, dir: t.TempDir(),
		plan: perf.Plan{Rounds: 1, Seed: 1, Kills: true}}
	if err := r.choose(t.Context()); err != nil {
		t.Fatal(err)
	}
	samples, err := perf.Measure(t.Context(), &r.plan, r.run, func(perf.Sample) {})
	if err != nil {
		t.Fatal(err)
	}
	model, err := simulate.Shipped("myrinet")
	if err != nil {
		t.Fatal(err)
	}
	v := &validation{std: std, model: model}
	compared, killed := 0, 0
	for _, s := range samples {
		at := slices.IndexFunc(r.plan.Cells, func(c perf.Cell) bool {
			return c.Kernel == s.Kernel && c.Protocol == s.Protocol
		})
		study, err := v.study(&measuredFile{Plan: r.plan}, &r.plan.Cells[at])
		if err != nil {
			t.Fatal(err)
		}
		job := study.Job
		if job.Machine = model; s.Kind == perf.Failed { // restart and detection are of no account
			job.Failures = []simulate.Failure{{At: 1, Rank: 1}}
			killed++
		}
		out, err := job.Run()
		if err != nil {
			t.Fatal(err)
		}
		got := counted{Messages: uint64(out.Messages), Bytes: uint64(out.Bytes),
			Logs: uint64(out.Logs), Logged: uint64(out.Logged), Digests: out.Finals}
		want := counted{s.Messages, s.Bytes, s.Logs, s.Logged, s.Digests}
		if s.Bound != "" {
			t.Errorf("%s under %s: %s", s.Kernel, s.Protocol, s.Bound)
		}
		if s.Kind != perf.Bare || !strings.Contains(orderly, s.Protocol) {
			got, want = counted{Digests: got.Digests}, counted{Digests: want.Digests}
		} else {
			compared++
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s under %s, %s (-processes +simulated):\n%s", s.Kernel, s.Protocol, s.Kind,
				diff)
		}
	}
	if compared != counts || killed != kills {
		t.Errorf("%d ranks: %d runs were compared and %d were killed, want %d and %d", o.ranks,
			compared, killed, counts, kills)
	}
}
