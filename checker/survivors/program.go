package survivors

import (
	"encoding/binary"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// run is one step of one program, from a state that is not changed.
type run struct {
	*explorer
	from *state
	self trace.Rank
	n    int
}

// program are the states behind what the program of a rank may do now.
func (x *explorer) program(s *state, i trace.Rank) (list []state) {
	r := run{x, s, i, len(s.ranks)}
	list = append(list, r.results()...)
	op, more := r.operation()
	if more && op.OnError && !s.ranks[i].failed { // it is passed over
		return append(list, r.then(func(_ *state, me *rank) {
			if sends(op.Kind) {
				me.number++
			}
			me.at++
		}))
	}
	waits := !more || op.Kind == core.OpRecv || op.Kind == core.OpWait ||
		op.Kind == core.OpSend && op.Any && len(s.ranks[i].delivered) == 0
	if waits || !x.job.PostsWait {
		for k := range s.ranks[i].posted {
			list = append(list, r.receipts(k)...)
		}
	}
	list = append(list, r.errors(op, more)...)
	if !more {
		if len(s.ranks[i].posted) == 0 {
			list = append(list, r.then(func(_ *state, me *rank) { me.ended = true }))
		}
		return list
	}
	return append(list, r.success(op)...)
}

// operation is the next one; more is false at the end, where a wait is implied.
func (r *run) operation() (op core.Op, more bool) {
	me := &r.from.ranks[r.self]
	if me.at == len(r.ops[r.self]) {
		return core.Op{Kind: core.OpWait}, false
	}
	return r.ops[r.self][me.at], true
}

// then is the state behind a change.
func (r *run) then(change func(s *state, me *rank)) state {
	c := r.from.copy()
	change(&c, &c.ranks[r.self])
	return c
}

// sends reports whether an operation sends a message, which has a number.
func sends(k core.OpKind) bool {
	return k == core.OpSend || k == core.OpMulticast || k == core.OpContribute
}

// success are the states in which the operation ends well.
func (r *run) success(op core.Op) []state {
	me := &r.from.ranks[r.self]
	switch {
	case op.Kind == core.OpRecv:
		return r.receipts(-1)
	case op.Kind == core.OpSend && op.Any && len(me.delivered) == 0,
		op.Kind == core.OpWait && len(me.posted) > 0:
		return nil
	case op.Kind == core.OpPick:
		return r.picks(op.Count)
	case op.Kind == core.OpSend && slices.Contains(me.told, r.to(op)),
		sends(op.Kind) && op.Group > 0 && r.lost(op.Group) >= 0:
		return nil // it ends in an error
	}
	return []state{r.then(func(s *state, me *rank) {
		me.at++
		me.failed = me.failed && !op.Try
		switch op.Kind {
		case core.OpPost:
			me.posted = append(me.posted, request{peer: op.Peer, any: op.Any, ordered: op.Ordered})
		case core.OpAcknowledge:
			me.acknowledged = max(me.acknowledged, len(me.told))
		case core.OpCancel:
			me.posted = nil
		case core.OpSend, core.OpMulticast, core.OpContribute:
			r.send(s, me, op)
		}
	})}
}

// picks are the states in which the environment has chosen each of so many values.
func (r *run) picks(count int) (list []state) {
	before := 0
	for _, op := range r.ops[r.self][:r.from.ranks[r.self].at] {
		if op.Kind == core.OpPick {
			before++
		}
	}
	place := r.job.Programs[r.self].PickPlaces()[before]
	for v := 1; v <= count; v++ {
		list = append(list, r.then(func(_ *state, me *rank) {
			me.at++
			me.value += core.Mix(place + uint64(v))
		}))
	}
	return list
}

// to is whom a send is for.
func (r *run) to(op core.Op) trace.Rank {
	if op.Any {
		return r.from.ranks[r.self].source
	}
	return op.Peer
}

// send puts a message on its way.
func (r *run) send(s *state, me *rank, op core.Op) {
	me.number++
	id := trace.MsgID{From: r.self, Number: me.number}
	data := binary.BigEndian.AppendUint64(nil,
		core.Mix(me.value+core.Mix(uint64(r.self)<<32|uint64(me.number))))
	data = append(data, make([]byte, op.Size()-len(data))...)
	to := r.to(op)
	put := func(at trace.Rank, queue *[]message) {
		if !s.ranks[at].dead {
			*queue = append(*queue, message{id, data})
		}
	}
	g := int(op.Group) - 1
	switch op.Kind {
	case core.OpSend:
		put(to, &s.channels[int(r.self)*r.n+int(to)])
	case core.OpContribute:
		put(r.job.Layout.Trees[g].Root(), &s.parts[g*r.n+int(r.self)])
		to = r.self
	case core.OpMulticast:
		for _, m := range r.job.Layout.Trees[g].Members[1:] {
			put(m, &s.boxes[g*r.n+int(m)])
		}
		to = r.self
	}
	r.found.Sent[spec.SendOf{ID: id, To: to.Proc(), Digest: core.Digest(data)}] = true
}

// results are the states in which the root of a group has combined a contribution of each member.
func (r *run) results() (list []state) {
	for g := range r.job.Layout.Trees {
		t := &r.job.Layout.Trees[g]
		if t.Root() != r.self || slices.ContainsFunc(t.Members, func(m trace.Rank) bool {
			return len(r.from.parts[g*r.n+int(m)]) == 0
		}) {
			continue
		}
		list = append(list, r.then(func(s *state, _ *rank) {
			result := message{id: s.parts[g*r.n+int(r.self)][0].id}
			var parts [][]byte
			for _, m := range t.Members {
				queue := &s.parts[g*r.n+int(m)]
				parts, *queue = append(parts, (*queue)[0].data), (*queue)[1:]
			}
			result.data = core.Combine(t.Combine, parts)
			s.boxes[g*r.n+int(r.self)] = append(s.boxes[g*r.n+int(r.self)], result)
		}))
	}
	return list
}

// receipts are the states in which a message goes to a posted receive or, at -1, to the operation:
// to the first in the order of the program that takes it.
func (r *run) receipts(k int) (list []state) {
	me := &r.from.ranks[r.self]
	takes, before := request{}, me.posted
	if k >= 0 {
		takes, before = me.posted[k], me.posted[:k]
	} else {
		op := r.ops[r.self][me.at]
		takes = request{peer: op.Peer, any: op.Any, ordered: op.Ordered}
		if g, group := core.SourceGroup(op.Peer); group && !op.Any &&
			slices.Contains(me.broken, g) {
			return nil
		}
	}
	for _, source := range r.sources() {
		fits := func(q request) bool { return q.any || q.peer == source }
		if fits(takes) && !slices.ContainsFunc(before, fits) && len(*r.queue(r.from, source)) > 0 {
			list = append(list, r.then(func(s *state, me *rank) {
				r.receive(s, me, k, takes, source)
			}))
		}
	}
	return list
}

// sources are all ranks and groups.
func (r *run) sources() (list []trace.Rank) {
	for q := range r.n {
		list = append(list, trace.Rank(q))
	}
	for g := range r.job.Layout.Trees {
		list = append(list, core.Group(g+1).Source())
	}
	return list
}

// queue is what a source has sent to the rank.
func (r *run) queue(s *state, source trace.Rank) *[]message {
	if g, group := core.SourceGroup(source); group {
		return &s.boxes[int(g-1)*r.n+int(r.self)]
	}
	return &s.channels[int(source)*r.n+int(r.self)]
}

// receive takes the first message of a source.
func (r *run) receive(s *state, me *rank, k int, by request, source trace.Rank) {
	queue := r.queue(s, source)
	m := (*queue)[0]
	*queue = (*queue)[1:]
	content := core.Mix(core.Digest(m.data) + core.Mix(uint64(source)+1))
	if by.ordered {
		me.value = core.Mix(me.value*31 + content)
	} else {
		me.value += content
	}
	me.source = m.id.From
	me.delivered = append(me.delivered, trace.Delivery{ID: m.id})
	r.found.Legal[r.self][spec.SequenceKey(me.delivered)] = true
	if k >= 0 {
		me.posted = slices.Delete(me.posted, k, k+1)
		return
	}
	me.failed = me.failed && !r.ops[r.self][me.at].Try
	me.at++
}
