package pessimistic

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/snapshot"
)

// nodeState is what a rank knows of the coordinated checkpoints of its node. A cut goes through the
// node by markers (Chandy and Lamport 1985); a marker says how many messages were sent before it,
// so channels need not keep order. Each rank gives its image to its own logger, in two phases: all
// images are stored, then the logger of the first rank is told that the checkpoint is the line of
// the node. That is the one place which decides, so a failure at any moment finds one number for
// all.
type nodeState struct {
	_ struct{} `cbor:",toarray"`
	// the last complete checkpoint that this rank knows of, 0 = the initial state
	Line     uint32                `json:"line"`
	Number   uint32                `json:"number"`   // the last one that has begun here
	Image    *image                `json:"image"`    // ours, until its channels are closed
	Replay   []Entry               `json:"replay"`   // what was still to be replayed at the image
	Channels snapshot.Cut[arrival] `json:"channels"` // inside the node, by rank
	Stored   int                   `json:"stored"`   // first rank: images that are at their loggers
	Settling bool                  `json:"settling"` // first rank: all are, and its logger has been told
	Again    bool                  `json:"again"`    // first rank: another checkpoint must follow
	Waiting  bool                  `json:"waiting"`  // restarted: for the number of the line
}

// early is a message that a restarted rank can not answer before it has its image.
type early struct {
	_       struct{}  `cbor:",toarray"`
	From    core.Proc `json:"from"`
	Message Message   `json:"message"`
}

// first is the rank that decides for the node of a rank.
func (c *config) first(r core.Rank) core.Rank {
	return core.Rank(slices.Index(c.nodes, c.nodes[r]))
}

// mates are the other ranks of the node.
func (c *config) mates(r core.Rank) (list []core.Rank) {
	if !c.Semi {
		return nil
	}
	for q := range core.Rank(c.ranks) {
		if c.inside(r, q) {
			list = append(list, q)
		}
	}
	return list
}

// aboutNode dispatches a message between the ranks of a node. One of another life is about a node
// that is gone.
func (l *layer) aboutNode(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	switch {
	case m.Life != l.s.Life:
		return append(out, core.DropInput(from.Proc(), core.MsgID{},
			"other incarnation of the node"))
	case m.Kind == Lost && !l.s.Halted:
		// The node is the unit of recovery: without one of its ranks the others wait for ever.
		return l.giveUp(fmt.Sprintf("rank %d of the node of rank %d can not continue", from,
			l.rank), out)
	case l.s.Halted:
		return append(out, core.DropInput(from.Proc(), core.MsgID{}, "has given up"))
	case m.Kind == Line && !l.s.Node.Waiting:
		return append(out, core.DropInput(from.Proc(), core.MsgID{}, "the line is known"))
	case m.Kind == Line:
		l.s.Node.Waiting, l.s.Node.Line = false, m.Number
		return l.fetch(out)
	}
	switch m.Kind {
	case SaveRequest:
		return l.begin(m.Found, out)
	case Marker:
		return l.marked(from, m, out)
	}
	return l.settled(m.Number, out)
}

// request asks for a checkpoint of the node. One that must be is not the one under way: a logger
// has lost what came before it.
func (l *layer) request(must bool, out []core.Effect) []core.Effect {
	if l.s.Fetching || l.s.Halted {
		return out
	}
	if first := l.first(l.rank); first != l.rank {
		return append(out, core.SendTo(first.Proc(),
			&Message{Kind: SaveRequest, Life: l.s.Life, Found: must}))
	}
	return l.begin(must, out)
}

// begin starts a checkpoint at the first rank of the node. What is under way and not decided is
// given up.
func (l *layer) begin(must bool, out []core.Effect) []core.Effect {
	n := &l.s.Node
	switch {
	case n.Number > n.Line && !must:
		return append(out, core.DropInput(l.rank.Proc(), core.MsgID{}, "a checkpoint is under way"))
	case n.Settling:
		n.Again = true
		return out
	}
	return l.cut(n.Number+1, out)
}

// cut takes the image of this rank and marks its channels.
func (l *layer) cut(number uint32, out []core.Effect) []core.Effect {
	s := &l.s
	n := &s.Node
	n.Number, n.Stored, n.Settling, n.Again = number, 0, false, false
	n.Image, n.Replay = l.image(), s.Replay
	n.Channels = snapshot.Open[arrival](l.ranks, int(l.rank))
	for _, q := range l.mates(l.rank) {
		if !l.has(M37) {
			n.Channels[q].Messages = slices.Clone(s.In[q].Arrived)
		}
		out = append(out, core.SendTo(q.Proc(),
			&Message{Kind: Marker, Life: s.Life, Number: number, Line: n.Line, SSN: s.Out[q].Last}))
	}
	return l.closeImage(out)
}

