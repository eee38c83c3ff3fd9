package certificate

import (
	"errors"
	"slices"

	"github.com/domino-check/domino/spec/trace"
)

// An entry of a table is a byte string of numbers, most significant byte first, and of strings
// behind their lengths. Each value has one form, and a table is sorted by these.

// builder makes an entry.
type builder []byte

func (b *builder) number(n uint64, bytes int) {
	for i := bytes - 1; i >= 0; i-- {
		*b = append(*b, byte(n>>(8*i)))
	}
}

func (b *builder) flag(set bool) {
	if set {
		b.number(1, 1)
		return
	}
	b.number(0, 1)
}

func (b *builder) text(s []byte) {
	b.number(uint64(len(s)), 4)
	*b = append(*b, s...)
}

var errEntry = errors.New("it does not have the form of an entry")

// cutter takes an entry apart. An error sticks, and then everything is zero or empty.
type cutter struct {
	rest []byte
	err  error
}

func (c *cutter) number(bytes int) (n uint64) {
	if len(c.rest) < bytes {
		c.rest, c.err = nil, errEntry
		return 0
	}
	for _, b := range c.rest[:bytes] {
		n = n<<8 | uint64(b)
	}
	c.rest = c.rest[bytes:]
	return n
}

func (c *cutter) flag() bool {
	n := c.number(1)
	if n > 1 {
		c.err = errEntry
	}
	return n == 1
}

func (c *cutter) text() []byte {
	n := c.number(4)
	if n > uint64(len(c.rest)) {
		c.rest, c.err = nil, errEntry
		return nil
	}
	s := c.rest[:n:n]
	c.rest = c.rest[n:]
	return s
}

// count is a number of things that take so many bytes each, at least.
func (c *cutter) count(bytes int) int {
	n := c.number(4)
	if n > uint64(len(c.rest)/bytes) {
		c.rest, c.err = nil, errEntry
		return 0
	}
	return int(n)
}

// end is the error of an entry of which something may be left.
func (c *cutter) end() error {
	if c.err == nil && len(c.rest) > 0 {
		return errEntry
	}
	return c.err
}

// Entry implements the interface.
func (t Text) Entry() []byte { return t }

func cutText(c *cutter) Text {
	t := slices.Clone(c.rest)
	c.rest = nil
	return t
}

// Entry implements the interface.
func (l Local) Entry() []byte {
	var b builder
	b.number(uint64(l.Proc), 2)
	b.number(uint64(l.Incarnation), 4)
	b.number(l.Round, 8)
	b.number(l.Evaluated, 8)
	b.text(l.Holding)
	b.text(l.State)
	return b
}

func cutLocal(c *cutter) (l Local) {
	l.Proc, l.Incarnation = trace.Proc(c.number(2)), trace.Incarnation(c.number(4))
	l.Round, l.Evaluated = c.number(8), c.number(8)
	l.Holding, l.State = c.text(), c.text()
	return l
}

// Entry implements the interface.
func (box Inbox) Entry() []byte {
	var b builder
	for _, ch := range box {
		b.number(uint64(ch.From), 2)
		b.number(uint64(ch.Incarnation), 4)
		b.number(uint64(len(ch.Messages)), 4)
		for _, m := range ch.Messages {
			b.number(uint64(m), 4)
		}
	}
	return b
}

func cutInbox(c *cutter) (box Inbox) {
	for len(c.rest) > 0 {
		ch := Channel{From: trace.Proc(c.number(2)), Incarnation: trace.Incarnation(c.number(4))}
		for range c.count(4) {
			ch.Messages = append(ch.Messages, uint32(c.number(4)))
		}
		box = append(box, ch)
	}
	return box
}

