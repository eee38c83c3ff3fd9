package emulate_test

import (
	"testing"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/emulate"
)

// Aim: of three procs on one node, who sleeps takes 2 s of a core to go on, once for all that waits
// for him, if the node has fewer cores. p0 sends two messages to p1 and one to p2, which are there
// after 1 s: on two cores both go on until 3 s; on one p1 does first, and then p2 until 5 s, for
// which the second message waits; on three nobody sleeps. At 10 s p0 is asked for something, goes
// on until 12 s, and wakes p1, who is asleep again by 13 s, until 15 s.
func TestWake(t *testing.T) {
	for cores, text := range map[int]string{3: `1s p1 a from p0
		1s p1 b from p0
		1s p2 c from p0
		10s p0 checkpoint request
		11s p1 d from p0`, 2: `3s p1 a from p0
		3s p1 b from p0
		3s p2 c from p0
		12s p0 checkpoint request
		15s p1 d from p0`, 1: `3s p1 a from p0
		5s p1 b from p0
		5s p2 c from p0
		12s p0 checkpoint request
		15s p1 d from p0`} {
		s := newStage(3, func(p core.Proc, in core.Input) []core.Effect {
			switch {
			case in.Kind == core.Start && p == 0:
				return []core.Effect{send(1, "a", 0), send(1, "b", 0), send(2, "c", 0)}
			case in.Kind == core.Checkpoint:
				return []core.Effect{send(1, "d", 0)}
			}
			return nil
		})
		c := emulate.Config{PerNode: 3, Costs: emulate.Costs{Cores: cores, Wake: 2 * time.Second,
			Within: emulate.Link{Latency: time.Second}}}
		want(t, s.play(t, c, func(r *emulate.Run) {
			r.After(10*time.Second, func() { r.Request(0) })
		}), text)
		// with a node each nobody sleeps
		c.PerNode = 0
		c.Costs.Between.Latency = time.Second
		want(t, s.play(t, c, func(r *emulate.Run) {
			r.After(10*time.Second, func() { r.Request(0) })
		}), `1s p1 a from p0
			1s p1 b from p0
			1s p2 c from p0
			10s p0 checkpoint request
			11s p1 d from p0`)
	}
}

// Aim: a service on the node of a rank takes its core, so both sleep; a rank alone on its node does
// not. Each of three is sent something at 1 s; it takes 2 s to wake, one after the other.
func TestWakeWithService(t *testing.T) {
	s := newStage(3, func(p core.Proc, in core.Input) []core.Effect {
		if in.Kind == core.Start {
			return []core.Effect{send((p+1)%3, "a", 0)}
		}
		return nil
	})
	s.setup.Layout.Ranks, s.setup.Programs = 2, make([]core.Program, 2)
	s.setup.Layout.Nodes = []core.Proc{0, 1, 1}
	second := emulate.Link{Latency: time.Second}
	c := emulate.Config{Costs: emulate.Costs{Cores: 1, Wake: 2 * time.Second, Between: second,
		Within: second}}
	want(t, s.play(t, c, nil), `1s p0 a from p2
		3s p1 a from p0
		5s p2 a from p1`)
}
