package simulate_test

import (
	"encoding/json"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/kernels"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/all"
	"github.com/domino-check/domino/impl/runtime/simulate"
)

// chosen is a kernel under a protocol with options.
func chosen(t testing.TB, name, kernel, options string) *core.Setup {
	t.Helper()
	suite, err := kernels.Build(kernel)
	if err != nil {
		t.Fatal(err)
	}
	p, err := protocol.List(all.Protocols()).Find(name)
	if err != nil {
		t.Fatal(err)
	}
	s, _, err := simulate.Prepare(p, suite, protocol.Request{Options: options})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Aim: how long a rank is down under RADIC. Its protector hears the last sign of life of the node,
// of a multiple of 3 ms, 5.2 us later (4 us of latency and two overheads of 0.6 us); after 7 ms of
// silence it asks the node, and after 7 ms more gives it up. It finds a spare by a few trips of
// messages, which with their bytes and steps take less than 100 us in all, and the rank starts
// there 4 ms later. Without a period the last sign of life leaves at the failure, and without a
// watchdog it is the 2 ms of the detector.
func TestDetection(t *testing.T) {
	ms := func(name string, value float64) simulate.Parameter {
		return simulate.Parameter{Name: name, Value: value, Unit: "ms"}
	}
	for _, tt := range []struct {
		with []simulate.Parameter
		down time.Duration // without the trips
	}{{[]simulate.Parameter{ms("heartbeat", 3), ms("watchdog", 7)}, // at 20 ms, the last at 18 ms
		16 * time.Millisecond}, {[]simulate.Parameter{ms("watchdog", 7)}, 18 * time.Millisecond},
		{nil, 8 * time.Millisecond}} {
		m := scaled(t, 1)
		m.Parameters = append(m.Parameters, tt.with...)
		for _, name := range []string{"radic-rbml", "radic-hmpl", "radic-sbml"} {
			j := simulate.Job{Machine: m, Work: time.Millisecond, Anytime: true,
				Setup:    chosen(t, name, "heat ranks=6 n=24 iterations=30", "spares=1"),
				Failures: []simulate.Failure{{At: 20 * time.Millisecond, Rank: 2}}}
			calm := j
			calm.Failures = nil
			want, out := play(t, calm), play(t, j)
			if !slices.Equal(want.Finals, out.Finals) || len(out.Recoveries) != 1 {
				t.Fatalf("%s: other digests, or %+v", name, out.Recoveries)
			}
			r := out.Recoveries[0]
			trips := time.Duration(r.Down/1000) - tt.down
			if trips < 0 || trips > 100*time.Microsecond || r.Back != 1 ||
				r.Takes != r.Down+r.Restore+r.Again {
				t.Errorf("%s with %v: %+v, want down for %v and trips", name, tt.with, r, tt.down)
			}
		}
	}
}

// Aim: after failures of nodes at any part of the run every rank ends with the digest that it has
// without a protocol: of one node with two ranks, with a spare and without, of the spare that has
// taken its ranks over, while that happens and later, of two nodes apart; with heartbeats that are
// messages, too. It is the same bytes on one processor and on eight.
func TestNodesOfRADIC(t *testing.T) {
	const kernel = "heat ranks=8 n=32 iterations=40"
	list := []struct{ name, options string }{{"radic-rbml", "nodes=4 spares=2"},
		{"radic-hmpl", "nodes=4"}, {"radic-sbml", "spares=2"},
		{"radic-rbml", "nodes=4 spares=1 heartbeat=3 watchdog=9"}}
	plain := play(t, simulate.Job{Machine: scaled(t, 1), Setup: setup(t, "none", kernel, 0)})
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, tt := range list {
		j := simulate.Job{Machine: scaled(t, 1), Work: time.Millisecond, Anytime: true,
			Setup: chosen(t, tt.name, kernel, tt.options)}
		for _, second := range []time.Duration{0, 8, 14}[:effort.Of(2, 3)] {
			j.Failures = []simulate.Failure{{At: 9 * time.Millisecond, Rank: 3},
				{At: (30 + second) * time.Millisecond, Rank: 3}}
			if j.Setup.MaxFailures != 1 {
				j.Failures[1].Rank = 6
			}
			var first string
			for _, n := range []int{1, 8} {
				runtime.GOMAXPROCS(n)
				out := play(t, j)
				if !slices.Equal(plain.Finals, out.Finals) || len(out.Recoveries) != 2 {
					t.Errorf("%s %s: other digests, or %+v", tt.name, tt.options, out.Recoveries)
				}
				judge(t, tt.name, out, true)
				text, err := json.Marshal(out)
				if first == "" {
					first = string(text)
				}
				if err != nil || string(text) != first {
					t.Errorf("%s %s: %v, on %d processors\n%s, before\n%s", tt.name, tt.options,
						err, n, text, first)
				}
			}
		}
	}
}

// Aim: a run in which ranks do nothing but make checkpoints, for the seconds that a recovery takes,
// ends with a word about the interval; of 16 ranks 15 are asked once in 10 us while one is down for
// 3 s, which would be 4.5 million times. Without the failure there are as many checkpoints as the
// limit allows in vain, and more, but programs go on between them.
func TestCheckpointsInVain(t *testing.T) {
	machine, err := simulate.Shipped("ethernet-10g")
	if err != nil {
		t.Fatal(err)
	}
	const most = 1000
	j := simulate.Job{Machine: machine,
		Setup:    chosen(t, "rbml", "ring iterations=100 ranks=16", ""),
		Interval: 10 * time.Microsecond, Image: 1}
	j.GiveUpAfter(most)
	out, err := j.Run()
	if err != nil || out.Images < 2*most {
		t.Errorf("%v, %+v", err, out)
	}
	j.Failures = []simulate.Failure{{At: time.Millisecond, Rank: 3}}
	if _, err = j.Run(); err == nil || !strings.HasSuffix(err.Error(),
		"; 1001 checkpoints were asked for since a program last went on: want an interval longer "+
			"than 10µs") {
		t.Error(err)
	}
}
