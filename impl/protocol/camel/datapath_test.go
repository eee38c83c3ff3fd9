package camel_test

import (
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/impl/protocol/camel"
	"github.com/domino-check/domino/impl/protocol/causal"
	"github.com/domino-check/domino/spec/trace"
)

// network carries messages in their fixed layouts between layers, in the order of the sends,
// without an allocation.
type network struct {
	t      *testing.T
	layers []core.Layer
	out    [][]core.Effect
	frames [256]packet
	head   int
	tail   int
	into   []causal.Message
	slab   []byte // of all copies
	got    []byte // what a program has received last
}

type packet struct {
	from, to core.Proc
	header   []byte
	data     []byte
}

// Keep implements core.Memory.
func (n *network) Keep(data []byte) []byte {
	kept := n.slab[:len(data):len(data)]
	n.slab = n.slab[len(data):]
	copy(kept, data)
	return kept
}

// Copy implements core.Memory.
func (n *network) Copy(data []byte) []byte { return n.Keep(data) }

// Free implements core.Memory.
func (n *network) Free([]byte) {}

func (n *network) step(p core.Proc, in core.Input) {
	n.out[p] = n.layers[p].Step(in, n.out[p][:0])
	for i := range n.out[p] {
		switch e := &n.out[p][i]; e.Kind {
		case core.SendMessage:
			m, f := e.Message.(core.Framed), &n.frames[n.tail%len(n.frames)]
			n.tail++
			header, ok := m.AppendHeader(f.header[:0])
			if !ok {
				n.t.Fatalf("%s goes by the codec", m.Describe().Kind)
			}
			f.from, f.to, f.header, f.data = p, e.To, header, n.Keep(m.Content().Data)
		case core.Deliver:
			n.got = e.Payload.Data
		}
	}
	n.layers[p].(core.Recycler).Settle()
}

// drain delivers all messages.
func (n *network) drain() {
	for ; n.head < n.tail; n.head++ {
		f := &n.frames[n.head%len(n.frames)]
		m := &n.into[f.to]
		if err := m.ParseHeader(f.header, f.from); err != nil {
			n.t.Fatal(err)
		}
		m.Payload.Data = f.data
		n.step(f.to, core.Input{Kind: core.Received, From: f.from, Message: m})
	}
}

// TestNoAllocation: a multicast to three members, one of them behind another one, and a reduction
// of four contributions allocate nothing, whatever determinants travel with them and whoever
// contributes last. The sums show that no part is used again too early.
func TestNoAllocation(t *testing.T) {
	tree, err := trace.NewTree("g", core.Sum, []string{"a", "b", "c", "d"}, []trace.Rank{0, 1},
		[][]trace.Rank{{1, 2}, {3}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := camel.NewSetup(trace.Layout{Names: []string{"a", "b", "c", "d"}, Ranks: 4,
		Trees: []trace.Tree{tree}}, make([]core.Program, 4), causal.Options{F: 1})
	if err != nil {
		t.Fatal(err)
	}
	for name, order := range map[string][]core.Proc{"parents first": {0, 1, 2, 3},
		"children first": {3, 2, 1, 0}} {
		n := &network{t: t, out: make([][]core.Effect, 4), into: make([]causal.Message, 4),
			slab: make([]byte, 1<<22)}
		for p := range core.Proc(4) {
			l := s.New(p).(*program.Host).Layer()
			l.(core.Recycler).UseMemory(n)
			n.layers = append(n.layers, l)
			l.Step(core.Input{Kind: core.Start}, nil)
		}
		var number uint32
		source, buffer := core.Group(1).Source().Proc(), make([]byte, 24)
		payload := func(p core.Proc) core.Payload {
			for i := range buffer {
				buffer[i] = 0
				if i%8 == 7 {
					buffer[i] = byte(p) + 1
				}
			}
			number++
			return core.Payload{ID: core.MsgID{From: core.Rank(p), Number: number}, Data: buffer}
		}
		round := func() {
			n.step(0, core.Input{Kind: core.Multicast, Group: 1, Payload: payload(0)})
			n.drain()
			for p := core.Proc(1); p < 4; p++ {
				n.step(p, core.Input{Kind: core.Receive, From: source})
			}
			for _, p := range order {
				n.step(p, core.Input{Kind: core.Contribute, Group: 1, Payload: payload(p)})
				n.drain()
			}
			n.step(0, core.Input{Kind: core.Receive, From: source})
			if len(n.got) != 24 || n.got[7] != 10 || n.got[15] != 10 || n.got[23] != 10 {
				t.Fatalf("%s: the sum of 1 to 4 is %v", name, n.got)
			}
			n.drain()
		}
		for range 100 {
			round()
		}
		want := map[string]float64{"parents first": 0, "children first": 2}[name]
		if a := testing.AllocsPerRun(500, round); a > want {
			t.Errorf("%s: %v allocations for three multicasts and three contributions, want %v",
				name, a, want)
		}
	}
}