// marked takes a marker; the first of a checkpoint begins it here. A mate may know more of what is
// complete than the first rank has told us.
func (l *layer) marked(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	n := &l.s.Node
	out = l.settled(m.Line, out)
	if m.Number < n.Number {
		return append(out, core.DropInput(from.Proc(), core.MsgID{},
			"marker of a checkpoint that was given up"))
	}
	if m.Number > n.Number {
		out = l.cut(m.Number, out)
	}
	if n.Image == nil {
		return append(out, core.DropInput(from.Proc(), core.MsgID{},
			"marker of a checkpoint that is over"))
	}
	n.Channels.Mark(int(from), uint32(m.SSN))
	return l.closeImage(out)
}

// record keeps a message of a mate that belongs to the checkpoint under way: it was on its way when
// the image was taken.
func (l *layer) record(from core.Rank, a arrival, out []core.Effect) []core.Effect {
	n := &l.s.Node
	// Deviation: M37, what is on its way inside the node is deleted
	if n.Image == nil || l.has(M37) {
		return out
	}
	ch := &n.Channels[from]
	ch.Messages = inserted(ch.Messages, a)
	return l.closeImage(out)
}

// closeImage gives the image to the logger when everything is here that was sent before the cut and
// received after it.
func (l *layer) closeImage(out []core.Effect) []core.Effect {
	n := &l.s.Node
	if n.Image == nil {
		return out
	}
	i := n.Image
	waiting := make([][]arrival, l.ranks)
	for _, q := range l.mates(l.rank) {
		var whole bool
		waiting[q], whole = n.Channels[q].Counted(uint32(i.Taken[q]), func(a *arrival) uint32 {
			return uint32(a.SSN)
		})
		if !whole && !(l.has(M37) && n.Channels[q].Marked) {
			return out
		}
	}
	i.Waiting = waiting
	n.Channels.Forget()
	n.Image = nil
	m := &Message{Kind: Save, Life: l.s.Life, Logger: l.s.Logger, Number: n.Number, Line: n.Line,
		RSN: i.RSN, Sent: i.Sent, Entries: n.Replay, Image: core.Encode(i)}
	n.Replay = nil
	return append(out, core.SendTo(l.logger(l.rank), m))
}

// stored counts the images that are at their loggers; the last one lets the logger of the first
// rank decide.
func (l *layer) stored(m *Message, out []core.Effect) []core.Effect {
	n := &l.s.Node
	if m.Life != l.s.Life || m.Number != n.Number {
		return append(out, core.DropInput(l.rank.Proc(), core.MsgID{},
			"image of another checkpoint"))
	}
	if first := l.first(l.rank); first != l.rank {
		return append(out, core.SendTo(first.Proc(),
			&Message{Kind: Stored, Life: l.s.Life, Number: m.Number}))
	}
	if n.Stored++; n.Stored <= len(l.mates(l.rank)) {
		return out
	}
	n.Settling = true
	return append(out, core.SendTo(l.logger(l.rank),
		&Message{Kind: Settle, Life: l.s.Life, Number: n.Number}))
}

// settled tells the logger that a checkpoint is the line of the node.
func (l *layer) settled(number uint32, out []core.Effect) []core.Effect {
	n := &l.s.Node
	if number <= n.Line {
		return out
	}
	n.Line = number
	return append(out, core.SendTo(l.logger(l.rank),
		&Message{Kind: Settle, Life: l.s.Life, Number: number}))
}

// decided ends a checkpoint at the first rank: its logger has made it the line.
func (l *layer) decided(number uint32, out []core.Effect) []core.Effect {
	n := &l.s.Node
	if l.first(l.rank) != l.rank || number != n.Number || !n.Settling {
		return out
	}
	n.Line, n.Settling = number, false
	for _, q := range l.mates(l.rank) {
		out = append(out, core.SendTo(q.Proc(),
			&Message{Kind: Settle, Life: l.s.Life, Number: number}))
	}
	if n.Again {
		return l.cut(number+1, out)
	}
	return out
}
