package node

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/frame"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/mesh"
)

// A node that is held (Config.Held) does nothing by itself: what arrives waits in its inbox, what
// is written is not even begun, timers stand. Whoever holds it asks for one step at a time, and
// errors that are ErrHeld say that the machine or its surroundings are not what he thinks.

// ErrHeld means that a step is not possible that a held node was asked for. Nothing has happened.
var ErrHeld = errors.New("not possible now")

// held is what waits in a node that is held.
type held struct {
	inbox  []packed
	writes []write // oldest first
}

// packed is a message in the inbox.
type packed struct {
	from core.Proc
	body []byte // its canonical bytes
}

// write is one change of the store that has not begun, or a read behind those before it.
type write struct {
	key   string
	value []byte // nil: the record is deleted
	read  bool
}

// Take takes one thing from the mesh, and waits for it at most so long (for ever if the limit is
// negative). A message goes to the inbox.
func (n *Node) Take(limit time.Duration) error {
	n.sendLater()
	switch n.c.Mesh.Next(&n.arrival, limit) {
	case mesh.Frame:
		return n.pack(&n.arrival)
	case mesh.Notified:
		for notice, ok := n.c.Mesh.Notice(); ok; notice, ok = n.c.Mesh.Notice() {
			if err := n.notice(notice); err != nil {
				return err
			}
		}
	}
	return nil
}

// pack puts a message into the inbox.
func (n *Node) pack(a *mesh.Arrival) error {
	body, err := n.Canonical(a.Header.Kind, a.From, a.Extra, a.Payload)
	if a.Payload != nil {
		n.c.Pool.Put(a.Payload)
	}
	if err != nil {
		return fmt.Errorf("node: proc %d inc %d: from %d inc %d: %w", n.c.Proc, n.c.Life, a.From,
			a.Life, err)
	}
	if body != nil {
		n.Post(a.From, body)
	}
	return nil
}

// Canonical are the canonical bytes of the message in a frame of somebody; nil if there is none.
func (n *Node) Canonical(kind frame.Kind, from core.Proc, extra, payload []byte) ([]byte, error) {
	m := n.c.NewMessage()
	switch kind {
	case frame.Data:
		f, ok := m.(core.Framed)
		if !ok {
			return nil, errors.New("a data frame, which this protocol does not have")
		}
		if err := f.ParseHeader(extra, from); err != nil {
			return nil, err
		}
		f.Content().Data = payload
	case frame.Control:
		if err := core.Decode(payload, m); err != nil {
			return nil, err
		}
	default:
		return nil, nil
	}
	return core.Encode(m), nil
}

// Post puts a message of somebody into the inbox, by its canonical bytes.
func (n *Node) Post(from core.Proc, body []byte) {
	n.held.inbox = append(n.held.inbox, packed{from, body})
}

// Waiting visits the messages in the inbox, the oldest first.
func (n *Node) Waiting(visit func(from core.Proc, body []byte)) {
	for _, k := range n.held.inbox {
		visit(k.from, k.body)
	}
}

// find is the place of the oldest message of a sender with the digest. Those that have to be behind
// it must be; others with their digests may have come before.
func (n *Node) find(from core.Proc, digest uint64, behind []uint64) (int, error) {
	var others []string
	before := map[uint64]int{}
	for i, k := range n.held.inbox {
		if k.from != from {
			continue
		}
		d := core.Digest(k.body)
		if d == digest {
			return i, n.ordered(from, behind, before)
		}
		before[d]++
		m := n.c.NewMessage()
		if err := core.Decode(k.body, m); err == nil {
			others = append(others, m.Describe().Kind)
		}
	}
	return 0, fmt.Errorf("%w: of proc %d no message with the digest %016x has come, but %d others "+
		"(%s)", ErrHeld, from, digest, len(others), strings.Join(others, ", "))
}

// ordered reports messages of a sender that are not behind one that they have to be behind.
func (n *Node) ordered(from core.Proc, behind []uint64, before map[uint64]int) error {
	for _, d := range behind {
		before[d]++
	}
	for _, k := range n.held.inbox {
		if k.from == from {
			before[core.Digest(k.body)]--
		}
	}
	for _, d := range behind {
		if before[d] > 0 {
			return fmt.Errorf("%w: of proc %d the message with the digest %016x has come "+
				"before it, or not at all", ErrHeld, from, d)
		}
	}
	return nil
}

