package mesh_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/domino-check/domino/impl/tcp/buffer"
	"github.com/domino-check/domino/impl/tcp/frame"
	"github.com/domino-check/domino/impl/tcp/mesh"
	"github.com/domino-check/domino/spec/trace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// forever is a bound on waiting that no healthy run comes near: tests wait for events, never for time.
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
	n := &node{Mesh: m, t: r.t, pool: c.Pool, id: id, address: mesh.Address{Proc: p, Life: life, Host: l.Addr().String()}}
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

// TestEveryPair lets six processes find each other at a rendezvous, send each other frames of all sizes from threads of their own,
// and say goodbye: everything arrives, in order, over shared memory and over connections, polling and blocking; no
// descriptor, no goroutine, no buffer is left.
func TestEveryPair(t *testing.T) {
	for _, tt := range []struct {
		name string
		set  func(*mesh.Config)
	}{
		{"connections, blocking", func(c *mesh.Config) { c.Private = true }},
		{"connections, polling", func(c *mesh.Config) { c.Private, c.Patience = true, mesh.PatienceFor(2, 2) }},
		{"shared memory, blocking", func(c *mesh.Config) { c.Ring = 64 << 10 }},
		{"shared memory, yielding", func(c *mesh.Config) { c.Patience = mesh.PatienceFor(6, 2) }},
		{"one without shared memory", func(c *mesh.Config) { c.Private = c.Self == 2 }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := descriptors(t)
			const procs = 6
			r := newRun(t, procs, tt.set)
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithCancel(t.Context())
			var meeting, threads sync.WaitGroup
			meeting.Go(func() {
				if err := (&mesh.Rendezvous{Identity: r.id, Procs: procs}).Serve(ctx, l); err != nil {
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
				t.Errorf("%d descriptors, %d before", after, before)
			}
		})
	}
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
		payloads[i] = bytes.Repeat([]byte{byte(n.id.Self)}, size)
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
				n.Send(notice.Proc, frame.Data, uint8(k), binary.LittleEndian.AppendUint32(nil, uint32(k)), payloads[k%len(sizes)])
			}
			n.Flush()
		case mesh.Frame:
			k := got[a.From]
			got[a.From]++
			if number := binary.LittleEndian.Uint32(a.Extra); int(number) != k || !bytes.Equal(a.Payload, bytes.Repeat([]byte{byte(a.From)}, sizes[k%len(sizes)])) {
				return fmt.Errorf("from %d: frame %d of %d bytes, want %d of %d", a.From, number, len(a.Payload), k, sizes[k%len(sizes)])
			}
			if a.Payload != nil {
				n.pool.Put(a.Payload)
			}
			left--
		}
	}
	n.Close(forever)
	if n.pool.InUse() != 0 {
		return fmt.Errorf("%d buffers are left", n.pool.InUse())
	}
	return nil
}

// TestStrangers connects all kinds of strangers to a process: each is refused with its reason, and the process still works.
func TestStrangers(t *testing.T) {
	r := newRun(t, 3, func(c *mesh.Config) {
		if c.Self == 0 {
			c.Timeout = 50 * time.Millisecond // for the silent one; the others end by themselves
		}
	})
	a := r.start(0, 0)
	conn := func(say string) {
		c, err := net.Dial("tcp", a.address.Host)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		io.WriteString(c, say)
		if say != "" {
			c.(*net.TCPConn).CloseWrite()
		}
		io.Copy(io.Discard, c) // until it hangs up
	}
	wrongSecret := *r
	wrongSecret.id.Secret = []byte("guessed")
	otherRun := *r
	otherRun.id.Run[0]++
	outside := *r
	outside.procs = 5
	for _, tt := range []struct {
		name string
		come func()
		want error
	}{
		{"garbage", func() { conn("GET / HTTP/1.1\r\n\r\n") }, mesh.ErrStranger},
		{"hangs up", func() { conn("dom") }, mesh.ErrStranger},
		{"silent", func() { conn("") }, os.ErrDeadlineExceeded},
		{"half a card", func() { conn("domino\x00\x01" + string(make([]byte, 20))) }, mesh.ErrStranger},
		{"wrong secret", func() { wrongSecret.start(1, 0).Dial([]mesh.Address{a.address}, forever) }, mesh.ErrSecret},
		{"other run", func() { otherRun.start(1, 0).Dial([]mesh.Address{a.address}, forever) }, mesh.ErrOtherRun},
		{"no such proc", func() { outside.start(4, 0).Dial([]mesh.Address{a.address}, forever) }, mesh.ErrFenced},
		{"other proc's address", func() {
			r.start(1, 0).Dial([]mesh.Address{{Proc: 2, Host: a.address.Host}}, forever)
		}, mesh.ErrStranger},
	} {
		tt.come()
		if n := a.notice(mesh.Refused); !errors.Is(n.Err, tt.want) || n.Address == "" {
			t.Errorf("%s: refused %s with %v, want %v", tt.name, n.Address, n.Err, tt.want)
		}
		a.Close(0)
		a = r.start(0, 0) // those that dial try again and again: leave them behind
	}
	b := r.start(1, 0)
	b.Dial([]mesh.Address{a.address}, forever)
	b.notice(mesh.Up)
	a.notice(mesh.Up)
}

