package simulate_test

import (
	"fmt"
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/simulate"
	"github.com/domino-check/domino/spec/trace"
)

// change is bytes of a payload that a proc puts into its log at a tick, or takes out of it.
type change struct {
	ticks  uint64 // milliseconds
	number uint32
	bytes  int // 0: it is taken out
}

// hoarder is a rank that changes its log at ticks, and has ended with the last of them.
type hoarder struct {
	core.Service
	proc core.Proc
	list []change
	next int
}

func (h *hoarder) State() []any { return []any{&h.next} }

func (h *hoarder) Step(in core.Input, out []core.Effect) []core.Effect {
	if in.Kind == core.Tick {
		at := h.list[h.next].ticks
		for ; h.next < len(h.list) && h.list[h.next].ticks == at; h.next++ {
			c := h.list[h.next]
			id := core.MsgID{From: core.Rank(h.proc), Number: c.number}
			if c.bytes == 0 {
				out = append(out, core.Pruned(id, h.proc))
				continue
			}
			out = append(out, core.KeptPayload(trace.Item{Sort: trace.Copy, ID: id},
				core.Payload{ID: id, Data: make([]byte, c.bytes)}))
		}
	}
	if h.next == len(h.list) {
		return append(out, core.Effect{Kind: core.ProgramDone})
	}
	before := uint64(0)
	if h.next > 0 {
		before = h.list[h.next-1].ticks
	}
	return append(out, core.Effect{Kind: core.SetTimer, Timer: "t",
		Ticks: h.list[h.next].ticks - before})
}

// Aim: the most bytes that are in all logs together, worked out by hand, are those of the order of
// events, though procs go on one after the other for a window of 10 ms or more, in one block or in
// several: by time, at one moment by proc, and of one step in its order.
func TestOrderOfLogMoves(t *testing.T) {
	for _, tt := range []struct {
		name  string
		lists [][]change
		peak  int64
	}{
		// one after the other, each would have its bytes alone: 10, then 100
		{"time", [][]change{{{1, 1, 10}, {3, 1, 0}}, {{2, 1, 100}, {4, 1, 0}}}, 110},
		{"time of a later proc", [][]change{{{3, 1, 100}, {6, 1, 0}}, {{1, 1, 10}, {2, 1, 0}}},
			100},
		// at one moment p0 lets 10 go before p1, which has 1, has 100 more; the other way round p1
		// has 100 more before p2 lets 10 go
		{"proc", [][]change{{{1, 1, 10}, {2, 1, 0}}, {{1, 1, 1}, {2, 2, 100}}, {}}, 101},
		{"later proc", [][]change{{}, {{1, 1, 1}, {2, 2, 100}}, {{1, 1, 10}, {2, 1, 0}}}, 111},
		// in a step 10 go before 20 come; and the other way round
		{"step", [][]change{{{1, 1, 10}, {2, 1, 0}, {2, 2, 20}}, {}}, 20},
		{"step that keeps first", [][]change{{{1, 1, 10}, {2, 2, 20}, {2, 1, 0}}, {}}, 30},
		// a window before is over when this one begins
		{"windows", [][]change{{{1, 1, 50}, {30, 1, 0}}, {{40, 1, 60}}, {{35, 1, 5}}}, 65},
	} {
		s := &core.Setup{Protocol: "hoarding",
			NewMessage: setup(t, "none", "heat ranks=4", 0).NewMessage, // nobody sends
			New: func(p core.Proc) core.Machine {
				return &hoarder{proc: p, list: tt.lists[p]}
			}}
		for p := range tt.lists {
			s.Layout.Names = append(s.Layout.Names, fmt.Sprint("r", p))
			s.Programs = append(s.Programs, nil)
		}
		s.Layout.Ranks = len(tt.lists)
		m := scaled(t, 1).With(simulate.Parameter{Name: "between.latency", Value: 10, Unit: "ms"})
		for blocks := range len(tt.lists) + 1 {
			out, err := (&simulate.Job{Machine: m, Setup: s}).RunIn(blocks)
			if err != nil {
				t.Fatalf("%s in %d blocks: %v", tt.name, blocks, err)
			}
			if out.LogPeak != tt.peak {
				t.Errorf("%s in %d blocks: at most %d bytes, want %d", tt.name, blocks, out.LogPeak,
					tt.peak)
			}
		}
	}
}
