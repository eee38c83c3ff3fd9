package mesh

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/domino-check/domino/impl/runtime/tcp/internal/link"
	"github.com/domino-check/domino/spec/trace"
)

// knows is proc 2 of 4, which knows something of the life of another.
func knows(p trace.Proc, l life) *Mesh {
	m := &Mesh{c: Config{Procs: 4, Identity: Identity{Self: 2}}, ctx: context.Background(),
		lives: map[trace.Proc]*life{p: &l}, addresses: map[trace.Proc]Address{}, event: -1}
	return m
}

// TestAdmit: who is over never comes back, nobody comes twice, and of two that dial each other the
// attempt of the higher proc goes on. A newer life is always let in, and what was wanted of the
// proc is wanted of it.
func TestAdmit(t *testing.T) {
	for _, tt := range []struct {
		from  trace.Proc
		life  trace.Incarnation // of who dials; 5 is known
		state state
		want  verdict
	}{
		{1, 5, apart, admitted}, {1, 5, joining, duplicate}, {1, 5, open, duplicate},
		{1, 5, lost, fenced}, {1, 5, dialing, duplicate}, {3, 5, dialing, admitted},
		{3, 5, apart, admitted}, {3, 5, joining, duplicate}, {3, 5, open, duplicate},
		{3, 5, lost, fenced}, {1, 6, open, admitted}, {1, 6, lost, admitted},
		{1, 6, dialing, admitted}, {1, 6, joining, admitted}, {1, 4, apart, fenced},
		{1, 4, lost, fenced}, {1, 4, open, fenced}, {3, 4, dialing, fenced},
		{2, 5, apart, fenced}, {2, 6, apart, fenced}, // it calls itself me
		{4, 5, apart, fenced}, {4, 6, apart, fenced}, // it is not of the run
	} {
		m := knows(tt.from, life{life: 5, state: tt.state, wanted: true})
		if got := m.admit(card{from: tt.from, life: tt.life}); got != tt.want {
			t.Errorf("%d.%d dials while 5 is %d: %d, want %d", tt.from, tt.life, tt.state, got,
				tt.want)
		}
		want := life{life: 5, state: tt.state, wanted: true}
		if tt.want == admitted {
			want.life, want.state = tt.life, joining
		}
		if got := *m.lives[tt.from]; got.life != want.life || got.state != want.state ||
			!got.wanted {
			t.Errorf("%d.%d dials while 5 is %d: known then %+v", tt.from, tt.life, tt.state, got)
		}
	}
}

// TestFenceBelow: only lives below are over. A connection that is open stays known, so that nobody
// is connected twice.
func TestFenceBelow(t *testing.T) {
	for below, want := range map[trace.Incarnation]life{4: {life: 5, state: open, wanted: true},
		5: {life: 5, state: open, wanted: true}, 6: {life: 6}} {
		m := knows(1, life{life: 5, state: open, wanted: true})
		if m.Fence(1, below); *m.lives[1] != want {
			t.Errorf("fenced below %d: %+v, want %+v", below, *m.lives[1], want)
		}
	}
}

// connection is one end of a connection of the loopback; the other is closed at the end.
func connection(t *testing.T) (ours, theirs net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if ours, err = net.Dial("tcp", l.Addr().String()); err == nil {
		theirs, err = l.Accept()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ours.Close(); theirs.Close() })
	return ours, theirs
}

// TestJoin: a handshake that has ended well is of use only if nothing better came meanwhile: no
// newer life, no other connection, no end.
func TestJoin(t *testing.T) {
	for _, tt := range []struct {
		known life
		ok    bool
	}{
		{life{life: 5, state: joining}, true}, {life{life: 5, state: apart}, false},
		{life{life: 5, state: dialing}, false}, {life{life: 5, state: open}, false},
		{life{life: 5, state: lost}, false}, {life{life: 6, state: joining}, false},
		{life{life: 4, state: joining}, false},
	} {
		m := knows(1, tt.known)
		conn, _ := connection(t)
		err := m.join(conn, card{from: 1, life: 5}, nil, false)
		if (err == nil) != tt.ok || err != nil && !errors.Is(err, ErrFenced) ||
			len(m.inbox) > 0 != tt.ok {
			t.Errorf("%+v: joined with %v, %d connections", tt.known, err, len(m.inbox))
		}
		for _, j := range m.inbox {
			j.discard()
		}
	}
}

