package cluster

import (
	"time"

	"github.com/domino-check/domino/impl/runtime/tcp/internal/awake"
)

// Whether others have done nothing for too long is counted in time in which the supervisor itself
// was running: it may have been stopped, most likely with them.

// within posts when others had so long to do something: time in which the supervisor itself stood
// still does not count.
func (s *supervisor) within(d time.Duration, e event) {
	end := s.own.Passed() + d
	var look event
	look = func() {
		if left := end - s.own.Passed(); left > 0 {
			s.later(left, look)
			return
		}
		e()
	}
	s.later(d, look)
}

// breathe looks at the clock of the supervisor now and then, so that it counts.
func (s *supervisor) breathe() {
	s.own.Passed()
	s.later(awake.Look, s.breathe)
}

// startAProc is what a process may take to begin, beside all the others of the run.
const startAProc = 250 * time.Millisecond

// limit is when the run ends at the latest, by the clock of the supervisor. Before all have begun
// it grows with them: a thousand processes take longer than a program of a minute.
func (s *supervisor) limit() time.Duration {
	if s.live {
		return s.lived + s.c.Timeout
	}
	return max(s.c.Timeout, time.Duration(len(s.procs))*startAProc)
}

// patience is how long the run may go on before it is looked at again; 0: no longer.
func (s *supervisor) patience() time.Duration {
	now := s.own.Passed()
	left := s.limit() - now
	switch {
	case s.c.Idle == 0 || left <= 0:
	case s.live:
		left = min(left, s.progressed+s.c.Idle-now)
	default: // startTimeout counts, but it may be live when this is over
		left = min(left, s.c.Idle)
	}
	return max(0, left)
}
