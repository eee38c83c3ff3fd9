package cluster

import (
	"slices"

	"github.com/domino-check/domino/impl/runtime/plan"
)

// What the environment asks of procs that run.

// every asks the initiators for checkpoints, again and again while programs go on.
func (s *supervisor) every() {
	if s.c.Every == 0 {
		return
	}
	s.later(s.c.Every, func() {
		if s.over || s.ending {
			return
		}
		for _, q := range s.setup.Initiators {
			if p := s.procs[q]; p.up && !p.dying && p.process != nil && !s.done() {
				s.tell(p, order{Kind: sayCheckpoint})
			}
		}
		s.every()
	})
}

// ask does what the requests of the plan that are due ask for, within the budgets. A watchdog that
// is to expire falsely may have to be started first.
func (s *supervisor) ask() {
	var wait []plan.Request
	for _, q := range s.asked {
		p := s.procs[q.Proc]
		if p.process == nil || p.dying {
			continue
		}
		switch g := s.setup.Group(q.Suspect); {
		case q.Expires:
			if !s.mistaken(p) {
				wait = append(wait, q)
			}
		case !q.Suspicious && s.left.checkpoints > 0 && slices.Contains(s.setup.Initiators, q.Proc):
			s.left.checkpoints--
			s.tell(p, order{Kind: sayCheckpoint})
		case q.Suspicious && s.left.suspicions > 0 && slices.Contains(s.setup.Watchers, q.Proc) &&
			!slices.Contains(g, q.Proc) && s.procs[g[0]].up:
			s.left.suspicions--
			s.out.Suspicions++
			s.tell(p, order{Kind: saySuspect, Procs: g, Life: s.procs[g[0]].inc})
		}
	}
	s.asked = wait
}
