package kernels_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/impl/program/kernels"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol/none"
	"github.com/domino-check/domino/spec/trace"
)

// runner runs programs without a protocol in this process, one step after the other: rank by rank
// as far as each comes, or in random order.
type runner struct {
	setup    *core.Setup
	machines []core.Machine
	queue    []flight
	head     int
	traffic  map[kernels.Pair]kernels.Count
	random   *rand.Rand
	choices  []core.Choice
	effects  []core.Effect
	digests  []uint64
	left     int
	disturb  func(f flight) core.Message // what arrives instead
	each     func()                      // after every step
	// messages are recycled: hand them over before anything else
	atOnce bool
}

type flight struct {
	from, to core.Proc
	message  core.Message
}

// expanded are the programs with messages in the place of operations on groups.
func expanded(t testing.TB, suite *kernels.Suite) []core.Program {
	t.Helper()
	if len(suite.Trees) == 0 {
		return suite.Programs
	}
	programs, err := script.Expand(&script.Suite{Names: suite.Names, Programs: suite.Programs,
		Trees: suite.Trees})
	if err != nil {
		t.Fatal(err)
	}
	return programs
}

func prepare(t testing.TB, text string) *runner {
	t.Helper()
	suite, err := kernels.Build(text)
	if err != nil {
		t.Fatal(err)
	}
	setup, err := none.NewSetup(trace.Layout{Names: suite.Names, Ranks: len(suite.Names),
		Clusters: make([]int, len(suite.Names))}, expanded(t, suite))
	if err != nil {
		t.Fatal(err)
	}
	return newRunner(setup)
}

func newRunner(setup *core.Setup) *runner {
	n := setup.Layout.Ranks
	r := &runner{setup: setup, traffic: map[kernels.Pair]kernels.Count{},
		digests: make([]uint64, n), left: n}
	for p := range n {
		r.machines = append(r.machines, setup.New(core.Proc(p)))
	}
	return r
}

// tune makes the ranks brief, with buffers that are used again and again: without a protocol nobody
// holds a payload that was received.
func (r *runner) tune() {
	pool := &pool{}
	for _, m := range r.machines {
		m.(*program.Host).Tune(pool, true)
	}
}

type pool struct{ free [][]byte }

func (p *pool) Get(size int) []byte {
	for i := len(p.free) - 1; i >= 0; i-- {
		if b := p.free[i]; cap(b) >= size {
			p.free[i] = p.free[len(p.free)-1]
			p.free = p.free[:len(p.free)-1]
			return b[:size]
		}
	}
	return make([]byte, size)
}

func (p *pool) Done(b []byte) { p.free = append(p.free, b) }

func (r *runner) start() {
	for p := range r.machines {
		r.step(core.Proc(p), core.Input{Kind: core.Start})
	}
}

func (r *runner) step(p core.Proc, in core.Input) {
	r.effects = r.machines[p].Step(in, r.effects[:0])
	if r.atOnce {
		for i := range r.effects {
			if e := &r.effects[i]; e.Kind == core.SendMessage {
				r.machines[e.To].Step(core.Input{Kind: core.Received, From: p, Message: e.Message},
					nil)
				e.Kind = 0
			}
		}
	}
	if r.each != nil {
		r.each()
	}
	for _, e := range r.effects {
		switch e.Kind {
		case core.SendMessage:
			r.queue = append(r.queue, flight{p, e.To, kept(e.Message)})
		case core.ProgramSent:
			pair := kernels.Pair{From: core.Rank(p), To: core.Rank(e.To)}
			c := r.traffic[pair]
			c.Messages++
			c.Bytes += int64(len(e.Payload.Data))
			r.traffic[pair] = c
		case core.ProgramDone:
			r.digests[p] = e.Digest
			r.left--
		}
	}
}

// kept copies a message, which is valid until the next step of its sender alone; the bytes of its
// payload stay.
func kept(m core.Message) core.Message {
	if m, ok := m.(*none.Message); ok {
		c := *m
		c.Past = slices.Clone(c.Past)
		return &c
	}
	return m
}

// deliver hands over everything that is on its way.
func (r *runner) deliver() {
	for ; r.head < len(r.queue); r.head++ {
		f := r.queue[r.head]
		if r.disturb != nil {
			f.message = r.disturb(f)
		}
		r.step(f.to, core.Input{Kind: core.Received, From: f.from, Message: f.message})
	}
	r.queue, r.head = r.queue[:0], 0
}

