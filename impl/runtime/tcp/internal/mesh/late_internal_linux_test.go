package mesh

import (
	"net"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/domino-check/domino/impl/runtime/tcp/internal/buffer"
	"github.com/domino-check/domino/spec/trace"
)

// TestLateGoodbye closes two meshes whose connection is there and has not been looked at, as that
// of two procs that had nothing to say to each other, while a third keeps both in Close, so that
// they look then. They must exchange goodbyes all the same, and not wait until the limit, which
// nothing else here comes near.
func TestLateGoodbye(t *testing.T) {
	const limit = time.Minute
	id := NewIdentity()
	var all []*Mesh
	var addresses []Address
	for p := range trace.Proc(3) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		id.Self = p
		m, err := New(Config{Identity: id, Procs: 3, Listener: l, Pool: new(buffer.Pool)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { m.Close(0) })
		all, addresses = append(all, m), append(addresses,
			Address{Proc: p, Host: l.Addr().String()})
	}
	all[2].Dial(addresses[:2], limit)
	var gathering sync.WaitGroup
	for p, others := range [][]trace.Proc{{2}, {2}, {0, 1}} {
		gathering.Go(func() {
			if err := all[p].Gather(others, limit); err != nil {
				t.Error(err)
			}
		})
	}
	gathering.Wait()
	all[1].Dial(addresses[:1], limit)
	for began := time.Now(); !all[0].waits() || !all[1].waits(); runtime.Gosched() {
		if time.Since(began) > limit {
			t.Fatal("they are not connected")
		}
	}
	began := time.Now()
	var closing sync.WaitGroup
	for _, m := range all[:2] {
		closing.Go(func() { m.Close(limit) })
	}
	all[2].Close(limit)
	closing.Wait()
	if took := time.Since(began); took > limit/2 {
		t.Errorf("closed after %v: they waited for a goodbye that nobody said", took)
	}
}

// waits reports whether a connection waits for its owner.
func (m *Mesh) waits() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.inbox) > 0
}
