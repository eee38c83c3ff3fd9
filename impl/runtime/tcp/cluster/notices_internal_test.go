package cluster

import (
	"path/filepath"
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/course"
	"github.com/domino-check/domino/spec/trace"
)

// TestStartedOwes: what a watcher that starts again is told of a failure of the life before, by
// what has become since of who had failed. Of who is killed again it is told when all agree on that
// (TestReportWaits).
func TestStartedOwes(t *testing.T) {
	killed := []*burial{{procs: []core.Proc{1}}}
	nothing := filepath.Join(t.TempDir(), "nothing")
	lives := func(b *proc, pieces int) {
		b.reader = &reader{name: nothing, pieces: make([]piece, pieces)}
	}
	tests := []struct {
		name  string
		state func(s *supervisor, b *proc)
		owed  int
	}{
		{"it is down", func(*supervisor, *proc) {}, 1},
		{"it is up again", func(_ *supervisor, b *proc) { b.up = true }, 0},
		{"it was down, and has a life behind it", func(_ *supervisor, b *proc) { lives(b, 1) }, 1},
		{"it has begun, and has not said so", func(_ *supervisor, b *proc) {
			b.process = nobody{}
			lives(b, 1)
		}, 0},
		{"it has not begun", func(_ *supervisor, b *proc) {
			b.process = nobody{}
			lives(b, 0)
		}, 1},
		{"it is killed again", func(s *supervisor, b *proc) {
			b.dying, b.process, s.dying = true, nobody{}, killed
			lives(b, 1)
		}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newSupervisor(&Config{Setup: &core.Setup{
				Layout: trace.Layout{Names: []string{"a", "b"}}}, Spread: 1}, []byte("null"))
			s.steering = &steering{course: &course.Course{}} // nobody is told by the clock
			a := s.procs[0]
			a.pending = []notice{{group: 1}}
			tt.state(s, s.procs[1])
			if s.started(a); len(a.pending) != tt.owed {
				t.Errorf("%d notices are owed, want %d", len(a.pending), tt.owed)
			}
		})
	}
}

// TestReportWaits: a watcher that has not heard of a failure of a group is told of that and of the
// next one at once, when all agree on the next one.
func TestReportWaits(t *testing.T) {
	again := []*burial{{procs: []core.Proc{2}}} // of the group b c
	for _, tt := range []struct {
		name  string
		state func(s *supervisor)
		fails bool
	}{
		{"nobody fails", func(*supervisor) {}, false},
		{"a mate is killed", func(s *supervisor) { s.dying = again }, true},
		{"not all agree", func(s *supervisor) { s.burying = again }, true},
		{"somebody else is killed", func(s *supervisor) {
			s.dying = []*burial{{procs: []core.Proc{0}}}
		}, false},
		{"lives are told of one by one", func(s *supervisor) {
			s.dying, s.setup.Launched = again, true
		}, false},
		{"a course says when", func(s *supervisor) {
			s.dying, s.steering = again, &steering{course: &course.Course{}}
		}, false},
	} {
		group := []core.Proc{1, 2}
		s := newSupervisor(&Config{Setup: &core.Setup{Layout: trace.Layout{
			Names:  []string{"a", "b", "c", "d"},
			Groups: map[core.Proc][]core.Proc{1: group, 2: group}}}}, []byte("null"))
		tt.state(s)
		if got := s.fails(notice{group: 1}); got != tt.fails {
			t.Errorf("%s: it waits: %t, want %t", tt.name, got, tt.fails)
		}
		w := s.procs[3]
		w.pending = []notice{{group: 1}}
		if w.up = true; !tt.fails {
			continue
		}
		if s.report(w); len(w.pending) != 1 || len(w.told) != 0 {
			t.Errorf("%s: %v is told", tt.name, w.told)
		}
	}
}
