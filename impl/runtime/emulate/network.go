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
	what := item{from: p.id, fromLife: p.life, toLife: to.life, via: c, bytes: bytes,
		input: core.Input{Kind: core.Received, From: p.id, Message: m}}
	kind, at := arrive, r.now
	if link := &r.config.Costs.Within; to.node == p.node {
		what.left = r.now
		at += link.Latency + span(bytes+link.Header, link.Rate)
	} else {
		link = &r.config.Costs.Between
		what.bytes += link.Header
		r.result.Bytes += what.bytes
		first, last := r.procs[p.node].out.pass(r.now, what.bytes, link)
		what.left, kind, at = last, card, first+link.Latency
	}
	c.under = append(c.under, r.schedule(to, kind, at, what))
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
		if !r.cut(&what) {
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
