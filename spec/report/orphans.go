package report

import "github.com/domino-check/domino/spec/trace"

// orphan says when a delivered message was one that its sender, restored to an earlier point, had
// not sent.
type orphan struct {
	since, until int // events; until is never when it stayed one
	// it ended because the receiver was restored too; otherwise the message was sent again
	undone bool
}

// past is what one proc has done along its surviving past.
type past struct {
	sent      uint32
	delivered []int // events
	down      bool
}

// census finds the orphans of a trace.
type census struct {
	events []trace.Event
	pasts  []past // by proc
	found  map[int]orphan
	open   map[trace.MsgID][]int // deliveries that are orphans now
}

// findOrphans folds the trace into pasts and returns, by delivery, when it was an orphan.
func findOrphans(events []trace.Event) map[int]orphan {
	procs := 0
	for _, e := range events {
		procs = max(procs, int(e.Proc)+1)
		if !e.ID.IsZero() {
			procs = max(procs, int(e.ID.From)+1)
		}
	}
	c := census{events: events, pasts: make([]past, procs), found: map[int]orphan{},
		open: map[trace.MsgID][]int{}}
	lands := landings(events)
	for i, e := range events {
		self := &c.pasts[e.Proc]
		switch e.Kind {
		case trace.Sent:
			self.sent = max(self.sent+1, e.ID.Number)
			for _, d := range c.open[e.ID] {
				c.end(d, i, false)
			}
			delete(c.open, e.ID)
		case trace.Delivered:
			self.delivered = append(self.delivered, i)
		case trace.Crashed:
			self.down = true
		case trace.Restored:
			c.restored(i, events[lands[i]])
		}
	}
	return c.found
}

// restored cuts a past back to what the landing of a restart names, and compares it with the pasts
// of all that are up.
func (c *census) restored(i int, e trace.Event) {
	self := &c.pasts[e.Proc]
	self.down, self.sent = false, min(self.sent, e.Sent)
	keep := min(len(self.delivered), int(e.Received))
	for _, d := range self.delivered[keep:] {
		c.end(d, i, true)
	}
	self.delivered = self.delivered[:keep]
	for p := range c.pasts {
		if other := &c.pasts[p]; !other.down && other != self {
			c.compare(other, e.Proc, i)
			c.compare(self, trace.Proc(p), i)
		}
	}
}

// compare marks what the receiver has and the sender has not sent.
func (c *census) compare(receiver *past, from trace.Proc, at int) {
	for _, d := range receiver.delivered {
		id := c.events[d].ID
		if _, known := c.found[d]; !known && id.From.Proc() == from &&
			id.Number > c.pasts[from].sent {
			c.found[d] = orphan{since: at, until: never}
			c.open[id] = append(c.open[id], d)
		}
	}
}

// end closes an orphan that is open.
func (c *census) end(delivery, at int, undone bool) {
	if o, ok := c.found[delivery]; ok && o.until == never {
		c.found[delivery] = orphan{since: o.since, until: at, undone: undone}
	}
}

// landings are, by restart, the events that say where its program goes on: the restart itself or,
// where its image came by message before the program did anything, the event with which it came. A
// restart that waits for its image has undone nothing that is in the image.
func landings(events []trace.Event) map[int]int {
	lands, image := map[int]int{}, map[trace.Proc]int{}
	for i := len(events) - 1; i >= 0; i-- {
		e := &events[i]
		switch e.Kind {
		case trace.Sent, trace.Delivered, trace.Released, trace.Finished:
			delete(image, e.Proc)
		case trace.Resumed:
			image[e.Proc] = i
		case trace.Restored:
			lands[i] = i
			if at, ok := image[e.Proc]; ok {
				lands[i] = at
			}
		}
	}
	return lands
}
