package cluster

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/buffer"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/frame"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/link"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/mesh"
)

// fakeMesh does nothing but write down what it is asked for and hand out what it is given.
type fakeMesh struct {
	did     []string
	notices []mesh.Notice
	frames  []mesh.Arrival
	open    map[core.Proc]core.Incarnation
	paused  map[core.Proc]bool
}

func (f *fakeMesh) Send(to core.Proc, _ frame.Kind, note uint8, _, payload []byte) bool {
	f.did = append(f.did, fmt.Sprintf("send %d %s at %d", to, payload, note))
	return true
}
func (f *fakeMesh) Flush()                         {}
func (f *fakeMesh) MostQueued() int                { return 0 }
func (f *fakeMesh) Borrowed() bool                 { return false }
func (f *fakeMesh) Pause(p core.Proc, paused bool) { f.paused[p] = paused }
func (f *fakeMesh) Call(p core.Proc)               { f.did = append(f.did, fmt.Sprint("call ", p)) }
func (f *fakeMesh) Fence(p core.Proc, below core.Incarnation) {
	f.did = append(f.did, fmt.Sprint("fence ", p, " ", below))
}
func (f *fakeMesh) Cut(p core.Proc, below core.Incarnation) {
	if life, ok := f.open[p]; ok && life < below {
		delete(f.open, p)
	}
	f.did = append(f.did, fmt.Sprint("cut ", p, " ", below))
}
func (f *fakeMesh) Connected(p core.Proc) (core.Incarnation, bool) {
	life, ok := f.open[p]
	return life, ok
}

func (f *fakeMesh) Next(a *mesh.Arrival, _ time.Duration) mesh.What {
	if len(f.notices) > 0 {
		return mesh.Notified
	}
	for i, k := range f.frames {
		if !f.paused[k.From] {
			*a = k
			f.frames = slices.Delete(f.frames, i, i+1)
			return mesh.Frame
		}
	}
	return mesh.Nothing
}

func (f *fakeMesh) Notice() (mesh.Notice, bool) {
	if len(f.notices) == 0 {
		return mesh.Notice{}, false
	}
	n := f.notices[0]
	f.notices = f.notices[1:]
	return n, true
}

// story is a carrier of proc 0 of four, and what it does.
type story struct {
	*carrier
	net *fakeMesh
	t   *testing.T
}

func newStory(t *testing.T) *story {
	f := &fakeMesh{open: map[core.Proc]core.Incarnation{}, paused: map[core.Proc]bool{}}
	return &story{t: t, net: f, carrier: &carrier{mesh: f, pool: new(buffer.Pool),
		clock: new(clock), gone: make([]int, 4), peers: make([]*connection, 4)}}
}

func (s *story) send(to core.Proc, word string) { s.Send(to, frame.Control, 0, nil, []byte(word)) }

// happens has the mesh tell of a connection.
func (s *story) happens(e mesh.Event, p core.Proc, life core.Incarnation) {
	if delete(s.net.open, p); e == mesh.Up {
		s.net.open[p] = life
	}
	s.net.notices = append(s.net.notices, mesh.Notice{Event: e, Proc: p, Life: life})
	s.Notice()
}

// comes has a frame arrive from a life that knows so many failures.
func (s *story) comes(from core.Proc, life core.Incarnation, note uint8, word string) {
	a := mesh.Arrival{From: from, Life: life, Arrival: link.Arrival{
		Header: frame.Header{Note: note}, Extra: binary.LittleEndian.AppendUint64(nil, 1),
		Payload: s.pool.Copy([]byte(word))}}
	s.net.frames = append(s.net.frames, a)
}

// did expects what the mesh was asked for since the last time.
func (s *story) did(want ...string) {
	s.t.Helper()
	if !slices.Equal(s.net.did, want) {
		s.t.Errorf("did %q, want %q", s.net.did, want)
	}
	s.net.did = nil
}

// hears expects the words that are taken next, until there are none.
func (s *story) hears(want ...string) {
	s.t.Helper()
	var got []string
	var a mesh.Arrival
	for s.Next(&a, 0) == mesh.Frame {
		got = append(got, string(a.Payload))
	}
	if !slices.Equal(got, want) {
		s.t.Errorf("heard %q, want %q", got, want)
	}
}

// TestCarrierCalls: whoever is not there is called once, and what waits for him is sent in order
// when he comes, as of when it was said.
func TestCarrierCalls(t *testing.T) {
	s := newStory(t)
	s.send(2, "a")
	s.over([]core.Proc{3}, 1)
	s.send(2, "b")
	s.did("call 2", "fence 3 1")
	if s.MostQueued() != 2 {
		t.Errorf("%d bytes wait, want 2", s.MostQueued())
	}
	s.happens(mesh.Up, 2, 0)
	s.send(2, "c")
	s.did("send 2 a at 0", "send 2 b at 1", "send 2 c at 1")
	if s.MostQueued() != 0 {
		t.Errorf("%d bytes wait, want none", s.MostQueued())
	}
}

