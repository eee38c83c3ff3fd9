package node

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/domino-check/domino/impl/runtime/tcp/internal/buffer"
)

// copied is bytes that somebody reads, and what they must be as long as he does.
type copied struct {
	now, then []byte
}

func reads(data []byte) copied { return copied{data, bytes.Clone(data)} }

// writer is a program that owns buffers and sends what is in them, over a log and a network that
// both read it for a while. All is compared with copies, which only this test makes.
type writer struct {
	t       *testing.T
	rng     *rand.Rand
	lender  *lender
	pool    *buffer.Pool
	memory  *memory
	buffers *Buffers
	owned   [][]byte
	log     []copied
	way     []copied // to the network
	number  uint64
	same    int // messages sent from bytes that had been sent before
	stayed  int // buffers that could be written to again
}

// message writes a new message.
func (w *writer) message(to []byte) {
	for i := range to {
		to[i] = byte(w.rng.Uint32())
	}
	w.number++
	binary.LittleEndian.PutUint64(to, w.number)
}

// step is a step of the program, and what the node does behind it.
func (w *writer) step() {
	i := w.rng.IntN(len(w.owned))
	switch w.rng.IntN(4) {
	case 0:
		w.same++
	case 1: // the bytes of one send alone
		data := w.buffers.Get(8 + w.rng.IntN(3000))
		w.message(data)
		w.send(data)
		w.memory.reclaim()
		return
	default:
		before := &w.owned[i][0]
		w.owned[i] = w.buffers.Rewrite(w.owned[i])
		if before == &w.owned[i][0] {
			w.stayed++
		}
		w.message(w.owned[i])
	}
	w.send(w.owned[i][:8+w.rng.IntN(len(w.owned[i])-7)])
	w.memory.reclaim()
}

// send is a message on its way, and perhaps in logs.
func (w *writer) send(data []byte) {
	if w.rng.IntN(4) > 0 {
		w.way = append(w.way, reads(data))
		w.lender.borrowed = true
	}
	for range w.rng.IntN(3) {
		then := bytes.Clone(data)
		w.log = append(w.log, copied{w.memory.Keep(data), then})
	}
	if w.rng.IntN(8) == 0 {
		mine := w.memory.Copy(data)
		w.memory.finish()
		clear(mine) // nobody else has it
		w.memory.Free(mine)
	}
	w.memory.finish()
}

// free lets the log forget messages, and the network write what is on its way.
func (w *writer) free() {
	for w.rng.IntN(5) < 2 && len(w.log) > 0 {
		i := w.rng.IntN(len(w.log))
		w.memory.Free(w.log[i].now)
		w.log = append(w.log[:i], w.log[i+1:]...)
	}
	if w.rng.IntN(4) == 0 {
		w.way, w.lender.borrowed = nil, false
		w.memory.reclaim()
	}
}

// check compares all that is read.
func (w *writer) check() {
	w.t.Helper()
	for name, list := range map[string][]copied{"log": w.log, "network": w.way} {
		for i, c := range list {
			if !bytes.Equal(c.now, c.then) {
				w.t.Fatalf("%s: message %d of %d bytes has changed: begins with %d, want %d", name,
					i, len(c.then), binary.LittleEndian.Uint64(c.now),
					binary.LittleEndian.Uint64(c.then))
			}
		}
	}
}

// TestWriter lets a program write to its buffers again and again, at any moment that it may, while
// logs and the network still read what it has sent, and forget it at any moment. Nothing that is
// read may change, and whatever nobody has any more is in the pool.
func TestWriter(t *testing.T) {
	var same, stayed int
	for seed := range uint64(50) {
		l, pool := &lender{}, new(buffer.Pool)
		m := &memory{pool: pool, mesh: l, recycler: l}
		w := &writer{t: t, rng: rand.New(rand.NewPCG(seed, 1)), lender: l, pool: pool, memory: m,
			buffers: (*Buffers)(m)}
		for range 3 {
			w.owned = append(w.owned, w.buffers.Own(8+w.rng.IntN(3000)))
			w.message(w.owned[len(w.owned)-1])
		}
		for range 200 {
			w.step()
			w.check()
			w.free()
			w.check()
		}
		if len(w.log) == 0 {
			t.Fatal("the log is empty")
		}
		for _, c := range w.log {
			m.Free(c.now)
		}
		l.borrowed = false
		m.end()
		m.reclaim()
		if n := pool.InUse(); n != 0 || len(m.owned.former) > 0 {
			t.Fatalf("seed %d: %d buffers are still in use, %d in logs", seed, n,
				len(m.owned.former))
		}
		same, stayed = same+w.same, stayed+w.stayed
	}
	if same < 1000 || stayed < 100 {
		t.Errorf("%d messages of bytes that were sent before, %d buffers written to again: that "+
			"shows little", same, stayed)
	}
}

// TestRewrite: a buffer stays the program's if nobody reads it; one that waits to be sent, is on
// its way or in a log does not, nor does any where nobody knows what the layer refers to.
func TestRewrite(t *testing.T) {
	for _, c := range []struct {
		name  string
		reads func(m *memory, l *lender, data []byte)
		stays bool
	}{
		{"nobody", func(*memory, *lender, []byte) {}, true},
		{"log", func(m *memory, _ *lender, data []byte) { m.Keep(data) }, false},
		{"former log", func(m *memory, _ *lender, data []byte) { m.Free(m.Keep(data)) }, true},
		{"one of two logs", func(m *memory, _ *lender, data []byte) {
			m.Keep(data)
			m.Free(m.Keep(data))
		}, false},
		{"log of a part", func(m *memory, _ *lender, data []byte) { m.Keep(data[:5]) }, false},
		{"network", func(_ *memory, l *lender, _ []byte) { l.borrowed = true }, false},
		{"later", func(m *memory, _ *lender, _ []byte) { m.borrowed = true }, false},
		{"a layer that says nothing", func(m *memory, _ *lender, _ []byte) {
			m.recycler = nil
		}, false},
	} {
		l, pool := &lender{}, new(buffer.Pool)
		m := &memory{pool: pool, mesh: l, recycler: l}
		b := (*Buffers)(m)
		data := b.Own(5000)
		c.reads(m, l, data)
		again := b.Rewrite(data)
		if (&again[0] == &data[0]) != c.stays || len(again) != len(data) {
			t.Errorf("%s: the program has the same buffer: %v, want %v", c.name, !c.stays, c.stays)
		}
		m.reclaim()
		if got := pool.Get(5000); &got[0] == &data[0] {
			t.Errorf("%s: the pool has bytes that are read", c.name)
		}
	}
}

// TestEndOfLife: what a program owns goes back to the pool when its life ends, but not what a log
// has dropped without a word.
func TestEndOfLife(t *testing.T) {
	l, pool := &lender{}, new(buffer.Pool)
	m := &memory{pool: pool, mesh: l, recycler: l}
	b := (*Buffers)(m)
	free, dropped := b.Own(5000), b.Own(5000)
	m.Keep(dropped)
	m.end()
	m.reclaim()
	if got := pool.Get(5000); &got[0] != &free[0] || pool.Idle() != 0 {
		t.Error("the pool has not got the buffer that nobody reads, and that alone")
	}
	for _, misuse := range []func(){func() { b.Rewrite(free) }, func() {
		m.Free(b.Own(10))
	}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("a misuse goes unnoticed")
				}
			}()
			misuse()
		}()
	}
}
