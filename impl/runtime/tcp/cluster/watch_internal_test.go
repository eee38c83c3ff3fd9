package cluster

import (
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// TestWatchedLife: which life a watchdog is about, and whether that is over, at every point of the
// death and the restart of whom it watches; a is the watcher, b is watched, and has lost two
// processes before the third, which is number 2. The last rows are those in which clocks decide:
// the new life was beginning when the watchdog was started.
func TestWatchedLife(t *testing.T) {
	process := nobody{}
	of := func(s *supervisor) []*burial { return []*burial{{procs: []core.Proc{1}}} }
	tests := []struct {
		name  string
		state func(s *supervisor, b *proc)
		began uint64 // of the step that starts it
		life  core.Incarnation
		due   bool
	}{
		{"it lives", func(_ *supervisor, b *proc) { b.process, b.up = process, true }, 5, 2, false},
		{"it was killed", func(s *supervisor, b *proc) {
			b.process, b.dying, s.dying = process, true, of(s)
		}, 5, 2, false},
		{"it is reaped, a victim with it is not", func(s *supervisor, b *proc) {
			s.dying = of(s)
		}, 5, 2, false},
		{"it is buried, not all agree", func(s *supervisor, b *proc) {
			b.life, s.burying = 3, of(s)
		}, 5, 2, false},
		{"all agree", func(_ *supervisor, b *proc) { b.life = 3 }, 5, 2, true},
		{"it began before", func(_ *supervisor, b *proc) {
			b.process, b.life, b.reader = process, 3, &reader{pieces: []piece{{Began: 4}}}
		}, 5, 3, false},
		{"it began after", func(_ *supervisor, b *proc) {
			b.process, b.life, b.reader = process, 3, &reader{pieces: []piece{{Began: 6}}}
		}, 5, 2, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newSupervisor(&Config{Setup: &core.Setup{
				Layout: trace.Layout{Names: []string{"a", "b"}}}, Spread: 1}, []byte("null"))
			a, b := s.procs[0], s.procs[1]
			a.process, a.up, a.watches, b.life = process, true, map[core.Proc]*watchdog{}, 2
			tt.state(s, b)
			s.watch(a, answer{Proc: 1, Serial: 1, Began: tt.began})
			if b.reader != nil {
				b.reader.name = t.TempDir() + "/none"
				s.begun(b)
			}
			w := a.watches[1]
			if w.life != tt.life || w.due != tt.due {
				t.Errorf("about life %d, over: %t, want %d, %t", w.life, w.due, tt.life, tt.due)
			}
			if b.life++; !tt.due && len(s.burying) > 0 { // agreed
				s.silent(b)
			}
			if a.watched() != (tt.due || len(s.burying) > 0) {
				t.Errorf("somebody has yet to expire: %t", a.watched())
			}
			if s.watch(a, answer{Proc: 1}); len(a.watches) > 0 {
				t.Error("a watchdog runs that was stopped")
			}
		})
	}
}
