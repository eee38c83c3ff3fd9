package cluster

import (
	"errors"
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/runtime/tcp/launch"
)

// gone comes when a process has ended.
func (s *supervisor) gone(p *proc, err, unsure error) {
	if unsure != nil && s.c.fences() && s.hosts[p.host].err == nil && !s.off(p.host) {
		s.fence(p.host, unsure.Error(), func(failed error) { s.gone(p, err, failed) })
		return
	}
	wasDying, where, said := p.dying, s.where(p), complaint(p.process)
	startless := s.startless(p, p.up || wasDying)
	p.process, p.dying, p.up = nil, false, false
	switch {
	case unsure != nil:
		s.stop("", nil)
		s.err = errors.Join(s.err, fmt.Errorf("cluster: %s: %w%s", where, unsure, said))
	case s.over:
	case wasDying:
		s.reaped(p)
	case s.ending && err == nil && s.has(p):
		s.over = !slices.ContainsFunc(s.procs, func(p *proc) bool { return p.process != nil })
	case s.out.Panic != "":
		s.stop("", nil)
	case p.failed != "":
		s.stop("", fmt.Errorf("cluster: %s: %s", where, p.failed))
	case startless && s.live && !s.off(p.host):
		s.die(p)
		s.fence(p.host, "it starts no process any more"+said, s.unfenced)
	case launch.Killed(err) && s.live && !s.c.Bare:
		s.out.Outside++
		s.note("%s was killed by somebody else%s", where, said)
		s.die(p)
	default:
		s.stop("", fmt.Errorf("cluster: %s has ended: %v%s", where, err, said))
	}
}

// die has a proc fail whose process has ended without order.
func (s *supervisor) die(p *proc) {
	p.dying = true // it was, only not by us
	s.crash([]*proc{p}, false)
	p.dying = false
	s.reaped(p)
}

func (s *supervisor) has(p *proc) bool { _, ok := s.ended[p.id]; return ok }
