package cluster

import (
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// TestAtRest: with connections that were never opened a run is at rest, and with anything on its
// way it is not. Proc 2 is in its second life; proc 3 is down for good.
func TestAtRest(t *testing.T) {
	idle := func(peers ...peer) answer { return answer{Idle: true, Peers: peers} }
	tests := []struct {
		name string
		a    [3]answer
		want bool
	}{
		{"nobody is connected", [3]answer{idle(), idle(), idle()}, true},
		{"all has arrived", [3]answer{idle(peer{Proc: 1, Sent: 2, Received: 3}),
			idle(peer{Proc: 0, Sent: 3, Received: 2}), idle()}, true},
		{"somebody is busy", [3]answer{{}, idle(), idle()}, false},
		{"somebody knows less", [3]answer{{Idle: true, Epoch: 1}, idle(), idle()}, false},
		{"a frame is on its way", [3]answer{idle(peer{Proc: 1, Sent: 2}),
			idle(peer{Proc: 0, Received: 1}), idle()}, false},
		{"the other has not seen the connection", [3]answer{idle(peer{Proc: 1, Sent: 1}), idle(),
			idle()}, false},
		{"it is open on one side, and empty", [3]answer{idle(peer{Proc: 1}), idle(), idle()}, true},
		{"a frame waits for a connection", [3]answer{idle(peer{Proc: 1, Life: -1, Held: 1}), idle(),
			idle()}, false},
		{"a frame waits for who is down for good", [3]answer{
			idle(peer{Proc: 3, Life: -1, Held: 1}), idle(), idle()}, true},
		{"a connection broke", [3]answer{idle(peer{Proc: 1, Life: -1, Lost: true}), idle(),
			idle()}, false},
		{"a connection with an old life", [3]answer{idle(peer{Proc: 2}), idle(), idle()}, false},
		{"a connection with a new life", [3]answer{idle(peer{Proc: 2, Life: 1, Sent: 1}), idle(),
			idle(peer{Proc: 0, Received: 1})}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newSupervisor(&Config{Setup: &core.Setup{
				Layout: trace.Layout{Names: []string{"a", "b", "c", "d"}}}}, []byte("null"))
			s.procs[2].life = 1
			s.round.answers = map[core.Proc]answer{0: tt.a[0], 1: tt.a[1], 2: tt.a[2]}
			if got := s.atRest(); got != tt.want {
				t.Errorf("at rest: %t, want %t", got, tt.want)
			}
		})
	}
}

// TestPartners: of a ring two, of a service everybody.
func TestPartners(t *testing.T) {
	send := func(to core.Rank) core.Program { return core.Program{{Kind: core.OpSend, Peer: to}} }
	s := &core.Setup{Layout: trace.Layout{Names: []string{"a", "b", "c", "d", "S"}, Ranks: 4},
		Programs: []core.Program{send(1), send(2), send(3), send(0)}}
	for p, want := range [][]core.Proc{{1, 3, 4}, {0, 2, 4}, {1, 3, 4}, {0, 2, 4}, {0, 1, 2, 3}} {
		got := partnersOf(s, core.Proc(p))
		if len(got) != len(want) {
			t.Errorf("%d: partners %v, want %v", p, got, want)
			continue
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%d: partners %v, want %v", p, got, want)
			}
		}
	}
}
