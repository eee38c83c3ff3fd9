package netpipe

import (
	"slices"
	"testing"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/buffer"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/frame"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/mesh"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/node"
)

// slow is a transport that always has something to write, as one behind a card, and notes what it
// is given; what is to come is said.
type slow struct {
	sent    []frame.Kind  // to the service, in order
	first   *mesh.Arrival // of what was sent
	arrives []mesh.Arrival
}

func (s *slow) Send(to core.Proc, kind frame.Kind, _ uint8, extra, payload []byte) bool {
	if to > 1 {
		s.sent = append(s.sent, kind)
	} else if s.first == nil {
		s.first = new(mesh.Arrival)
		s.first.Header.Kind = kind
		s.first.Extra, s.first.Payload = slices.Clone(extra), slices.Clone(payload)
	}
	return true
}

func (*slow) Flush()                      {}
func (*slow) MostQueued() int             { return 1 }
func (*slow) Borrowed() bool              { return false }
func (*slow) Pause(core.Proc, bool)       {}
func (*slow) Notice() (mesh.Notice, bool) { return mesh.Notice{}, false }

func (s *slow) Next(a *mesh.Arrival, _ time.Duration) mesh.What {
	if len(s.arrives) == 0 {
		return mesh.Nothing
	}
	*a, s.arrives = s.arrives[0], s.arrives[1:]
	return mesh.Frame
}

// TestRoundsOfCopies: a sample is not over before the copy of its last message has left for the
// logger, which waits until the transport is idle: a round of the end that overtook it would end
// the sample, and the answer of the logger would come in that of another protocol.
func TestRoundsOfCopies(t *testing.T) {
	s, err := setup("rbml", 2)
	if err != nil {
		t.Fatal(err)
	}
	pool := new(buffer.Pool)
	nodes, links := [2]*node.Node{}, [2]*slow{{}, {}}
	barriers := [2]*barrier{}
	for r := range core.Rank(2) {
		ping, err := newPinger(s, r, make([]byte, 16<<10), 1)
		if err != nil {
			t.Fatal(err)
		}
		barriers[r] = &barrier{Transport: links[r], others: neighbours(r.Proc(), 4), procs: 4}
		nodes[r], err = node.New(node.Config{Proc: r.Proc(), Procs: len(s.Layout.Names),
			Machine: ping, NewMessage: s.NewMessage, Mesh: barriers[r], Pool: pool})
		if err != nil {
			t.Fatal(err)
		}
		ping.use(nodes[r].Buffers())
		if err := nodes[r].Input(core.Input{Kind: core.Start}); err != nil {
			t.Fatal(err)
		}
	}
	turn := func(r int) {
		t.Helper()
		if came, err := nodes[r].Turn(0); err != nil || !came {
			t.Fatalf("rank %d: %v, %v", r, came, err)
		}
	}
	turn(0) // it sends
	links[1].arrives = append(links[1].arrives, *links[0].first)
	turn(1) // it comes
	turn(1) // the program has it
	if !nodes[1].Postpones() {
		t.Fatal("no copy waits for a better moment: the test tells nothing")
	}
	for round := range rounds {
		for _, from := range barriers[1].others {
			beat := mesh.Arrival{From: from}
			beat.Header.Kind, beat.Header.Note = frame.Beat, uint8(round)
			links[1].arrives = append(links[1].arrives, beat)
		}
	}
	if err := barriers[1].end(nodes[1], time.Second); err != nil {
		t.Fatal(err)
	}
	if got := links[1].sent; len(got) != 1+rounds || got[0] != frame.Data {
		t.Errorf("the service gets %v, want the copy and %d rounds", got, rounds)
	}
}
