package emulate_test

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/emulate"
)

// prices are those of LogGP, in picoseconds.
type prices struct{ l, o, g, byte, step, bytes int64 }

// draw draws prices that are whole nanoseconds where costs are, and what a byte takes.
func draw(rng *rand.Rand) (p prices, c emulate.Costs) {
	nano := func(most int) (int64, time.Duration) {
		n := rng.Int64N(int64(most))
		return 1000 * n, time.Duration(n)
	}
	link := &c.Between
	p.l, link.Latency = nano(5000)
	p.o, link.Overhead = nano(900)
	p.g, link.Gap = nano(900)
	p.step, c.Step = nano(400)
	p.byte = []int64{25, 100, 800, 8000}[rng.IntN(4)]
	link.Rate, link.Header = 1_000_000_000_000/p.byte, 40
	p.bytes = 1 + rng.Int64N(3000)
	return p, c
}

// card is how long a message occupies a card, and trip the time from before it is sent until it is
// handled when nobody is in its way.
func (p *prices) wire() int64 { return (p.bytes + 40) * p.byte }
func (p *prices) card() int64 { return p.wire() + p.g }
func (p *prices) trip() int64 { return p.o + p.wire() + p.l + p.o + p.step }

// handled runs actors and is when each of them has handled its last message.
func handled(t *testing.T, c emulate.Costs, procs int,
	do func(p core.Proc, in core.Input) []core.Effect) []int64 {
	t.Helper()
	at := make([]int64, procs)
	var s *stage
	s = newStage(procs, func(p core.Proc, in core.Input) []core.Effect {
		if in.Kind == core.Received {
			at[p] = s.run.Picoseconds()
		}
		return do(p, in)
	})
	s.play(t, emulate.Config{Costs: c}, nil)
	return at
}

// Aim: one message that goes back and forth, or round a ring, takes a trip a hop, to the
// picosecond.
func TestPingPongAndRing(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 100 {
		p, c := draw(rng)
		procs, hops := 2+rng.IntN(6), 1+rng.IntN(40)
		left := hops
		at := handled(t, c, procs, func(q core.Proc, in core.Input) []core.Effect {
			if in.Kind == core.Start && q > 0 || left == 0 {
				return nil
			}
			left--
			return []core.Effect{send((q+1)%core.Proc(procs), "ball", p.bytes)}
		})
		if want := int64(hops) * p.trip(); at[hops%procs] != want {
			t.Fatalf("%+v: %d hops among %d take %d ps, want %d", p, hops, procs, at[hops%procs],
				want)
		}
	}
}

// Aim: a stream of messages through a chain of procs takes a trip a hop for the first one, and for
// every other one what the slowest part needs for one: a card, or a processor that receives and
// sends, or at the first hop only sends.
func TestPipeline(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	slowest := map[string]int{}
	for range 200 {
		p, c := draw(rng)
		if rng.IntN(2) == 0 {
			p.bytes = 1 + rng.Int64N(20)
		}
		hops, stream := 1+rng.IntN(5), 1+rng.IntN(20)
		at := handled(t, c, hops+1, func(q core.Proc, in core.Input) (out []core.Effect) {
			switch {
			case in.Kind == core.Start && q == 0:
				for range stream {
					out = append(out, send(1, "item", p.bytes))
				}
			case in.Kind == core.Received && int(q) < hops:
				out = append(out, send(q+1, "item", p.bytes))
			}
			return out
		})
		busy := max(p.o, p.step+p.o) // of the ends
		if hops > 1 {
			busy = 2*p.o + p.step
		}
		if busy > p.card() {
			slowest["processor"]++
		} else {
			slowest["card"]++
		}
		want := int64(hops)*p.trip() + int64(stream-1)*max(busy, p.card())
		if at[hops] != want {
			t.Fatalf("%+v: %d items over %d hops take %d ps, want %d", p, stream, hops, at[hops],
				want)
		}
	}
	if len(slowest) != 2 {
		t.Errorf("the slowest part is always the same: %v", slowest)
	}
}

// Aim: in a binomial tree, a proc whose number has k ones is reached after k trips and, for each
// zero above its lowest one, what the sends to larger subtrees before it take.
func TestBinomialTree(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for range 100 {
		p, c := draw(rng)
		depth := 1 + rng.IntN(6)
		children := func(q core.Proc) (out []core.Effect) {
			low := depth
			if q > 0 {
				low = bits.TrailingZeros16(uint16(q))
			}
			for bit := low - 1; bit >= 0; bit-- {
				out = append(out, send(q|1<<bit, "word", p.bytes))
			}
			return out
		}
		at := handled(t, c, 1<<depth, func(q core.Proc, in core.Input) []core.Effect {
			if in.Kind == core.Start && q > 0 {
				return nil
			}
			return children(q)
		})
		for q := 1; q < 1<<depth; q++ {
			ones := bits.OnesCount(uint(q))
			zeros := depth - bits.TrailingZeros(uint(q)) - ones
			want := int64(ones)*p.trip() + int64(zeros)*max(p.o, p.card())
			if at[q] != want {
				t.Fatalf("%+v: depth %d, proc %b is reached at %d ps, want %d", p, depth, q, at[q],
					want)
			}
		}
	}
}

