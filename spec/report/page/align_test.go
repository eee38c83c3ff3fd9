package page

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/trace"
)

// TestAlign compares a run in which b receives m1, then m1 again, with one in which it receives m1
// and m2 and sends m3; a's m1 has another payload. Worked out by hand.
func TestAlign(t *testing.T) {
	m1, m2 := trace.MsgID{From: 0, Number: 1}, trace.MsgID{From: 0, Number: 2}
	m3 := trace.MsgID{From: 1, Number: 1}
	model := func(events ...trace.Event) *report.Model {
		l := trace.Layout{Names: []string{"a", "b"}, Ranks: 2,
			Labels: map[trace.MsgID]string{m1: "m1", m2: "m2", m3: "m3"}}
		for i := range events {
			events[i].Step = i + 1
		}
		return report.Understand(&report.Run{Trace: trace.Trace{Layout: l, Events: events}})
	}
	sent := func(id trace.MsgID, digest uint64) trace.Event {
		p := trace.Proc(id.From)
		return trace.Event{Kind: trace.Sent, Proc: p, Peer: 1 - p, ID: id, Digest: digest}
	}
	received := func(id trace.MsgID) trace.Event {
		return trace.Event{Kind: trace.Delivered, Proc: 1 - trace.Proc(id.From),
			Peer: trace.Proc(id.From), ID: id}
	}
	run := model(sent(m1, 7), received(m1), received(m1))
	free := model(sent(m1, 8), received(m1), sent(m2, 0), received(m2), sent(m3, 0),
		trace.Event{Kind: trace.Finished, Proc: 1, Digest: 9})
	want := []Alignment{
		{Rank: "a", Items: []Aligned{{"sends m1", Other}, {"sends m2", Later}}},
		{Rank: "b", Items: []Aligned{{"receives m1", Equal}, {"receives m2", Missing},
			{"sends m3", Missing}, {"receives m1", Extra}}, FreeEnd: "0000000000000009"},
	}
	if diff := cmp.Diff(want, Align(run, free)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	undone := model(sent(m1, 8), sent(m2, 0), trace.Event{Kind: trace.Crashed},
		trace.Event{Kind: trace.Restored, Sent: 1, Incarnation: 1}, sent(m2, 0))
	if got := Align(undone, free)[0]; len(got.Items) != 2 || got.Items[1].Sort != Equal {
		t.Errorf("what is undone and done again is %v", got.Items)
	}
}
