package program_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
)

// counting is a kernel that counts what it is asked for: Counts are computations, fills, takes, and
// what is left to send in a flush.
type counting struct{ rank int }

func (k *counting) Begin() core.Numbers {
	return core.Numbers{Floats: core.Floats{float64(k.rank), math.Inf(1)},
		Counts: []int64{0, 0, 0, 3}}
}
func (k *counting) Compute(part int, n *core.Numbers)  { n.Counts[0] += int64(part) }
func (k *counting) Size(part int, _ *core.Numbers) int { return 8 * part }
func (k *counting) Fill(part int, n *core.Numbers, to []byte) {
	n.Counts[1]++
	n.Counts[3]--
	core.Floats(make([]float64, part)).Put(to)
}
func (k *counting) Take(part int, n *core.Numbers, from core.Rank, data []byte) {
	n.Counts[2] += int64(1000*int(from) + 100*part + len(data))
}
func (k *counting) Next(_ int, n *core.Numbers) (core.Rank, bool) { return 1, n.Counts[3] > 0 }

// numeric is a host that runs a program with the kernel over the recording layer of the other
// tests.
func numeric(t *testing.T, ops core.Program) (*program.Host, *recorder) {
	t.Helper()
	ops = append(core.Program{{Kind: core.OpBegin, Kernel: &counting{rank: 7}}}, ops...)
	if err := ops.Validate(0, 3); err != nil {
		t.Fatal(err)
	}
	layer := &recorder{}
	h := program.NewHost(0, ops, func(core.Application) core.Layer { return layer })
	h.Step(core.Input{Kind: core.Start}, nil)
	return h, layer
}

// recorder delivers a message of eight bytes from rank 2 whenever it is asked to, and remembers
// what is sent.
type recorder struct {
	state  struct{ Sent []int }
	closed bool
}

func (l *recorder) State() any           { return &l.state }
func (l *recorder) Ready(core.Rank) bool { return !l.closed }
func (l *recorder) Sources(buf []core.Rank) []core.Rank {
	return append(buf, 2)
}
func (l *recorder) Step(in core.Input, out []core.Effect) []core.Effect {
	switch in.Kind {
	case core.Send:
		l.state.Sent = append(l.state.Sent, len(in.Payload.Data), int(in.To))
	case core.Receive:
		return append(out, core.Effect{Kind: core.Deliver, From: 2,
			Payload: core.Payload{ID: core.MsgID{From: 2, Number: 1}, Data: make([]byte, 8)}})
	}
	return out
}

func countsOf(h *program.Host) []int64 { return h.State()[2].(*core.Numbers).Counts }

// advance takes the only step that is enabled.
func advance(t *testing.T, h *program.Host) []core.Effect {
	t.Helper()
	choices := h.Choices(nil)
	if len(choices) != 1 {
		t.Fatalf("choices %v, want one", choices)
	}
	return h.Step(core.Input{Kind: core.Advance, Choice: choices[0]}, nil)
}

// TestKernelSteps runs a program of every kind of operation, by hand: computations, loops and empty
// flushes are no steps of their own.
func TestKernelSteps(t *testing.T) {
	h, layer := numeric(t, core.Program{
		{Kind: core.OpCompute, Part: 1},
		{Kind: core.OpLoop, Count: 2}, {Kind: core.OpCompute, Part: 10}, {Kind: core.OpEnd},
		{Kind: core.OpSend, Peer: 1, Part: 2}, {Kind: core.OpCompute, Part: 100},
		{Kind: core.OpRecv, Peer: 2, Part: 5},
		{Kind: core.OpFlush, Part: 1}, {Kind: core.OpCompute, Part: 1000},
		{Kind: core.OpFlush, Part: 3},
	})
	check := func(want ...int64) {
		t.Helper()
		if diff := cmp.Diff(want, countsOf(h)); diff != "" {
			t.Fatalf("counts (-want +got):\n%s", diff)
		}
	}
	check(21, 0, 0, 3) // the start takes everything up to the first send
	advance(t, h)
	check(121, 1, 0, 2)
	advance(t, h)
	check(121, 1, 2508, 2)
	layer.closed = true
	if len(h.Choices(nil)) != 0 {
		t.Error("a flush goes on although the protocol is not ready")
	}
	layer.closed = false
	advance(t, h)
	check(121, 2, 2508, 1)
	advance(t, h) // the last one; the second flush has nothing to send
	check(1121, 3, 2508, 0)
	effects := advance(t, h)
	if len(effects) != 1 || effects[0].Kind != core.ProgramDone || effects[0].Digest == 0 ||
		!h.Ended() {
		t.Errorf("end: %+v", effects)
	}
	if diff := cmp.Diff([]int{16, 1, 8, 1, 8, 1}, layer.state.Sent); diff != "" {
		t.Errorf("sent (-want +got):\n%s", diff)
	}
}