// Aim: what is on one node goes through memory; cores of a node are shared; a long message is
// announced first, and latency may have steps.
func TestNodesAndSizes(t *testing.T) {
	c := emulate.Costs{Step: time.Second, Cores: 1,
		Between: emulate.Link{Latency: 10 * time.Second, Rate: 100, Eager: 1000,
			Steps: []emulate.Step{{From: 100, Latency: 20 * time.Second}}},
		Within: emulate.Link{Latency: 2 * time.Second, Overhead: time.Second}}
	s := newStage(4, func(p core.Proc, in core.Input) []core.Effect {
		switch {
		case in.Kind == core.Start && p == 0:
			return []core.Effect{send(1, "near", 0), send(2, "small", 50), send(3, "larger", 100)}
		case in.Kind == core.Start && p == 1:
			return []core.Effect{send(2, "long", 2000)}
		}
		return nil
	})
	s.setup.Layout.Ranks, s.setup.Programs = 4, make([]core.Program, 4)
	// near: 1 s to send, 2 s, 1 s to receive and 1 s for the step. small and larger follow behind
	// that second, .5 s and 1 s on the card, 10 s and 20 s; each takes 1 s on the one core of its
	// node. long is announced at 1 s, when the core has sent near, and leaves at 21 s, takes 20 s
	// on the card, 20 s to go.
	want(t, s.play(t, emulate.Config{Costs: c, PerNode: 2}, nil), `5s p1 near from p0
		12.5s p2 small from p0
		23.5s p3 larger from p0
		1m2s p2 long from p1`)
	c.Cores = 0
	c.Between = emulate.Link{}
	s = newStage(3, func(p core.Proc, in core.Input) (out []core.Effect) {
		if in.Kind == core.Start && p == 2 {
			return []core.Effect{send(0, "a", 0), send(1, "b", 0)}
		}
		return nil
	})
	s.setup.Layout.Ranks, s.setup.Programs = 3, make([]core.Program, 3)
	for cores, text := range map[int]string{0: `1s p0 a from p2
		1s p1 b from p2`, 1: `1s p0 a from p2
		2s p1 b from p2`, 2: `1s p0 a from p2
		1s p1 b from p2`} {
		c.Cores = cores
		want(t, s.play(t, emulate.Config{Costs: c, PerNode: 2}, nil), text)
	}
}

// Aim: a message that has as many bytes as may come at once is not announced; one byte more is.
func TestAtTheLimit(t *testing.T) {
	s := newStage(3, func(p core.Proc, in core.Input) []core.Effect {
		if in.Kind == core.Start && p < 2 {
			return []core.Effect{send(2, "a", 1000+int64(p))}
		}
		return nil
	})
	c := emulate.Costs{Between: emulate.Link{Latency: time.Second, Eager: 1000}}
	want(t, s.play(t, emulate.Config{Costs: c}, nil), `1s p2 a from p0
		3s p2 a from p1`)
}

// Aim: of procs that share a core those who compute wait for each other, and whoever only handles a
// message passes them; who computes later pays for that. With two cores nobody waits.
func TestComputingIsPassed(t *testing.T) {
	for cores, text := range map[int]string{1: `1s p0 compute from p3
		2s p1 compute from p3
		6s p2 pass from p3
		12s p0 done from p0
		23s p1 done from p1`, 2: `1s p0 compute from p3
		2s p1 compute from p3
		6s p2 pass from p3
		12s p0 done from p0
		13s p1 done from p1`} {
		s := newStage(4, func(p core.Proc, in core.Input) []core.Effect {
			if in.Kind == core.Received && in.Message.Describe().Text == "compute" {
				return []core.Effect{send(p, "done", 0)}
			}
			return nil
		})
		s.setup.Layout.Ranks, s.setup.Programs = 3, make([]core.Program, 3)
		c := emulate.Costs{Step: time.Second, Cores: cores}
		stepped := func(_ *emulate.Run, _ core.Proc, in *core.Input,
			_ []core.Effect) (more emulate.Beside) {
			if in.Kind == core.Received && in.Message.Describe().Text == "compute" {
				more.Computes = 10 * time.Second
			}
			return more
		}
		got := s.play(t, emulate.Config{Costs: c, PerNode: 3, Stepped: stepped},
			func(r *emulate.Run) {
				for p, at := range []time.Duration{0, 1, 5} {
					name := []string{"compute", "compute", "pass"}[p]
					r.After(at*time.Second, func() {
						r.Tell(3, core.Proc(p), send(0, name, 0).Message)
					})
				}
			})
		want(t, got, text)
	}
}

