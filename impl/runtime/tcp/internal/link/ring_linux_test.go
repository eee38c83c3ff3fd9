package link

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/domino-check/domino/impl/runtime/tcp/internal/buffer"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/frame"
)

// sharedPair makes both ends of a link in shared memory, each with an arena from which its pool
// cuts.
func sharedPair(t testing.TB) (a, b *Link, pa, pb *buffer.Pool) {
	t.Helper()
	pair, err := unix.Socketpair(unix.AF_UNIX,
		unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewMemory(minRing)
	if err != nil {
		t.Fatal(err)
	}
	pid, fd := m.Place()
	o, err := OpenMemory(pid, fd, minRing)
	if err != nil {
		t.Fatal(err)
	}
	pools := [2]*buffer.Pool{new(buffer.Pool), new(buffer.Pool)}
	for i, end := range []*Memory{m, o} {
		arena, err := NewArena(64 << 20)
		if err != nil {
			t.Fatal(err)
		}
		pools[i].Source = arena.Cut
		end.Loan(arena, i == 0)
		t.Cleanup(func() { arena.Close() })
	}
	m.Borrow(true)
	o.Borrow(false)
	a = NewShared(pair[0], m, true, Config{Pool: pools[0], Limit: 32 << 20, Self: 3, Peer: 4})
	b = NewShared(pair[1], o, false, Config{Pool: pools[1], Limit: 32 << 20, Self: 4, Peer: 3})
	t.Cleanup(func() {
		a.Close()
		b.Close()
	})
	return a, b, pools[0], pools[1]
}

func end0(l *Link) *sharedEnd { return l.end.(*sharedEnd) }

// TestForms sends payloads of all sizes around the limits, from the arena and from the heap, each
// in the form that belongs to it, and from a thread of its own, so that both ends work on the ring
// at once. It laps the ring many times; every byte must arrive.
func TestForms(t *testing.T) {
	a, b, pa, pb := sharedPair(t)
	sizes := []int{0, 1, 8, 40, 41, 1000, frame.Large - 1, frame.Large, frame.Large + 1, pieceSize,
		3*pieceSize + 7, minRing, 300_001}
	const frames = 1500
	content := func(p []byte, n int) {
		for i := range p {
			p[i] = byte(n + i/7)
		}
	}
	pick := func(n int) (size int, lent bool) {
		random := rand.New(rand.NewPCG(uint64(n), 1))
		size = sizes[random.IntN(len(sizes))]
		return size, size >= frame.Large && random.IntN(2) == 0
	}
	var writer sync.WaitGroup
	var stop atomic.Bool
	defer writer.Wait()
	defer stop.Store(true)
	writer.Go(func() {
		var held [][]byte
		for n := range frames {
			size, lent := pick(n)
			payload := make([]byte, size)
			if lent {
				payload = pa.Get(size)
				held = append(held, payload)
			}
			content(payload, n)
			a.Send(frame.Data, byte(n), payload[:min(size, n%90)], payload)
			for (a.Queued() > 1<<20 || len(held) > 20 && a.Borrowed() > 0) && !stop.Load() {
				if err := a.Flush(); err != nil {
					t.Error(err)
					return
				}
				runtime.Gosched()
			}
			if a.Borrowed() == 0 {
				for _, p := range held {
					clear(p) // whoever reads it now reads something else
					pa.Put(p)
				}
				held = held[:0]
			}
		}
		for (a.Queued() > 0 || a.Borrowed() > 0) && !stop.Load() {
			a.Flush()
			runtime.Gosched()
		}
		for _, p := range held {
			pa.Put(p)
		}
	})
	var got Arrival
	want := make([]byte, 1<<20)
	for n := 0; n < frames; {
		ok, err := b.Receive(&got)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			runtime.Gosched()
			continue
		}
		size, lent := pick(n)
		form := frame.Whole
		if size >= frame.Large {
			if form = frame.First; lent {
				form = frame.Lent
			}
		}
		content(want[:size], n)
		if got.Header.Form != form || got.Header.Note != byte(n) ||
			!bytes.Equal(got.Payload, want[:size]) ||
			!bytes.Equal(got.Extra, want[:min(size, n%90)]) {
			t.Fatalf("frame %d of %d bytes, lent %v: got %d in form %d, or other content", n, size,
				lent, len(got.Payload), got.Header.Form)
		}
		if got.Payload != nil {
			pb.Put(got.Payload)
		}
		n++
	}
	writer.Wait()
	if pa.InUse() != 0 || pb.InUse() != 0 || end0(a).own != 0 || end0(a).owed != 0 {
		t.Errorf("left: %d and %d buffers, %d bytes queued, %d lent", pa.InUse(), pb.InUse(),
			end0(a).own, end0(a).owed)
	}
}

