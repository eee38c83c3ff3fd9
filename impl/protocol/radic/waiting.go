package radic

import (
	"fmt"

	"github.com/domino-check/domino/impl/core"
)

// Waiting implements core.Waiter: what the protocol below waits for.
func (c *carrier) Waiting() []core.Wait { return core.WaitingOf(c.inner) }

// Waiting implements core.Waiter: the protocol below waits for others, and the observer for word of
// where those are.
func (o *observer) Waiting() []core.Wait {
	waits := o.carrier.Waiting()
	for q := range o.s.Others {
		c := &o.s.Others[q].Chase
		switch rank := core.Proc(q); {
		case c.On && c.Asked != 0:
			waits = append(waits, core.Wait{What: fmt.Sprintf("word where rank %d runs", q),
				From: []core.Proc{c.Asked}})
		case c.On:
			waits = append(waits, core.Wait{What: fmt.Sprintf("rank %d to say where it runs, as "+
				"nobody knows", q), From: []core.Proc{rank}})
		}
	}
	if o.s.Leaving && !o.s.Recovering {
		waits = append(waits, core.Wait{What: "its node to move it", From: []core.Proc{o.s.Host}})
	}
	return waits
}

// Waiting implements core.Waiter.
func (m *stored) Waiting() []core.Wait {
	vault := core.Proc(m.ranks) + m.rank.Proc()
	switch {
	case m.s.Halted:
		return nil
	case m.s.Fetching:
		return core.WaitFor("its records", vault)
	}
	waits := core.WaitingOf(m.inner)
	if n := len(m.s.Writing); n > 0 {
		waits = append(waits, core.Wait{What: fmt.Sprintf("word that %d records are stored", n),
			From: []core.Proc{vault}})
	}
	return waits
}

// Waiting implements core.Waiter.
func (t *node) Waiting() (waits []core.Wait) {
	s := &t.s
	switch s.Now.Phase {
	case counting:
		waits = core.WaitFor("word of what it hosts, to recover the ranks of a dead node",
			s.Now.Asked)
	case asking:
		waits = core.WaitFor("the answer whether it adopts the ranks of a dead node", s.Now.Asked)
	case adopting:
		waits = core.WaitFor("word that it has adopted the ranks of a dead node", s.Now.Asked)
	}
	waits = append(waits, core.WaitFor("a sign of life", s.Probed...)...)
	if len(s.Joining) > 0 {
		waits = append(waits, core.WaitFor("a welcome", s.Joining[0])...)
	}
	return waits
}
