package report_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/trace"
)

// fetched is a run in which b begins anew with nothing, and its image with one of two receptions
// comes by message, in a second try.
func fetched() *story {
	s := newStory("fetched", nil, "a", "b", "c")
	s.pass(0, 1, 1, "m1")
	s.pass(1, 2, 1, "r1")
	s.one("image", trace.Event{Kind: trace.Kept, Proc: 2, Peer: 1, Sent: 1, Received: 1,
		Text: trace.Image})
	s.pass(0, 1, 2, "m2")
	s.pass(1, 2, 2, "r2")
	s.crash(1)
	s.restart(1, 1, 0, 0)
	s.crash(1)
	s.restart(1, 2, 0, 0)
	s.one("deliver", trace.Event{Kind: trace.Resumed, Proc: 1, Sent: 1, Received: 1})
	return s
}

// TestFetched: a restart that waits for its image has undone nothing that is in the image, and
// makes no orphan of what the image has sent.
func TestFetched(t *testing.T) {
	want := []string{
		"life 0 of b: - to 14, from step - saved -, undone from 10",
		"life 1 of b: 15 to 16, from step 4 saved 7, undone from -",
		"life 2 of b: 17 to -, from step 4 saved 7, undone from -",
		"line: b at 1/1 in 15",
		"line: b at 1/1 in 17",
		"m1 a->b: sent 1 arrived 2 taken 3, delivered",
		"r1 b->c: sent 4 arrived 5 taken 6, delivered",
		"m2 a->b: sent 8 arrived 9 taken 10, delivered",
		"r2 b->c: sent 11 arrived 12 taken 13, delivered, orphan since 15",
	}
	s := fetched()
	if diff := cmp.Diff(want, said(report.Understand(&s.run))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	s = fetched() // its program has begun without the image, which so has come too late for it
	e := &s.run.Trace.Events
	last := len(*e) - 1
	resumed := (*e)[last]
	*e = (*e)[:last]
	s.send(1, 2, 1, "r1")
	*e = append(*e, resumed)
	m := report.Understand(&s.run)
	for _, l := range m.Lives {
		if l.Proc == 1 && l.Incarnation == 0 && m.Events[l.UndoneFrom].Step != 3 {
			t.Errorf("life 0 of b is undone from step %d, want 3", m.Events[l.UndoneFrom].Step)
		}
	}
}

// TestTwiceFromImage: a run of M13, in which the program has a message in the image that a log
// gives it again. By hand: p1 receives m1 in step 3, its image of step 5 has that, and it receives
// m1 again in step 11.
func TestTwiceFromImage(t *testing.T) {
	m := report.Understand(erratum(t, "m13", "M13"))
	var got []string
	for _, s := range m.Why {
		got = append(got, s.Text)
	}
	want := []string{"p1 has received m1 before, in step 3.", "p1 receives m1 in step 11."}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, l := range m.Lives {
		if l.UndoneFrom != report.Never && m.Events[l.UndoneFrom].Kind == trace.Delivered {
			t.Errorf("a delivery is undone that the image has")
		}
	}
}

// TestComesAgain: a message whose first copy was lost is not among those that a proc does not get
// when its program has it from a log, or another copy comes.
func TestComesAgain(t *testing.T) {
	s := newStory("again", nil, "a", "b")
	for n, label := range []string{"m1", "m2", "m3"} {
		s.send(0, 1, uint32(n+1), label)
	}
	m1 := trace.MsgID{From: trace.Rank(0), Number: 1}
	m2 := trace.MsgID{From: trace.Rank(0), Number: 2}
	s.do("a asks b")
	s.emit(0, 1, trace.MsgID{}, "Ask")
	s.do("a tells b")
	s.emit(0, 1, trace.MsgID{}, "Tell")
	s.crash(1)
	s.restart(1, 1, 0, 0)
	s.receive(0, 1, m1) // from a log
	s.do("a sends m2 again, and asks again")
	s.emit(0, 1, m2, "App")
	s.emit(0, 1, trace.MsgID{}, "Ask")
	s.arrive(0, 1, m2, "App")
	s.arrive(0, 1, trace.MsgID{}, "Ask")
	r := s.breaks(0, "ends", "the run is stuck: b can not go on")
	var got []string
	for _, w := range report.Understand(r).Why {
		if strings.Contains(w.Text, "does not get") {
			got = append(got, w.Text)
		}
	}
	want := []string{"b does not get m3 of a (in step 3, lost in the crash of b), " +
		"Tell of a (in step 5, lost in the crash of b)."}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
