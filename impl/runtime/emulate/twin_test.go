package emulate_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/soak"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/all"
	"github.com/domino-check/domino/impl/runtime/emulate"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec/trace"
)

// ticking is a naive twin of one disk behind zero-cost links: it goes on by one millisecond at a
// time, and serves whoever has come first.
func ticking(d emulate.Disk, at []time.Duration, bytes []int) (done []time.Duration) {
	const tick = time.Millisecond
	done = make([]time.Duration, len(at))
	var waits []int
	var left time.Duration // of the first one
	for now, came, served := time.Duration(0), 0, 0; served < len(at); now += tick {
		if len(waits) > 0 {
			if left -= tick; left <= 0 {
				done[waits[0]] = now
				waits = waits[1:]
				served++
			}
		}
		for came < len(at) && at[came] <= now {
			file := d.File
			if d.Crowd > 0 && len(waits) > d.Crowd {
				file = d.Crowded
			}
			bytes[came] += int(file/tick) * 100 // the price as bytes at 100 a tick
			waits = append(waits, came)
			came++
		}
		if len(waits) > 0 && left <= 0 {
			left = time.Duration(bytes[waits[0]]/100) * tick
			if left == 0 {
				panic("a write takes at least a tick")
			}
		}
	}
	return done
}

// Aim: the disk serves random writes at random moments as its naive twin does.
func TestDiskTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		d := emulate.Disk{Write: 100_000, File: time.Duration(1+rng.IntN(4)) * time.Millisecond}
		if rng.IntN(2) == 0 {
			d.Crowd, d.Crowded = 1+rng.IntN(3), 7*time.Millisecond
		}
		n := 1 + rng.IntN(20)
		var at []time.Duration
		var bytes []int
		for range n {
			at = append(at, time.Duration(rng.IntN(60))*time.Millisecond)
			bytes = append(bytes, 100*rng.IntN(9))
		}
		slices.Sort(at)
		made := 0
		s := newStage(1, nil)
		done := make([]time.Duration, n)
		s.setup.New = func(p core.Proc) core.Machine {
			return &actor{proc: p, do: func(p core.Proc, in core.Input) []core.Effect {
				if in.Kind == core.Persisted {
					var i int
					fmt.Sscan(in.Key, &i)
					done[i] = s.run.Now()
				}
				if in.Kind != core.Checkpoint {
					return nil
				}
				var all []core.Effect // of one moment it is asked once
				for ; made < n && at[made] <= s.run.Now(); made++ {
					all = append(all, put(fmt.Sprint(made), bytes[made]))
				}
				return all
			}, note: func(core.Proc, core.Input) {}}
		}
		s.play(t, emulate.Config{Costs: emulate.Costs{Disk: d}}, func(r *emulate.Run) {
			for _, at := range at {
				r.After(at, func() { r.Request(0) })
			}
		})
		if diff := cmp.Diff(ticking(d, at, bytes), done); diff != "" {
			t.Fatalf("%+v: writes at %v (-twin +emulated):\n%s", d, at, diff)
		}
	}
}

