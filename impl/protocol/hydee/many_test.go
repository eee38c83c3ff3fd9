package hydee

import (
	"testing"

	"github.com/domino-check/domino/impl/core"
)

// TestFirstWord: a rank that was never heard of before a checkpoint is answered with what the
// checkpoint covers, as with few ranks, though nothing is kept about it until then; one of the own
// cluster, or without a checkpoint, is not.
func TestFirstWord(t *testing.T) {
	for _, ranks := range []int{3, core.Dense + 1} {
		for _, committed := range []bool{false, true} {
			c := &config{ranks: ranks, clusters: make([]int, ranks),
				members: [][]core.Rank{{0, 1}, {2}}}
			c.clusters[2] = 1
			l := &layer{config: c}
			l.reset()
			if committed {
				l.s.Saving.Committed = 1
				l.oweAcks(&image{Date: 5, Channels: core.NewByRank[channel](ranks)})
			}
			for from, want := range map[core.Rank]bool{1: false, 2: committed} {
				p := l.peer(from)
				p.Arrived = append(p.Arrived, message{Date: 1, Phase: 1})
				out := l.deliver(from, nil)
				var ack *Message
				if len(out) > 1 {
					ack = out[1].Message.(*Message)
				}
				if (ack != nil) != want || want && (ack.Kind != Acknowledge || ack.Date != 5 ||
					ack.Last != 0) {
					t.Errorf("%d ranks, committed %v: %d is answered %+v", ranks, committed, from,
						ack)
				}
			}
		}
	}
}

// TestRoom: of many ranks, a rank keeps something about those alone that it sends to or hears of,
// and asking changes nothing.
func TestRoom(t *testing.T) {
	const ranks = 60_000
	c := &config{ranks: ranks, clusters: make([]int, ranks), members: [][]core.Rank{{0}, {1}}}
	c.clusters[50_000] = 1
	l := &layer{config: c}
	l.reset()
	l.s.Frontier = infinite
	l.send(core.Input{Kind: core.Send, To: 50_000,
		Payload: core.Payload{ID: core.MsgID{Number: 1}}}, nil)
	l.arrive(7, &Message{Kind: App, Payload: core.Payload{ID: core.MsgID{From: 7, Number: 1}}}, nil)
	if l.Has(9) || !l.Has(7) || l.refuse(11, &Message{}) != "" || l.keeper(12) == nil {
		t.Error("what is not known of a rank is not as if nothing had come of it")
	}
	if len(l.s.Channels) != 1 || len(l.s.Peers) != 2 {
		t.Errorf("something is kept about %d and %d ranks, want 1 and 2", len(l.s.Channels),
			len(l.s.Peers))
	}
}
