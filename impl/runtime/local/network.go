package local

import (
	"cmp"
	"slices"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// packet is one message on its way, encoded.
type packet struct {
	from core.Proc
	inc  core.Incarnation
	data string
	wire trace.Wire
	due  time.Duration

	ignored useless // when its receiver had no use for it
}

// useless is the moment at which a receiver had no use for something: until it or somebody else
// changes, it has none.
type useless struct{ version, gone int }

// channel is what is on its way from one incarnation of one proc.
type channel struct {
	from    core.Proc
	inc     core.Incarnation
	packets []*packet // oldest first
	// of a sender that is gone: how many arrive before the rest is cut off; everything when
	// negative
	keep int
}

// push puts a message on the network. What is in flight to a proc that is down waits for its next
// incarnation.
func (r *run) push(to *proc, k *packet) {
	if r.config.Model.Set && to.has(k) {
		return
	}
	i, found := slices.BinarySearchFunc(to.inbox, k, func(c *channel, k *packet) int {
		return cmp.Or(cmp.Compare(c.from, k.from), cmp.Compare(c.inc, k.inc))
	})
	if !found {
		to.inbox = slices.Insert(to.inbox, i, &channel{from: k.from, inc: k.inc, keep: -1})
	}
	c, sender := to.inbox[i], r.procs[k.from]
	k.due = r.clock() + r.pace.delay(sender.rng, r.pace.channel(k.from, to.id))
	if n := len(c.packets); n > 0 && r.config.Model.KeepsOrder() {
		k.due = max(k.due, c.packets[n-1].due)
	}
	c.packets = append(c.packets, k)
	r.inFlight++
}

// has reports whether the message is on its way to the proc.
func (p *proc) has(k *packet) bool {
	return slices.ContainsFunc(p.inbox, func(c *channel) bool {
		return c.from == k.from && c.inc == k.inc &&
			slices.ContainsFunc(c.packets, func(l *packet) bool {
				return l.data == k.data
			})
	})
}

// pop takes a message from its channel.
func (r *run) pop(p *proc, c *channel, k *packet) {
	i := slices.Index(c.packets, k)
	c.packets = slices.Delete(c.packets, i, i+1)
	r.inFlight--
	if c.keep > 0 {
		c.keep--
	}
	if len(c.packets) == 0 {
		p.inbox = slices.DeleteFunc(p.inbox, func(d *channel) bool { return d == c })
	}
}

// drop removes channels of a proc.
func (r *run) drop(p *proc, gone func(*channel) bool) {
	p.inbox = slices.DeleteFunc(p.inbox, func(c *channel) bool {
		if gone(c) {
			r.inFlight -= len(c.packets)
			return true
		}
		return false
	})
}

// dead reports whether the sender of a channel is gone.
func (r *run) dead(c *channel) bool { return c.inc < r.procs[c.from].inc }

// heads are the messages of a channel that can arrive now.
func (r *run) heads(c *channel) []*packet {
	if c.keep == 0 {
		return nil
	}
	if r.config.Model.KeepsOrder() {
		return c.packets[:1]
	}
	return c.packets
}

// doom decides what arrives of what a proc that has left a life had in flight. A proc that rolls
// back has sent what it has sent, so it is for crashes alone that nothing may arrive.
func (r *run) doom(p *proc, s fault.Survival) {
	for _, q := range r.procs {
		for _, c := range q.inbox {
			if c.from != p.id || !r.dead(c) || c.keep >= 0 ||
				r.config.Model.FromDead != fault.Prefix || r.config.Schedule != nil {
				continue
			}
			switch s {
			case fault.Prefix:
				c.keep = r.rng.IntN(len(c.packets) + 1)
			case fault.Nothing:
				c.keep = 0
			}
			if c.keep == len(c.packets) {
				c.keep = -1
			}
		}
	}
}
