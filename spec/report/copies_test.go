package report_test

import (
	"testing"

	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/trace"
)

// TestCopies: of equal copies of a message the one that was sent first arrives first, and of those
// that have arrived the program takes the first and drops the last.
func TestCopies(t *testing.T) {
	s := newStory("copies", nil, "a", "b")
	id := s.send(0, 1, 1, "m1")
	for range 2 {
		s.do("a sends m1 again")
		s.emit(0, 1, id, "App")
	}
	s.arrive(0, 1, id, "App") // 4
	s.arrive(0, 1, id, "App") // 5
	s.receive(0, 1, id)       // 6
	s.one("drop", trace.Event{Kind: trace.Dropped, Proc: 1, Peer: 0, ID: id})
	m := report.Understand(&s.run)
	step := func(i int) int {
		if i == report.Never {
			return 0
		}
		return m.Events[i].Step
	}
	var got [][4]int
	for _, c := range m.Messages {
		got = append(got, [4]int{step(c.Sent), step(c.Arrived), step(c.Delivered), step(c.Dropped)})
	}
	want := [][4]int{{1, 4, 6, 0}, {2, 5, 0, 7}, {3, 0, 0, 0}}
	if len(got) != 3 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("copies are sent, arrive, are taken and dropped in %v, want %v", got, want)
	}
}
