package minimise

import (
	"fmt"

	"github.com/domino-check/domino/impl/core"
)

// shorterLoops are the changes that make all loops of one length shorter, then single ones.
func shorterLoops(d *draft) []Change[*draft] {
	c := changesOf(d)
	shorten := func(words string, from, to int, loops func(place) bool) {
		e := d.copy()
		for r := range e.programs {
			for i := range e.programs[r] {
				if op := &e.programs[r][i]; op.Kind == core.OpLoop && op.Count == from &&
					loops(place{r, i}) {
					op.Count = to
				}
			}
		}
		c.add(e, "%s %d -> %d", words, from, to)
	}
	for r, p := range d.programs {
		for i, op := range p {
			for _, n := range []int{1, op.Count / 2, op.Count - 1} {
				if op.Kind == core.OpLoop && n > 0 {
					shorten("all loops", op.Count, n, func(place) bool { return true })
					shorten("a loop of "+d.names[r], op.Count, n, func(at place) bool {
						return at == place{r, i}
					})
				}
			}
		}
	}
	return c.list
}

// fewerMessages are the changes that take messages out of the programs: many at a time, then one by
// one. A receive from anyone may take another message than it did in a simulation, so every receive
// that fits a send is tried with it.
func fewerMessages(d *draft) []Change[*draft] {
	c := changesOf(d)
	for _, s := range d.simulations() {
		for size := len(s.matches) / 2; size > 1; size /= 2 {
			for from := 0; from < len(s.matches); from += size {
				part := s.matches[from:min(len(s.matches), from+size)]
				var places []place
				for _, m := range part {
					places = append(places, m.send, m.receive)
				}
				e := d.copy()
				e.remove(places...)
				c.add(e, "without %s to %s", d.label(part[0].send), d.label(part[len(part)-1].send))
			}
		}
		for _, m := range s.matches {
			d.removeMessage(c, m)
		}
	}
	for send, op := range d.each(core.OpSend) {
		for _, kind := range []core.OpKind{core.OpRecv, core.OpPost} {
			for receive, in := range d.each(kind) {
				if (op.Any || int(op.Peer) == receive.rank) &&
					(in.Any || int(in.Peer) == send.rank) && send.rank != receive.rank {
					d.removeMessage(c, match{send, receive})
				}
			}
		}
	}
	return c.list
}

func (d *draft) removeMessage(c *changes, m match) {
	e := d.copy()
	e.remove(m.send, m.receive)
	c.add(e, "without %s", d.label(m.send))
}

// each goes through the operations of a kind in the order of the text.
func (d *draft) each(kind core.OpKind) func(yield func(place, core.Op) bool) {
	return func(yield func(place, core.Op) bool) {
		for r, p := range d.programs {
			for i, op := range p {
				if op.Kind == kind && !yield(place{r, i}, op) {
					return
				}
			}
		}
	}
}

// label is what a message is called.
func (d *draft) label(send place) string {
	sends := uint32(0)
	for _, op := range d.programs[send.rank][:send.op+1] {
		sends += uint32(number(op.Kind == core.OpSend))
	}
	id := core.MsgID{From: core.Rank(send.rank), Number: sends}
	if l, ok := core.Labels(d.programs)[id]; ok {
		return l
	}
	return fmt.Sprintf("%s#%d", d.names[send.rank], sends)
}

// fewerErrors are the changes by which a rank does less about errors: what is done on one only
// goes, and an error is not seen.
func (d *draft) fewerErrors(c *changes) {
	for r, p := range d.programs {
		for i, op := range p {
			at := place{r, i}
			if op.OnError {
				e := d.copy()
				e.remove(at)
				c.add(e, "without %s of %s on an error", op.Kind.Verb(), d.names[r])
			}
			if op.Try {
				e := d.copy()
				e.programs[r][i].Try = false
				c.add(e, "%s of %s is not tried", op.Kind.Verb(), d.names[r])
			}
		}
	}
}

// fewerWords are the changes that take out operations that are not about messages, and that replace
// a choice by what is chosen.
func fewerWords(d *draft) []Change[*draft] {
	c := changesOf(d)
	d.removeEach(c, core.OpOutput, "output")
	d.removeEach(c, core.OpWait, "wait")
	d.removeEach(c, core.OpPick, "pick")
	for at, op := range d.each(core.OpPick) {
		if op.Count > 2 {
			e := d.copy()
			e.programs[at.rank][at.op].Count--
			c.add(e, "%s picks from %d values", d.names[at.rank], op.Count-1)
		}
	}
	d.removeEach(c, core.OpAcknowledge, "ack")
	d.fewerErrors(c)
	set := func(at place, op core.Op, format string, args ...any) {
		e := d.copy()
		e.programs[at.rank][at.op] = op
		c.add(e, format, args...)
	}
	for _, s := range d.simulations() {
		for _, m := range s.matches {
			if op := d.programs[m.receive.rank][m.receive.op]; op.Any {
				op.Any, op.Peer = false, core.Rank(m.send.rank)
				set(m.receive, op, "%s receives %s by name", d.names[m.receive.rank],
					d.label(m.send))
			}
			if op := d.programs[m.send.rank][m.send.op]; op.Any {
				op.Any, op.Peer = false, core.Rank(m.receive.rank)
				set(m.send, op, "%s is sent by name", d.label(m.send))
			}
		}
	}
	for _, kind := range []core.OpKind{core.OpRecv, core.OpPost} {
		for at, op := range d.each(kind) {
			if op.Ordered {
				op.Ordered = false
				set(at, op, "a receive of %s is not ordered", d.names[at.rank])
			}
			if op.Kind == core.OpPost {
				op.Kind = core.OpRecv
				set(at, op, "a posted receive of %s waits", d.names[at.rank])
			}
		}
	}
	return c.list
}