// Entry implements the interface.
func (e Env) Entry() []byte {
	var b builder
	b.flag(e.Up)
	b.number(uint64(e.Incarnation), 4)
	b.number(e.Former, 8)
	b.number(uint64(e.Line), 4)
	b.number(uint64(e.Host), 4)
	b.number(uint64(e.Still), 4)
	b.flag(e.Back)
	for _, records := range [][]Record{e.Store, e.Writing} {
		b.number(uint64(len(records)), 4)
		for _, r := range records {
			b.text([]byte(r.Key))
			b.text(r.Value)
			b.flag(r.Torn)
			b.flag(r.Gone)
			b.flag(r.Read)
		}
	}
	for _, procs := range [][]trace.Proc{e.Pending, e.Kills, e.Takes} {
		b.number(uint64(len(procs)), 4)
		for _, p := range procs {
			b.number(uint64(p), 2)
		}
	}
	b.number(uint64(len(e.Ended)), 4)
	for _, life := range e.Ended {
		b.number(uint64(life), 4)
	}
	b.number(uint64(len(e.Timers)), 4)
	for _, t := range e.Timers {
		b.text([]byte(t))
	}
	b.number(uint64(len(e.Watches)), 4)
	for _, w := range e.Watches {
		b.number(uint64(w.About), 2)
		b.number(uint64(w.Incarnation), 4)
	}
	b.number(uint64(len(e.Tickets)), 4)
	for _, t := range e.Tickets {
		b.number(uint64(t.By), 2)
		b.text([]byte(t.Key))
		b.text(t.Value)
	}
	return b
}

func cutEnv(c *cutter) (e Env) {
	e.Up, e.Incarnation, e.Former = c.flag(), uint32(c.number(4)), c.number(8)
	e.Line, e.Host, e.Still = uint32(c.number(4)), uint32(c.number(4)), uint32(c.number(4))
	e.Back = c.flag()
	for _, records := range []*[]Record{&e.Store, &e.Writing} {
		for range c.count(11) {
			*records = append(*records, Record{Key: string(c.text()), Value: c.text(),
				Torn: c.flag(), Gone: c.flag(), Read: c.flag()})
		}
	}
	for _, procs := range []*[]trace.Proc{&e.Pending, &e.Kills, &e.Takes} {
		for range c.count(2) {
			*procs = append(*procs, trace.Proc(c.number(2)))
		}
	}
	for range c.count(4) {
		e.Ended = append(e.Ended, uint32(c.number(4)))
	}
	for range c.count(4) {
		e.Timers = append(e.Timers, string(c.text()))
	}
	for range c.count(6) {
		e.Watches = append(e.Watches, Watch{trace.Proc(c.number(2)), uint32(c.number(4))})
	}
	for range c.count(10) {
		e.Tickets = append(e.Tickets, Ticket{trace.Proc(c.number(2)), string(c.text()), c.text()})
	}
	return e
}

// Entry implements the interface.
func (g Budgets) Entry() []byte {
	var b builder
	for _, n := range g.counters() {
		b.number(uint64(*n), 1)
	}
	b.flag(g.Over)
	return b
}

func cutBudgets(c *cutter) (g Budgets) {
	for _, n := range g.counters() {
		*n = uint8(c.number(1))
	}
	g.Over = c.flag()
	return g
}

func (g *Budgets) counters() []*uint8 {
	return []*uint8{&g.Failures, &g.Checkpoints, &g.Losses, &g.Duplicates, &g.Suspicions, &g.Torn,
		&g.Vanishing, &g.Spoiling, &g.Refusing}
}

// Entry implements the interface.
func (m Memory) Entry() []byte {
	var b builder
	for _, key := range m {
		b.text(key)
	}
	return b
}

func cutMemory(c *cutter) (m Memory) {
	for len(c.rest) > 0 {
		m = append(m, c.text())
	}
	return m
}

// Entry implements the interface.
func (f Configuration) Entry() []byte {
	var b builder
	b.number(uint64(f.Local), 4)
	b.number(uint64(f.Env), 4)
	b.number(uint64(f.Inbox), 4)
	return b
}

func cutConfiguration(c *cutter) Configuration {
	return Configuration{uint32(c.number(4)), uint32(c.number(4)), uint32(c.number(4))}
}