// TestAgain repeats a loop as long as the kernel has something to do.
func TestAgain(t *testing.T) {
	h, layer := numeric(t, core.Program{{Kind: core.OpLoop, Count: 1},
		{Kind: core.OpSend, Peer: 1, Part: 1}, {Kind: core.OpAgain}, {Kind: core.OpOutput}})
	for range 3 {
		advance(t, h)
	}
	if e := advance(t, h); len(e) != 1 || e[0].Kind != core.Output || e[0].Digest == 0 {
		t.Errorf("after the loop: %+v", e)
	}
	if len(layer.state.Sent) != 6 {
		t.Errorf("sent %v, want three messages", layer.state.Sent)
	}
}

// TestKernelImage takes an image at every step and puts it into a fresh rank, which then has the
// same state and ends with the same digest. Digests differ when numbers differ, or what was
// delivered does.
func TestKernelImage(t *testing.T) {
	ops := core.Program{{Kind: core.OpSend, Peer: 1, Part: 2},
		{Kind: core.OpRecv, Peer: 2, Part: 5}, {Kind: core.OpFlush, Part: 1}}
	finish := func(h *program.Host) uint64 {
		for !h.Ended() {
			advance(t, h)
		}
		return h.History().Digest
	}
	reference, _ := numeric(t, ops)
	want := finish(reference)
	h, _ := numeric(t, ops)
	for steps := 0; !h.Ended(); steps++ {
		image := h.Image()
		fresh, _ := numeric(t, ops)
		fresh.Load(image)
		if again := fresh.Image(); !bytes.Equal(image, again) {
			t.Fatalf("step %d: image %x, then %x", steps, image, again)
		}
		sent, received := fresh.Position(image)
		if sent != h.History().Sent || int(received) != len(h.History().Delivered) {
			t.Errorf("step %d: position %d, %d", steps, sent, received)
		}
		if got := finish(fresh); got != want {
			t.Errorf("step %d: ends in %x, want %x", steps, got, want)
		}
		advance(t, h)
	}
	other, _ := numeric(t, ops)
	other.State()[2].(*core.Numbers).Floats[0] = math.Nextafter(7, 8)
	if finish(other) == want {
		t.Error("another number, the same digest")
	}
	other, _ = numeric(t, core.Program{ops[0],
		{Kind: core.OpRecv, Peer: 2, Part: 5, Free: true}, ops[2]})
	if finish(other) == want {
		t.Error("a delivery leaves no trace")
	}
	defer func() {
		if p := recover(); p == nil || !strings.Contains(fmt.Sprint(p),
			"an image is what Image wrote") {
			t.Errorf("a truncated image: %v", p)
		}
	}()
	image := h.Image()
	other.Load(image[:len(image)-1])
}

// reuse counts what goes in and out.
type reuse struct{ got, done int }

func (r *reuse) Get(size int) []byte { r.got++; return bytes.Repeat([]byte{0xff}, size) }
func (r *reuse) Done([]byte)         { r.done++ }

