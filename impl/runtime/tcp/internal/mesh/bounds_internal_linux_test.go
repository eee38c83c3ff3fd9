package mesh

import (
	"net"
	"runtime"
	"testing"
	"time"

	"github.com/domino-check/domino/impl/runtime/tcp/internal/buffer"
	"github.com/domino-check/domino/spec/trace"
)

// pairOf makes two meshes that know each other's address.
func pairOf(t *testing.T) (a, b *Mesh) { return pairWith(t, false) }

// pairWith makes two that do without shared memory if they are private.
func pairWith(t *testing.T, private bool) (a, b *Mesh) {
	id := NewIdentity()
	var all []*Mesh
	var table []Address
	for p := range trace.Proc(2) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		id.Self = p
		m, err := New(Config{Identity: id, Procs: 2, Listener: l, Pool: new(buffer.Pool),
			Private: private})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { m.Close(0) })
		all, table = append(all, m), append(table, Address{Proc: p, Host: l.Addr().String()})
	}
	all[0].Learn(table)
	all[1].Learn(table)
	return all[0], all[1]
}

// TestFencedInbox fences a life whose connection waits in the inbox: it is closed and never looked
// at, and the other side sees that.
func TestFencedInbox(t *testing.T) {
	a, b := pairOf(t)
	b.Call(0)
	for !a.waits() {
		runtime.Gosched()
	}
	a.Fence(1, 1)
	a.absorb()
	if _, ok := a.Connected(1); ok || len(a.notices) > 0 {
		t.Errorf("connected %t, notices %+v, want nothing", ok, a.notices)
	}
	for _, want := range []Event{Up, Lost} {
		var f Arrival
		if b.Next(&f, time.Minute) != Notified {
			t.Fatal("no notice")
		}
		if n, _ := b.Notice(); n.Event != want {
			t.Fatalf("got %s, want %s", n.Event, want)
		}
	}
}

// TestPlaces: without a place to dial nobody is dialed, with one it is.
func TestPlaces(t *testing.T) {
	a, _ := pairOf(t)
	for range maxDials {
		a.dials <- struct{}{}
	}
	a.Call(1)
	var f Arrival
	if w := a.Next(&f, 20*time.Millisecond); w != Nothing {
		t.Fatalf("got %d without a place", w)
	}
	<-a.dials
	if a.Next(&f, time.Minute) != Notified {
		t.Error("not connected")
	}
}

// TestTimeouts: deadlines grow with the procs and with each attempt, up to a bound.
func TestTimeouts(t *testing.T) {
	for _, tt := range []struct {
		given          time.Duration
		procs, attempt int
		want           time.Duration
	}{
		{0, 0, 0, 5 * time.Second}, {0, 1000, 0, 15 * time.Second}, {0, 1000, 1, 30 * time.Second},
		{time.Second, 1000, 2, 4 * time.Second}, {time.Second, 0, 99, 16 * time.Second},
	} {
		if got := timeout(tt.given, tt.procs, tt.attempt); got != tt.want {
			t.Errorf("%v of %d procs, attempt %d: %v, want %v", tt.given, tt.procs, tt.attempt, got,
				tt.want)
		}
	}
}
