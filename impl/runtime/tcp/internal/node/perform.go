package node

import (
	"bytes"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/frame"
	"github.com/domino-check/domino/spec/trace"
)

// step gives the machine one input and performs what it asks for. The machine gets a copy. To copy
// bytes that were written a moment ago in smaller pieces takes long, so the inputs of every message
// are made once and changed only where they differ.
func (n *Node) step(in *core.Input) error {
	if len(n.later.list) > 0 && n.later.age(in.Kind) {
		n.sendLater()
	}
	if len(n.memory.copies) > 0 {
		n.memory.finish()
	}
	n.counts.Steps++
	if n.c.Before != nil {
		n.c.Before(in.Kind, in.From, in.Timer)
	}
	if n.keep.on {
		n.keep.begin(n.c.Machine, in)
	}
	if err := n.ask(in); err != nil {
		return err
	}
	if n.keep.on && n.keep.ends(n.c.Machine, in, n.out) {
		return nil
	}
	if n.c.Observe != nil {
		seen := *in // of its own, so that the input itself stays out of the heap
		if err := n.c.Observe(&seen, n.out); err != nil {
			return err
		}
	}
	var end error
	n.unsure = len(n.due)
	for i := range n.out {
		if n.c.Perform != nil {
			if err := n.c.Perform(&n.out[i]); err != nil {
				return err
			}
		}
		if err := n.perform(&n.out[i]); err != nil {
			end = err
			break // nothing after a rollback or a halt happens
		}
	}
	n.c.Mesh.Flush()
	if n.recycler != nil {
		n.recycler.Settle()
	}
	// the rest when the node would wait
	if len(n.memory.lent) > 0 || len(n.memory.waiting) >= soon {
		n.memory.reclaim()
	}
	if n.c.Store != nil && len(n.due) > n.unsure && end == nil {
		return n.commit()
	}
	return end
}

// ask lets the machine take the input; it must ask for what can be done.
func (n *Node) ask(in *core.Input) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("node: proc %d inc %d: the machine panics on input %d from %d: %v\n%s",
				n.c.Proc, n.c.Life, in.Kind, in.From, r, debug.Stack())
		}
	}()
	n.out = n.c.Machine.Step(*in, n.out[:0])
	for i := range n.out {
		if words := n.out[i].Wrong(n.c.Procs); words != "" {
			return fmt.Errorf("node: proc %d inc %d: on input %d from %d the machine %s", n.c.Proc,
				n.c.Life, in.Kind, in.From, words)
		}
	}
	return nil
}

// perform performs one effect.
func (n *Node) perform(e *core.Effect) error {
	switch e.Kind {
	case core.SendMessage:
		return n.send(e)
	case core.Persist:
		return n.persist(e)
	case core.Read:
		return n.read(e.Key)
	case core.Deliver:
		n.left(e.From, len(e.Payload.Data))
	case core.SetTimer:
		t := timer{time.Now().Add(time.Duration(e.Ticks) * n.c.Tick), e.Timer}
		at, _ := slices.BinarySearchFunc(n.timers, t, func(a, b timer) int {
			return a.at.Compare(b.at)
		})
		n.timers = slices.Insert(n.timers, at, t)
	case core.ProgramSent:
		edges := uint64(1)
		if n.c.Edges != nil {
			edges = uint64(n.c.Edges(e.Payload.ID))
		}
		n.counts.Sends += edges
		n.counts.Payload += edges * uint64(len(e.Payload.Data))
		n.payload, n.size = e.Payload.ID, len(e.Payload.Data)
	case core.ProgramDone:
		n.done = true
	case core.Renew: // the timers were those of the former life
		n.timers = nil
		n.c.Life++
	case core.Rollback:
		return ErrRollback
	case core.Declare:
		return n.declared(e)
	}
	return nil // evidence for whoever observes
}

// declared counts what a declaration tells, and ends with a machine that has given up.
func (n *Node) declared(e *core.Effect) error {
	switch e.What {
	case trace.Dropped:
		if s := int(e.To); !e.ID.IsZero() && s < len(n.sources) && n.sources[s].messages > 0 {
			n.left(e.To, n.sources[s].bytes/n.sources[s].messages)
		}
	case trace.Logged:
		// a payload that neither is sent now nor has come now is in the log, which learns more
		// about it
		switch {
		case e.ID == n.payload:
			n.counts.Logs, n.counts.LogBytes = n.counts.Logs+1, n.counts.LogBytes+uint64(n.size)
		case n.framed == nil:
			n.counts.Logs, n.counts.LogUnknown = n.counts.Logs+1, n.counts.LogUnknown+1
		}
	case trace.Kept:
		if size := len(e.Payload.Data); size > 0 {
			n.counts.Logs, n.counts.LogBytes = n.counts.Logs+1, n.counts.LogBytes+uint64(size)
		}
	case trace.Halted:
		return &HaltError{e.Key}
	}
	return nil
}

