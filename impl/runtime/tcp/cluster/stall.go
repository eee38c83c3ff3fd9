package cluster

import (
	"fmt"
	"time"
)

// A run in which nobody takes a step for a while is said to hang before its time limit is over,
// with who waits for whom: what it waits for may still come, and somebody may see to it.

// stall is since when nothing has happened.
type stall struct {
	since time.Duration // by the clock of the supervisor
	steps uint64        // of all, when they were last asked
	said  bool          // it was told of
	then  event         // when all have said what they wait for; nil: nobody was asked
}

// longestStall is how long nothing may happen before somebody is told.
const longestStall = 10 * time.Second

// stallTime is the same in a run with a time limit of its own.
func (s *supervisor) stallTime() time.Duration { return min(longestStall, s.c.Timeout/3) }

// moved notes that something has happened.
func (s *supervisor) moved() { s.stall.since, s.stall.said = s.own.Passed(), false }

// stepped notes how many steps all have taken.
func (s *supervisor) stepped() {
	var sum uint64
	for _, a := range s.round.answers {
		sum += a.Steps
	}
	if sum != s.stall.steps {
		s.stall.steps = sum
		s.moved()
	}
}

// watchStall looks now and then whether anything happens. Of a bare run nobody asks while its
// programs go on, so nobody knows.
func (s *supervisor) watchStall() {
	if s.over || s.ending || s.expired || s.c.Bare {
		return
	}
	s.later(s.stallTime()/4, s.watchStall)
	if s.stall.said || s.own.Passed()-s.stall.since < s.stallTime() {
		return
	}
	s.stall.said = true
	s.inquire(func() {
		if text := s.stuck(); text != "" && !s.over && !s.expired && s.stall.said {
			s.note("no step for %v: %s",
				(s.own.Passed() - s.stall.since).Round(time.Second), text)
		}
	})
}

// stranger counts somebody whom the meeting has refused.
func (s *supervisor) stranger(address string, err error) {
	if s.out.Strangers++; !hungUp(err) {
		s.refused(fmt.Sprintf("refused a connection from %s: %v", address, err))
	}
}

// refused tells of a connection of a stranger that somebody has refused; of many only the first.
func (s *supervisor) refused(text string) {
	if s.told++; s.told < listed {
		s.note("%s", text)
	} else if s.told == listed {
		s.note("%s; more of that is only counted", text)
	}
}