// some lets a rank go on as far as it comes; it reports whether it did anything.
func (r *runner) some(p core.Proc) (any bool) {
	for {
		r.choices = r.machines[p].Choices(r.choices[:0])
		if len(r.choices) == 0 {
			return any
		}
		any = true
		choice := r.choices[0]
		if r.random != nil {
			choice = r.choices[r.random.IntN(len(r.choices))]
		}
		r.step(p, core.Input{Kind: core.Advance, Choice: choice})
		if r.random != nil {
			return true
		}
	}
}

// run runs to the end.
func (r *runner) run(t testing.TB) {
	t.Helper()
	r.start()
	r.goOn(t)
}

// goOn runs to the end after the start.
func (r *runner) goOn(t testing.TB) {
	t.Helper()
	idle := 0
	for p := 0; r.left > 0; p = (p + 1) % len(r.machines) {
		if r.random != nil {
			p = r.random.IntN(len(r.machines))
			r.oneOf()
		} else {
			r.deliver()
		}
		if idle++; r.some(core.Proc(p)) || len(r.queue) > 0 {
			idle = 0
		}
		if idle > 50*len(r.machines) {
			if r.disturb == nil {
				t.Fatalf("stuck: %d of %d ranks have not ended", r.left, len(r.machines))
			}
			return
		}
	}
	if r.deliver(); r.left == 0 && r.disturb == nil {
		for p, m := range r.machines {
			if got := m.Choices(nil); len(got) > 0 {
				t.Fatalf("rank %d has ended and could go on: %v", p, got)
			}
		}
	}
}

// oneOf delivers the first message of a random channel.
func (r *runner) oneOf() {
	if len(r.queue) == 0 {
		return
	}
	f := r.queue[r.random.IntN(len(r.queue))]
	for i, g := range r.queue {
		if g.from == f.from && g.to == f.to {
			r.queue = append(r.queue[:i:i], r.queue[i+1:]...)
			r.step(g.to, core.Input{Kind: core.Received, From: g.from, Message: g.message})
			return
		}
	}
}

// total runs the text and gives what was sent.
func total(t testing.TB, text string) (*runner, kernels.Count) {
	t.Helper()
	r := prepare(t, text)
	r.run(t)
	return r, kernels.Total(r.traffic)
}

// tiny is one small run of every kernel and variant, for tests that look at all.
var tiny = []string{
	"ring ranks=3 size=20 iterations=2", "ring ranks=4 variant=token iterations=2 size=8",
	"ring ranks=1", "ring ranks=2 size=0",
	"heat ranks=4 n=5", "heat ranks=6 n=7 receives=any checkpoint=2", "heat ranks=1 n=3",
	"laplace ranks=3 n=5 iterations=21", "laplace ranks=6 n=6 receives=any",
	"nbody ranks=3 n=2 iterations=2", "nbody ranks=1", "matmul ranks=4 n=5",
	"matmul-dynamic ranks=4 n=7 blocks=5", "matmul-dynamic ranks=4 n=3 blocks=2",
	"smg ranks=6 edge=9 iterations=3", "smg ranks=4", "smg ranks=1", "smg ranks=2",
	"bt ranks=4 n=6 iterations=1", "bt ranks=9 n=12 iterations=1", "bt ranks=1 n=4",
	"sp ranks=4 n=7 iterations=2", "sp ranks=9 n=11 iterations=1",
	"lu ranks=4 n=4 iterations=1",
	"lu ranks=6 n=7 iterations=2", "lu ranks=1 n=4", "cg ranks=4 n=14 iterations=1 inner=2",
	"cg ranks=8 n=31 iterations=1 inner=3", "cg ranks=2 n=5 inner=1", "cg ranks=1 n=9 inner=4",
	"ft ranks=4 n=4", "ft ranks=3 n=3", "ft ranks=2 n=4 ny=2 nz=8 iterations=1", "ft ranks=1 n=4",
	"mg ranks=4 n=4", "mg ranks=8 n=8 iterations=1", "mg ranks=1 n=4",
	"mg ranks=16 n=8 iterations=1",
	"leanmd ranks=3 iterations=12", "leanmd ranks=5 cx=3 cy=3 iterations=11 size=16",
	"leanmd ranks=1 iterations=21", "leanmd ranks=2 cx=4 reach=0 iterations=20 arity=1",
	"leanmd ranks=3 iterations=12 form=messages",
	"leanmd ranks=5 cx=3 cy=3 iterations=11 size=16 form=messages",
	"leanmd ranks=1 iterations=21 form=messages",
	"leanmd ranks=2 cx=4 reach=0 iterations=20 arity=1 form=messages",
	"openatom ranks=6 row=3 iterations=5", "openatom ranks=4 row=2 iterations=3 arity=1 direct=0",
	"openatom ranks=2 row=1", "openatom ranks=8 row=4 size=72 checkpoint=1",
}

