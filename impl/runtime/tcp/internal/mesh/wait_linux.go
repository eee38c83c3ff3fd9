package mesh

import (
	"math"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// eager is how often Next polls before it looks at the clock, which costs as much as several polls
// of shared memory.
const eager = 64

// Next returns the next frame or says what else happened. It waits at most so long, not at all if
// the limit is zero, for ever if it is negative. Frames of one proc come in the order in which they
// were sent; procs take turns.
func (m *Mesh) Next(a *Arrival, limit time.Duration) What {
	patient := m.c.Patience.Poll > 0 || m.c.Patience.Yield > 0
	if w := m.poll(a, patient || limit == 0); w != Nothing || limit == 0 {
		return w
	}
	if m.c.Patience.Poll > 0 {
		for range eager {
			if w := m.poll(a, true); w != Nothing {
				return w
			}
		}
	}
	if limit < 0 {
		limit = math.MaxInt64
	}
	began := time.Now()
	for n := 1; ; n++ {
		// the clock costs as much as a poll of shared memory
		if m.c.Patience.Poll > 0 && n%16 != 0 {
			if w := m.poll(a, true); w != Nothing {
				return w
			}
			continue
		}
		passed := time.Since(began)
		ask := true
		switch {
		case passed >= limit && n > 1:
			return Nothing
		case passed < m.c.Patience.Poll:
		case passed < m.c.Patience.Poll+m.c.Patience.Yield:
			unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
		default:
			m.block(limit - passed)
			ask = false
		}
		if w := m.poll(a, ask); w != Nothing {
			return w
		}
	}
}

// poll looks once at everything, without waiting. It asks the system which connections are worth
// it, if there are many, unless that is known.
func (m *Mesh) poll(a *Arrival, ask bool) What {
	if m.signal.Load() && m.absorb() {
		return Woken
	}
	if len(m.notices) > 0 {
		return Notified
	}
	if m.unsent > 0 {
		m.Flush()
	}
	if m.polls++; ask && (m.streams > direct || m.polls%checkEvery == 0) {
		m.ask(0)
	}
	for range m.live {
		if m.turn++; m.turn >= len(m.live) {
			m.turn = 0
		}
		p := m.live[m.turn]
		if p.paused || p.left || m.streams > direct && !p.ready && !p.link.Shared() {
			continue
		}
		ok, err := p.link.Receive(&a.Arrival)
		switch {
		case ok:
			a.From, a.Life = p.proc, p.life
			p.ready = !p.link.Dry()
			return Frame
		case err != nil:
			m.ended(p, err)
			return Notified
		default:
			p.ready = false
		}
	}
	return Nothing
}

// ask asks the system which connections have something, waiting so many milliseconds at most, and
// notes the answer.
func (m *Mesh) ask(timeout int) {
	n, short := 0, min(timeout, int(m.c.Patience.Nap/time.Millisecond))
	if timeout == 0 || short > 0 {
		count, _, errno := unix.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(m.epoll),
			uintptr(unsafe.Pointer(&m.events[0])), uintptr(len(m.events)), uintptr(short), 0, 0)
		if errno != 0 {
			return // interrupted
		}
		n = int(count)
	}
	if n == 0 && timeout > short {
		var err error
		if n, err = unix.EpollWait(m.epoll, m.events[:], timeout-short); err != nil {
			return // interrupted
		}
	}
	for _, e := range m.events[:n] {
		if e.Fd < 0 {
			continue // the signal says it, too
		}
		p := m.peers[e.Fd]
		if p == nil {
			continue
		}
		p.ready = true
		if p.link.Shared() && p.link.Attend() != nil {
			m.watch(p, 0) // the end would be reported for ever while frames are still in the ring
		}
	}
}

// block waits in the system until something is there.
func (m *Mesh) block(limit time.Duration) {
	quiet := true
	for _, p := range m.live {
		if p.left && (p.failed || p.link.Queued() == 0) {
			m.watch(p, 0)
			continue
		}
		if p.link.Shared() {
			quiet = p.link.Doze(!p.paused && !p.left) && quiet
			continue
		}
		var events uint32
		if !p.paused && !p.left {
			events = unix.EPOLLIN
		}
		if p.link.Queued() > 0 && !p.failed {
			events |= unix.EPOLLOUT
		}
		m.watch(p, events)
	}
	if quiet && !m.signal.Load() {
		// rounded up, and no wait is for ever: so long is as good
		m.ask(int(min((limit-1)/time.Millisecond+1, math.MaxInt32)))
	}
	for _, p := range m.live {
		if p.link.Shared() {
			p.link.Wake()
		}
	}
}

// watch changes what the system watches for on a connection. With nothing to watch for, the
// connection leaves the set, because its end would still be reported, again and again.
func (m *Mesh) watch(p *peer, events uint32) {
	operation := unix.EPOLL_CTL_MOD
	switch {
	case p.watched == events:
		return
	case events == 0:
		operation = unix.EPOLL_CTL_DEL
	case p.watched == 0:
		operation = unix.EPOLL_CTL_ADD
	}
	p.watched = events
	// a valid descriptor: this can not fail
	unix.EpollCtl(m.epoll, operation, p.link.Descriptor(),
		&unix.EpollEvent{Events: events, Fd: int32(p.proc)})
}
