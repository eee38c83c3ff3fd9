package recheck

import (
	"slices"

	"github.com/domino-check/domino/proofs/certificate"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// body is a proc with all that is around it.
type body struct {
	live  bool
	local certificate.Local // of a proc that is up
	env   certificate.Env
	inbox certificate.Inbox
}

// clone is one that may be changed.
func (b *body) clone() *body {
	c := *b
	c.env.Store, c.env.Writing = slices.Clone(c.env.Store), slices.Clone(c.env.Writing)
	c.env.Pending, c.env.Timers = slices.Clone(c.env.Pending), slices.Clone(c.env.Timers)
	c.env.Watches, c.env.Ended = slices.Clone(c.env.Watches), slices.Clone(c.env.Ended)
	c.env.Tickets, c.env.Kills = slices.Clone(c.env.Tickets), slices.Clone(c.env.Kills)
	c.env.Takes = slices.Clone(c.env.Takes)
	c.inbox = slices.Clone(c.inbox)
	for i := range c.inbox {
		c.inbox[i].Messages = slices.Clone(c.inbox[i].Messages)
	}
	return &c
}

// arrive puts a message behind all others of its channel or, where no order is kept, among them; in
// a set it is there once.
func (b *body) arrive(from trace.Proc, life trace.Incarnation, message uint32,
	network *fault.Model) {
	i := 0
	for i < len(b.inbox) && (b.inbox[i].From < from ||
		b.inbox[i].From == from && b.inbox[i].Incarnation < life) {
		i++
	}
	if i == len(b.inbox) || b.inbox[i].From != from || b.inbox[i].Incarnation != life {
		b.inbox = slices.Insert(b.inbox, i, certificate.Channel{From: from, Incarnation: life})
	}
	at := len(b.inbox[i].Messages)
	if !network.KeepsOrder() {
		found := false
		if at, found = slices.BinarySearch(b.inbox[i].Messages, message); found && network.Set {
			return
		}
	}
	b.inbox[i].Messages = slices.Insert(b.inbox[i].Messages, at, message)
}

// take removes a message of a channel.
func (b *body) take(channel, message int) {
	c := &b.inbox[channel]
	if c.Messages = slices.Delete(c.Messages, message, message+1); len(c.Messages) == 0 {
		b.inbox = slices.Delete(b.inbox, channel, channel+1)
	}
}

// lose removes all that is on its way from a proc.
func (b *body) lose(from trace.Proc) {
	b.inbox = slices.DeleteFunc(b.inbox, func(c certificate.Channel) bool { return c.From == from })
}

// Changes of the store are on their way one behind the other, and become stable in that order.

// settle makes so many of them stable.
func (b *body) settle(n int) {
	for _, r := range b.env.Writing[:n] {
		switch {
		case r.Read:
		case r.Gone:
			b.env.Store = slices.DeleteFunc(b.env.Store, func(s certificate.Record) bool {
				return s.Key == r.Key
			})
		default:
			b.store(certificate.Record{Key: r.Key, Value: r.Value})
		}
	}
	b.env.Writing = b.env.Writing[n:]
}

// store puts a record in the place of the one with its key.
func (b *body) store(r certificate.Record) {
	i := 0
	for i < len(b.env.Store) && b.env.Store[i].Key < r.Key {
		i++
	}
	if i < len(b.env.Store) && b.env.Store[i].Key == r.Key {
		b.env.Store[i] = r
		return
	}
	b.env.Store = slices.Insert(b.env.Store, i, r)
}

// has reports whether there is a record with the key, whole or torn, when so many changes are
// stable.
func (b *body) has(key string, after int) (whole, torn bool) {
	for _, r := range b.env.Store {
		if r.Key == key {
			whole, torn = !r.Torn, r.Torn
		}
	}
	for _, r := range b.env.Writing[:after] {
		if r.Key == key && !r.Read {
			whole, torn = !r.Gone, false
		}
	}
	return whole, torn
}

// write begins a change of the store. To delete what is not there is none.
func (b *body) write(r certificate.Record) {
	if r.Gone {
		if whole, torn := b.has(r.Key, len(b.env.Writing)); !whole && !torn {
			return
		}
	}
	b.env.Writing = append(b.env.Writing, r)
}

// waited is the place of the first change that the proc waits for, -1 without one: nobody is told
// of a delete.
func (b *body) waited() int {
	return slices.IndexFunc(b.env.Writing, func(r certificate.Record) bool { return !r.Gone })
}

// tears reports whether a crash may damage the change behind so many that become stable: it is a
// write, and there is no whole record of its key.
func (b *body) tears(kept int) bool {
	if kept == len(b.env.Writing) || b.env.Writing[kept].Gone || b.env.Writing[kept].Read {
		return false
	}
	whole, _ := b.has(b.env.Writing[kept].Key, kept)
	return !whole
}

// watch starts a watchdog about a life of a proc, unwatch ends the one about that proc.
func (b *body) watch(about trace.Proc, life uint32) {
	i := 0
	for i < len(b.env.Watches) && b.env.Watches[i].About < about {
		i++
	}
	b.env.Watches = slices.Insert(b.env.Watches, i,
		certificate.Watch{About: about, Incarnation: life})
}

func (b *body) unwatch(about trace.Proc) {
	b.env.Watches = slices.DeleteFunc(b.env.Watches, func(w certificate.Watch) bool {
		return w.About == about
	})
}

// renew begins the next life of a proc that has not stopped: what is on its way to it and to its
// store, and what it has not been told of, stays.
func (b *body) renew(life uint32, round uint64) {
	b.env.Former = max(b.env.Former, round)
	b.env.Incarnation, b.env.Timers, b.env.Watches = life, nil, nil
}

// stop ends the life of a proc; the next one has a number. Its disk may go with it.
func (b *body) stop(next uint32, kept int, torn, disk bool) {
	e := &b.env
	broken := ""
	if torn {
		broken = e.Writing[kept].Key
	}
	b.settle(kept)
	if torn {
		b.store(certificate.Record{Key: broken, Torn: true})
	}
	if disk {
		e.Store = nil
	}
	e.Former = max(e.Former, b.local.Round)
	e.Up, e.Incarnation, e.Writing, e.Timers, e.Watches = false, next, nil, nil, nil
	e.Host, e.Kills, e.Still, e.Takes, e.Back = 0, nil, 0, nil, false
	b.live, b.local = false, certificate.Local{}
}

// notice is the news of the failure of a group. Where procs are launched it is about one life of
// it, which is given plus 1, and comes behind that about earlier ones.
func (b *body) notice(group trace.Proc, life uint32) {
	e := &b.env
	i, there := slices.BinarySearch(e.Pending, group)
	if life == 0 {
		if !there {
			e.Pending = slices.Insert(e.Pending, i, group)
		}
		return
	}
	for ; i < len(e.Pending) && e.Pending[i] == group; i++ {
		if e.Ended[i] == life-1 {
			return
		}
	}
	e.Pending, e.Ended = slices.Insert(e.Pending, i, group), slices.Insert(e.Ended, i, life-1)
}

// forget takes away the news at a place, all of it with -1.
func (b *body) forget(place int) {
	e := &b.env
	switch {
	case place < 0:
		e.Pending, e.Ended = nil, nil
	case len(e.Ended) > 0:
		e.Ended = slices.Delete(e.Ended, place, place+1)
		fallthrough
	default:
		e.Pending = slices.Delete(e.Pending, place, place+1)
	}
}
