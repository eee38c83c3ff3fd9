package emulate

// queue serves one after the other, in the order in which they come.
type queue struct {
	free moment // when all who have come are served
}

// serve is when somebody who comes at a moment and takes so long is served.
func (q *queue) serve(now, takes moment) (end moment) {
	q.free = max(q.free, now).plus(takes)
	return q.free
}

// processor is a core of a node. Who computes waits for those who compute already; anything else
// passes them at once, as a system lets who was asleep run first, and who computes later pays for
// that: who is passed is not delayed.
type processor struct {
	others    queue
	computing queue
}

// free is when everybody who has come is served.
func (c *processor) free() moment { return max(c.others.free, c.computing.free) }

// serve is when something is done that is not computed.
func (c *processor) serve(now, takes moment) (end moment) {
	if c.computing.free > now {
		c.computing.free = c.computing.free.plus(takes)
	}
	return c.others.serve(now, takes)
}

// compute is when something is computed.
func (c *processor) compute(now, takes moment) (end moment) {
	return c.computing.serve(max(now, c.others.free), takes)
}

// first is the core that is free first, and of those that are at once the one on which everything
// is done first.
func first(cores []processor, now moment, free func(*processor) moment) *processor {
	best := &cores[0]
	for i := range cores[1:] {
		c := &cores[1+i]
		a, b := max(free(c), now), max(free(best), now)
		if a < b || a == b && c.free() < best.free() {
			best = c
		}
	}
	return best
}

// disk is a Disk and who waits for it.
type disk struct {
	price Disk
	queue
	others []moment // of the other servers: when each is free
	// when each who is not served yet will be, in order: only where somebody counts them
	ends []moment
}

// open is a disk with its prices.
func open(price Disk) *disk {
	return &disk{price: price, others: make([]moment, max(price.Servers-1, 0))}
}

// serve is when a request is served, by the server that is free first.
func (d *disk) serve(now, takes moment) (end moment) {
	for i, free := range d.others {
		if free < d.free {
			d.free, d.others[i] = free, d.free
		}
	}
	return d.queue.serve(now, takes)
}

// waiting is how many are waiting or served.
func (d *disk) waiting(now moment) int {
	n := 0
	for n < len(d.ends) && d.ends[n] <= now {
		n++
	}
	d.ends = d.ends[n:]
	return len(d.ends)
}

// write is when a record of so many bytes that comes now is stable.
func (d *disk) write(now moment, bytes int64) moment {
	p := &d.price
	if bytes < p.Small {
		return d.serve(now, lasting(p.Sync)+span(bytes, p.Write))
	}
	file := p.File
	if p.Crowd > 0 {
		if d.waiting(now) > p.Crowd {
			file = p.Crowded
		}
		defer func() { d.ends = append(d.ends, d.free) }()
	}
	return d.serve(now, lasting(file)+span(bytes, p.Write))
}

// read is when a record of so many bytes is read that is asked for now; fresh: for the first time
// since it was written.
func (d *disk) read(now moment, bytes int64, fresh bool) moment {
	p := &d.price
	switch {
	case fresh:
		return d.serve(now, span(bytes, p.Fresh))
	case bytes < p.Small:
		return d.serve(now, span(bytes, p.Read))
	}
	return d.serve(now, lasting(p.Open)+span(bytes, p.Read))
}

// network is one side of the card of a node.
type network struct {
	bulk  queue
	small queue
}

// pass is when a message has passed that comes at a moment. Bulk waits for all bulk before it;
// anything else waits for others of its kind, and for the chunk of bulk that is under way, and bulk
// that comes later pays for that. Behind each the card rests for the gap.
func (n *network) pass(now moment, bytes int64, l *Link) (first, last moment) {
	takes, gap := span(bytes, l.Rate), lasting(l.Gap)
	if l.bulky(bytes) {
		last = n.bulk.serve(now, takes+gap) - gap
		return last - takes, last
	}
	if left := n.bulk.free - now; left > 0 && l.Chunk > 0 && l.Rate > 0 {
		now += left % span(l.Chunk, l.Rate)
		n.bulk.free = n.bulk.free.plus(takes + gap)
	}
	last = n.small.serve(now, takes+gap) - gap
	return last - takes, last
}

// bulky reports whether a message of so many bytes is bulk.
func (l *Link) bulky(bytes int64) bool { return l.Chunk > 0 && bytes > l.Chunk && l.Rate > 0 }

// latency is that of a message of so many bytes.
func (l *Link) latency(bytes int64) moment {
	takes := l.Latency
	for _, s := range l.Steps {
		if bytes >= s.From {
			takes = s.Latency
		}
	}
	return lasting(takes)
}