// TestLoan follows one loan: it is borrowed until the receiver has copied it; more than the window
// waits in the queue; what the sender takes back, by ending the link, is not received, because it
// may have changed.
func TestLoan(t *testing.T) {
	a, b, pa, pb := sharedPair(t)
	payload := pa.Get(lendWindow / 2)
	for range 3 {
		a.Send(frame.Data, 0, nil, payload)
	}
	if a.Queued() == 0 || a.Borrowed() != 3 {
		t.Fatalf("%d bytes queued, %d borrowed; want some beyond the window, and 3", a.Queued(),
			a.Borrowed())
	}
	var got Arrival
	if ok, err := b.Receive(&got); !ok || err != nil {
		t.Fatal(ok, err)
	}
	pb.Put(got.Payload)
	if err := a.Flush(); err != nil || a.Queued() != 0 || a.Borrowed() != 2 {
		t.Errorf("after one was copied: %v, %d bytes queued, %d borrowed; want 0 and 2", err,
			a.Queued(), a.Borrowed())
	}
	a.Close()
	b.Attend()
	if ok, err := b.Receive(&got); ok || !errors.Is(err, io.EOF) {
		t.Errorf("what was taken back is received: %v, %v", ok, err)
	}
	if b.Close(); pb.InUse() != 0 {
		t.Errorf("%d buffers left", pb.InUse())
	}
}

// TestKilled ends a peer without a word, as SIGKILL does: its connection ends, its memory stays as
// it was. What it had published is received, a loan as well, and of a payload in pieces nothing.
func TestKilled(t *testing.T) {
	a, b, pa, pb := sharedPair(t)
	lent := pa.Get(100_000)
	copy(lent, "lent")
	a.Send(frame.Data, 1, nil, []byte("small"))
	a.Send(frame.Data, 2, nil, lent)
	a.Send(frame.Data, 3, nil, make([]byte, 2*minRing))
	if a.Queued() == 0 {
		t.Fatal("the last payload is complete, it should be under way")
	}
	unix.Shutdown(a.Descriptor(), unix.SHUT_RDWR)
	b.Attend()
	var got Arrival
	for _, want := range []string{"small", "lent"} {
		if ok, err := b.Receive(&got); !ok || err != nil ||
			!bytes.HasPrefix(got.Payload, []byte(want)) {
			t.Fatalf("%v, %v, want %s", ok, err, want)
		}
		pb.Put(got.Payload)
	}
	for range 2 {
		if ok, err := b.Receive(&got); ok || !errors.Is(err, io.EOF) {
			t.Errorf("%v, %v, want the end", ok, err)
		}
	}
	if b.Close(); pb.InUse() != 0 {
		t.Errorf("%d buffers left", pb.InUse())
	}
}