// TestCarrierNeverOpened: of somebody dead with whom there was no connection there is nothing to
// take, and what was kept for him is lost; his next life gets what is said from then on.
func TestCarrierNeverOpened(t *testing.T) {
	s := newStory(t)
	s.send(2, "to the dead")
	s.dying([]core.Proc{2})
	if !s.drained([]core.Proc{2}) {
		t.Error("something is to be taken over a connection that never was")
	}
	s.over([]core.Proc{2}, 1)
	s.send(2, "to the next")
	s.did("call 2", "fence 2 1", "call 2")
	s.happens(mesh.Up, 2, 0) // the old life, late
	s.comes(2, 0, 0, "of the dead")
	s.hears()
	s.happens(mesh.Lost, 2, 0)
	s.did()
	s.happens(mesh.Up, 2, 1)
	s.did("send 2 to the next at 1")
	s.comes(2, 1, 1, "hello")
	s.hears("hello")
}

// TestCarrierDrains: what the dead had sent is taken before anybody agrees, in a model where it
// arrives, and nothing of it in one where it does not.
func TestCarrierDrains(t *testing.T) {
	for _, nothing := range []bool{false, true} {
		s := newStory(t)
		s.nothing = nothing
		s.happens(mesh.Up, 2, 0)
		s.comes(2, 0, 0, "last word")
		s.dying([]core.Proc{2})
		if s.drained([]core.Proc{2}) {
			t.Error("drained with an open connection")
		}
		if nothing {
			s.hears()
		} else {
			s.hears("last word")
		}
		s.happens(mesh.Lost, 2, 0)
		if !s.drained([]core.Proc{2}) {
			t.Error("not drained when the connection has ended")
		}
	}
}

// TestCarrierEarly: a frame that knows of a failure is kept back until we know of it, and so is
// what comes behind it, over a connection that was opened meanwhile, too.
func TestCarrierEarly(t *testing.T) {
	s := newStory(t)
	s.happens(mesh.Up, 1, 0)
	s.comes(1, 0, 1, "early")
	s.comes(1, 0, 1, "behind")
	s.happens(mesh.Up, 2, 0)
	s.comes(2, 0, 0, "in time")
	s.hears("in time")
	s.over([]core.Proc{3}, 1)
	s.hears("early", "behind")
}

// TestCarrierStatus: said is what of each connection is under way, and nothing of those that never
// were; a connection that breaks while nobody is dead is under way for ever.
func TestCarrierStatus(t *testing.T) {
	s := newStory(t)
	s.happens(mesh.Up, 1, 0)
	s.send(1, "x")
	s.send(2, "y")
	want := []peer{{Proc: 1, Sent: 1}, {Proc: 2, Life: -1, Held: 1}}
	if got := s.status(); !slices.Equal(got, want) {
		t.Errorf("status %+v, want %+v", got, want)
	}
	s.happens(mesh.Lost, 1, 0)
	if got := s.status(); !got[0].Lost || got[0].Life != -1 {
		t.Errorf("status %+v, want a lost connection with 1", got)
	}
	s.over([]core.Proc{1, 2}, 1)
	if got := s.status(); len(got) != 0 {
		t.Errorf("status %+v, want none", got)
	}
	if s.MostQueued() != 0 {
		t.Errorf("%d bytes wait for the dead", s.MostQueued())
	}
}

// TestCarrierCut: of whose host is off nothing is awaited, not even the end of its connection, and
// nothing is heard that comes after all; a connection with the next life is none of that.
func TestCarrierCut(t *testing.T) {
	s := newStory(t)
	s.happens(mesh.Up, 1, 0)
	s.happens(mesh.Up, 2, 0)
	s.comes(2, 0, 0, "before")
	s.hears("before")
	s.dying([]core.Proc{1, 2})
	if s.drained([]core.Proc{1, 2}) {
		t.Error("drained before anything has ended")
	}
	s.cut([]core.Proc{2})
	if got := s.carrier.open([]core.Proc{1, 2}); !slices.Equal(got, []core.Proc{1}) {
		t.Errorf("open are %v, want 1 alone, which is not cut", got)
	}
	s.happens(mesh.Lost, 1, 0)
	s.comes(2, 0, 0, "late")
	s.hears()
	if !s.drained([]core.Proc{1, 2}) {
		t.Error("not drained when one has ended and one is cut")
	}
	s.carrier.over([]core.Proc{1, 2}, 1)
	s.happens(mesh.Up, 2, 1)
	s.cut(nil)
	s.comes(2, 1, 1, "next life")
	s.hears("next life")
	s.did("cut 2 1", "fence 1 1", "fence 2 1")
}

// TestCarrierFence: a life that begins late refuses the lives that are over.
func TestCarrierFence(t *testing.T) {
	s := newStory(t)
	s.gone = []int{1, 0, 3, 0}
	s.fence()
	s.did("fence 0 1", "fence 2 3")
}
