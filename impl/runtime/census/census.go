// Package census counts what one run without failures costs a protocol: messages, determinants that
// are created and carried, and what is in logs at the end. Nothing is timed, explored or judged.
package census

import (
	"fmt"
	"math/rand/v2"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// Counts is what one failure-free run costs.
type Counts struct {
	Messages     int // that carry payloads of programs
	Control      int // all others
	Determinants int // created, each by its receiver
	Piggybacked  int // determinants on messages, summed
	Copies       int // of messages, in memories at the end
	Parts        int // of reductions, in memories at the end, of those who sent them
	Seeds        int // of reductions, in memories at the end, of those who received them
}

// carrier is a message that carries determinants; it is not counted as control when it carries a
// payload.
type carrier interface {
	Carries() (payload bool, determinants int)
}

// Count runs the machines of a setup once, without failures, along one schedule, and counts what
// crosses their boundary. The schedule is random by the seed, but for acknowledgements of
// determinants: late ones are delivered only when nothing else can happen, prompt ones first. It
// keeps no states, so it counts programs that are far too large to explore.
func Count(s *core.Setup, seed uint64, late bool) (Counts, error) {
	c := counter{setup: s, late: late, rng: rand.New(rand.NewPCG(seed, 0)),
		queues: map[[2]core.Proc][]core.Message{}}
	for p := range s.Layout.Names {
		c.machines = append(c.machines, s.New(core.Proc(p)))
	}
	for p := range c.machines {
		if err := c.step(core.Proc(p), core.Input{Kind: core.Start}); err != nil {
			return c.counts, err
		}
	}
	for c.next() {
		if c.err != nil {
			return c.counts, c.err
		}
	}
	for p, m := range c.machines {
		h := core.HistoryOf(m)
		if h == nil {
			continue
		}
		if !h.Done {
			return c.counts, fmt.Errorf("census: %s has sent %d and received %d and can not go on",
				s.Layout.Names[p], h.Sent, len(h.Delivered))
		}
		for _, i := range h.Memory {
			switch {
			case i.Sort == trace.Copy:
				c.counts.Copies++
			case i.Sort == trace.Part && i.Peer == trace.Proc(p):
				c.counts.Seeds++
			case i.Sort == trace.Part:
				c.counts.Parts++
			}
		}
	}
	return c.counts, nil
}

type counter struct {
	setup    *core.Setup
	late     bool
	rng      *rand.Rand
	machines []core.Machine
	queues   map[[2]core.Proc][]core.Message
	busy     [][2]core.Proc // channels that are not empty
	counts   Counts
	err      error
}

// next takes one event; it reports whether there was one.
func (c *counter) next() bool {
	var first, second []int // channels, by whether their head is to come first
	for i, k := range c.busy {
		payload, _ := carried(c.queues[k][0])
		if payload == c.late {
			first = append(first, i)
		} else {
			second = append(second, i)
		}
	}
	if !c.late && len(first) == 0 {
		first, second = second, nil
	}
	type advance struct {
		proc   core.Proc
		choice core.Choice
	}
	var steps []advance
	for p, m := range c.machines {
		for _, choice := range m.Choices(nil) {
			steps = append(steps, advance{core.Proc(p), choice})
		}
	}
	n := len(first) + len(steps)
	if n == 0 {
		first, n = second, len(second)
	}
	if n == 0 {
		return false
	}
	if i := c.rng.IntN(n); i < len(first) {
		c.deliver(first[i])
	} else {
		a := steps[i-len(first)]
		c.err = c.step(a.proc, core.Input{Kind: core.Advance, Choice: a.choice})
	}
	return true
}

func (c *counter) deliver(i int) {
	k := c.busy[i]
	m := c.queues[k][0]
	if c.queues[k] = c.queues[k][1:]; len(c.queues[k]) == 0 {
		delete(c.queues, k)
		c.busy = append(c.busy[:i], c.busy[i+1:]...)
	}
	c.err = c.step(k[1], core.Input{Kind: core.Received, From: k[0], Message: m})
}

// step runs a machine and counts its effects.
func (c *counter) step(p core.Proc, in core.Input) error {
	for _, e := range c.machines[p].Step(in, nil) {
		if e.Kind == core.SendMessage {
			payload, determinants := carried(e.Message)
			if payload {
				c.counts.Messages++
				c.counts.Piggybacked += determinants
			} else {
				c.counts.Control++
			}
			m := c.setup.NewMessage()
			if err := core.Decode(core.Encode(e.Message), m); err != nil {
				return fmt.Errorf("census: %w", err)
			}
			k := [2]core.Proc{p, e.To}
			if len(c.queues[k]) == 0 {
				c.busy = append(c.busy, k)
			}
			c.queues[k] = append(c.queues[k], m)
		}
		switch e.What {
		case trace.Kept:
			if e.Key == trace.Determinant && e.To == p {
				c.counts.Determinants++
			}
		case trace.Halted:
			return fmt.Errorf("census: %s gives up: %s", c.setup.Layout.Names[p], e.Key)
		}
	}
	return nil
}

func carried(m core.Message) (payload bool, determinants int) {
	if c, ok := m.(carrier); ok {
		return c.Carries()
	}
	return !m.Describe().ID.IsZero(), 0
}