// Aim: a service has a node of its own, but where all ranks share one it is on that one, too.
func TestServiceNode(t *testing.T) {
	c := emulate.Costs{Between: emulate.Link{Latency: 10 * time.Second},
		Within: emulate.Link{Latency: time.Second}}
	for perNode, text := range map[int]string{0: "10s p2 a from p0", 1: "10s p2 a from p0",
		2: "1s p2 a from p0", 100: "1s p2 a from p0"} {
		s := newStage(3, func(p core.Proc, in core.Input) []core.Effect {
			if in.Kind == core.Start && p == 0 {
				return []core.Effect{send(2, "a", 0)}
			}
			return nil
		})
		s.setup.Layout.Ranks, s.setup.Programs = 2, make([]core.Program, 2)
		want(t, s.play(t, emulate.Config{Costs: c, PerNode: perNode}, nil), text)
	}
}

// Aim: a stable store that all share serves as many as it has servers at once, the next one when
// the first of them is free, and what a proc writes becomes stable in its order.
func TestSharedStore(t *testing.T) {
	s := newStage(3, func(p core.Proc, in core.Input) []core.Effect {
		if in.Kind == core.Start {
			return []core.Effect{put(fmt.Sprint("long", p), 300), put(fmt.Sprint("short", p), 100)}
		}
		return nil
	})
	c := emulate.Costs{Shared: true, Disk: emulate.Disk{Write: 100, Servers: 2}}
	// one server: long0 to 3, short1 to 4, long2 to 7; the other: short0 to 1, long1 to 4, short2
	// to 5
	want(t, s.play(t, emulate.Config{Costs: c}, nil), `3s p0 persisted long0
		3s p0 persisted short0
		4s p1 persisted long1
		4s p1 persisted short1
		7s p2 persisted long2
		7s p2 persisted short2`)
}

// Aim: who starts again has read what it wrote by then, behind others who read: of 300 bytes each
// at 100 bytes a second, one server, two procs that run again a second after a crash have them
// after 3 and 6 seconds more; without Reload they cost nothing.
func TestReload(t *testing.T) {
	c := emulate.Costs{Shared: true, Disk: emulate.Disk{Write: 100, Read: 100},
		Restart: time.Second}
	for reload, text := range map[bool]string{false: `3s p0 persisted k
		6s p1 persisted k
		11s p0 restart as incarnation 1 on p0 k=v
		11s p1 restart as incarnation 1 on p1 k=v`, true: `3s p0 persisted k
		6s p1 persisted k
		14s p0 restart as incarnation 1 on p0 k=v
		17s p1 restart as incarnation 1 on p1 k=v`} {
		s := newStage(2, func(p core.Proc, in core.Input) []core.Effect {
			if in.Kind == core.Start {
				return []core.Effect{{Kind: core.Persist, Key: "k", Value: []byte("v")}}
			}
			return nil
		})
		want(t, s.play(t, emulate.Config{Costs: c, Reload: reload,
			Weight: func(core.Proc, string, []byte) int64 { return 300 }},
			func(r *emulate.Run) {
				r.After(10*time.Second, func() { r.Crash(0, 1) })
			}), text)
	}
}

// chooser is an actor with one step that it may take until it has.
type chooser struct {
	actor
	done bool
}

func (c *chooser) Choices(buf []core.Choice) []core.Choice {
	if c.done {
		return buf
	}
	return append(buf, 1)
}

func (c *chooser) Step(in core.Input, out []core.Effect) []core.Effect {
	c.done = c.done || in.Kind == core.Advance
	return c.actor.Step(in, out)
}

// Aim: what a proc does next is decided when all that it sends has left: what has come until then
// is before a step of its own.
func TestBusySending(t *testing.T) {
	s := newStage(2, nil)
	s.setup.New = func(p core.Proc) core.Machine {
		return &chooser{actor{proc: p, note: s.note, do: func(p core.Proc,
			in core.Input) []core.Effect {
			if in.Kind == core.Start && p == 0 {
				return []core.Effect{send(1, "a", 0), send(1, "b", 0)}
			}
			return nil
		}}, p > 0}
	}
	c := emulate.Costs{Operation: time.Second, Between: emulate.Link{Overhead: time.Second}}
	want(t, s.play(t, emulate.Config{Costs: c}, func(r *emulate.Run) {
		r.After(1500*time.Millisecond, func() { r.Tell(1, 0, &parcel{Name: "told"}) })
	}), `2s p1 a from p0
		3s p0 told from p1
		3s p1 b from p0
		4s p0 program step`)
}