// TestGarbageInRing writes what must not be there into the ring, as a peer that has lost its mind:
// each ends the link with its error, again and again, and a word that the reader must not believe
// about the other direction ends it for the writer.
func TestGarbageInRing(t *testing.T) {
	good := frame.Header{Kind: frame.Data, Incarnation: 3}
	with := func(set func(h *frame.Header)) frame.Header {
		h := good
		set(&h)
		return h
	}
	for _, tt := range []struct {
		name   string
		header frame.Header
		change func(unit []byte)
		want   error
	}{
		{"garbage", good, func(b []byte) { copy(b, "GET / HTTP/1.1\r\n") }, frame.ErrGarbage},
		{"garbled header", good, func(b []byte) { b[16] ^= 1 }, frame.ErrGarbage},
		{"garbled extra", good, func(b []byte) { b[frame.Size] ^= 1 }, frame.ErrGarbage},
		{"hole", with(func(h *frame.Header) { h.Sequence = 1 }), nil, ErrSequence},
		{"other life", with(func(h *frame.Header) { h.Incarnation = 2 }), nil, ErrSequence},
		{"oversized", with(func(h *frame.Header) {
			h.Form, h.Length = frame.First, 32<<20+1
		}), nil, frame.ErrTooLong},
		{"large as a whole", with(func(h *frame.Header) {
			h.Length = frame.Large
		}), nil, frame.ErrGarbage},
		{"beyond the ring", with(func(h *frame.Header) {
			h.Length = 2 * minRing
		}), nil, frame.ErrGarbage},
		{"small in pieces", with(func(h *frame.Header) {
			h.Form, h.Length = frame.First, 8
		}), nil, frame.ErrGarbage},
		{"piece of nothing", with(func(h *frame.Header) {
			h.Form, h.Length = frame.Piece, 8
		}), nil, ErrSequence},
		{"beyond the arena", with(func(h *frame.Header) {
			h.Form, h.Length = frame.Lent, frame.Large
		}), func(b []byte) {
			for i := range frame.Place {
				b[frame.Size+5+i] = 0xff
			}
		}, frame.ErrGarbage},
		{"behind the arena's end", with(func(h *frame.Header) {
			h.Form, h.Length = frame.Lent, 16<<20
		}), func(b []byte) {
			copy(b[frame.Size+5:], []byte{0, 0, 0, 64<<20>>24 - 1, 0, 0, 0, 0})
			b[frame.Size+5+2] = 0xff
		}, frame.ErrGarbage},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, b, _, pb := sharedPair(t)
			out := &end0(a).out
			words := tt.header.Words([]byte("extra"))
			copy(out.data[frame.Size:], "extra")
			out.publish(frame.Line, words[0], words[1], words[2])
			if tt.change != nil {
				tt.change(out.data)
			}
			for range 2 {
				if ok, err := b.Receive(new(Arrival)); ok || !errors.Is(err, tt.want) {
					t.Errorf("received %v, %v, want %v", ok, err, tt.want)
				}
			}
			if b.Close(); pb.InUse() != 0 {
				t.Errorf("%d buffers left", pb.InUse())
			}
		})
	}
	a, b, _, _ := sharedPair(t)
	end0(b).in.head.Store(1 << 40)
	a.Send(frame.Data, 0, nil, make([]byte, 2*minRing))
	if err := a.Flush(); !errors.Is(err, ErrSequence) {
		t.Errorf("a reader ahead of the writer: %v, want %v", err, ErrSequence)
	}
}

// TestMemoryRefused: a file that could become shorter, or has another size, is not mapped, because
// that could kill us later.
func TestMemoryRefused(t *testing.T) {
	for _, tt := range []struct {
		name  string
		size  int64
		seals bool
	}{{"not sealed", int64(memorySize(minRing)), false}, {"short", 4096, true}} {
		fd, err := unix.MemfdCreate("test", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
		if err != nil {
			t.Fatal(err)
		}
		if err := unix.Ftruncate(fd, tt.size); err != nil {
			t.Fatal(err)
		}
		if tt.seals {
			unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK)
		}
		if m, err := OpenMemory(unix.Getpid(), fd, minRing); err == nil {
			t.Errorf("%s: opened", tt.name)
			m.Close()
		}
		unix.Close(fd)
	}
}

// TestArena cuts until nothing is left: no two cuts overlap, and bytes from elsewhere are not
// found.
func TestArena(t *testing.T) {
	a, err := NewArena(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	end := uint64(0)
	for n := 1; ; n = n*3 + 1 {
		b := a.Cut(n)
		if b == nil {
			break
		}
		at, ok := a.find(b)
		if !ok || at < end || at < proofSize || len(b) != n || cap(b) != n {
			t.Fatalf("%d bytes at %d, capacity %d, the last ended at %d", len(b), at, cap(b), end)
		}
		end = at + uint64(n)
	}
	if _, ok := a.find(make([]byte, 10)); ok {
		t.Error("the heap is in the arena")
	}
	if _, ok := (*Arena)(nil).find(make([]byte, 10)); ok {
		t.Error("found in no arena")
	}
}
