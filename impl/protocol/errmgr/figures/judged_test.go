package figures

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/soak"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/errmgr"
	"github.com/domino-check/domino/impl/protocol/none"
	"github.com/domino-check/domino/impl/runtime/emulate"
	"github.com/domino-check/domino/scenarios"
)

// judged are jobs whose emulated runs are judged: options and policies.
var judged = []string{
	two + "store=central",
	two + "store=stage flow=1 cache=2 codec=none",
	two + "store=stage flow=1 cache=off codec=s2",
	two + "store=peers copies=2",
	two + "store=stage restart=inplace",
	"policies: light(1) autor abort\noptions: nodes=3 spares=2 store=stage",
	moves + "predictions=1 path=direct",
	moves + "predictions=1 path=store",
	two + "store=stage heads=3",
	two + "store=stage outputs=held",
	two + "store=stage reports=peers",
	"policies: crmig abort\nclusters: a c | b\noptions: nodes=2 spares=2 store=stage " +
		"predictions=2 outputs=held",
}

// Two nodes with ranks, and two spares; and the same where ranks move.
const (
	two   = "policies: autor abort\nclusters: a c | b\noptions: nodes=2 spares=2 "
	moves = "policies: crmig autor abort\nclusters: a c | b\n" +
		"options: nodes=2 spares=2 store=stage "
)

// threeRanks pass messages round, twice.
const threeRanks = "-- program --\n" +
	"a: send b; recv c; send b; recv c; output\n" +
	"b: recv a; send c; recv a; send c; output\n" +
	"c: recv b; send a; recv b; send a; output\n"

// Aim: emulated runs of every configuration, with up to two failures of ranks and nodes, snapshots
// and predictions at random moments, are well judged: time does not make a run that is none of the
// model's.
func TestJudged(t *testing.T) {
	runs := 20
	if effort.Long() {
		runs = 120
	}
	for i, text := range judged {
		s, err := scenarios.Parse("judged.txtar", []byte(
			"Judged\n\n-- scenario --\nprotocol: errmgr\n"+text+
				"\nfailures: 2\ncheckpoints: 3\n"+threeRanks))
		if err != nil {
			t.Fatal(err)
		}
		r, err := verify.Resolve(protocol.List{none.Protocol, errmgr.Protocol}, s)
		if err != nil {
			t.Fatal(err)
		}
		w, _, err := world.Open(t.Context(),
			world.Case{Setup: r.Setup, Baseline: r.Baseline, Model: r.Model}, checker.Options{})
		if err != nil {
			t.Fatal(err)
		}
		judge, err := soak.NewJudge(w.Facts)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(runs) {
			result, story := draw(t, r, rand.New(rand.NewPCG(seed, uint64(i))))
			broken, err := judge.Trace(&result.Trace, result.Bound == "")
			if err != nil || broken != nil {
				t.Errorf("%s\nseed %d: %v %+v\n%s", text, seed, err, broken, story)
				break
			}
		}
		if seen := judge.Seen(); !slices.Contains(seen, "recovers") ||
			!slices.Contains(seen, "commits") {
			t.Errorf("%s\nthe runs show no more than %s", text, seen)
		}
	}
}

// draw is one run with failures, snapshots and a prediction at random moments.
func draw(t *testing.T, r *verify.Resolved, rng *rand.Rand) (*emulate.Result, []string) {
	t.Helper()
	l := &r.Setup.Layout
	// everything takes about as long as everything else, so that all orders come up
	long := func() time.Duration { return time.Duration(1+rng.IntN(1000)) * micro }
	costs := emulate.Costs{Step: long() / 50, Operation: long(), Launch: long(), Stop: long() / 4,
		Detect: long(), Restart: long(), Tick: milli,
		Between: emulate.Link{Latency: long() / 4, Rate: 1 << 20, Chunk: 1 << 10},
		Disk:    emulate.Disk{Write: 1 << 20, Read: 1 << 20, File: long() / 2}}
	var list []core.Proc // who may fail
	for p := range l.Names {
		if r.Model.Victims == nil || slices.Contains(r.Model.Victims, core.Proc(p)) {
			list = append(list, core.Proc(p))
		}
	}
	predict := rng.IntN(3) > 0
	run, err := emulate.New(r.Setup, emulate.Config{Costs: costs, Keep: true, Steps: 100_000,
		Choose: func(e *emulate.Run, p core.Proc, choices []core.Choice) (core.Choice, bool) {
			if int(p) < l.Ranks {
				return choices[0], true
			}
			return choices[rng.IntN(len(choices))], predict && e.Now() > 0
		}})
	if err != nil {
		t.Fatal(err)
	}
	var story []string
	say := func(format string, args ...any) {
		story = append(story, fmt.Sprintf("%v ", run.Now())+fmt.Sprintf(format, args...))
	}
	for range 3 {
		run.After(10*long(), func() {
			say("snapshot")
			run.Request(r.Setup.Initiators[0])
		})
	}
	for range 2 {
		p, far := list[rng.IntN(len(list))], time.Duration(1+rng.IntN(30))
		run.After(far*long(), func() {
			say("crash of %s", l.Name(p))
			run.Crash(p)
		})
	}
	for p := l.Ranks; p < len(l.Names); p++ {
		run.After(10*long(), func() { run.Wake(core.Proc(p)) })
	}
	result, err := run.Run()
	if err != nil {
		t.Fatalf("%v\n%s", err, story)
	}
	return result, story
}