// TestLives kills a process and starts it again: the others lose the old life, connect to the new one, and refuse the old one when it
// turns out to be alive.
func TestLives(t *testing.T) {
	for _, private := range []bool{false, true} {
		r := newRun(t, 2, func(c *mesh.Config) { c.Private = private })
		a, old := r.start(0, 0), r.start(1, 0)
		old.Dial([]mesh.Address{a.address}, forever)
		if n := a.notice(mesh.Up); n.Proc != 1 || n.Life != 0 || n.Shared == private {
			t.Fatalf("up %+v", n)
		}
		old.notice(mesh.Up)
		old.Send(0, frame.Data, 0, nil, []byte("last words"))
		old.Flush()
		old.Close(0)
		if n := a.notice(mesh.Lost); n.Proc != 1 || n.Life != 0 {
			t.Fatalf("lost %+v", n)
		}
		if f := a.frame(); string(f.Payload) != "last words" || f.Life != 0 {
			t.Fatalf("received %q of life %d", f.Payload, f.Life)
		}
		if a.Send(1, frame.Data, 0, nil, nil) {
			t.Error("a frame to a lost proc was taken")
		}
		zombie, second := r.start(1, 0), r.start(1, 1)
		second.Dial([]mesh.Address{a.address}, forever)
		if n := a.notice(mesh.Up); n.Life != 1 {
			t.Fatalf("up %+v", n)
		}
		second.notice(mesh.Up)
		zombie.Dial([]mesh.Address{a.address}, forever)
		zombie.notice(mesh.Fenced)
		if n := a.notice(mesh.Refused); n.Proc != 1 || n.Life != 0 || !errors.Is(n.Err, mesh.ErrFenced) {
			t.Fatalf("refused %+v", n)
		}
		third := r.start(1, 2) // while the second one is still connected
		third.Dial([]mesh.Address{a.address}, forever)
		if n := a.notice(mesh.Lost); n.Life != 1 || !errors.Is(n.Err, mesh.ErrFenced) {
			t.Fatalf("lost %+v", n)
		}
		if n := a.notice(mesh.Up); n.Life != 2 {
			t.Fatalf("up %+v", n)
		}
		second.notice(mesh.Lost)
	}
}

// TestBothDial lets two restarted processes dial each other at once, many times: exactly one connection each time, over which a frame
// goes each way.
func TestBothDial(t *testing.T) {
	for round := range 30 {
		r := newRun(t, 2, func(c *mesh.Config) { c.Private = round%2 == 0 })
		a, b := r.start(0, 1), r.start(1, 1)
		a.Dial([]mesh.Address{b.address}, forever)
		b.Dial([]mesh.Address{a.address}, forever)
		a.notice(mesh.Up)
		b.notice(mesh.Up)
		a.Send(1, frame.Control, 1, nil, []byte("from a"))
		b.Send(0, frame.Control, 2, nil, []byte("from b"))
		a.Flush()
		b.Flush()
		if fa, fb := a.frame(), b.frame(); string(fa.Payload) != "from b" || string(fb.Payload) != "from a" {
			t.Fatalf("received %q and %q", fa.Payload, fb.Payload)
		}
		a.Close(0)
		b.Close(0)
	}
}

// TestPause stops receiving: what is sent waits with the sender, other events still come, and all arrives when receiving goes on.
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

