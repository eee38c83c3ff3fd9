package mesh_test

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/domino-check/domino/impl/runtime/tcp/internal/frame"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/mesh"
	"github.com/domino-check/domino/spec/trace"
)

// TestCall: nobody is connected before somebody calls, who is called is connected whether its
// address is known before or after, and nobody else is.
func TestCall(t *testing.T) {
	for _, late := range []bool{false, true} {
		r := newRun(t, 3, nil)
		nodes := []*node{r.start(0, 0), r.start(1, 0), r.start(2, 0)}
		table := []mesh.Address{nodes[0].address, nodes[1].address, nodes[2].address}
		if !late {
			nodes[0].Learn(table)
		}
		nodes[0].Call(1)
		nodes[0].Call(1)
		nodes[0].Call(0) // oneself: nothing
		if late {
			if w := nodes[0].Waiting(); len(w) != 1 || w[0].Proc != 1 || w[0].Address != "" {
				t.Fatalf("waits for %+v, want 1 whose address is not known", w)
			}
			nodes[0].Learn(table)
		}
		nodes[1].Learn(table)
		nodes[2].Learn(table)
		nodes[0].notice(mesh.Up)
		nodes[1].notice(mesh.Up)
		if w := nodes[0].Waiting(); len(w) != 0 {
			t.Errorf("still waits for %+v", w)
		}
		for p, want := range [][]trace.Proc{{1}, {0}, nil} {
			var got []trace.Proc
			for q := range trace.Proc(3) {
				if _, ok := nodes[p].Connected(q); ok {
					got = append(got, q)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%d is connected with %v, want %v", p, got, want)
			}
		}
		for _, n := range nodes {
			n.Close(0)
		}
	}
}

// TestCallBoth lets two call each other at once, many times: one connection each time, and a frame
// goes each way.
func TestCallBoth(t *testing.T) {
	for range 30 {
		r := newRun(t, 2, nil)
		a, b := r.start(0, 0), r.start(1, 0)
		table := []mesh.Address{a.address, b.address}
		a.Learn(table)
		b.Learn(table)
		a.Call(1)
		b.Call(0)
		a.notice(mesh.Up)
		b.notice(mesh.Up)
		a.Send(1, frame.Control, 1, nil, []byte("from a"))
		b.Send(0, frame.Control, 2, nil, []byte("from b"))
		a.Flush()
		b.Flush()
		if fa, fb := a.frame(), b.frame(); string(fa.Payload) != "from b" ||
			string(fb.Payload) != "from a" {
			t.Fatalf("received %q and %q", fa.Payload, fb.Payload)
		}
		a.Close(0)
		b.Close(0)
	}
}

// TestFence: a life that is over and that we never met is refused, whether it dials or its address
// is learnt late, and the next one is not; what was wanted of the old is not wanted of the new.
func TestFence(t *testing.T) {
	r := newRun(t, 2, nil)
	a, old := r.start(0, 0), r.start(1, 0)
	a.Fence(1, 1)
	a.Learn([]mesh.Address{old.address})
	a.Call(1)
	if w := a.Waiting(); len(w) != 1 || w[0].Life != 1 || w[0].Address != "" {
		t.Fatalf("waits for %+v, want life 1, whose address is not known", w)
	}
	old.Learn([]mesh.Address{a.address})
	old.Call(0)
	old.notice(mesh.Fenced)
	if n := a.notice(mesh.Refused); n.Proc != 1 || n.Life != 0 ||
		!errors.Is(n.Err, mesh.ErrFenced) {
		t.Fatalf("refused %+v", n)
	}
	second := r.start(1, 1)
	a.Learn([]mesh.Address{second.address})
	a.Learn([]mesh.Address{old.address}) // old news
	if n := a.notice(mesh.Up); n.Life != 1 {
		t.Fatalf("up %+v", n)
	}
	second.notice(mesh.Up)
	b := r.start(0, 1)
	b.Call(1)
	b.Fence(1, 2)
	if w := b.Waiting(); len(w) != 0 {
		t.Errorf("a call of a life that is over waits: %+v", w)
	}
}

// TestNextLife: a proc that was called when its old address no longer answers is reached when it
// says where its next life is, although nobody has said that the old one is over.
func TestNextLife(t *testing.T) {
	r := newRun(t, 2, nil)
	a, old := r.start(0, 0), r.start(1, 0)
	old.Close(0)
	a.Learn([]mesh.Address{old.address})
	a.Call(1)
	second := r.start(1, 1)
	a.Learn([]mesh.Address{second.address})
	if n := a.notice(mesh.Up); n.Life != 1 {
		t.Fatalf("up %+v", n)
	}
	late := r.start(0, 1)
	late.Learn([]mesh.Address{second.address})
	late.Learn([]mesh.Address{old.address}) // old news
	late.Call(1)
	if n := late.notice(mesh.Up); n.Life != 1 {
		t.Fatalf("up %+v", n)
	}
}

// TestNoStranger: who meant somebody else of the run, and who ends in the middle of a handshake, is
// no stranger, and nobody is told; who called says what is wrong.
func TestNoStranger(t *testing.T) {
	r := newRun(t, 3, nil)
	a, b := r.start(0, 0), r.start(1, 0)
	c, err := net.Dial("tcp", a.address.Host)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(c, "domino\x00\x01"+string(make([]byte, 20)))
	c.(*net.TCPConn).CloseWrite()
	io.Copy(io.Discard, c)
	c.Close()
	b.Learn([]mesh.Address{{Proc: 2, Host: a.address.Host}, a.address})
	b.Call(2)
	for {
		if w := b.Waiting(); w[0].Attempts > 0 {
			if !errors.Is(w[0].Err, mesh.ErrElsewhere) || w[0].Address != a.address.Host {
				t.Errorf("waits for %+v", w)
			}
			break
		}
	}
	b.Call(0)
	a.notice(mesh.Up) // and nothing before
	if n := a.Strangers(); n != 0 {
		t.Errorf("%d strangers, want none", n)
	}
}

// idle connects strangers who say nothing, and hang on until the test ends.
func idle(t *testing.T, address string, count int) {
	for range count {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
	}
}

// idleStrangers is more than there are places.
const idleStrangers = 150

// TestIdleStrangers fills all places with strangers who say nothing, for as long as they like: who
// comes behind them is let in at the cost of the oldest. Some are told of, the rest is counted.
func TestIdleStrangers(t *testing.T) {
	r := newRun(t, 2, func(c *mesh.Config) { c.FirstWord = forever })
	a, b := r.start(0, 0), r.start(1, 0)
	idle(t, a.address.Host, idleStrangers)
	b.Dial([]mesh.Address{a.address}, forever)
	told := 0
	for {
		var f mesh.Arrival
		if a.Next(&f, forever) != mesh.Notified {
			t.Fatal("not connected")
		}
		n, _ := a.Notice()
		if n.Event == mesh.Up {
			break
		}
		if told++; !errors.Is(n.Err, mesh.ErrStranger) {
			t.Errorf("refused %v", n.Err)
		}
	}
	if n := a.Strangers(); told > 8 || n < idleStrangers/4 {
		t.Errorf("%d strangers, %d told of", n, told)
	}
}

// TestIdleMeeting is the same for a rendezvous.
func TestIdleMeeting(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	id := mesh.NewIdentity()
	ctx, stop := context.WithCancel(t.Context())
	var serving, registering sync.WaitGroup
	serving.Go(func() {
		r := &mesh.Rendezvous{Identity: id, Procs: 4, FirstWord: time.Hour}
		if err := r.Serve(ctx, l); err != nil {
			t.Error(err)
		}
	})
	idle(t, l.Addr().String(), idleStrangers)
	for p := range trace.Proc(4) {
		registering.Go(func() {
			mine := id
			mine.Self = p
			table, err := mesh.Register(t.Context(), l.Addr().String(), mine, "host:1")
			if err != nil || len(table) != 4 {
				t.Errorf("proc %d: %v, %v", p, table, err)
			}
		})
	}
	registering.Wait()
	stop()
	serving.Wait()
}