// TestTune runs with buffers and without a list of deliveries: the digest is the same, the position
// too.
func TestTune(t *testing.T) {
	ops := core.Program{{Kind: core.OpSend, Peer: 1, Part: 2},
		{Kind: core.OpRecv, Peer: 2, Part: 5}, {Kind: core.OpFlush, Part: 1}}
	var digests []uint64
	for _, tuned := range []bool{false, true} {
		h, _ := numeric(t, ops)
		buffers := &reuse{}
		if tuned {
			h.Tune(buffers, true)
		}
		for !h.Ended() {
			advance(t, h)
		}
		if tuned && (buffers.got != 3 || buffers.done != 1 || len(h.History().Delivered) != 0) {
			t.Errorf("%d buffers got, %d done, deliveries %v", buffers.got, buffers.done,
				h.History().Delivered)
		}
		if sent, received := h.Position(h.Image()); sent != 3 || received != 1 {
			t.Errorf("position %d, %d", sent, received)
		}
		digests = append(digests, h.History().Digest)
	}
	if digests[0] != digests[1] {
		t.Errorf("digests %x", digests)
	}
}

// TestKernelPrograms gives programs with a numeric part at the wrong place, or none.
func TestKernelPrograms(t *testing.T) {
	begin := core.Op{Kind: core.OpBegin, Kernel: &counting{}}
	for want, p := range map[string]core.Program{
		"program of rank 0: operation 2: the numeric part of a program comes first, once": {begin,
			begin},
		"program of rank 0: operation 1: the numeric part of a program comes first, once": {
			{Kind: core.OpBegin}},
		"program of rank 0: operation 1 needs a numeric part of the program": {
			{Kind: core.OpCompute}},
		"program of rank 0: operation 2 needs a numeric part of the program": {
			{Kind: core.OpWait}, {Kind: core.OpFlush}},
		"program of rank 0: operation 2: end without loop": {begin,
			{Kind: core.OpAgain}},
		"program of rank 0: loop without end": {begin,
			{Kind: core.OpLoop, Count: 1}},
	} {
		if err := p.Validate(0, 2); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

// TestFloats encodes numbers by their bits: every bit comes back, also of what is not a number;
// bytes that are no whole number of floats are an error.
func TestFloats(t *testing.T) {
	want := core.Numbers{Floats: core.Floats{0, math.Copysign(0, -1), 1.5, math.Inf(-1),
		math.Float64frombits(0x7ff8000000000123), 5e-324}, Counts: []int64{-1, math.MaxInt64}}
	b := core.Encode(&want)
	var got core.Numbers
	if err := core.Decode(b, &got); err != nil {
		t.Fatal(err)
	}
	same := cmp.Comparer(func(a, b float64) bool {
		return math.Float64bits(a) == math.Float64bits(b)
	})
	if diff := cmp.Diff(want, got, same, cmpopts.IgnoreUnexported(core.Numbers{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := core.Decode(core.Encode([]any{[]byte{1, 2, 3}, []int64{}}), &got); err == nil {
		t.Error("three bytes are accepted")
	}
	for n := range b {
		if err := core.Decode(b[:n], new(core.Numbers)); err == nil {
			t.Errorf("%d of %d bytes are accepted", n, len(b))
		}
	}
}

// TestPayloadDigest checks that every bit and the length of a payload count.
func TestPayloadDigest(t *testing.T) {
	for _, size := range []int{0, 1, 7, 8, 9, 31, 32, 33, 64, 100} {
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(i * 7)
		}
		seen := map[uint64]bool{core.Payload{Data: data}.Digest(): true}
		for bit := range 8 * size {
			data[bit/8] ^= 1 << (bit % 8)
			seen[core.Payload{Data: data}.Digest()] = true
			data[bit/8] ^= 1 << (bit % 8)
		}
		if size != 8 {
			seen[core.Payload{Data: append(bytes.Clone(data), 0)}.Digest()] = true
		}
		if want := 8*size + 2; len(seen) != want && size != 8 {
			t.Errorf("%d bytes: %d digests, want %d", size, len(seen), want)
		}
	}
}
