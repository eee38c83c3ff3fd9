package program

import "github.com/domino-check/domino/impl/core"

// Choices appends the program steps that are enabled now. Of several receives a layer with a queue
// leaves the one whose message comes first in it.
func (h *Host) Choices(buf []core.Choice) []core.Choice {
	first := len(buf)
	buf = h.enabled(buf)
	if h.queued == nil {
		return buf
	}
	best := -1
	for i := first; i < len(buf); i++ {
		source, receives := buf[i].Source()
		if !receives {
			continue
		}
		if best >= 0 {
			if before, _ := buf[best].Source(); !h.queued.Before(source, before) {
				continue
			}
		}
		best = i
	}
	if best < 0 {
		return buf
	}
	return append(buf[:first], buf[best])
}
