package cluster

import (
	"strings"
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// TestWaits: who waits for whom is said for each way in which a connection can keep somebody, and
// nothing of those that keep nobody.
func TestWaits(t *testing.T) {
	const where = "10.0.0.2:7"
	tests := []struct {
		name string
		a, b *answer // what both have said; nil: nothing
		want string
	}{
		{"all is well", &answer{Peers: []peer{{Proc: 1, Sent: 2}}},
			&answer{Peers: []peer{{Proc: 0, Received: 2}}}, ""},
		{"a program waits", &answer{Text: "a message from b"}, &answer{},
			"a waits for a message from b"},
		{"never opened", &answer{Peers: []peer{{Proc: 1, Life: -1, Held: 3, Address: where,
			Attempts: 4, Error: "timeout"}}}, &answer{},
			"a has 3 messages for b at 10.0.0.2:7, and no connection after 4 attempts: timeout"},
		{"not tried", &answer{Peers: []peer{{Proc: 1, Life: -1, Held: 3, Address: where}}},
			&answer{}, "a has 3 messages for b at 10.0.0.2:7, and no connection yet"},
		{"nowhere", &answer{Peers: []peer{{Proc: 1, Life: -1, Held: 1}}}, &answer{},
			"a has 1 messages for b, which has not said where it listens"},
		{"broken", &answer{Peers: []peer{{Proc: 1, Life: -1, Lost: true, Address: where}}},
			&answer{}, "the connection of a with b at 10.0.0.2:7 broke"},
		{"under way", &answer{Peers: []peer{{Proc: 1, Sent: 2, Address: where, Unsent: 64}}},
			&answer{Peers: []peer{{Proc: 0, Received: 1}}},
			"b at 10.0.0.2:7 has not taken 1 of 2 messages of a (64 bytes are under way)"},
		{"to who does not answer", &answer{Peers: []peer{{Proc: 1, Sent: 2, Address: where,
			Unsent: 64}}}, nil, "64 bytes of a for b at 10.0.0.2:7 are under way"},
		{"kept back", &answer{Peers: []peer{{Proc: 1, Early: true}}}, &answer{},
			"a keeps back what b knows of a failure"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newSupervisor(&Config{Setup: &core.Setup{
				Layout: trace.Layout{Names: []string{"a", "b"}}}}, []byte("null"))
			for i, said := range []*answer{tt.a, tt.b} {
				s.procs[i].process, s.procs[i].waits = nobody{}, said
			}
			if got := strings.Join(s.hangs(), "; "); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestWaitsAgreement: a failure that is not agreed on, and a process that does not go, are named;
// of many things the first are, and the rest is counted.
func TestWaitsAgreement(t *testing.T) {
	names := strings.Fields("a b c d e f g h i j k l")
	s := newSupervisor(&Config{Setup: &core.Setup{Layout: trace.Layout{Names: names}}},
		[]byte("null"))
	s.burying = []*burial{{procs: []core.Proc{0}, awaiting: []core.Proc{1, 2}}}
	s.dying = []*burial{{procs: []core.Proc{3}, waiting: []core.Proc{3}}}
	want := "b c have not agreed on the failure of a; d were killed and are not gone"
	if got := strings.Join(s.hangs(), "; "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	s.burying, s.dying = nil, nil
	for _, p := range s.procs {
		p.process, p.met, p.doing = nobody{}, true, "?"
	}
	if got, want := s.stuck(), "a b c d e f g h and 4 more do not answer: they are stopped, or "+
		"hang"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
