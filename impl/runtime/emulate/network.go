package emulate

import "github.com/domino-check/domino/impl/core"

// send puts a message on its way.
func (r *Run) send(p *proc, e *core.Effect) {
	to := &r.procs[e.To]
	r.result.Messages++
	var bytes int64
	if r.config.Size != nil {
		bytes = r.config.Size(e.Message)
	}
	m := r.setup.NewMessage()
	core.CloneMessage(e.Message, m)
	key := route{p.id, to.id, p.life}
	c := r.channels[key]
	if c == nil {
		c = new(channel)
		r.channels[key] = c
	}
	var way Carriage
	if r.config.Carry != nil {
		way = r.config.Carry(r, p.id, to.id, e.Message)
	}
	i := r.hold(item{from: p.id, fromLife: p.life, toLife: to.life, via: c, bytes: bytes,
		slow:  span(bytes, way.Rate),
		input: core.Input{Kind: core.Received, From: p.id, Message: m}})
	c.under = append(c.under, i)
	if way.Wait > 0 {
		r.items[i].left = r.now + way.Wait
		r.put(to, leave, r.now+way.Wait, i)
		return
	}
	r.depart(p, to, i)
}

// depart puts a message on the card of its sender's node, or into the memory that both share.
func (r *Run) depart(p, to *proc, i int32) {
	what := &r.items[i]
	if r.cut(what) {
		r.put(to, arrive, r.now, i) // where it is dropped, in its turn
		return
	}
	if link := &r.config.Costs.Within; to.node == p.node {
		what.left = r.now
		takes := max(span(what.bytes+link.Header, link.Rate), what.slow)
		r.put(to, arrive, r.now+link.Latency+takes, i)
		return
	}
	link := &r.config.Costs.Between
	what.bytes += link.Header
	r.result.Bytes += what.bytes
	first, last := r.procs[p.node].out.pass(r.now, what.bytes, link)
	what.left = max(last, first+what.slow)
	r.put(to, card, first+link.Latency, i)
}

// enter is the first byte of a message at the card of its addressee's node.
func (r *Run) enter(to *proc, i int32) {
	what := &r.items[i]
	link := &r.config.Costs.Between
	_, last := r.procs[to.node].in.pass(r.now, what.bytes, link)
	r.put(to, arrive, max(last, what.left+link.Latency), i)
}

// reach is the last byte of a message at its addressee: it is there when all before it are.
func (r *Run) reach(to *proc, c *channel, i int32) {
	r.items[i].reached = true
	for len(c.under) > 0 && r.items[c.under[0]].reached {
		what := r.take(core.Pop(&c.under))
		what.via = nil
		// what is lost ends the channel: of what a node has sent before it failed a prefix arrives
		if c.broken = c.broken || r.cut(&what); !c.broken {
			r.offer(to, what)
		}
	}
}

// cut reports whether the node of the sender has failed before the message had left it.
func (r *Run) cut(what *item) bool {
	p := &r.procs[what.from]
	if p.life == what.fromLife {
		return false
	}
	end := p.ends[what.fromLife]
	return end >= 0 && end < what.left
}
