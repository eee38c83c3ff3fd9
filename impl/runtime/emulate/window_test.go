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

	"github.com/domino-check/domino/checker/effort"
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
		}, note: func(core.Proc, core.Input) {}}
	}
	return c
}

// play is all that actors are told, and what the run shows, with so many blocks; 0: one queue.
func (c *crowd) play(t *testing.T, config emulate.Config, blocks int) ([]told, *emulate.Result) {
	t.Helper()
	var lists []*[]told
	another := func() emulate.Config {
		own, list := config, new([]told)
		lists = append(lists, list)
		own.Size = func(m core.Message) int64 { return m.(*parcel).Bytes }
		own.Stepped = func(r *emulate.Run, p core.Proc, in *core.Input,
			_ []core.Effect) emulate.Beside {
			what := in.Name(r.Layout())
			if in.Kind == core.Received {
				what = fmt.Sprintf("%s from %d", in.Message.(*parcel).Name, in.From)
			}
			*list = append(*list, told{r.Picoseconds(), p, what})
			return emulate.Beside{Copied: int64(p) % 3, Takes: time.Duration(p % 3),
				Computes: time.Duration(p % 2)}
		}
		return own
	}
	first := another()
	if first.Blocks, first.Another = blocks, another; blocks > 0 {
		first.Apart = func(*emulate.Run) { c.apart++ }
	}
	run, err := emulate.New(&c.setup, first)
	if err != nil {
		t.Fatal(err)
	}
	result, err := run.Run()
	if err != nil {
		t.Fatal(err)
	}
	if want := max(min(blocks, len(c.setup.Layout.Names)), 1); len(lists) > want {
		t.Fatalf("%d blocks, want at most %d", len(lists), want)
	}
	var all []told
	for _, list := range lists {
		all = append(all, *list...)
	}
	// a message to a proc itself may take no time, and then the order of procs is not that
	slices.SortStableFunc(all, func(a, b told) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Proc, b.Proc))
	})
	return all, result
}

// Aim: who is run by windows of time is told the same, at the same times, as with one queue of all
// events, however many of them are at the same moment, and in however many blocks: random actors,
// with prices at which messages pass others and at which they do not, timers of less and of many
// windows, and disks; now and then so many that blocks go on at the same time.
func TestWindows(t *testing.T) {
	ns := func(n int) time.Duration { return time.Duration(n) }
	all, seeds := 0, uint64(51)
	if effort.Long() {
		seeds = 202
	}
	for seed := range seeds {
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
		procs, inputs := 2+rng.IntN(9), 1+rng.IntN(30)
		if seed%50 == 0 {
			procs, inputs = 1100+int(seed), 4
		}
		c := newCrowd(seed, procs, inputs)
		want, whole := c.play(t, config, 0)
		for _, blocks := range []int{1, 2, 3 + rng.IntN(9)} {
			got, windows := c.play(t, config, blocks)
			if !slices.Equal(want, got) {
				t.Fatalf("seed %d, %+v, %d blocks (-one queue +windows):\n%s", seed, config.Costs,
					blocks, gocmp.Diff(want, got))
			}
			if diff := gocmp.Diff(whole, windows); diff != "" {
				t.Fatalf("seed %d, %d blocks (-one queue +windows):\n%s", seed, blocks, diff)
			}
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
			Stepped: func(r *emulate.Run, _ core.Proc, _ *core.Input,
				_ []core.Effect) emulate.Beside {
				if tt.hook != nil {
					tt.hook(r)
				}
				return emulate.Beside{}
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

// Aim: who never comes to the end of a window, and a machine that breaks its contract, end a run by
// windows, so that one with a single queue says what happens first.
func TestWindowFails(t *testing.T) {
	for name, tt := range map[string]struct {
		do   func(core.Proc) []core.Effect
		want string
	}{"endless": {func(p core.Proc) []core.Effect { return []core.Effect{send(p, "self", 0)} }, ""},
		"broken": {func(p core.Proc) []core.Effect {
			if p == 2 {
				panic("words")
			}
			return nil
		}, ": at 0s p2: words"}} {
		s := newStage(4, func(p core.Proc, _ core.Input) []core.Effect { return tt.do(p) })
		c := emulate.Config{Costs: emulate.Costs{Between: emulate.Link{Latency: 1}}, Steps: 100,
			Apart: func(*emulate.Run) {}, Blocks: 2}
		c.Another = func() emulate.Config { return c }
		run, err := emulate.New(&s.setup, c)
		if err != nil {
			t.Fatal(err)
		}
		_, err = run.Run()
		if !errors.Is(err, emulate.ErrOrder) || err.Error() != emulate.ErrOrder.Error()+tt.want {
			t.Errorf("%s: %v, want %v%s", name, err, emulate.ErrOrder, tt.want)
		}
	}
}
