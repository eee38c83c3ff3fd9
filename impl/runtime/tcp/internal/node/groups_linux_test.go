package node_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/kernels"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol/camel"
	"github.com/domino-check/domino/impl/protocol/causal"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/buffer"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/node"
	"github.com/domino-check/domino/spec/trace"
)

// TestRelays: multicasts that come faster than the program receives them do not pause who passes
// them on, because others wait for what else comes from there; messages of that rank itself do.
func TestRelays(t *testing.T) {
	tree, err := trace.NewTree("g", core.Sum, []string{"a", "b", "c"}, []trace.Rank{2, 1},
		[][]trace.Rank{{1}, {0}})
	if err != nil {
		t.Fatal(err)
	}
	group := core.Group(1)
	programs := []core.Program{{{Kind: core.OpRecv, Peer: group.Source()}, {Kind: core.OpRecv,
		Peer: 2}}, {{Kind: core.OpRecv, Peer: group.Source()}}, {{Kind: core.OpMulticast,
		Group: group}}}
	s, err := camel.NewSetup(trace.Layout{Names: []string{"a", "b", "c"}, Ranks: 3,
		Trees: []trace.Tree{tree}}, programs, causal.Options{F: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []causal.Kind{causal.Multicast, causal.App} {
		f := &flood{pool: new(buffer.Pool), message: func(k int) core.Framed {
			m := &causal.Message{Kind: kind, SSN: causal.SSN(k), Origin: 1,
				Payload: core.Payload{ID: core.MsgID{From: 1, Number: uint32(k)}}}
			if kind == causal.Multicast {
				m.Group, m.Number, m.Origin, m.Payload.ID.From = group, uint32(k), 2, 2
			}
			return m
		}}
		n, err := node.New(node.Config{Procs: 3, Machine: s.New(0), NewMessage: s.NewMessage,
			Mesh: f, Pool: f.pool, InLimit: 40 * 8, StuckAfter: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		if err := n.Input(core.Input{Kind: core.Start}); err != nil {
			t.Fatal(err)
		}
		for range 300 {
			if _, err := n.Turn(0); err != nil {
				t.Fatal(err)
			}
		}
		if f.paused != (kind == causal.App) {
			t.Errorf("kind %d: paused %t after %d messages", kind, f.paused, f.given)
		}
	}
}

// TestGroups runs kernels with groups over both protocols of the family as threads, and compares
// what the nodes count with the trees, by hand: in a row of four with arity two three messages of
// 800 bytes go down and three of 632 up in a step. SCMEL logs all; CAMEL one that goes down, two of
// the root's children and, at the root, the same two. In leanmd on two ranks two cells have one
// message of 64 bytes each way, of which SCMEL logs all, CAMEL one, and one at both ends. What
// comes with each message has a fixed layout.
func TestGroups(t *testing.T) {
	const steps = 3
	for _, tt := range []struct {
		kernel                     string
		sends, bytes, scmel, camel uint64
	}{
		{"openatom ranks=4 row=4 size=800 iterations=3", 6 * steps, 3 * (800 + 632) * steps,
			3 * (800 + 632) * steps, (800 + 2*632 + 2*632) * steps},
		{"leanmd ranks=2 iterations=3", 4 * steps, 4 * 64 * steps, 4 * 64 * steps,
			2 * 3 * 64 * steps},
	} {
		suite, err := kernels.Build(tt.kernel)
		if err != nil {
			t.Fatal(err)
		}
		programs, err := script.Expand(&script.Suite{Names: suite.Names,
			Programs: suite.Programs, Trees: suite.Trees})
		if err != nil {
			t.Fatal(err)
		}
		layout := trace.Layout{Names: suite.Names, Ranks: len(suite.Names)}
		plain, err := causal.NewSetup(layout, programs, causal.Options{F: 1})
		if err != nil {
			t.Fatal(err)
		}
		layout.Trees = suite.Trees
		aware, err := camel.NewSetup(layout, suite.Programs, causal.Options{F: 1})
		if err != nil {
			t.Fatal(err)
		}
		var digests [][]uint64
		for i, s := range []*core.Setup{plain, aware} {
			d, counts := cluster(t, s, true, func(c *node.Config) { c.Edges = s.Layout.Edges })
			digests = append(digests, d)
			var got [4]uint64
			for _, c := range counts {
				got[0], got[1], got[2], got[3] = got[0]+c.Sends, got[1]+c.Payload,
					got[2]+c.LogBytes, got[3]+c.Encoded
			}
			want := [4]uint64{tt.sends, tt.bytes, []uint64{tt.scmel, tt.camel}[i], 0}
			if got != want {
				t.Errorf("%s over %s: sends, bytes, logged, by the codec: %v, want %v", tt.kernel,
					s.Protocol, got, want)
			}
		}
		if fmt.Sprint(digests[0]) != fmt.Sprint(digests[1]) {
			t.Errorf("%s: digests %x", tt.kernel, digests)
		}
	}
}
