package optimistic_test

import (
	"strings"
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/baseline/optimistic"
	"github.com/domino-check/domino/spec/trace"
)

const pair = "a: send b; recv b\nb: recv a; send a"

// made prepares one of the protocols for a program.
func made(t *testing.T, p protocol.Protocol, text string, clusters []int) (*core.Setup, error) {
	t.Helper()
	names, programs, err := script.Parse(text, 1)
	if err != nil {
		t.Fatal(err)
	}
	return p.Make(protocol.Request{Programs: programs,
		Layout: trace.Layout{Names: names, Ranks: len(names), Clusters: clusters}})
}

// TestNoAllocation: a round trip allocates nothing in the layers of one unit; between units, for
// each message, its record and the vectors that the log of the sender and the receiver keep.
func TestNoAllocation(t *testing.T) {
	for _, c := range []struct {
		clusters []int
		most     float64
	}{{[]int{0, 0}, 0}, {[]int{0, 1}, 2 * 10}} {
		s, err := made(t, optimistic.Vaidya, pair, c.clusters)
		if err != nil {
			t.Fatal(err)
		}
		var layers [2]core.Layer
		for r := range layers {
			layers[r] = s.New(core.Proc(r)).(*program.Host).Layer()
			layers[r].Step(core.Input{Kind: core.Start}, nil)
		}
		var out []core.Effect
		var header []byte
		m := new(optimistic.Message)
		payload := core.Payload{ID: core.MsgID{Number: 1}, Data: make([]byte, 8)}
		trip := func() {
			for from := range core.Rank(2) {
				send := core.Input{Kind: core.Send, To: 1 - from, Payload: payload}
				out = layers[from].Step(send, out[:0])
				last := out[len(out)-1].Message.(core.Framed)
				header, _ = last.AppendHeader(header[:0])
				if err := m.ParseHeader(header, core.Proc(from)); err != nil {
					t.Fatal(err)
				}
				to := layers[1-from]
				out = to.Step(core.Input{Kind: core.Received, From: from.Proc(), Message: m},
					out[:0])
				out = to.Step(core.Input{Kind: core.Receive, From: from.Proc()}, out[:0])
				if last := out[len(out)-1]; last.Kind == core.Persist {
					out = to.Step(core.Input{Kind: core.Persisted, Key: last.Key}, out[:0])
				}
			}
		}
		if n := testing.AllocsPerRun(500, trip); n > c.most {
			t.Errorf("clusters %v: %v allocations, want %v", c.clusters, n, c.most)
		}
	}
}

// TestRefused: units that are none, or not of this protocol, with the place.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		protocol protocol.Protocol
		clusters []int
		want     string
	}{
		{optimistic.Protocol, []int{0, 0}, "vaidya has units of several ranks"},
		{optimistic.Vaidya, []int{0}, "2 ranks, but 1 have a cluster"},
		{optimistic.Vaidya, []int{0, 5}, "rank 1 is in cluster 5, want a number in [0, 2)"},
		{optimistic.Vaidya, []int{1, 1}, "cluster 0 has no rank"},
	} {
		_, err := made(t, c.protocol, pair, c.clusters)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s over %v: %v, want %q", c.protocol.Name, c.clusters, err, c.want)
		}
	}
}
