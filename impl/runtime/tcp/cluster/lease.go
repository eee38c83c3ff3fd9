package cluster

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Leases, where there is no command that switches a host off. A process behind a launcher may live
// for so long (Config.Lease) since it has last asked and was answered, and the kernel kills it when
// that is over: it does not need to run for that, nor to be heard of, only the clock of its host to
// go on as fast as others. It counts from when it has asked, the supervisor from when it has heard
// that, which is later. So when the supervisor has not answered for so long and a little more,
// nothing runs there.

// Bounds of leases.
const (
	// so often is one asked for while it lasts: a few questions may be late
	asksALease = 8
	// by so much of it the clocks of two hosts may go apart meanwhile, and a kernel be late
	leaseSlack = 8
	leastLease = 200 * time.Millisecond
)

// validateLease reports leases that nobody has, or that are over before they are renewed.
func (c *Config) validateLease() error {
	switch {
	case c.Lease == 0:
		return nil
	case len(c.Fence) > 0:
		return errors.New("cluster: a fence command switches a host off, with a lease its " +
			"processes end by themselves: give one of them")
	case c.Lease < leastLease:
		return fmt.Errorf("cluster: a lease of %v is over before it is renewed, want at least %v",
			c.Lease, leastLease)
	case c.Bare:
		return errors.New("cluster: a host that is lost is a failure, and a bare run has none")
	case !slices.ContainsFunc(c.Hosts, func(h Host) bool { return h.Launcher != nil }):
		return errors.New("cluster: a lease is for hosts with launchers, and there are none")
	}
	return nil
}

// fences reports whether a host that does not answer can be made to be off.
func (c *Config) fences() bool { return len(c.Fence) > 0 || c.Lease > 0 }

// leaseOf is the lease of a life that is about to start, which has none yet; 0: it needs none.
func (s *supervisor) leaseOf(p *proc) time.Duration {
	if p.granted = (time.Time{}); !s.far(p) {
		return 0
	}
	return s.c.Lease
}

// takes takes what a life says. Its question for a lease means that it lives, not that it does
// anything.
func (s *supervisor) takes(p *proc, a answer) {
	if a.Kind == saidLease {
		s.leased(p, a.Serial)
		return
	}
	s.hear(p, a)
}

// leased answers a process that asks for its lease, unless its host is given up.
func (s *supervisor) leased(p *proc, serial uint64) {
	if s.over || s.c.Lease == 0 || s.off(p.host) || s.hosts[p.host].fencing {
		return
	}
	p.granted = time.Now()
	_ = p.process.Tell(order{Kind: sayLease, Serial: serial})
}

// leaseOver is when no process of a host that is given up can live any more. None of them is
// answered since.
func (s *supervisor) leaseOver(host int) (end time.Time) {
	for _, p := range s.procs {
		if p.host == host && p.granted.After(end) {
			end = p.granted
		}
	}
	return end.Add(s.c.Lease + s.c.Lease/leaseSlack)
}

// outlast waits until a time, or until the run is over, and reports which.
func (s *supervisor) outlast(end time.Time) error {
	timer := time.NewTimer(time.Until(end))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-s.closed:
		return errors.New("the run has ended before the leases were over")
	}
}

// lease is that of a life.
type lease struct {
	length time.Duration
	clock  func() time.Duration      // of the timer that
	kill   func(time.Duration) error // ends this process then
	first  chan struct{}             // closed when there is one
	done   chan struct{}

	mu     sync.Mutex
	serial uint64
	asked  map[uint64]time.Duration // when
	err    error
}

// lease begins to ask, and returns when there is one. Until then nothing may be done.
func (l *life) lease() (stop func(), err error) {
	if l.in.Lease == 0 {
		return func() {}, nil
	}
	k, err := newKiller()
	if err != nil {
		return nil, fmt.Errorf("lease: %w", err)
	}
	e := &lease{length: l.in.Lease, clock: k.now, kill: k.killAt, first: make(chan struct{}),
		done: make(chan struct{}), asked: map[uint64]time.Duration{}}
	l.mu.Lock()
	l.leased = e
	l.mu.Unlock()
	tick := time.NewTicker(e.length / asksALease)
	l.tasks.Go(func() {
		defer tick.Stop()
		for {
			l.encode(answer{Kind: saidLease, Serial: e.ask()})
			select {
			case <-tick.C:
			case <-e.done:
				return
			}
		}
	})
	select {
	case <-e.first:
		if err := e.failed(); err != nil {
			close(e.done)
			return nil, fmt.Errorf("lease: %w", err)
		}
		return func() { close(e.done) }, nil
	case <-time.After(joinTimeout):
		close(e.done)
		return nil, fmt.Errorf("lease: the supervisor has not answered for %v", joinTimeout)
	}
}

// ask notes that a lease is asked for now.
func (e *lease) ask() (serial uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.serial++
	e.asked[e.serial] = e.clock()
	return e.serial
}

// granted has the kernel kill this process when the lease is over that it has asked for then. An
// older answer says nothing new.
func (e *lease) granted(serial uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	at, ok := e.asked[serial]
	if !ok {
		return
	}
	for k := range e.asked {
		if k <= serial {
			delete(e.asked, k)
		}
	}
	if err := e.kill(at + e.length); err != nil && e.err == nil {
		e.err = err
	}
	select {
	case <-e.first:
	default:
		close(e.first)
	}
}

// failed is why the kernel does not end this process.
func (e *lease) failed() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.err
}