// unwilling is a listener that can not accept three times before it can.
type unwilling struct {
	net.Listener
	left *int
}

var errTired = errors.New("no descriptors")

func (u unwilling) Accept() (net.Conn, error) {
	if *u.left > 0 {
		*u.left--
		return nil, errTired
	}
	return u.Listener.Accept()
}

// TestAcceptErrors lets accepting fail a few times: each is told, and connections come in afterwards.
func TestAcceptErrors(t *testing.T) {
	left := 3
	r := newRun(t, 2, func(c *mesh.Config) {
		if c.Self == 0 {
			c.Listener = unwilling{c.Listener, &left}
		}
	})
	a := r.start(0, 0)
	for range 3 {
		if n := a.notice(mesh.Refused); !errors.Is(n.Err, errTired) {
			t.Fatalf("refused %+v", n)
		}
	}
	b := r.start(1, 0)
	b.Dial([]mesh.Address{a.address}, forever)
	a.notice(mesh.Up)
}

// TestRendezvous registers lives in every order: first lives wait for each other, a later one gets the table at once, an older
// one and a stranger are refused.
func TestRendezvous(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := newRun(t, 2, nil)
	refused := make(chan error, 10)
	meeting := &mesh.Rendezvous{Identity: r.id, Procs: 2, Refused: func(_ string, err error) { refused <- err }}
	ctx, stop := context.WithCancel(t.Context())
	var serving sync.WaitGroup
	defer serving.Wait()
	defer stop()
	serving.Go(func() {
		if err := meeting.Serve(ctx, l); err != nil {
			t.Error(err)
		}
	})
	register := func(p trace.Proc, life trace.Incarnation, change func(*mesh.Identity)) ([]mesh.Address, error) {
		id := r.id
		id.Self, id.Life = p, life
		if change != nil {
			change(&id)
		}
		return mesh.Register(ctx, l.Addr().String(), id, fmt.Sprintf("host%d:%d", p, life))
	}
	var first sync.WaitGroup
	tables := make([][]mesh.Address, 2)
	for p := range tables {
		first.Go(func() {
			var err error
			if tables[p], err = register(trace.Proc(p), 0, nil); err != nil {
				t.Error(err)
			}
		})
	}
	first.Wait()
	want := []mesh.Address{{Proc: 0, Host: "host0:0"}, {Proc: 1, Host: "host1:0"}}
	if !slices.Equal(tables[0], want) || !slices.Equal(tables[1], want) {
		t.Errorf("tables %v", tables)
	}
	if below := mesh.Below(want, 1); len(below) != 1 || below[0].Proc != 0 {
		t.Errorf("below 1: %v", below)
	}
	if table, err := register(1, 2, nil); err != nil || table[1].Host != "host1:2" || table[1].Life != 2 {
		t.Errorf("second life: %v, %v", table, err)
	}
	for _, tt := range []struct {
		name   string
		proc   trace.Proc
		life   trace.Incarnation
		change func(*mesh.Identity)
		want   error
	}{
		{"older life", 1, 1, nil, mesh.ErrFenced},
		{"same life", 1, 2, nil, mesh.ErrDuplicate},
		{"no such proc", 2, 0, nil, mesh.ErrFenced},
		{"other run", 0, 5, func(id *mesh.Identity) { id.Run[3]++ }, mesh.ErrOtherRun},
		{"wrong secret", 0, 5, func(id *mesh.Identity) { id.Secret = []byte("guessed") }, mesh.ErrSecret},
	} {
		if _, err := register(tt.proc, tt.life, tt.change); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
		if err := <-refused; !errors.Is(err, tt.want) {
			t.Errorf("%s: refused with %v, want %v", tt.name, err, tt.want)
		}
	}
}

// TestNobody dials where nobody listens, and registers there.
func TestNobody(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	r := newRun(t, 2, nil)
	a := r.start(1, 0)
	a.Dial([]mesh.Address{{Proc: 0, Host: l.Addr().String()}}, time.Millisecond)
	if n := a.notice(mesh.Unreachable); n.Proc != 0 || n.Address != l.Addr().String() || n.Err == nil {
		t.Errorf("unreachable %+v", n)
	}
	if _, err := mesh.Register(t.Context(), l.Addr().String(), a.id, "x"); err == nil {
		t.Error("registered nowhere")
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
