package node

import (
	"bytes"
	"testing"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/buffer"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/frame"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/mesh"
)

// lender is a transport that has borrowed what it was told, and a recycler that holds nothing.
type lender struct{ borrowed bool }

func (l *lender) Send(core.Proc, frame.Kind, uint8, []byte, []byte) bool { return true }
func (l *lender) Flush()                                                 {}
func (l *lender) MostQueued() int                                        { return 0 }
func (l *lender) Borrowed() bool                                         { return l.borrowed }
func (l *lender) Pause(core.Proc, bool)                                  {}
func (l *lender) Next(*mesh.Arrival, time.Duration) mesh.What            { return mesh.Nothing }
func (l *lender) Notice() (mesh.Notice, bool) {
	return mesh.Notice{}, false
}
func (l *lender) UseMemory(core.Memory) {}
func (l *lender) Settle()               {}
func (l *lender) Holding() bool         { return false }
func (l *lender) Release()              {}

// TestKeep keeps what a program has sent: bytes that were lent for the send belong to the log
// without a copy, once, and are not used again before the log frees them and the network has them;
// others are copied before the next step.
func TestKeep(t *testing.T) {
	l, pool := &lender{borrowed: true}, new(buffer.Pool)
	m := memory{pool: pool, mesh: l, recycler: l}
	lent := (*Buffers)(&m).Get(10_000)
	copy(lent, "lent")
	kept, again := m.Keep(lent), m.Keep(lent)
	if &kept[0] != &lent[0] || &again[0] == &lent[0] {
		t.Fatal("the first log does not own what was lent, or the second does, too")
	}
	own := bytes.Repeat([]byte{5}, 10_000)
	copied := m.Keep(own)
	m.reclaim()
	m.finish()
	if &copied[0] == &own[0] || !bytes.Equal(copied, own) || !bytes.Equal(again, lent) {
		t.Fatal("the bytes of the program itself are not copied")
	}
	if pool.InUse() != 3 || m.kept != 30_000 {
		t.Fatalf("%d buffers in use, %d bytes kept; want 3 and 30000", pool.InUse(), m.kept)
	}
	if next := (*Buffers)(&m).Get(10_000); &next[0] == &lent[0] {
		t.Fatal("the program gets bytes of the log")
	}
	m.Free(kept)
	m.reclaim()
	if pool.InUse() != 4 {
		t.Errorf("%d buffers in use; want 4, one of them on its way to the network", pool.InUse())
	}
	l.borrowed = false
	m.reclaim()
	if pool.InUse() != 2 || string(lent[:4]) != "lent" {
		t.Errorf("%d buffers in use, want the 2 copies of the log", pool.InUse())
	}
}
