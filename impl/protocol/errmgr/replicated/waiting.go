package replicated

import (
	"fmt"

	"github.com/domino-check/domino/impl/core"
)

// Waiting implements core.Waiter: whoever speaks with the service waits for it, too, to take what
// it was told.
func (c *client) Waiting() []core.Wait {
	waits := core.WaitingOf(c.inner)
	n := len(c.s.Requests)
	switch {
	case n == 0:
	case c.s.Known:
		waits = append(waits, core.Wait{What: fmt.Sprintf("word that %d requests are taken", n),
			From: []core.Proc{c.s.Leader}})
	default:
		waits = append(waits, core.Wait{What: "a leader of the service", From: c.replicas})
	}
	return waits
}

// Waiting implements core.Waiter: the leader that serves waits for what the service does, others
// for the leader's word.
func (r *replica) Waiting() []core.Wait {
	if !r.s.Serving {
		return nil
	}
	return core.WaitingOf(r.inner)
}
