package program_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/spec/trace"
)

// keeper is a layer that holds chosen operations, and notes how receives are made.
type keeper struct {
	queues
	Held     map[core.OpKind]bool
	Received [][2]bool // any source, posted
}

func (k *keeper) Holds(op core.OpKind) bool { return k.Held[op] }

func (k *keeper) Step(in core.Input, out []core.Effect) []core.Effect {
	if in.Kind == core.Receive {
		k.Received = append(k.Received, [2]bool{in.Any, in.Posted})
	}
	return k.queues.Step(in, out)
}

func newKeeper(held []core.OpKind, ops ...core.Op) (*program.Host, *keeper) {
	k := &keeper{queues: queues{Queue: map[core.Rank][]core.Payload{}},
		Held: map[core.OpKind]bool{}}
	for _, op := range held {
		k.Held[op] = true
	}
	return program.NewHost(0, ops, func(core.Application) core.Layer { return k }), k
}

// Aim: a layer can hold every operation that it is not asked for otherwise. Method: each such
// operation alone, held and not held.
func TestHolder(t *testing.T) {
	programs := map[core.OpKind]core.Program{
		core.OpNone: {}, core.OpPost: {{Kind: core.OpPost, Peer: 1}},
		core.OpWait:       {{Kind: core.OpWait}},
		core.OpCheckpoint: {{Kind: core.OpCheckpoint}}, core.OpOutput: {{Kind: core.OpOutput}},
		core.OpLoop: {loop(2), send(1, ""), end},
	}
	for op, program := range programs {
		held, _ := newKeeper([]core.OpKind{op}, program...)
		if got := choices(held); len(got) != 0 {
			t.Errorf("operation %d is held, but %v is enabled", op, got)
		}
		free, _ := newKeeper([]core.OpKind{core.OpSend}, program...)
		if diff := cmp.Diff([][2]int{next}, choices(free)); diff != "" {
			t.Errorf("operation %d is not held (-want +got):\n%s", op, diff)
		}
	}
}

// Aim: a layer is told what makes a receive nondeterministic. Method: the four ways to receive.
func TestReceiveSaysHow(t *testing.T) {
	h, k := newKeeper(nil, recv(1), core.Op{Kind: core.OpRecv, Any: true},
		core.Op{Kind: core.OpPost, Peer: 1}, core.Op{Kind: core.OpPost, Any: true})
	for n := range uint32(4) {
		k.put(1, n+1)
	}
	take(t, h, 0)
	take(t, h, 0)
	take(t, h, 0) // posts
	take(t, h, 0) // completes the first post
	for _, c := range h.Choices(nil) {
		if _, ok := c.Source(); !ok {
			h.Step(core.Input{Kind: core.Advance, Choice: c}, nil) // posts the second
			break
		}
	}
	take(t, h, 0)
	want := [][2]bool{{false, false}, {true, false}, {false, true}, {true, true}}
	if diff := cmp.Diff(want, k.Received); diff != "" {
		t.Errorf("any source, posted (-want +got):\n%s", diff)
	}
}

// declarer is a layer that declares that it keeps something whenever its program sends.
type declarer struct{ queues }

func (d *declarer) Step(in core.Input, out []core.Effect) []core.Effect {
	if in.Kind == core.Send {
		out = append(out, core.Kept(trace.Item{Sort: trace.Determinant, Peer: 1,
			ID: in.Payload.ID}))
	}
	return d.queues.Step(in, out)
}

// Aim: a rank has what its layer keeps in its history, unless it is brief: the declaration itself
// always comes. Method: one send each.
func TestBriefMemory(t *testing.T) {
	for _, brief := range []bool{false, true} {
		h := program.NewHost(0, core.Program{send(1, "")}, func(core.Application) core.Layer {
			return &declarer{queues{Queue: map[core.Rank][]core.Payload{}}}
		})
		h.Tune(nil, brief)
		declared := false
		for _, e := range h.Step(core.Input{Kind: core.Advance}, nil) {
			declared = declared || e.What == trace.Kept
		}
		if !declared || (len(h.History().Memory) == 0) != brief {
			t.Errorf("brief %t: declared %t, memory %v", brief, declared, h.History().Memory)
		}
	}
}

// prompter is a layer that holds outputs, and notes what it is told about that.
type prompter struct {
	queues
	free bool
	told []core.OpKind
}

func (p *prompter) Holds(op core.OpKind) bool { return op == core.OpOutput && !p.free }

func (p *prompter) Held(op core.OpKind, out []core.Effect) []core.Effect {
	p.told = append(p.told, op)
	return out
}

// Aim: a layer that wants to know is told behind each step that it holds its program, and behind no
// other. Method: a program that comes to an output, something that arrives meanwhile, the output.
func TestPrompted(t *testing.T) {
	p := &prompter{queues: queues{Queue: map[core.Rank][]core.Payload{}}}
	h := program.NewHost(0, core.Program{send(1, ""), send(1, ""), {Kind: core.OpOutput}},
		func(core.Application) core.Layer { return p })
	h.Step(core.Input{Kind: core.Advance}, nil)
	if len(p.told) != 0 {
		t.Fatalf("told %v at a send", p.told)
	}
	h.Step(core.Input{Kind: core.Advance}, nil)
	h.Step(core.Input{Kind: core.Persisted}, nil)
	p.free = true
	h.Step(core.Input{Kind: core.Advance}, nil)
	if diff := cmp.Diff([]core.OpKind{core.OpOutput, core.OpOutput}, p.told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}
