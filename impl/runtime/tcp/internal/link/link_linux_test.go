package link_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/domino-check/domino/impl/runtime/tcp/internal/buffer"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/frame"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/link"
)

const ring = 64 << 10

// sockets returns a connected pair of non-blocking descriptors.
func sockets(t testing.TB) (a, b int) {
	t.Helper()
	pair, err := unix.Socketpair(unix.AF_UNIX,
		unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	return pair[0], pair[1]
}

// kinds are both kinds of links; make returns the two ends of one, and the raw descriptor of the
// second.
var kinds = []struct {
	name string
	make func(t testing.TB, a, b link.Config) (*link.Link, *link.Link, int)
}{
	{"stream", func(t testing.TB, a, b link.Config) (*link.Link, *link.Link, int) {
		x, y := sockets(t)
		return link.NewStream(x, a), link.NewStream(y, b), y
	}},
	{"shared", func(t testing.TB, a, b link.Config) (*link.Link, *link.Link, int) {
		x, y := sockets(t)
		m, err := link.NewMemory(ring)
		if err != nil {
			t.Fatal(err)
		}
		pid, fd := m.Place()
		o, err := link.OpenMemory(pid, fd, ring)
		if err != nil {
			t.Fatal(err)
		}
		return link.NewShared(x, m, true, a), link.NewShared(y, o, false, b), y
	}},
}

// ends makes a link between incarnations 3 and 4, with a pool for each end, and closes it when the
// test ends.
func ends(t testing.TB, kind int) (a, b *link.Link, pa, pb *buffer.Pool) {
	pa, pb = new(buffer.Pool), new(buffer.Pool)
	a, b, _ = kinds[kind].make(t, link.Config{Pool: pa, Self: 3, Peer: 4},
		link.Config{Pool: pb, Self: 4, Peer: 3})
	t.Cleanup(func() {
		a.Close()
		b.Close()
	})
	return a, b, pa, pb
}

func each(t *testing.T, test func(t *testing.T, kind int)) {
	for i, k := range kinds {
		t.Run(k.name, func(t *testing.T) { test(t, i) })
	}
}

// TestFrames sends frames of many sizes both ways, with flushes and receives at random, so that
// frames are cut and gathered in every way, and compares everything that arrives with what was
// sent, in order. Nothing may be left in the pools.
func TestFrames(t *testing.T) {
	each(t, func(t *testing.T, kind int) {
		a, b, pa, pb := ends(t, kind)
		random := rand.New(rand.NewPCG(1, 2))
		sizes := []int{0, 1, 8, 63, 64, 1000, frame.Large - 1, frame.Large, frame.Large + 1, 20_000,
			ring, 200_000, 1_000_001}
		type sent struct {
			note           uint8
			extra, payload []byte
		}
		dirs := []struct {
			from, to *link.Link
			pool     *buffer.Pool
			waiting  []sent
			count    int
		}{{from: a, to: b, pool: pb}, {from: b, to: a, pool: pa}}
		const frames = 600
		for done := 0; done < 2*frames; {
			d := &dirs[random.IntN(2)]
			switch action := random.IntN(3); {
			case action == 0 && d.count < frames && d.from.Queued() < 4<<20:
				s := sent{uint8(random.Uint32()), make([]byte, random.IntN(100)),
					make([]byte, sizes[random.IntN(len(sizes))])}
				for _, x := range [][]byte{s.extra, s.payload} {
					for i := 0; i < len(x); i += 1 + i/50 {
						x[i] = byte(random.Uint32())
					}
				}
				d.from.Send(frame.Data, s.note, s.extra, s.payload)
				d.waiting = append(d.waiting, s)
				d.count++
			case action == 1:
				if err := d.from.Flush(); err != nil {
					t.Fatal(err)
				}
			default:
				var got link.Arrival
				ok, err := d.to.Receive(&got)
				if err != nil {
					t.Fatal(err)
				}
				if !ok {
					continue
				}
				want := d.waiting[0]
				d.waiting = d.waiting[1:]
				if got.Header.Note != want.note || !bytes.Equal(got.Extra, want.extra) ||
					!bytes.Equal(got.Payload, want.payload) {
					t.Fatalf("frame %d: got %d bytes, want %d, or other content",
						got.Header.Sequence, len(got.Payload), len(want.payload))
				}
				if got.Payload != nil {
					d.pool.Put(got.Payload)
				}
				done++
			}
		}
		if pa.InUse()+pb.InUse() != 0 || a.Queued()+b.Queued()+a.Borrowed()+b.Borrowed() != 0 {
			t.Errorf("left: %d and %d buffers, %d and %d bytes queued", pa.InUse(), pb.InUse(),
				a.Queued(), b.Queued())
		}
	})
}

// TestBackPressure sends to a peer that does not read: the queue holds what does not fit, the
// payload stays borrowed, and everything arrives once the peer reads.
func TestBackPressure(t *testing.T) {
	each(t, func(t *testing.T, kind int) {
		a, b, _, pb := ends(t, kind)
		payload := bytes.Repeat([]byte{7}, 16<<20)
		a.Send(frame.Data, 0, nil, payload)
		for range 10 {
			if err := a.Flush(); err != nil {
				t.Fatal(err)
			}
		}
		if a.Queued() == 0 || a.Borrowed() != 1 {
			t.Fatalf("%d bytes queued, %d payloads borrowed; want some and 1", a.Queued(),
				a.Borrowed())
		}
		var got link.Arrival
		for {
			if err := a.Flush(); err != nil {
				t.Fatal(err)
			}
			ok, err := b.Receive(&got)
			if err != nil {
				t.Fatal(err)
			}
			if ok {
				break
			}
		}
		if !bytes.Equal(got.Payload, payload) || a.Queued() != 0 || a.Borrowed() != 0 {
			t.Errorf("got %d bytes of %d, %d queued, %d borrowed", len(got.Payload), len(payload),
				a.Queued(), a.Borrowed())
		}
		pb.Put(got.Payload)
	})
}

// TestEnd ends a link in every way: with a goodbye, without one, and in the middle of a frame. What
// was complete before is received.
func TestEnd(t *testing.T) {
	each(t, func(t *testing.T, kind int) {
		for _, tt := range []struct {
			name string
			last func(a *link.Link)
			want error
		}{
			{"goodbye", func(a *link.Link) { a.Send(frame.Bye, 0, nil, nil) }, link.ErrBye},
			{"death", func(*link.Link) {}, io.EOF},
			{"death in a frame", func(a *link.Link) {
				a.Send(frame.Data, 0, nil, make([]byte, 16<<20))
			}, io.EOF},
		} {
			a, b, _, pb := ends(t, kind)
			a.Send(frame.Data, 0, nil, []byte("last words"))
			tt.last(a)
			if err := a.Flush(); err != nil {
				t.Fatal(err)
			}
			a.Close()
			b.Attend()
			var got link.Arrival
			if ok, err := b.Receive(&got); !ok || err != nil ||
				string(got.Payload) != "last words" {
				t.Fatalf("%s: received %v %q %v, want the last words", tt.name, ok, got.Payload,
					err)
			}
			pb.Put(got.Payload)
			for range 2 {
				ok, err := b.Receive(&got)
				for err == nil && !ok {
					ok, err = b.Receive(&got)
				}
				if ok || !errors.Is(err, tt.want) {
					t.Errorf("%s: received %v, %v, want %v", tt.name, ok, err, tt.want)
				}
			}
			b.Close()
			if pb.InUse() != 0 {
				t.Errorf("%s: %d buffers left", tt.name, pb.InUse())
			}
		}
	})
}

// TestRefused writes bytes that are no frame, or one that must not be, to a link: each ends it with
// its error.
func TestRefused(t *testing.T) {
	for _, tt := range []struct {
		name   string
		header frame.Header
		change func(b []byte)
		want   error
	}{
		{"garbage", frame.Header{Kind: frame.Data, Incarnation: 3}, func(b []byte) {
			copy(b, "GET / HTTP/1.1\r\n")
		}, frame.ErrGarbage},
		{"garbled extra", frame.Header{Kind: frame.Data, Incarnation: 3}, func(b []byte) {
			b[frame.Size] ^= 1
		}, frame.ErrGarbage},
		{"oversized", frame.Header{Kind: frame.Data, Incarnation: 3, Length: 1<<20 + 1},
			func([]byte) {}, frame.ErrTooLong},
		{"hole", frame.Header{Kind: frame.Data, Incarnation: 3, Sequence: 1}, func([]byte) {},
			link.ErrSequence},
		{"other life", frame.Header{Kind: frame.Data, Incarnation: 2}, func([]byte) {},
			link.ErrSequence},
	} {
		x, y := sockets(t)
		l := link.NewStream(y, link.Config{Pool: new(buffer.Pool), Limit: 1 << 20, Self: 4,
			Peer: 3})
		b := frame.AppendPad(frame.Append(nil, &tt.header, []byte("extra")), &tt.header)
		tt.change(b)
		if _, err := unix.Write(x, b); err != nil {
			t.Fatal(err)
		}
		if ok, err := l.Receive(new(link.Arrival)); ok || !errors.Is(err, tt.want) {
			t.Errorf("%s: received %v, %v, want %v", tt.name, ok, err, tt.want)
		}
		l.Close()
		unix.Close(x)
	}
}

// TestBell puts one end of a shared link to sleep: what the other publishes must make its
// descriptor readable, and Doze must not sleep over what is there already. The same for a writer
// that waits for room.
func TestBell(t *testing.T) {
	a, b, _, pb := ends(t, 1)
	readable := func(l *link.Link) bool {
		fds := []unix.PollFd{{Fd: int32(l.Descriptor()), Events: unix.POLLIN}}
		n, err := unix.Poll(fds, 0)
		if err != nil {
			t.Fatal(err)
		}
		return n == 1
	}
	if !b.Doze(true) || readable(b) {
		t.Fatal("nothing was sent, but the reader may not sleep")
	}
	a.Send(frame.Data, 0, nil, []byte("up"))
	a.Flush()
	if !readable(b) {
		t.Fatal("no bell for a sleeping reader")
	}
	b.Wake()
	if err := b.Attend(); err != nil || readable(b) {
		t.Fatalf("the bell is not taken: %v", err)
	}
	if b.Doze(true) {
		t.Error("sleeps over a message")
	}
	b.Wake()
	a.Send(frame.Data, 0, nil, make([]byte, 4*ring))
	a.Flush()
	if !a.Doze(true) || readable(a) {
		t.Fatal("the ring is full, but the writer may not sleep")
	}
	var got link.Arrival
	for a.Queued() > 0 {
		for {
			ok, err := b.Receive(&got)
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				break
			}
			pb.Put(got.Payload)
		}
		if !readable(a) {
			t.Fatal("no bell for a writer that waits for room")
		}
		a.Wake()
		a.Attend()
		a.Flush()
		if a.Queued() > 0 && !a.Doze(true) {
			t.Fatal("room after a flush that left something")
		}
	}
}

