package world

import (
	"encoding/binary"
	"slices"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/impl/core"
)

// deed is what is done to a proc from outside: what it is, and in the low three bits of which sort.
// What comes of it in each configuration is remembered.
type deed uint32

const (
	arrives   deed = iota // a packet
	surrounds             // an operation on its env
	loses                 // all that is on its way from a proc
	ends                  // a channel, by its place in the inbox
	several               // one deed after the other
)

func packetDeed(p packetNumber) deed { return deedOf(arrives, uint32(p)) }
func operationDeed(op uint32) deed   { return deedOf(surrounds, op) }
func lossDeed(sender core.Proc) deed { return deedOf(loses, uint32(sender)) }
func endDeed(channel int) deed       { return deedOf(ends, uint32(channel)) }
func (d deed) sort() deed            { return d & 7 }
func (d deed) number() uint32        { return uint32(d >> 3) }

func deedOf(sort deed, number uint32) deed {
	if number >= 1<<29 {
		panic("invariant: half a billion packets, operations or deeds do not fit into memory")
	}
	return deed(number)<<3 | sort
}

// plainDeed is an operation that has only numbers.
func (w *World) plainDeed(op operation) deed { return operationDeed(w.plain(op)) }

// both is one deed that does what two do, in their order.
func (w *World) both(first, then deed) deed {
	list := []deed{first}
	if first.sort() == several {
		list = slices.Clone(*w.deedLists.at(first.number()))
	}
	list = append(list, then)
	var content []byte
	for _, d := range list {
		content = binary.BigEndian.AppendUint32(content, uint32(d))
	}
	number, ok := w.deedLists.find(content)
	if !ok {
		number = w.deedLists.intern(content, list)
	}
	return deedOf(several, number)
}

// touch does something to a proc of the successor.
func (w *World) touch(x *checker.Expansion, p core.Proc, d deed) {
	x.Set(procWord(p), w.touched(p, x.At(procWord(p)), d))
}

// touched is the configuration of a proc after a deed.
func (w *World) touched(p core.Proc, number uint32, d deed) uint32 {
	s := &w.configurations[p]
	if next, ok := s.touched.get(pair(number, uint32(d))); ok {
		return next
	}
	return s.touched.put(pair(number, uint32(d)),
		w.configuration(p, w.under(*s.list.at(number), d)))
}

// under is what a deed makes of a configuration.
func (w *World) under(c configuration, d deed) configuration {
	switch n := d.number(); d.sort() {
	case arrives:
		c.inbox = w.push(c.inbox, packetNumber(n))
	case surrounds:
		c.env = w.envStep(c.env, n)
	case loses:
		c.inbox = w.without(c.inbox, core.Proc(n), everyLife)
	case ends:
		channel := &w.inboxes.at(c.inbox).channels[n]
		c.inbox = w.without(c.inbox, channel.from, channel.inc)
	case several:
		for _, one := range *w.deedLists.at(n) {
			c = w.under(c, one)
		}
	}
	return c
}
