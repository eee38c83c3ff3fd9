package mesh

import (
	"context"
	"errors"
	"net"
	"slices"
	"time"

	"github.com/domino-check/domino/impl/runtime/tcp/internal/link"
	"github.com/domino-check/domino/spec/trace"
)

// Learn notes where lives of procs listen. An address of a life that is over is not believed, and
// who has been called is dialed as soon as there is an address.
func (m *Mesh) Learn(list []Address) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, a := range list {
		if a.Proc == m.c.Self || int(a.Proc) >= m.c.Procs {
			continue
		}
		if old, ok := m.addresses[a.Proc]; ok && old.Life > a.Life {
			continue
		}
		m.addresses[a.Proc] = a
		if l := m.lives[a.Proc]; l != nil && l.life < a.Life && l.state != open {
			m.claim(l, a.Life, apart) // what we try with the life before is of no use
		}
		m.reach(a.Proc)
	}
}

// Call asks for a connection with a proc: with the newest of its lives whose address is known, or
// gets known. It is tried until there is one, or the life is fenced. To call once more changes
// nothing.
func (m *Mesh) Call(p trace.Proc) {
	if p == m.c.Self || int(p) >= m.c.Procs {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if l := m.of(p); !l.wanted {
		l.wanted = true
		m.reach(p)
	}
}

// reach dials a proc that was called, if that makes sense and nobody does; the mutex is held.
func (m *Mesh) reach(p trace.Proc) {
	l := m.of(p)
	a, known := m.addresses[p]
	if !l.wanted || l.calling || !known || a.Life < l.life || l.life == a.Life &&
		l.state != apart || m.ctx.Err() != nil {
		return
	}
	if l.life < a.Life {
		m.claim(l, a.Life, apart)
	}
	l.calling = true
	m.tasks.Go(func() {
		m.dialUntil(a, time.Time{})
		m.mu.Lock()
		defer m.mu.Unlock()
		if l := m.of(p); l.life == a.Life {
			l.calling = false
			m.reach(p) // what made us stop may have come to nothing meanwhile
		}
	})
}

// Waiting lists the procs that were called and are not connected, by number.
func (m *Mesh) Waiting() (list []Waiting) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for p, l := range m.lives {
		if !l.wanted || l.state == open {
			continue
		}
		w := Waiting{Proc: p, Life: l.life, Attempts: l.attempts, Err: l.err,
			Lost: l.state == lost}
		if a, ok := m.addresses[p]; ok && a.Life >= l.life {
			w.Address = a.Host
		}
		list = append(list, w)
	}
	slices.SortFunc(list, func(a, b Waiting) int { return int(a.Proc) - int(b.Proc) })
	return list
}

// Unsent is how many bytes a proc that is connected has not taken, as far as that can be told.
func (m *Mesh) Unsent(p trace.Proc) int {
	if q := m.peers[p]; q != nil {
		return q.link.Unsent()
	}
	return 0
}

// Address is where the newest life of a proc listens, "" if that is not known.
func (m *Mesh) Address(p trace.Proc) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.addresses[p].Host
}

// Dial connects with the procs in the list, trying again for so long; what becomes of each is told
// by notices. Procs that are connected, or known by a newer life, are left alone, and so is this
// process itself.
func (m *Mesh) Dial(list []Address, limit time.Duration) {
	for _, a := range list {
		if a.Proc != m.c.Self && int(a.Proc) < m.c.Procs {
			m.tasks.Go(func() { m.dialUntil(a, time.Now().Add(limit)) })
		}
	}
}

// dialUntil tries to connect with a life until somebody has, there is no reason any more, or it is
// too late; the zero time is never.
func (m *Mesh) dialUntil(a Address, end time.Time) {
	ctx, cancel := m.ctx, context.CancelFunc(func() {})
	if !end.IsZero() {
		ctx, cancel = context.WithDeadline(ctx, end)
	}
	defer cancel()
	for attempt := 0; m.mayDial(a); attempt++ {
		err := m.attempt(ctx, a, attempt)
		switch {
		case err == nil || m.ctx.Err() != nil:
			return
		case errors.Is(err, ErrFenced):
			m.notify(Notice{Event: Fenced, Proc: a.Proc, Life: a.Life, Address: a.Host, Err: err})
			return
		}
		if pause(ctx, attempt); ctx.Err() != nil {
			if m.ctx.Err() == nil && m.mayDial(a) {
				m.notify(Notice{Event: Unreachable, Proc: a.Proc, Life: a.Life, Address: a.Host,
					Err: err})
			}
			return
		}
	}
}

// attempt dials once, when there is a place to do so, if there is still a reason.
func (m *Mesh) attempt(ctx context.Context, a Address, number int) error {
	select {
	case m.dials <- struct{}{}:
		defer func() { <-m.dials }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if !m.begin(a) {
		return nil
	}
	err := m.dialOnce(ctx, a, number)
	m.mu.Lock()
	if l := m.of(a.Proc); err != nil && l.life == a.Life {
		l.attempts, l.err = l.attempts+1, err
		if errors.Is(err, ErrFenced) {
			l.state = lost // it does not want this life of ours
		} else if l.state == dialing {
			l.state = apart
		}
	}
	m.mu.Unlock()
	return err
}

// mayDial reports whether there is a reason to dial.
func (m *Mesh) mayDial(a Address) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.needs(a)
}

// needs is mayDial; the mutex is held.
func (m *Mesh) needs(a Address) bool {
	l := m.of(a.Proc)
	return m.ctx.Err() == nil && l.life <= a.Life &&
		(l.life < a.Life || l.state == apart || l.state == dialing)
}

// begin notes that we dial, if there is still a reason. A link with an older life that is open
// stays until the new one proves itself.
func (m *Mesh) begin(a Address) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.needs(a) {
		return false
	}
	if l := m.of(a.Proc); l.life == a.Life || l.state != open && l.state != joining {
		m.claim(l, a.Life, dialing)
	}
	return true
}

func (m *Mesh) dialOnce(ctx context.Context, a Address, attempt int) error {
	limit := timeout(m.c.Timeout, m.c.Procs, attempt)
	conn, err := (&net.Dialer{Timeout: limit}).DialContext(ctx, "tcp", a.Host)
	if err != nil {
		return err
	}
	defer conn.Close()
	defer closeWith(m.ctx, conn)()
	conn.SetDeadline(time.Now().Add(limit))
	theirs, err := m.c.dial(conn, a.Proc)
	if err != nil {
		return err
	}
	memory, err := m.answer(conn)
	if err != nil {
		return err
	}
	return m.dialed(conn, theirs, memory)
}

// dialed joins a connection whose handshake has ended well, unless another was faster or a newer
// life is known.
func (m *Mesh) dialed(conn net.Conn, theirs card, memory *link.Memory) error {
	m.mu.Lock()
	l := m.of(theirs.from)
	ours := theirs.life > l.life || theirs.life == l.life && (l.state == dialing ||
		l.state == apart)
	if ours {
		m.claim(l, theirs.life, joining)
	}
	m.mu.Unlock()
	if !ours {
		if memory != nil {
			memory.Close()
		}
		return ErrDuplicate
	}
	if err := m.join(conn, theirs, memory, false); err != nil {
		m.giveUp(theirs.from, theirs.life, joining)
		return ErrDuplicate // a newer life came between; the loop looks again
	}
	return nil
}
