package local

import (
	"fmt"
	"time"

	"github.com/domino-check/domino/spec/trace"
)

// looks is how often a step must be seen to be a step that does not end. To count looks, not time,
// spares a process that was stopped as a whole.
const looks = 4

// awaitSteps waits for the end of the run, or until a step was under way at as many looks in a row
// as fill Config.MaxStep. Everybody else is told to stop then.
func (r *run) awaitSteps(ended <-chan struct{}) error {
	ticker := time.NewTicker(max(1, r.config.MaxStep/looks))
	defer ticker.Stop()
	seen, times := make([]*offer, len(r.trying)), make([]int, len(r.trying))
	for {
		select {
		case <-ended:
			return nil
		case <-ticker.C:
		}
		for p := range r.trying {
			o := r.trying[p].Load()
			if o == nil || o != seen[p] {
				seen[p], times[p] = o, 0
				continue
			}
			if times[p]++; times[p] < looks {
				continue
			}
			if r.mu.TryLock() { // whoever hangs may have it
				r.end("a step does not end")
				r.mu.Unlock()
			}
			return fmt.Errorf("local: %s inc %d: %w: after %v it is still at %s",
				r.layout.Name(trace.Proc(p)), o.inc, ErrHangs, r.config.MaxStep,
				r.atWhat(r.procs[p], o))
		}
	}
}

// atWhat names a step that is running: what of it belongs to the machine is left alone.
func (r *run) atWhat(p *proc, o *offer) string {
	if o.kind == start {
		return "its start"
	}
	return fmt.Sprintf("%q", r.name(p, o, nil))
}
