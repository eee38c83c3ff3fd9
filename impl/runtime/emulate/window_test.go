package emulate_test

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/emulate"
)

// told is what an actor was told, and when.
type told struct {
	At   int64
	Proc core.Proc
	What string
}

// crowd is actors that send, wait and write at random, as what they are told says, until they have
// been told so much. Times are small, so that much happens at the same moment.
type crowd struct {
	stage
	list  []told
	apart int // times that it was said that hooks have seen all
}

func newCrowd(seed uint64, procs, inputs int) *crowd {
	c := new(crowd)
	c.stage = *newStage(procs, nil)
	c.setup.New = func(p core.Proc) core.Machine {
		count := 0
		return &actor{proc: p, do: func(p core.Proc, in core.Input) (out []core.Effect) {
			rng := rand.New(rand.NewPCG(seed, uint64(p)<<32|uint64(count)))
			if count++; count > inputs {
				return nil
			}
			for range rng.IntN(3) {
				out = append(out, send(core.Proc(rng.IntN(procs)),
					fmt.Sprintf("%d.%d", p, count), int64(rng.IntN(4)*rng.IntN(40))))
			}
			switch rng.IntN(8) {
			case 0:
				out = append(out, core.Effect{Kind: core.SetTimer, Timer: "t",
					Ticks: uint64(rng.IntN(400))})
			case 1:
				out = append(out, put(fmt.Sprint(count%3), rng.IntN(30)))
			}
			return out
		}, note: func(p core.Proc, in core.Input) {
			what := in.Name(c.run.Layout())
			if in.Kind == core.Received {
				what = fmt.Sprintf("%s from %d", in.Message.(*parcel).Name, in.From)
			}
			c.list = append(c.list, told{c.run.Picoseconds(), p, what})
		}}
	}
	return c
}

// play is all that actors are told, and what the run shows.
func (c *crowd) play(t *testing.T, config emulate.Config) ([]told, *emulate.Result) {
	t.Helper()
	config.Size = func(m core.Message) int64 { return m.(*parcel).Bytes }
	run, err := emulate.New(&c.setup, config)
	if err != nil {
		t.Fatal(err)
	}
	c.run, c.list = run, nil
	result, err := run.Run()
	if err != nil {
		t.Fatal(err)
	}
	return c.list, result
}

// Aim: who is run by windows of time is told the same, at the same times, as with one queue of all
// events, however many of them are at the same moment: random actors, with prices at which messages
// pass others and at which they do not, timers of less and of many windows, and disks.
func TestWindows(t *testing.T) {
	ns := func(n int) time.Duration { return time.Duration(n) }
	all := 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 3))
		link := emulate.Link{Latency: ns(1 + rng.IntN(6)), Overhead: ns(rng.IntN(3)),
			Gap: ns(rng.IntN(3)), Rate: int64(1+rng.IntN(3)) * 5e8 * int64(rng.IntN(2))}
		if rng.IntN(3) == 0 {
			link.Steps = []emulate.Step{{From: 20, Latency: ns(1 + rng.IntN(9))}}
		}
		if rng.IntN(3) == 0 {
			link.Chunk = 10
		}
		config := emulate.Config{Costs: emulate.Costs{Step: ns(rng.IntN(3)), Between: link,
			Within: emulate.Link{Latency: ns(rng.IntN(3)), Rate: 1e9}, Cores: rng.IntN(3),
			Disk: emulate.Disk{Write: 1e9, File: ns(rng.IntN(9))}, Tick: ns(1)}}
		c := newCrowd(seed, 2+rng.IntN(9), 1+rng.IntN(30))
		want, whole := c.play(t, config)
		config.Apart = func(*emulate.Run) { c.apart++ }
		got, windows := c.play(t, config)
		slices.SortStableFunc(got, func(a, b told) int {
			return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Proc, b.Proc))
		})
		// a message to a proc itself may take no time, and then the order of procs is not that
		slices.SortStableFunc(want, func(a, b told) int {
			return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Proc, b.Proc))
		})
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d, %+v (-one queue +windows):\n%s", seed, config.Costs, diff)
		}
		if diff := gocmp.Diff(whole, windows); diff != "" {
			t.Fatalf("seed %d (-one queue +windows):\n%s", seed, diff)
		}
		all += c.apart
	}
	if all < 1000 {
		t.Errorf("%d windows in all", all)
	}
}

// Aim: all that is made at the beginning is made before what events at time zero make, also of a
// proc that comes before.
func TestBeginning(t *testing.T) {
	s := newStage(3, func(p core.Proc, in core.Input) []core.Effect {
		switch {
		case in.Kind == core.Start && p == 0:
			return []core.Effect{send(0, "self", 0)}
		case in.Kind == core.Start && p == 1:
			return []core.Effect{send(2, "early", 0)}
		case p == 0:
			return []core.Effect{send(2, "late", 0)}
		}
		return nil
	})
	c := emulate.Config{Costs: emulate.Costs{Between: emulate.Link{Latency: time.Second}}}
	const story = "0s p0 self from p0\n1s p2 early from p1\n1s p2 late from p0"
	want(t, s.play(t, c, nil), story)
	c.Apart = func(*emulate.Run) {}
	want(t, s.play(t, c, nil), story)
}

// Aim: what is up to the order of all events ends a run by windows, and says so; a run that can not
// be one has a single queue instead.
func TestOrder(t *testing.T) {
	shared := emulate.Costs{Between: emulate.Link{Latency: time.Second}, Shared: true}
	for name, tt := range map[string]struct {
		effect core.Effect
		hook   func(r *emulate.Run)
	}{"a write to a shared disk": {effect: put("k", 1)},
		"a read":     {effect: core.Effect{Kind: core.Read, Key: "k"}},
		"a rollback": {effect: core.Effect{Kind: core.Rollback}},
		"a crash":    {hook: func(r *emulate.Run) { r.Crash(0) }},
		"a call":     {hook: func(r *emulate.Run) { r.After(1, func() {}) }},
		"a request":  {hook: func(r *emulate.Run) { r.Request(0) }},
		"an end":     {hook: func(r *emulate.Run) { r.End() }},
		"a message":  {hook: func(r *emulate.Run) { r.Tell(0, 1, &parcel{}) }}} {
		s := newStage(2, func(core.Proc, core.Input) []core.Effect {
			if tt.hook != nil {
				return nil
			}
			return []core.Effect{tt.effect}
		})
		c := emulate.Config{Costs: shared, Apart: func(*emulate.Run) {},
			Stepped: func(r *emulate.Run, _ core.Proc, _ *core.Input, _ []core.Effect) (int64,
				time.Duration) {
				if tt.hook != nil {
					tt.hook(r)
				}
				return 0, 0
			}}
		run, err := emulate.New(&s.setup, c)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := run.Run(); !errors.Is(err, emulate.ErrOrder) {
			t.Errorf("%s: %v, want %v", name, err, emulate.ErrOrder)
		}
	}
	s := newStage(2, func(core.Proc, core.Input) []core.Effect {
		return []core.Effect{put("k", 1)}
	})
	c := emulate.Config{Costs: emulate.Costs{Shared: true}, Steps: 9,
		Apart: func(*emulate.Run) { t.Error("windows without latency") }}
	if run, err := emulate.New(&s.setup, c); err != nil {
		t.Fatal(err)
	} else if _, err := run.Run(); err != nil {
		t.Error(err)
	}
}
