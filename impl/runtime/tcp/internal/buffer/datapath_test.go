package buffer_test

import (
	"fmt"
	"testing"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/impl/protocol/all"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/buffer"
	"github.com/domino-check/domino/scenarios"
)

// lane is a driver in one thread that does what a node of a cluster does, without a network: fixed
// layouts, one message for each proc that all come in, and bytes that are used again.
type lane struct {
	setup   *core.Setup
	procs   []*laneProc
	queue   []laneFrame
	effects []core.Effect
	choices []core.Choice
	coded   int // messages without a fixed layout
}

type laneProc struct {
	machine  core.Machine
	recycler core.Recycler
	scratch  core.Framed
	pool     buffer.Pool
	lent     [][]byte
	done     [][]byte
}

type laneFrame struct {
	from, to      core.Proc
	header, bytes []byte
}

// Keep implements core.Memory.
func (p *laneProc) Keep(data []byte) []byte { return p.pool.Copy(data) }

// Copy implements core.Memory.
func (p *laneProc) Copy(data []byte) []byte { return p.pool.Copy(data) }

// Free implements core.Memory.
func (p *laneProc) Free(data []byte) {
	if buffer.Fits(data) {
		p.pool.Put(data)
	}
}

// Get implements core.Buffers.
func (p *laneProc) Get(size int) []byte {
	data := p.pool.Get(size)
	p.lent = append(p.lent, data)
	return data
}

// Done implements core.Buffers.
func (p *laneProc) Done(data []byte) {
	if !p.recycler.Holding() {
		p.done = append(p.done, data)
	}
}

func newLane(t testing.TB, text string) *lane {
	t.Helper()
	s, err := scenarios.Parse("k.txtar", []byte("t\n-- scenario --\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	r, err := verify.Resolve(all.Protocols(), s)
	if err != nil {
		t.Fatal(err)
	}
	l := &lane{setup: r.Setup}
	for i := range r.Setup.Layout.Names {
		p := &laneProc{machine: r.Setup.New(core.Proc(i)),
			scratch: r.Setup.NewMessage().(core.Framed)}
		if p.recycler = core.RecyclerOf(p.machine); p.recycler != nil {
			p.recycler.UseMemory(p)
		}
		if h, ok := p.machine.(interface{ Tune(core.Buffers, bool) }); ok {
			h.Tune(p, true)
		}
		l.procs = append(l.procs, p)
	}
	for i := range l.procs {
		l.step(core.Proc(i), core.Input{Kind: core.Start})
	}
	return l
}

func (l *lane) step(self core.Proc, in core.Input) {
	p := l.procs[self]
	l.effects = p.machine.Step(in, l.effects[:0])
	for i := range l.effects {
		e := &l.effects[i]
		if e.Kind != core.SendMessage {
			continue
		}
		if len(l.queue) < cap(l.queue) {
			l.queue = l.queue[:len(l.queue)+1] // with the room of its header
		} else {
			l.queue = append(l.queue, laneFrame{})
		}
		f := &l.queue[len(l.queue)-1]
		f.from, f.to = self, e.To
		m := e.Message.(core.Framed)
		var ok bool
		if f.header, ok = m.AppendHeader(f.header[:0]); !ok {
			l.queue = l.queue[:len(l.queue)-1]
			l.coded++
			continue
		}
		if f.bytes = nil; len(m.Content().Data) > 0 {
			f.bytes = l.procs[e.To].pool.Copy(m.Content().Data)
		}
	}
	if p.recycler == nil {
		return
	}
	p.recycler.Settle()
	for _, list := range []*[][]byte{&p.lent, &p.done} {
		for i, data := range *list {
			p.Free(data)
			(*list)[i] = nil
		}
		*list = (*list)[:0]
	}
}

// sweep delivers everything and lets each program take a step.
func (l *lane) sweep(t testing.TB) {
	for i := 0; i < len(l.queue); i++ {
		f := l.queue[i]
		p := l.procs[f.to]
		if err := p.scratch.ParseHeader(f.header, f.from); err != nil {
			t.Fatal(err)
		}
		p.scratch.Content().Data = f.bytes
		l.step(f.to, core.Input{Kind: core.Received, From: f.from, Message: p.scratch})
	}
	l.queue = l.queue[:0]
	for i, p := range l.procs {
		if l.choices = p.machine.Choices(l.choices[:0]); len(l.choices) > 0 {
			l.step(core.Proc(i), core.Input{Kind: core.Advance, Choice: l.choices[0]})
		}
	}
}

// TestNoAllocation runs a ring with real data over every protocol: once it is warm no machine
// allocates anything for a message, the rank with its program included; what is logged takes memory
// in large pieces.
func TestDataPath(t *testing.T) {
	protocols := []string{"none", "hydee", "causal", "rbml", "hydee\nclusters: r0 | r1 | r2",
		"camel", "sbml", "hmpl", "radic-sbml", "radic-rbml", "radic-hmpl"}
	if !effort.Long() {
		t.Logf("%q: %s", protocols[4:], effort.More)
		protocols = protocols[:4]
	}
	for _, text := range protocols {
		l := newLane(t,
			"protocol: "+text+"\nprogram: kernel ring ranks=3 size=200 iterations=100000\n")
		sent := func() uint32 { return core.HistoryOf(l.procs[0].machine).Sent }
		for range 2000 {
			l.sweep(t)
		}
		began, coded := sent(), l.coded
		if n := testing.AllocsPerRun(1000, func() { l.sweep(t) }); n != 0 {
			t.Errorf("%s: %v allocations a sweep", text, n)
		}
		if sent() < began+200 || l.coded > coded {
			t.Errorf("%s: %d messages of rank 0, %d without a fixed layout", text, sent()-began,
				l.coded-coded)
		}
	}
}

// BenchmarkMessage is the processor time and the memory that the machines of three ranks and their
// loggers need for a message of a ring. Logs and tables grow: no checkpoint trims them.
//
//	go test -run '^$' -bench Message ./impl/program/kernels
func BenchmarkMessage(b *testing.B) {
	const iterations = 200_000
	for _, protocol := range []string{"none", "hydee", "causal", "camel", "sbml", "rbml", "hmpl",
		"radic-sbml", "radic-rbml", "radic-hmpl"} {
		b.Run("protocol="+protocol, func(b *testing.B) {
			l := newLane(b,
				fmt.Sprintf("protocol: %s\nprogram: kernel ring ranks=3 size=200 iterations=%d\n",
					protocol, iterations))
			sent := func() uint32 { return core.HistoryOf(l.procs[0].machine).Sent }
			for range 2000 {
				l.sweep(b)
			}
			b.ReportAllocs()
			for b.Loop() {
				for goal := sent() + 1; sent() < goal; {
					if l.sweep(b); sent() == iterations {
						b.Fatal("the program is too short")
					}
				}
			}
		})
	}
}