// TestEveryOrder runs every kernel in many random orders: it ends, sends what its program says, and
// ends in the same state whatever the order, but for leanmd, which sends the same and ends in the
// same state although it is not send-deterministic.
func TestEveryOrder(t *testing.T) {
	for _, text := range tiny {
		t.Run(strings.ReplaceAll(text, " ", ","), func(t *testing.T) {
			first, want := total(t, text)
			for seed := range uint64(8) {
				r := prepare(t, text)
				r.random = rand.New(rand.NewPCG(seed, 1))
				r.run(t)
				if got := kernels.Total(r.traffic); got != want &&
					!strings.HasPrefix(text, "matmul-dynamic") {
					t.Fatalf("seed %d sends %v, in the first order %v", seed, got, want)
				}
				if fmt.Sprint(r.digests) != fmt.Sprint(first.digests) {
					t.Fatalf("seed %d ends in %x, the first order in %x", seed, r.digests,
						first.digests)
				}
			}
		})
	}
}

// TestChannels walks each channel of every kernel: what its sender sends, part by part, is what its
// receiver receives, in that order.
func TestChannels(t *testing.T) {
	for _, text := range tiny {
		suite, err := kernels.Build(text)
		if err != nil {
			t.Fatal(err)
		}
		sent, received := map[kernels.Pair][]int{}, map[kernels.Pair][]int{}
		skip := false
		for r, p := range expanded(t, suite) {
			for _, op := range p.Unrolled() {
				self := core.Rank(r)
				switch {
				case op.Any || op.Kind == core.OpFlush:
					skip = true // not in the program
				case op.Kind == core.OpSend:
					pair := kernels.Pair{From: self, To: op.Peer}
					sent[pair] = append(sent[pair], op.Part)
				case op.Kind == core.OpRecv || op.Kind == core.OpPost:
					pair := kernels.Pair{From: op.Peer, To: self}
					received[pair] = append(received[pair], op.Part)
				}
			}
		}
		// The part of an alltoall names the other rank on either side.
		if !skip && !strings.HasPrefix(text, "ft") && fmt.Sprint(sent) != fmt.Sprint(received) {
			t.Errorf("%s: sent %v\nreceived %v", text, sent, received)
		}
	}
}

// TestResume puts every machine into a fresh one, by way of the bytes of its state, after every
// step: nothing changes.
func TestResume(t *testing.T) {
	for _, text := range tiny {
		want, count := total(t, text)
		r := prepare(t, text)
		if len(r.machines) > 6 || count.Messages > 200 {
			continue // slow
		}
		r.each = func() {
			for p, m := range r.machines {
				fresh := r.setup.New(core.Proc(p))
				if err := core.DecodeState(core.EncodeState(m), fresh); err != nil {
					t.Fatal(err)
				}
				r.machines[p] = fresh
			}
		}
		r.run(t)
		if fmt.Sprint(r.digests) != fmt.Sprint(want.digests) {
			t.Errorf("%s ends in %x, want %x", text, r.digests, want.digests)
		}
	}
}

// TestWrongMessages gives, in one run after the other, one rank a message that is not the right
// one, each message in turn: with a bit flipped, or a stale one, the one before it on its channel.
// The end must not be the same, or never come.
func TestWrongMessages(t *testing.T) {
	wrong := 0
	for _, text := range tiny {
		want, count := total(t, text)
		if strings.HasPrefix(text, "ring ranks=2 size=0") || count.Messages > 300 {
			continue
		}
		for _, stale := range []bool{false, true} {
			for k := int64(0); k < count.Messages; k += effort.Of[int64](4, 1) {
				r := prepare(t, text)
				last, now, hit := map[kernels.Pair][]byte{}, int64(-1), false
				r.disturb = func(f flight) core.Message {
					m := *f.message.(*none.Message)
					data := m.Payload.Data
					pair := kernels.Pair{From: core.Rank(f.from), To: core.Rank(f.to)}
					before := last[pair]
					last[pair] = data
					if now++; now != k || len(data) == 0 || stale &&
						(len(before) != len(data) || string(before) == string(data)) {
						return f.message
					}
					hit = true
					m.Payload.Data = []byte(string(data))
					m.Payload.Data[6] ^= 4
					if stale {
						m.Payload.Data = before
					}
					return &m
				}
				r.run(t)
				if hit && r.left == 0 && fmt.Sprint(r.digests) == fmt.Sprint(want.digests) {
					t.Errorf("%s: message %d (stale %v) is wrong, and the end is the same", text, k,
						stale)
				}
				if hit {
					wrong++
				}
			}
		}
	}
	if wrong < effort.Of(250, 1000) {
		t.Errorf("%d wrong messages: the test looks at little", wrong)
	}
}
