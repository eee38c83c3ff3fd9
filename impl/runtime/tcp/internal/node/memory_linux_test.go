package node_test

import (
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/none"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/buffer"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/frame"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/link"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/mesh"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/node"
)

// hoarder is a machine whose layer keeps every payload that its program sends, and whose program
// changes its one buffer at each step.
type hoarder struct {
	memory core.Memory
	buffer []byte
	kept   [][]byte
	sent   bool
	wrong  int
	heard  int // messages
}

func (h *hoarder) UseMemory(m core.Memory) { h.memory = m }
func (h *hoarder) Holding() bool           { return false }
func (h *hoarder) Ready(core.Rank) bool    { return true }

func (h *hoarder) Release()                        {}
func (h *hoarder) Sources([]core.Rank) []core.Rank { return nil }

func (h *hoarder) Settle() {
	if h.sent {
		h.kept, h.sent = append(h.kept, h.memory.Keep(h.buffer)), false
	}
}

// TestKeepLent: what a program has made in a buffer of the node goes into the log as it is, once,
// and the pool gets it back only from there.
func TestKeepLent(t *testing.T) {
	f := &flood{pool: new(buffer.Pool), paused: true}
	h := &hoarder{buffer: make([]byte, 3)}
	n, err := node.New(node.Config{Procs: 2, Machine: rankOf{h}, NewMessage: func() core.Message {
		return new(none.Message)
	}, Mesh: f, Pool: f.pool})
	if err != nil {
		t.Fatal(err)
	}
	h.buffer = n.Buffers().Get(5000)
	mine := &h.buffer[0]
	if _, err := n.Turn(0); err != nil {
		t.Fatal(err)
	}
	if &h.kept[0][0] != mine {
		t.Error("what was lent is copied")
	}
	if f.pool.Idle() > 0 {
		t.Error("the pool has what is in the log")
	}
	if _, err := n.Turn(0); err != nil { // the same bytes again, which are not lent now
		t.Fatal(err)
	}
	if &h.kept[1][0] == mine || n.Counts().Logged != 10_000 {
		t.Errorf("one buffer is in the log twice; %d bytes logged", n.Counts().Logged)
	}
	h.memory.Free(h.kept[0])
	h.buffer = make([]byte, 3)
	if _, err := n.Turn(0); err != nil {
		t.Fatal(err)
	}
	if got := f.pool.Get(5000); &got[0] != mine {
		t.Error("what has left the log is not used again")
	}
}

// TestHearWhileCopying: who still has to copy for a log hears all that comes meanwhile, and what it
// sends has left before.
func TestHearWhileCopying(t *testing.T) {
	b, pool := &notebook{}, new(buffer.Pool)
	h := &hoarder{buffer: make([]byte, 100_000)}
	n, err := node.New(node.Config{Procs: 2, Machine: rankOf{h}, NewMessage: func() core.Message {
		return new(none.Message)
	}, Mesh: b, Pool: pool})
	if err != nil {
		t.Fatal(err)
	}
	for len(h.kept) < 20 {
		if _, err := n.Turn(0); err != nil {
			t.Fatal(err)
		}
		if len(b.sent) != len(h.kept) {
			t.Fatalf("%d of %d messages have left: somebody may wait for them", len(b.sent),
				len(h.kept))
		}
	}
	for range 3 {
		b.come = append(b.come, mesh.Arrival{Arrival: link.Arrival{
			Header: frame.Header{Kind: frame.Data}, Extra: make([]byte, 4)}, From: 1})
	}
	for range 4 {
		if _, err := n.Turn(0); err != nil {
			t.Fatal(err)
		}
	}
	if h.heard != 3 || h.wrong > 0 {
		t.Errorf("heard %d of 3 messages, %d times wrong", h.heard, h.wrong)
	}
}

// rankOf is the hoarder as a machine.
type rankOf struct{ *hoarder }

// layerOf is the hoarder as its layer.
type layerOf struct{ *hoarder }

func (l layerOf) State() any { return nil }

func (l layerOf) Step(_ core.Input, out []core.Effect) []core.Effect { return out }

func (r rankOf) Layer() core.Layer { return layerOf(r) }

func (r rankOf) State() []any { return nil }

func (r rankOf) Choices(buf []core.Choice) []core.Choice {
	if len(r.kept) < 20 {
		buf = append(buf, 0)
	}
	return buf
}

func (r rankOf) Step(in core.Input, out []core.Effect) []core.Effect {
	for n, kept := range r.kept { // what was kept must be there by now
		for _, b := range kept {
			if b != byte(n) {
				r.wrong++
				break
			}
		}
	}
	if in.Kind == core.Received {
		r.heard++
	}
	if in.Kind != core.Advance {
		return out
	}
	for i := range r.buffer {
		r.buffer[i] = byte(len(r.kept))
	}
	r.sent = true
	return append(out,
		core.SendTo(1, &none.Message{Payload: core.Payload{ID: core.MsgID{Number: 1},
			Data: r.buffer}}))
}

// TestKeep lets a program change its buffer at every step while its layer logs every message: the
// copies, which may be made late, must be complete before the next step, whether the node steps at
// once or had time in between.
func TestKeep(t *testing.T) {
	for _, size := range []int{1, 1000, 100_000} {
		f := &flood{pool: new(buffer.Pool), paused: true}
		h := &hoarder{buffer: make([]byte, size)}
		n, err := node.New(node.Config{Procs: 2, Machine: rankOf{h},
			NewMessage: func() core.Message {
				return new(none.Message)
			}, Mesh: f, Pool: f.pool})
		if err != nil {
			t.Fatal(err)
		}
		for range 40 {
			if _, err := n.Turn(0); err != nil {
				t.Fatal(err)
			}
		}
		if err := n.Input(core.Input{Kind: core.Start}); err != nil { // looks at all of them
			t.Fatal(err)
		}
		if h.wrong > 0 || len(h.kept) != 20 || n.Counts().Logged != uint64(20*size) {
			t.Errorf("%d bytes: %d kept, %d times wrong, %d bytes logged", size, len(h.kept),
				h.wrong, n.Counts().Logged)
		}
	}
}
