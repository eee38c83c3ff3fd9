package cluster

import (
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/course"
	"github.com/domino-check/domino/spec/trace"
)

// TestStartedOwes: what a watcher that starts again is told of a failure of the life before, by
// what has become since of who had failed. A failure on which not all agree yet is another one.
func TestStartedOwes(t *testing.T) {
	cut := []*burial{{procs: []core.Proc{1}, cut: []core.Proc{1}}}
	early := []*burial{{procs: []core.Proc{1}}}
	tests := []struct {
		name  string
		state func(s *supervisor, b *proc)
		owed  int
	}{
		{"it is down", func(*supervisor, *proc) {}, 1},
		{"it is up again", func(_ *supervisor, b *proc) { b.up = true }, 0},
		{"it was, and is killed", func(s *supervisor, _ *proc) { s.dying = cut }, 0},
		{"it was, and is buried", func(s *supervisor, _ *proc) { s.burying = cut }, 0},
		{"it is killed before it was", func(s *supervisor, _ *proc) { s.dying = early }, 1},
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
