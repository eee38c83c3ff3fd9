package emulate

import "github.com/domino-check/domino/impl/core"

// send puts a message on its way, when the processor of its sender has come to it.
func (r *Run) send(p *proc, e *core.Effect) {
	to := &r.procs[e.To]
	r.result.Messages++
	m, bytes := r.copied(p.id, e.Message)
	if r.config.Size != nil {
		bytes = r.config.Size(e.Message)
	}
	var images Images
	if r.config.Images != nil {
		images = r.config.Images(r, p.id, to.id, e.Message)
		bytes = max(0, bytes+images.More)
	}
	var way Carriage
	if r.config.Carry != nil {
		way = r.config.Carry(r, p.id, to.id, e.Message)
	}
	link := r.link(p.node, to.node)
	p.free = r.compute(p, max(p.free, r.now), lasting(link.Overhead))
	at := p.free.plus(lasting(way.Wait))
	if images.Read > 0 {
		at = r.keepOf(p).read(at, images.Read, false)
	}
	if link.Eager > 0 && bytes > link.Eager {
		at = at.plus(2 * link.latency(0)) // it is announced, and may come
	}
	i := r.hold(item{kind: core.Received, from: p.id, fromLife: p.life, toLife: to.life,
		bytes: bytes, written: images.Written, slow: span(bytes, way.Rate), left: at, message: m})
	if r.windows == nil || r.windows.overtake || link == &r.config.Costs.Within {
		c := p.channel(to.id)
		r.items[i].via = c
		if r.windows == nil || r.windows.has(to.id) { // otherwise when it is handed over
			c.under = append(c.under, i)
		}
	}
	if at > r.now && !r.direct {
		r.put(to, leave, at, i)
		return
	}
	r.depart(p, to, i)
}

// channel is the one from this life of the proc to another proc.
func (p *proc) channel(to core.Proc) *channel {
	c := p.channels[to]
	if c == nil {
		if p.channels == nil {
			p.channels = map[core.Proc]*channel{}
		}
		c = new(channel)
		p.channels[to] = c
	}
	return c
}

// link is the way between two nodes.
func (r *Run) link(a, b core.Proc) *Link {
	if r.procs[a].box == r.procs[b].box {
		return &r.config.Costs.Within
	}
	return &r.config.Costs.Between
}

// depart puts a message on the card of its sender's node, or into the memory that both share.
func (r *Run) depart(p, to *proc, i int32) {
	what := &r.items[i]
	if r.cut(what) {
		r.put(to, arrive, r.now, i) // where it is dropped, in its turn
		return
	}
	at, link := what.left, r.link(p.node, to.node)
	if link == &r.config.Costs.Within {
		takes := max(span(what.bytes+link.Header, link.Rate), what.slow)
		r.put(to, arrive, at.plus(link.latency(what.bytes)+takes), i)
		return
	}
	latency := link.latency(what.bytes)
	what.bytes += link.Header
	r.result.Bytes += what.bytes
	first, last := r.procs[r.procs[p.node].box].out.pass(at, what.bytes, link)
	what.left, what.latency = max(last, first.plus(what.slow)), latency
	r.put(to, card, first.plus(latency), i)
}

// enter is the first byte of a message at the card of its addressee's node, where one that is not
// there as a whole, because its sender has failed, takes no place.
func (r *Run) enter(to *proc, i int32) {
	what := &r.items[i]
	if r.cut(what) {
		r.put(to, arrive, r.now, i)
		return
	}
	_, last := r.procs[r.procs[to.node].box].in.pass(r.now, what.bytes, &r.config.Costs.Between)
	r.put(to, arrive, max(last, what.left.plus(what.latency)), i)
}

// reach is the last byte of a message at its addressee: it is there when all before it are.
func (r *Run) reach(to *proc, c *channel, i int32) {
	r.items[i].reached = true
	for len(c.under) > 0 && r.items[c.under[0]].reached {
		i := core.Pop(&c.under)
		what := &r.items[i]
		what.via = nil
		// what is lost ends the channel: of what a node has sent before it failed a prefix arrives
		if c.broken = c.broken || r.cut(what); !c.broken {
			r.offer(to, i)
		} else {
			r.release(i)
		}
	}
}

// cut reports whether the node of the sender has failed before the message had left it.
func (r *Run) cut(what *item) bool {
	if r.windows != nil { // no node fails
		return false
	}
	p := &r.procs[what.from]
	if p.life == what.fromLife {
		return false
	}
	end := p.ends[what.fromLife]
	return end >= 0 && end < what.left
}

// keepOf is where the node of a proc keeps what others give it.
func (r *Run) keepOf(p *proc) *disk { return r.procs[r.procs[p.node].box].keep }

// keep writes the images of a message that is there as a whole, and reports whether it comes when
// that is done. What was cut off is not written, nor what comes to a proc that is down, and so has
// no node.
func (r *Run) keep(to *proc, i int32) bool {
	what := &r.items[i]
	bytes := what.written
	what.written = 0
	if bytes == 0 || !to.up || to.life != what.toLife || r.cut(what) {
		return false
	}
	end := r.keepOf(to).write(r.now, bytes)
	if end <= r.now {
		return false
	}
	r.put(to, arrive, end, i)
	return true
}