// Deliver gives the machine the oldest message of a sender whose canonical bytes have the digest;
// one that stays may be delivered again. Those with the digests behind must not have overtaken it.
func (n *Node) Deliver(from core.Proc, digest uint64, stays bool, behind ...uint64) error {
	i, err := n.find(from, digest, behind)
	if err != nil {
		return err
	}
	m := n.c.NewMessage()
	if err := core.Decode(n.held.inbox[i].body, m); err != nil {
		return fmt.Errorf("node: proc %d inc %d: from %d: %w", n.c.Proc, n.c.Life, from, err)
	}
	if !stays {
		n.held.inbox = slices.Delete(n.held.inbox, i, i+1)
	}
	return n.step(&core.Input{Kind: core.Received, From: from, Message: m})
}

// Drop forgets messages of a sender, by their digests.
func (n *Node) Drop(from core.Proc, digests []uint64) error {
	for _, d := range digests {
		i, err := n.find(from, d, nil)
		if err != nil {
			return err
		}
		n.held.inbox = slices.Delete(n.held.inbox, i, i+1)
	}
	return nil
}

// DropAll forgets all messages of a sender.
func (n *Node) DropAll(from core.Proc) {
	n.held.inbox = slices.DeleteFunc(n.held.inbox, func(k packed) bool { return k.from == from })
}

// Advance lets the program take one of its choices.
func (n *Node) Advance(choice core.Choice) error {
	list := n.c.Machine.Choices(nil)
	if !slices.Contains(list, choice) {
		return fmt.Errorf("%w: the program has choices %v, not %v", ErrHeld, list, choice)
	}
	return n.step(&core.Input{Kind: core.Advance, Choice: choice})
}

// hold puts a write behind the others. To delete what is not there is none.
func (n *Node) hold(w write) error {
	if !w.read && w.value == nil {
		known, err := n.known(w.key)
		if !known || err != nil {
			return err
		}
	}
	n.held.writes = append(n.held.writes, w)
	return nil
}

// known reports whether a record is there when all writes are done.
func (n *Node) known(key string) (bool, error) {
	for _, w := range slices.Backward(n.held.writes) {
		if w.key == key && !w.read {
			return w.value != nil, nil
		}
	}
	if n.c.Store == nil {
		return true, nil // whatever is deleted
	}
	records, err := n.c.Store.Get(key)
	if err != nil {
		return false, fmt.Errorf("node: proc %d inc %d: %w", n.c.Proc, n.c.Life, err)
	}
	return len(records) > 0, nil
}

// oldest does the deletes that are oldest, and takes the write behind them.
func (n *Node) oldest() (write, error) {
	i := slices.IndexFunc(n.held.writes, func(w write) bool { return w.read || w.value != nil })
	if i < 0 {
		return write{}, fmt.Errorf("%w: nothing is being written or read, but %d deletes", ErrHeld,
			len(n.held.writes))
	}
	if err := n.Write(i); err != nil {
		return write{}, err
	}
	w := n.held.writes[0]
	n.held.writes = n.held.writes[1:]
	return w, nil
}

// Stable does the oldest put or read and the deletes before it, and tells the machine.
func (n *Node) Stable() error {
	w, err := n.oldest()
	if err != nil {
		return err
	}
	if w.read {
		in, err := n.load(w.key)
		if err != nil {
			return err
		}
		return n.step(&in)
	}
	if err := n.do(w); err != nil {
		return err
	}
	return n.step(&core.Input{Kind: core.Persisted, Key: w.key})
}

// Refuse tells the machine that there is no room for its oldest put.
func (n *Node) Refuse() error {
	w, err := n.oldest()
	if err != nil {
		return err
	}
	return n.step(&core.Input{Kind: core.Refused, Key: w.key})
}

// Write does so many of the oldest writes; the machine is not told.
func (n *Node) Write(count int) error {
	if count > len(n.held.writes) {
		return fmt.Errorf("%w: %d writes wait, not %d", ErrHeld, len(n.held.writes), count)
	}
	for _, w := range n.held.writes[:count] {
		if err := n.do(w); err != nil {
			return err
		}
	}
	n.held.writes = n.held.writes[count:]
	return nil
}

// do makes a write stable.
func (n *Node) do(w write) (err error) {
	switch {
	case w.read || n.c.Store == nil:
		return nil
	case w.value == nil:
		err = n.c.Store.Delete(w.key)
	default:
		if err = n.c.Store.Put(w.key, w.value); err == nil {
			err = n.c.Store.Commit()
		}
	}
	if err != nil {
		return fmt.Errorf("node: proc %d inc %d: %w", n.c.Proc, n.c.Life, err)
	}
	return nil
}

// Fire lets a timer go off that is set.
func (n *Node) Fire(name string) error {
	before := len(n.timers)
	n.timers = slices.DeleteFunc(n.timers, func(t timer) bool { return t.name == name })
	if len(n.timers) == before {
		return fmt.Errorf("%w: no timer %q is set", ErrHeld, name)
	}
	return n.step(&core.Input{Kind: core.Tick, Timer: name})
}