// send puts a message on the network. A proc that is not connected loses it, as a crashed one does.
func (n *Node) send(e *core.Effect) error {
	if n.keep.on && n.keep.send(e) {
		return nil
	}
	if e.To == n.c.Proc {
		return n.sendSelf(e.Message)
	}
	if len(n.later.list) > 0 && n.later.overtakes(e.To) {
		n.sendLater()
	}
	m, framed := e.Message.(core.Framed)
	if framed {
		var fixed bool
		if n.header, fixed = m.AppendHeader(n.header[:0]); fixed {
			content := m.Content()
			data := content.Data
			n.counts.Frames++
			n.counts.Bytes += uint64(len(data))
			n.counts.Header += uint64(len(n.header))
			n.carried(content.ID, len(n.header))
			if !n.postpone(e.To, m, data) && !n.c.Mesh.Send(e.To, frame.Data, 0, n.header, data) {
				n.counts.Lost++
			}
			return nil
		}
	}
	body := core.Encode(e.Message)
	n.counts.Encoded++
	n.counts.Coded += uint64(len(body))
	if framed {
		n.carried(m.Content().ID, len(body)-len(m.Content().Data))
	}
	if !n.c.Mesh.Send(e.To, frame.Control, 0, nil, body) {
		n.counts.Lost++
	}
	return nil
}

// carried counts what a message of our own program carries besides its payload. Copies for others
// are no such messages.
func (n *Node) carried(id core.MsgID, bytes int) {
	if !id.IsZero() && id.From.Proc() == n.c.Proc {
		n.counts.Carried += uint64(bytes)
	}
}

// sendSelf keeps a message of the machine to itself, encoded, because the machine may use its own
// again.
func (n *Node) sendSelf(m core.Message) error {
	if n.c.Held {
		n.Post(n.c.Proc, core.Encode(m))
		return nil
	}
	again := n.c.NewMessage()
	if err := core.Decode(core.Encode(m), again); err != nil {
		return fmt.Errorf("node: proc %d inc %d: to itself: %w", n.c.Proc, n.c.Life, err)
	}
	n.due = append(n.due, core.Input{Kind: core.Received, From: n.c.Proc, Message: again})
	return nil
}

// persist writes a record; the step ends when it is stable.
func (n *Node) persist(e *core.Effect) error {
	if n.c.Held {
		return n.hold(write{key: e.Key, value: bytes.Clone(e.Value)})
	}
	if n.c.Store != nil {
		var err error
		if e.Value == nil {
			err = n.c.Store.Delete(e.Key)
		} else {
			err = n.c.Store.Put(e.Key, e.Value)
		}
		if errors.Is(err, ErrFull) && e.Value != nil {
			n.due = append(n.due, core.Input{Kind: core.Refused, Key: e.Key})
			return nil
		} else if err != nil {
			return fmt.Errorf("node: proc %d inc %d: %w", n.c.Proc, n.c.Life, err)
		}
	}
	if e.Value != nil {
		n.due = append(n.due, core.Input{Kind: core.Persisted, Key: e.Key})
	}
	return nil
}

// commit makes stable what was written since the last time, or tells that it was refused.
func (n *Node) commit() error {
	err := n.c.Store.Commit()
	if errors.Is(err, ErrFull) {
		for i := n.unsure; i < len(n.due); i++ {
			if n.due[i].Kind == core.Persisted {
				n.due[i].Kind = core.Refused
			}
		}
	} else if err != nil {
		return fmt.Errorf("node: proc %d inc %d: %w", n.c.Proc, n.c.Life, err)
	}
	n.unsure = len(n.due)
	return nil
}

// read reads a record back, behind all writes before it.
func (n *Node) read(key string) error {
	if n.c.Held {
		return n.hold(write{key: key, read: true})
	}
	in, err := n.load(key)
	if err == nil {
		n.due = append(n.due, in)
	}
	return err
}

// load is what a read finds, behind all writes before it.
func (n *Node) load(key string) (core.Input, error) {
	in := core.Input{Kind: core.Loaded, Key: key}
	if n.c.Store != nil {
		if err := n.commit(); err != nil {
			return in, err
		}
		var err error
		if in.Records, err = n.c.Store.Get(key); err != nil {
			return in, fmt.Errorf("node: proc %d inc %d: %w", n.c.Proc, n.c.Life, err)
		}
	}
	return in, nil
}
