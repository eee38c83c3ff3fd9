package mesh_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/buffer"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/frame"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/mesh"
	"github.com/domino-check/domino/spec/trace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// forever is a bound on waiting that no healthy run comes near: tests wait for events, never for
// time.
const forever = time.Minute

// run is one run of meshes within the test's process.
type run struct {
	t     testing.TB
	id    mesh.Identity
	procs int
	set   func(*mesh.Config)
}

// node is one process of a run.
type node struct {
	*mesh.Mesh
	t       testing.TB
	pool    *buffer.Pool
	address mesh.Address
	id      mesh.Identity
	frames  []mesh.Arrival // received while waiting for notices
}

func (r *run) start(p trace.Proc, life trace.Incarnation) *node {
	r.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		r.t.Fatal(err)
	}
	id := r.id
	id.Self, id.Life = p, life
	c := mesh.Config{Identity: id, Procs: r.procs, Listener: l, Pool: new(buffer.Pool)}
	if r.set != nil {
		r.set(&c)
	}
	m, err := mesh.New(c)
	if err != nil {
		r.t.Fatal(err)
	}
	n := &node{Mesh: m, t: r.t, pool: c.Pool, id: id,
		address: mesh.Address{Proc: p, Life: life, Host: l.Addr().String()}}
	r.t.Cleanup(func() { n.Close(0) })
	return n
}

// notice waits for a notice of the event; others are errors, frames are kept.
func (n *node) notice(want mesh.Event) mesh.Notice {
	n.t.Helper()
	for {
		var a mesh.Arrival
		switch n.Next(&a, forever) {
		case mesh.Nothing:
			n.t.Fatalf("no notice %s", want)
		case mesh.Frame:
			n.frames = append(n.frames, a)
		case mesh.Notified:
			got, _ := n.Notice()
			if got.Event != want {
				n.t.Fatalf("proc %d: got %s %+v, want %s", n.id.Self, got.Event, got, want)
			}
			return got
		}
	}
}

// frame waits for a frame.
func (n *node) frame() mesh.Arrival {
	n.t.Helper()
	if len(n.frames) > 0 {
		a := n.frames[0]
		n.frames = n.frames[1:]
		return a
	}
	var a mesh.Arrival
	if w := n.Next(&a, forever); w != mesh.Frame {
		notice, _ := n.Notice()
		n.t.Fatalf("got %d %s %+v, want a frame", w, notice.Event, notice)
	}
	return a
}

func newRun(t testing.TB, procs int, set func(*mesh.Config)) *run {
	return &run{t: t, id: mesh.NewIdentity(), procs: procs, set: set}
}

// descriptors counts the open files of the process.
func descriptors(t testing.TB) int {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// opened says what is behind each descriptor.
func opened(t testing.TB) (list []string) {
	names, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		what, err := os.Readlink(name)
		if err != nil {
			continue // that of the folder itself
		}
		list = append(list, what)
	}
	return list
}

// TestEveryPair lets six processes find each other at a rendezvous, send each other frames of all
// sizes from threads of their own, and say goodbye: everything arrives, in order, over shared
// memory and over connections, polling and blocking; no descriptor, no goroutine, no buffer is
// left.
func TestEveryPair(t *testing.T) {
	for _, tt := range []struct {
		name string
		set  func(*mesh.Config)
	}{
		{"connections, blocking", func(c *mesh.Config) { c.Private = true }},
		{"connections, polling", func(c *mesh.Config) {
			c.Private, c.Patience = true, patience(2, 2)
		}},
		{"shared memory, blocking", func(c *mesh.Config) { c.Ring = 64 << 10 }},
		{"shared memory, lending", func(c *mesh.Config) { c.Lend = true }},
		{"shared memory, yielding", func(c *mesh.Config) { c.Patience = patience(6, 2) }},
		{"one without shared memory", func(c *mesh.Config) { c.Private = c.Self == 2 }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if strings.HasSuffix(tt.name, "polling") || strings.HasSuffix(tt.name, "yielding") {
				effort.Seconds(t)
			}
			const procs = 6
			r := newRun(t, procs, tt.set)
			// before descriptors are counted: the first one makes those of the poller of Go, which
			// stay
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			before := descriptors(t) - 1
			ctx, stop := context.WithCancel(t.Context())
			var meeting, threads sync.WaitGroup
			meeting.Go(func() {
				if err := (&mesh.Rendezvous{Identity: r.id, Procs: procs}).Serve(ctx,
					l); err != nil {
					t.Error(err)
				}
			})
			for p := range trace.Proc(procs) {
				n := r.start(p, 0)
				threads.Go(func() {
					if err := n.talk(ctx, l.Addr().String(), procs); err != nil {
						t.Errorf("proc %d: %v", p, err)
					}
				})
			}
			threads.Wait()
			stop()
			meeting.Wait()
			if after := descriptors(t); after > before {
				t.Errorf("%d descriptors, %d before: %v", after, before, opened(t))
			}
		})
	}
}

