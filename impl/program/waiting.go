package program

import (
	"slices"
	"strings"

	"github.com/domino-check/domino/impl/core"
)

// Waiting implements core.Waiter: what the program waits for, and what its protocol does.
func (h *Host) Waiting() (waits []core.Wait) {
	if w, ok := h.layer.(core.Waiter); ok {
		waits = w.Waiting()
	}
	op, ok := h.Next()
	if !ok || len(h.enabled(nil)) > 0 {
		return waits
	}
	switch op.Kind {
	case core.OpRecv:
		waits = append(waits, awaited(op.Peer, op.Any))
	case core.OpWait:
		for _, p := range h.app.Posted {
			waits = append(waits, awaited(p.Peer, p.Any))
		}
	case core.OpSend:
		waits = append(waits, core.Wait{What: strings.TrimSpace("leave to send " + op.Label)})
	default:
		if h.held(op.Kind) {
			waits = append(waits, core.Wait{What: "leave to go on"})
		}
	}
	return slices.Clip(waits)
}

// awaited is the wait for a message of a rank, or of anybody.
func awaited(peer core.Rank, any bool) core.Wait {
	if _, group := core.SourceGroup(peer); any || group {
		return core.Wait{What: "a message"}
	}
	return core.Wait{What: "a message", From: []core.Proc{peer.Proc()}}
}
