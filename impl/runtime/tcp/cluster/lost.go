package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/tcp/launch"
)

// Hosts that are lost, with launchers and processes. Whether a host that does not answer is off can
// not be known from outside, so it is made to be (Config.Fence); then what ran there has failed.

// ground is a host, as the supervisor knows it.
type ground struct {
	off      atomic.Bool // nothing runs there, and never will
	fencing  bool
	err      error           // why it may not be off
	waiting  []func(error)   // for the end of the fencing
	failures int             // lives in a row that have ended before they were up
	starter  *launch.Starter // nil: nothing was started there, or it needs no launcher
}

// Bounds of hosts that are lost.
const (
	fenceTime  = 30 * time.Second // of a fence command
	stillborn  = 3                // lives in a row that tell that a host starts nothing any more
	signsALoss = 4                // signs of life in the time after which a host is lost
)

// validateFence reports hosts that are given up without being known to be off.
func (c *Config) validateFence() error {
	launched := slices.ContainsFunc(c.Hosts, func(h Host) bool { return h.Launcher != nil })
	switch {
	case c.LostAfter > 0 && !c.fences():
		return errors.New("cluster: a host that is silent may live on: a fence command must " +
			"switch it off before it counts as lost, or the lease of its processes be over")
	case len(c.Fence) > 0 && !launched:
		return errors.New(
			"cluster: a fence command is for hosts with launchers, and there are none")
	case len(c.Fence) > 0 && c.Bare:
		return errors.New("cluster: a host that is lost is a failure, and a bare run has none")
	case c.LostAfter > 0 && c.LostAfter < leastSilence:
		return fmt.Errorf("cluster: lost after a silence of %v, want at least %v", c.LostAfter,
			leastSilence)
	}
	return nil
}

// beat is the time between two signs of life, at most; 0: nobody listens.
func (c *Config) beat() time.Duration {
	if least := c.LostAfter / signsALoss; c.Silence == 0 || least > 0 && least < c.Silence/4 {
		return least
	}
	return c.Silence / 4
}

// off reports whether a host is known to be off.
func (s *supervisor) off(host int) bool { return len(s.hosts) > 0 && s.hosts[host].off.Load() }

// standing is the host itself, or the next that is not off; ok is false when there is none. All of
// one host move to the same one, so what stays together does.
func (s *supervisor) standing(host int) (at int, ok bool) {
	for i := range s.hosts {
		if at = (host + i) % len(s.hosts); !s.off(at) {
			return at, true
		}
	}
	return host, len(s.hosts) == 0
}

// fence has a host switched off, and goes on with nil when it is, or with the reason why processes
// there may live on.
func (s *supervisor) fence(host int, why string, then func(error)) {
	g, name := s.hosts[host], s.c.Hosts[host].String()
	switch {
	case g.off.Load() || g.err != nil:
		then(g.err)
		return
	case g.fencing:
		g.waiting = append(g.waiting, then)
		return
	}
	g.fencing, g.waiting = true, []func(error){then}
	off := func() error { return s.c.fence(name) }
	if s.c.Lease > 0 {
		end := s.leaseOver(host) // nobody there is answered any more
		off = func() error { return s.outlast(end) }
		s.note("host %s: %s: its leases end", name, why)
	} else {
		s.note("host %s: %s: it is fenced", name, why)
	}
	s.fences.Go(func() {
		err := off()
		s.post(func() {
			if g.fencing, g.err = false, err; err == nil {
				g.off.Store(true)
				s.lose(host)
			}
			for _, then := range g.waiting {
				then(err)
			}
			g.waiting = nil
			s.restart()
		})
	})
}

// fence runs the fence command for a host.
func (c *Config) fence(name string) error {
	ctx, cancel := context.WithTimeout(context.Background(), fenceTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.Fence[0], append(slices.Clone(c.Fence[1:]), name)...)
	cmd.WaitDelay = time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		const most = 600
		out = bytes.TrimSpace(out)
		return fmt.Errorf("host %s may not be off: fence command %s: %w: %s", name, c.Fence[0], err,
			out[max(0, len(out)-most):])
	}
	return nil
}

// lose has all fail that ran on a host that is off. Their locks are not those of anybody any more:
// a file system that other hosts share may keep them for a while.
func (s *supervisor) lose(host int) {
	var chosen []*proc
	for _, p := range s.procs {
		if p.host != host || p.process == nil {
			continue
		}
		p.process.Abandon()
		lock := filepath.Join(storeDir(s.c.Dir, p.id, p.on), "lock")
		if err := os.Remove(lock); err != nil && !errors.Is(err, fs.ErrNotExist) {
			s.stop("", fmt.Errorf("cluster: host %s is lost: %w", s.c.Hosts[host], err))
		}
		group := s.setup.Group(p.id)
		if !p.dying && !slices.ContainsFunc(chosen, func(q *proc) bool {
			return slices.Contains(group, q.id)
		}) {
			chosen = append(chosen, p)
		}
	}
	if s.over || len(chosen) == 0 {
		return
	}
	if _, ok := s.standing(host); !s.live || !ok {
		s.stop("", fmt.Errorf("cluster: host %s is lost, and nothing can go on elsewhere",
			s.c.Hosts[host]))
		return
	}
	s.note("host %s is lost", s.c.Hosts[host])
	s.out.Outside += len(chosen)
	s.crash(chosen, false)
}

// cut are those of procs that have failed of whom nothing comes any more, not even the end of their
// connections: the hosts where they ran are off.
func (s *supervisor) cut(procs []core.Proc) (list []core.Proc) {
	for _, q := range procs {
		if s.off(s.procs[q].host) {
			list = append(list, q)
		}
	}
	return list
}

// watchHosts looks now and then for hosts none of whose processes gives a sign of life.
func (s *supervisor) watchHosts() {
	if s.over || s.ending {
		return
	}
	s.later(s.c.LostAfter/signsALoss, s.watchHosts)
	late := time.Since(s.watched) > s.c.LostAfter/2
	if s.watched = time.Now(); late || !s.live {
		return // it was the supervisor that did nothing: what the others have said waits
	}
	for host := range s.hosts {
		there, silent := 0, 0
		for _, p := range s.procs {
			if p.host == host && s.far(p) && p.process != nil && p.up && !p.dying {
				there++
				if time.Since(p.heard) > s.c.LostAfter && time.Since(p.granted) > s.c.LostAfter {
					silent++
				}
			}
		}
		if there > 0 && silent == there {
			s.fence(host, fmt.Sprintf("no process has been heard of for %v", s.c.LostAfter),
				s.unfenced)
		}
	}
}

// unfenced ends the run when a host could not be switched off.
func (s *supervisor) unfenced(err error) {
	if err != nil {
		s.stop("", fmt.Errorf("cluster: %w", err))
	}
}

// startless notes whether a life behind a launcher has come up, and reports whether its host does
// not start any more.
func (s *supervisor) startless(p *proc, up bool) bool {
	if !s.far(p) || !s.c.fences() {
		return false
	}
	g := s.hosts[p.host]
	if g.failures++; up {
		g.failures = 0
	}
	return g.failures >= stillborn
}
