package mesh_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/domino-check/domino/impl/runtime/tcp/internal/frame"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/mesh"
	"github.com/domino-check/domino/spec/trace"
)

// TestStrangers connects all kinds of strangers to a process: each is refused with its reason, and
// the process still works.
func TestStrangers(t *testing.T) {
	r := newRun(t, 3, func(c *mesh.Config) {
		if c.Self == 0 {
			c.FirstWord = 50 * time.Millisecond // for the silent one; the others end by themselves
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
	// a card of the run, and a proof that is made up
	guess := "domino\x00\x01" + string(r.id.Run[:]) + "\x01\x00\x00\x00" +
		string(make([]byte, 4+32+32))
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
		{"wrong secret", func() { conn(guess) }, mesh.ErrSecret},
		{"other run", func() {
			otherRun.start(1, 0).Dial([]mesh.Address{a.address}, forever)
		}, mesh.ErrOtherRun},
		{"no such proc", func() {
			outside.start(4, 0).Dial([]mesh.Address{a.address}, forever)
		}, mesh.ErrFenced},
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

// TestLives kills a process and starts it again: the others lose the old life, connect to the new
// one, and refuse the old one when it turns out to be alive.
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
		if n := a.notice(mesh.Refused); n.Proc != 1 || n.Life != 0 ||
			!errors.Is(n.Err, mesh.ErrFenced) {
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

// TestBothDial lets two restarted processes dial each other at once, many times: exactly one
// connection each time, over which a frame goes each way.
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
		if fa, fb := a.frame(), b.frame(); string(fa.Payload) != "from b" ||
			string(fb.Payload) != "from a" {
			t.Fatalf("received %q and %q", fa.Payload, fb.Payload)
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

// TestAcceptErrors lets accepting fail a few times: each is told, and connections come in
// afterwards.
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

// TestRendezvous registers lives in every order: first lives wait for each other, a later one gets
// the table at once, an older one and a stranger are refused.
func TestRendezvous(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := newRun(t, 2, nil)
	refused := make(chan error, 10)
	meeting := &mesh.Rendezvous{Identity: r.id, Procs: 2, Refused: func(_ string, err error) {
		refused <- err
	}}
	ctx, stop := context.WithCancel(t.Context())
	var serving sync.WaitGroup
	defer serving.Wait()
	defer stop()
	serving.Go(func() {
		if err := meeting.Serve(ctx, l); err != nil {
			t.Error(err)
		}
	})
	register := func(p trace.Proc, life trace.Incarnation,
		change func(*mesh.Identity)) ([]mesh.Address, error) {
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
	if table, err := register(1, 2, nil); err != nil || table[1].Host != "host1:2" ||
		table[1].Life != 2 {
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
		{"wrong secret", 0, 5, func(id *mesh.Identity) {
			id.Secret = []byte("guessed")
		}, mesh.ErrSecret},
	} {
		if _, err := register(tt.proc, tt.life, tt.change); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
		if errors.Is(tt.want, mesh.ErrSecret) {
			continue // it leaves before it has said a wrong word
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
	if n := a.notice(mesh.Unreachable); n.Proc != 0 || n.Address != l.Addr().String() ||
		n.Err == nil {
		t.Errorf("unreachable %+v", n)
	}
	if _, err := mesh.Register(t.Context(), l.Addr().String(), a.id, "x"); err == nil {
		t.Error("registered nowhere")
	}
}