// TestDialed: an attempt of ours is of no use when the other side has come meanwhile, or a newer
// life of it.
func TestDialed(t *testing.T) {
	for _, tt := range []struct {
		known life
		ok    bool
	}{
		{life{life: 5, state: dialing}, true}, {life{life: 5, state: apart}, true},
		{life{life: 4, state: open}, true}, {life{life: 5, state: joining}, false},
		{life{life: 5, state: open}, false}, {life{life: 5, state: lost}, false},
		{life{life: 6, state: dialing}, false},
	} {
		m := knows(1, tt.known)
		conn, _ := connection(t)
		err := m.dialed(conn, card{from: 1, life: 5}, nil)
		if (err == nil) != tt.ok || err != nil && !errors.Is(err, ErrDuplicate) ||
			len(m.inbox) > 0 != tt.ok {
			t.Errorf("%+v: dialed with %v, %d connections", tt.known, err, len(m.inbox))
		}
		for _, j := range m.inbox {
			j.discard()
		}
	}
}

// TestCut: the connection with a life that is over is closed and told of, that with a later one is
// not; and the life does not come back.
func TestCut(t *testing.T) {
	a, b := pairOf(t)
	b.Call(0)
	if err := a.Gather([]trace.Proc{1}, time.Minute); err != nil {
		t.Fatal(err)
	}
	a.notices = nil
	a.Cut(1, 0)
	if life, ok := a.Connected(1); !ok || life != 0 || len(a.notices) > 0 {
		t.Errorf("life 0 is not below 0: connected %t, notices %+v", ok, a.notices)
	}
	a.Cut(1, 1)
	if _, ok := a.Connected(1); ok || len(a.notices) != 1 || a.notices[0].Event != Lost ||
		!errors.Is(a.notices[0].Err, ErrFenced) {
		t.Errorf("connected %t, notices %+v, want it lost", ok, a.notices)
	}
	if v := a.admit(card{from: 1}); v != fenced {
		t.Errorf("it came back: %d", v)
	}
	a.Cut(1, 9)
	a.Cut(7, 9) // nobody
}

// TestNotMyMemory: where the offer of shared memory leads to memory that is not that of who offers
// it, as with numbers of another host, the connection alone has to do.
func TestNotMyMemory(t *testing.T) {
	memory, err := link.NewMemory(64 << 10)
	if err != nil {
		t.Fatal(err)
	}
	defer memory.Close()
	copy(memory.Proof(), "the memory of somebody else")
	for _, tt := range []struct {
		proof string
		want  byte
	}{{"the memory of somebody else", 1}, {"mine", 0}} {
		var offer [offerSize]byte
		pid, fd := memory.Place()
		offer[0] = 1
		for i, n := range []int{pid, fd, 64 << 10} {
			binary.LittleEndian.PutUint32(offer[1+4*i:], uint32(n))
		}
		copy(offer[13:], tt.proof)
		ours, theirs := connection(t)
		if _, err := theirs.Write(offer[:]); err != nil {
			t.Fatal(err)
		}
		got, err := knows(1, life{}).answer(ours)
		var said [1]byte
		if _, e := theirs.Read(said[:]); e != nil || err != nil {
			t.Fatal(e, err)
		}
		if said[0] != tt.want || (got != nil) != (tt.want == 1) {
			t.Errorf("proof %q: says %d, memory %t, want %d", tt.proof, said[0], got != nil,
				tt.want)
		}
		if got != nil {
			got.Close()
		}
	}
}
