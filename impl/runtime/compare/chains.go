package compare

import "github.com/domino-check/domino/impl/core"

// chains are the longest chains of messages that are not the program's own, since a failure: a
// message of a program hands on the length of the chain that its sender knows, any other one is one
// more. What was on its way when it began has length 0.
type chains struct {
	known  []int // by proc
	flying map[[2]core.Proc][]int
}

func (c *chains) init(procs int) {
	c.known, c.flying = make([]int, procs), map[[2]core.Proc][]int{}
}

// begin is a failure.
func (c *chains) begin() {
	clear(c.known)
	for _, list := range c.flying {
		clear(list)
	}
}

// send puts a message on its way.
func (c *chains) send(from, to core.Proc, counts bool) {
	n := c.known[from]
	if counts {
		n++
	}
	way := [2]core.Proc{from, to}
	c.flying[way] = append(c.flying[way], n)
}

// receive takes the next message of a channel.
func (c *chains) receive(from, to core.Proc) {
	way := [2]core.Proc{from, to}
	if list := c.flying[way]; len(list) > 0 {
		c.known[to] = max(c.known[to], list[0])
		c.flying[way] = list[1:]
	}
}

// crash is a proc that stops: it knows nothing, and what is on its way to it is lost.
func (c *chains) crash(p core.Proc) {
	c.known[p] = 0
	for from := range c.known {
		delete(c.flying, [2]core.Proc{core.Proc(from), p})
	}
}

// of is the chain that a proc knows.
func (c *chains) of(p core.Proc) int { return c.known[p] }
