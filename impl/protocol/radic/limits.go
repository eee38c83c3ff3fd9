package radic

import (
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/promise"
)

// What the control plane promises, and what it refuses because it could not keep it.

// promises are those of the protocol below, on nodes. Limits say why.
//
// A spare that has adopted nobody waits to be asked: when all others are gone, nobody asks it.
func (c *config) promises(s *core.Setup, inner *core.Setup) error {
	p := &s.Promises
	p.Traffic, p.Writes = promise.Traffic{}, nil // the ring, and who joins, cost more
	if c.stored {
		p.Fetches, p.KeepsLines, p.StableKeys = true, true, []string{}
	}
	// the first one makes the protector ask, the second one gives the node up
	p.Suspicions = 1
	p.Limits = map[string]string{}
	if p.InAll = c.nodes - 1; c.Leaves > 0 {
		p.InAll--
	}
	p.Limits["failures"] = fmt.Sprintf("of %d nodes that are no spares one has to be left, beside "+
		"one that leaves: a spare protects nobody; more nodes help", c.nodes)
	if c.Zombies {
		// 1. S1 is promised to N2, which recovers a failed node, and watches it. 2. Two false
		// alarms: S1 fences N2. 3. N2 stops, its protector knows nothing, and nobody starts again
		// what ran there, nor ends the recovery. Where nobody fails, nobody but the ring's
		// protector watches a node.
		p.Suspicions, p.Quiet = 2, true
		p.Limits["suspicions"] = "where nodes fail, others than its protector watch a node too, " +
			"and would fence it and start nothing again; with zombies=yes leave failures out, or " +
			"one suspicion"
	}
	if p.Timed = c.Heartbeat > 0; p.Timed {
		p.Limits["suspicions"] = "leave out heartbeat and watchdog, and watchdogs are those of " +
			"the world, whose false alarms are counted; cluster run takes both"
	}
	if inner.Promises.Holes {
		return c.related(p, inner.Programs)
	}
	return nil
}

// related limits a protocol whose senders alone know the order of what their receivers have taken
// (SBML, M22): a receiver and its sender must not fail together, so they must not share a node.
//
//  1. a and b run on one node. a sends m1 to b; d, elsewhere, sends m2.
//  2. b takes m1, then m2, and sends r. The order is in the log of a, which is volatile.
//  3. The node fails. b is back and takes m2 first; who has received r is an orphan.
//
// They share one from the start, which is refused; or when no spare is left and one becomes a guest
// beside the other (basic protection), which takes so many failures as there are spares, and one
// more. A node that leaves is one more failure, at any time, that nobody counts: what its rank is
// told after its last checkpoint goes with it.
func (c *config) related(p *promise.Promises, programs []core.Program) error {
	talk := false
	for a, list := range c.talkers(programs) {
		for b, yes := range list {
			if talk = talk || yes; !yes || a >= b || c.origin[a] != c.origin[b] {
				continue
			}
			return c.apart(a, b)
		}
	}
	switch {
	case !talk:
		return nil
	case c.Leaves > 0:
		p.MaxFailures = -1
		p.Limits["failures"] = "its senders alone know in which order receivers have taken " +
			"their messages, and one node leaves at any time, with what its ranks were told " +
			"after their last checkpoint; a protocol with loggers can carry that, or leave " +
			"leaves out"
	case c.roomy()+1 < p.InAll:
		p.InAll = c.roomy() + 1
		p.Limits["failures"] = "after so many failures ranks that talk may share a node, and its " +
			"senders alone know in which order receivers have taken their messages; more spares " +
			"with room help, or a protocol with loggers"
	}
	return nil
}

// roomy counts the spares that are there from the start and take the ranks of any node.
func (c *config) roomy() int {
	ranks := map[int]int{}
	for _, k := range c.origin {
		if ranks[k]++; c.Capacity > 0 && ranks[k] > c.Capacity {
			return 0
		}
	}
	return c.Spares
}

// apart says that two ranks must not share a node.
func (c *config) apart(a, b int) error {
	key, help := "clusters", "give them different clusters"
	if c.Nodes > 0 {
		key, help = "options", fmt.Sprintf("with nodes=%d each rank has a node of its own",
			max(c.ranks, 3))
	}
	return &core.ChoiceError{Key: key, Err: fmt.Errorf(
		"radic: ranks %d and %d talk and share node N%d, and a protocol without loggers keeps the "+
			"order of what one has taken from the other nowhere else: %s, or take a protocol with "+
			"loggers", a, b, c.origin[a]+1, help)}
}

// talkers says who exchanges messages with whom. A reply may go to anybody.
func (c *config) talkers(programs []core.Program) [][]bool {
	talk := make([][]bool, c.ranks)
	for r := range talk {
		talk[r] = make([]bool, c.ranks)
	}
	for r, p := range programs {
		for _, op := range p {
			for q := range talk {
				anybody := op.Kind == core.OpSend && op.Any || op.Kind == core.OpFlush
				if q != r && (anybody || op.Kind == core.OpSend && int(op.Peer) == q) {
					talk[r][q], talk[q][r] = true, true
				}
			}
		}
	}
	return talk
}
