package coordinated

import "github.com/domino-check/domino/impl/core"

// Waiting implements core.Waiter: an output, and with blocking checkpoints every send, waits for
// the checkpoint under way.
func (l *layer) Waiting() []core.Wait { return l.s.Saving.Waiting(l) }
