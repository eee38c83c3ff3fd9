package node

import (
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/frame"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/mesh"
)

// Bounds of what waits for a better moment: a message is worth it from so many bytes on, and so
// many steps of the program pass at most.
const (
	laterBytes = frame.Large
	laterSteps = 4
	laterMost  = 16
)

// later are large messages for which nobody waits while the program can go on (core.Background).
// They leave when it can not, when what it has sent is written: so the log of a receiver does not
// delay the answer. For the others they are slow on their way, no more: what follows to the same
// proc follows them, and the node hears nothing before they have left.
type later struct {
	list  []packet
	steps int // of the program since the first one
}

// packet is one of them.
type packet struct {
	to      core.Proc
	header  []byte
	payload []byte
}

// postpone keeps a message for later, unless it must leave at once.
func (n *Node) postpone(to core.Proc, m core.Framed, payload []byte) bool {
	if len(payload) < laterBytes || !n.delivers {
		return false
	}
	if b, ok := m.(core.Background); !ok || !b.Background() {
		return false
	}
	l := &n.later
	if len(l.list) == laterMost {
		n.sendLater()
	}
	if len(l.list) < cap(l.list) {
		l.list = l.list[:len(l.list)+1] // with the room of its header
	} else {
		l.list = append(l.list, packet{})
	}
	p := &l.list[len(l.list)-1]
	p.to, p.payload = to, payload
	p.header = append(p.header[:0], n.header...)
	n.memory.borrowed = true
	return true
}

// overtakes reports whether a message to the proc would come before one that waits.
func (l *later) overtakes(to core.Proc) bool {
	for i := range l.list {
		if l.list[i].to == to {
			return true
		}
	}
	return false
}

// age comes before every step; it reports whether what waits must leave first.
func (l *later) age(in core.InputKind) bool {
	if len(l.list) == 0 {
		return false
	}
	l.steps++
	return in != core.Advance || l.steps > laterSteps
}

// sendLater sends everything that waits.
func (n *Node) sendLater() {
	l := &n.later
	if len(l.list) == 0 {
		return
	}
	for i := range l.list {
		p := &l.list[i]
		if !n.c.Mesh.Send(p.to, frame.Data, 0, p.header, p.payload) {
			n.counts.Lost++
		}
		p.payload = nil
	}
	l.list, l.steps = l.list[:0], 0
	n.memory.borrowed = false
	n.c.Mesh.Flush()
}

// Postpones reports whether a message waits for a better moment, which whoever sends around the
// node would overtake; turns of the node send it.
func (n *Node) Postpones() bool { return len(n.later.list) > 0 }

// idleLater waits until what the program has sent is written, a little at most, and sends the rest.
// It returns what came meanwhile.
func (n *Node) idleLater() mesh.What {
	for range 64 {
		if len(n.later.list) == 0 || n.c.Mesh.MostQueued() == 0 {
			break
		}
		if what := n.c.Mesh.Next(&n.arrival, 0); what != mesh.Nothing {
			return what
		}
	}
	n.sendLater()
	return mesh.Nothing
}