// TestNoAllocation sends and receives in the steady state, small, medium and large.
func TestNoAllocation(t *testing.T) {
	each(t, func(t *testing.T, kind int) {
		a, b, _, pb := ends(t, kind)
		extra := make([]byte, 32)
		var got link.Arrival
		for _, size := range []int{0, 8, 8000, 100_000, 1 << 20} {
			payload := make([]byte, size)
			if n := testing.AllocsPerRun(100, func() {
				exchange(t, a, b, pb, extra, payload, &got)
			}); n != 0 {
				t.Errorf("%d bytes: %v allocations, want 0", size, n)
			}
		}
	})
}

func exchange(t testing.TB, a, b *link.Link, pool *buffer.Pool, extra, payload []byte,
	got *link.Arrival) {
	a.Send(frame.Data, 0, extra, payload)
	for ok := false; !ok; {
		err := a.Flush()
		if err == nil {
			ok, err = b.Receive(got)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if got.Payload != nil {
		pool.Put(got.Payload)
	}
}

// BenchmarkExchange is one message through a link within one thread: the processor time of a send
// and a receive.
//
//	go test -run '^$' -bench Exchange ./impl/runtime/tcp/internal/link
func BenchmarkExchange(b *testing.B) {
	for i, k := range kinds {
		for _, size := range []int{8, 8 << 10, 1 << 20} {
			b.Run("link="+k.name+"/bytes="+map[int]string{8: "8", 8 << 10: "8Ki",
				1 << 20: "1Mi"}[size], func(b *testing.B) {
				x, y, _, pool := ends(b, i)
				var got link.Arrival
				extra, payload := make([]byte, 32), make([]byte, size)
				b.SetBytes(int64(size))
				b.ReportAllocs()
				for b.Loop() {
					exchange(b, x, y, pool, extra, payload, &got)
				}
			})
		}
	}
}