// load is a scenario of the binary.
func load(t *testing.T, name string) *verify.Resolved {
	t.Helper()
	list, err := scenarios.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(list, func(s *scenarios.Scenario) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("no scenario %s", name)
	}
	r, err := verify.Resolve(all.Protocols(), list[i])
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// costs are prices of a small cluster.
var costs = emulate.Costs{Step: 2 * time.Microsecond, Operation: 10 * time.Microsecond,
	Between: emulate.Link{Latency: 100 * time.Microsecond, Rate: 1 << 20, Chunk: 1 << 10,
		Header: 64},
	Within: emulate.Link{Latency: 4 * time.Microsecond},
	Disk:   emulate.Disk{Write: 1 << 20, Read: 1 << 20, File: 200 * time.Microsecond},
	Launch: 2 * time.Millisecond, Restart: 4 * time.Millisecond, Stop: 2 * time.Microsecond,
	Detect: 2 * time.Millisecond, Tick: 20 * time.Microsecond, Heartbeat: time.Millisecond,
	Watchdog: 2 * time.Millisecond}

// scaled are the same prices on a machine that is so many times as fast.
func scaled(c emulate.Costs, by time.Duration) emulate.Costs {
	for _, d := range []*time.Duration{&c.Step, &c.Operation, &c.Between.Latency,
		&c.Within.Latency, &c.Disk.File, &c.Launch, &c.Restart, &c.Stop, &c.Detect, &c.Tick,
		&c.Heartbeat, &c.Watchdog} {
		*d /= by
	}
	for _, n := range []*int64{&c.Between.Rate, &c.Disk.Write, &c.Disk.Read} {
		*n *= int64(by)
	}
	return c
}

// Aim: runs of protocols under failures at many moments are well judged, end, repeat, and take half
// the time where everything is twice as fast.
func TestRunsAreJudged(t *testing.T) {
	for _, name := range []string{"ping-rp", "causal-line", "m14", "radic-rbml-spare",
		"radic-hmpl-basic", "radic-sbml-spare"} {
		t.Run(name, func(t *testing.T) {
			r := load(t, name)
			w, _, err := world.Open(t.Context(),
				world.Case{Setup: r.Setup, Baseline: r.Baseline, Model: r.Model}, checker.Options{})
			if err != nil {
				t.Fatal(err)
			}
			judge, err := soak.NewJudge(w.Facts)
			if err != nil {
				t.Fatal(err)
			}
			play := func(c emulate.Costs, at time.Duration, victim core.Proc) *emulate.Result {
				run, err := emulate.New(r.Setup, emulate.Config{Costs: c, Keep: true})
				if err != nil {
					t.Fatal(err)
				}
				if at > 0 {
					run.After(at, func() {
						if r.Setup.Watchdogs {
							victim = run.Node(victim)
						}
						run.Crash(victim)
					})
				}
				result, err := run.Run()
				if err != nil {
					t.Fatal(err)
				}
				return result
			}
			whole := play(costs, 0, 0).Elapsed
			for v := range core.Proc(r.Setup.Layout.Ranks) {
				for at := time.Duration(1); at < whole; at += whole/40 + 1 {
					result := play(costs, at, v)
					broken, err := judge.Trace(&result.Trace, true)
					if err != nil || broken != nil {
						t.Fatalf("crash of %d at %v: %v %+v", v, at, err, broken)
					}
					again := play(costs, at, v)
					if diff := cmp.Diff(result, again); diff != "" {
						t.Fatalf("crash of %d at %v: not the same run (-first +again):\n%s", v, at,
							diff)
					}
					fast := play(scaled(costs, 2), at/2, v).Elapsed
					if slow := play(costs, at/2*2, v).Elapsed; fast-slow/2 > time.Microsecond ||
						slow/2-fast > time.Microsecond {
						t.Fatalf("crash of %d at %v: %v, on a machine twice as fast %v", v, at,
							slow, fast)
					}
				}
			}
		})
	}
}

// Aim: what is not emulated is refused, with what it is.
func TestRefused(t *testing.T) {
	s := newStage(1, func(core.Proc, core.Input) []core.Effect { return nil })
	for _, c := range []emulate.Costs{{Step: -1}, {Heartbeat: -1}, {Watchdog: -1},
		{Heartbeat: 2, Watchdog: 2}, {Disk: emulate.Disk{Write: -1}},
		{Between: emulate.Link{Rate: -1}},
		{Disks: []emulate.Own{{Proc: 0, Disk: emulate.Disk{Crowd: -1}}}}} {
		if _, err := emulate.New(&s.setup, emulate.Config{Costs: c}); err == nil {
			t.Errorf("prices %+v are accepted", c)
		}
	}
	s = newStage(1, func(core.Proc, core.Input) []core.Effect {
		return []core.Effect{{Kind: core.Renew}}
	})
	run, err := emulate.New(&s.setup, emulate.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run.Run(); err == nil {
		t.Error("an effect that is not emulated is performed")
	}
}

// Aim: a run ends at its limits, says so, and events carry the time that has been reached.
func TestLimits(t *testing.T) {
	s := newStage(1, func(core.Proc, core.Input) []core.Effect {
		return []core.Effect{{Kind: core.SetTimer, Timer: "t", Ticks: 1},
			{Kind: core.Declare, What: trace.Halted}}
	})
	for bound, c := range map[string]emulate.Config{"time": {Until: 5500 * time.Millisecond},
		"steps": {Steps: 7}, "stopped": {Observe: func(r *emulate.Run, _ trace.Event) {
			if r.Now() >= 3*time.Second {
				r.End()
			}
		}}} {
		c.Costs.Tick = time.Second
		run, err := emulate.New(&s.setup, c)
		if err != nil {
			t.Fatal(err)
		}
		s.run = run
		got, err := run.Run()
		if err != nil || got.Bound != bound {
			t.Errorf("%v, bound %q, want %q", err, got.Bound, bound)
		}
	}
}