// patience is that of a process with several meshes, which all need the Go scheduler.
func patience(processes, cores int) mesh.Patience {
	p := mesh.PatienceFor(processes, cores)
	p.Nap = 0
	return p
}

var sizes = []int{0, 8, 100, 5000, frame.Large, 70_000, 300_000}

// talk is what each process does in TestEveryPair.
func (n *node) talk(ctx context.Context, rendezvous string, procs int) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	table, err := mesh.Register(ctx, rendezvous, n.id, n.address.Host)
	if err != nil {
		return err
	}
	n.Dial(mesh.Below(table, n.id.Self), forever)
	const rounds = 10
	got := make([]int, procs)
	payloads := make([][]byte, len(sizes))
	for i, size := range sizes {
		payloads[i] = n.pool.Get(size)
		for j := range payloads[i] {
			payloads[i][j] = byte(n.id.Self)
		}
	}
	var a mesh.Arrival
	for left := (procs - 1) * rounds * len(sizes); left > 0; {
		switch n.Next(&a, forever) {
		case mesh.Nothing:
			return fmt.Errorf("%d frames are missing", left)
		case mesh.Notified:
			notice, _ := n.Notice()
			if notice.Event != mesh.Up {
				continue // others may have ended already
			}
			for k := range rounds * len(sizes) {
				n.Send(notice.Proc, frame.Data, uint8(k),
					binary.LittleEndian.AppendUint32(nil, uint32(k)), payloads[k%len(sizes)])
			}
			n.Flush()
		case mesh.Frame:
			k := got[a.From]
			got[a.From]++
			if number := binary.LittleEndian.Uint32(a.Extra); int(number) != k ||
				!bytes.Equal(a.Payload, bytes.Repeat([]byte{byte(a.From)}, sizes[k%len(sizes)])) {
				return fmt.Errorf("from %d: frame %d of %d bytes, want %d of %d", a.From, number,
					len(a.Payload), k, sizes[k%len(sizes)])
			}
			if a.Payload != nil {
				n.pool.Put(a.Payload)
			}
			left--
		}
	}
	n.Close(forever)
	for _, p := range payloads {
		n.pool.Put(p)
	}
	if n.pool.InUse() != 0 {
		return fmt.Errorf("%d buffers are left", n.pool.InUse())
	}
	return nil
}

// TestPause stops receiving: what is sent waits with the sender, other events still come, and all
// arrives when receiving goes on.
func TestPause(t *testing.T) {
	for _, private := range []bool{false, true} {
		r := newRun(t, 2, func(c *mesh.Config) { c.Private = private })
		a, b := r.start(0, 0), r.start(1, 0)
		b.Dial([]mesh.Address{a.address}, forever)
		a.notice(mesh.Up)
		b.notice(mesh.Up)
		a.Pause(1, true)
		const count, size = 40, 1 << 20
		payload := make([]byte, size)
		for range count {
			b.Send(0, frame.Data, 0, nil, payload)
		}
		b.Flush()
		var f mesh.Arrival
		a.Wake()
		if w := a.Next(&f, forever); w != mesh.Woken {
			t.Fatalf("got %d, want to be woken", w)
		}
		for b.Next(&f, 0); ; b.Next(&f, 0) { // until the connection is full
			before := b.Queued(0)
			if b.Flush(); b.Queued(0) == before {
				break
			}
		}
		if q := b.MostQueued(); q < count*size/2 || !b.Borrowed() {
			t.Errorf("%d bytes wait, want most of %d", q, count*size)
		}
		a.Pause(1, false)
		for got := 0; got < count; {
			if a.Next(&f, 0) == mesh.Frame {
				a.pool.Put(f.Payload)
				got++
			}
			b.Next(&f, 0)
		}
		if b.MostQueued() != 0 || b.Borrowed() {
			t.Errorf("%d bytes wait, want none", b.MostQueued())
		}
		a.Close(0)
		b.Close(0)
	}
}

// TestNoAllocation sends a frame there and back in the steady state.
func TestNoAllocation(t *testing.T) {
	for _, private := range []bool{false, true} {
		r := newRun(t, 2, func(c *mesh.Config) { c.Private = private })
		a, b := r.start(0, 0), r.start(1, 0)
		b.Dial([]mesh.Address{a.address}, forever)
		a.notice(mesh.Up)
		b.notice(mesh.Up)
		extra := make([]byte, 32)
		var f mesh.Arrival
		for _, size := range []int{8, 1000, 100_000} {
			payload := make([]byte, size)
			if n := testing.AllocsPerRun(200, func() {
				for _, pair := range [2][2]*node{{a, b}, {b, a}} {
					from, to := pair[0], pair[1]
					from.Send(to.id.Self, frame.Data, 0, extra, payload)
					from.Flush()
					for to.Next(&f, 0) != mesh.Frame {
						from.Next(&f, 0)
					}
					to.pool.Put(f.Payload)
				}
			}); n != 0 {
				t.Errorf("private %v, %d bytes: %v allocations, want 0", private, size, n)
			}
		}
		a.Close(0)
		b.Close(0)
	}
}
