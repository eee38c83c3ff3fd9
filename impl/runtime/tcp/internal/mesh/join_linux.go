package mesh

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/domino-check/domino/impl/runtime/tcp/internal/link"
	"github.com/domino-check/domino/spec/trace"
)

// state is how far the connection with the newest known life of a proc is.
type state uint8

const (
	apart   state = iota
	dialing       // we try
	joining       // the handshake has ended well, the owner does not know yet
	open          // the owner has it
	lost          // it was given up: this life can not come back
)

// life is the newest life of a proc that has proven itself.
type life struct {
	life  trace.Incarnation
	state state
}

// joined is a connection that the owner can use.
type joined struct {
	proc   trace.Proc
	life   trace.Incarnation
	fd     int
	memory *link.Memory // nil: none
	maker  bool
}

func (j *joined) discard() {
	unix.Close(j.fd)
	if j.memory != nil {
		j.memory.Close()
	}
}

// greet handles a connection that was accepted.
func (m *Mesh) greet(conn net.Conn) {
	conn.SetDeadline(time.Now().Add(timeoutOr(m.c.Timeout)))
	theirs, err := m.c.accept(conn, m.admit)
	if err == nil {
		var memory *link.Memory
		if memory, err = m.offer(conn); err == nil {
			if err = m.join(conn, theirs, memory, true); err == nil {
				return
			}
		}
		m.giveUp(theirs.from, theirs.life, joining)
	}
	// a duplicate is what two that dial each other meet
	if m.ctx.Err() == nil && !errors.Is(err, ErrDuplicate) {
		m.notify(Notice{Event: Refused, Proc: theirs.from, Life: theirs.life,
			Address: conn.RemoteAddr().String(), Err: err})
	}
}

// admit decides about a dialer that has proven the secret. Of two that dial each other the higher
// proc wins.
func (m *Mesh) admit(c card) verdict {
	if int(c.from) >= m.c.Procs || c.from == m.c.Self {
		return fenced
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	l := &m.lives[c.from]
	switch {
	case c.life < l.life, c.life == l.life && l.state == lost:
		return fenced
	case c.life == l.life && (l.state == joining || l.state == open || l.state == dialing &&
		c.from < m.c.Self):
		return duplicate
	}
	*l = life{c.life, joining}
	return admitted
}

// giveUp ends an attempt to connect with a life, which may try again, unless another attempt has
// come further.
func (m *Mesh) giveUp(p trace.Proc, of trace.Incarnation, at state) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if l := &m.lives[p]; l.life == of && l.state == at {
		l.state = apart
	}
}

// lose fences a life whose link has ended.
func (m *Mesh) lose(p trace.Proc, of trace.Incarnation) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if l := &m.lives[p]; l.life == of {
		l.state = lost
	}
}

// join hands a connection to the owner.
func (m *Mesh) join(conn net.Conn, theirs card, memory *link.Memory, maker bool) error {
	fd, err := detach(conn)
	if err != nil {
		if memory != nil {
			memory.Close()
		}
		return err
	}
	m.tune(conn, fd)
	j := joined{proc: theirs.from, life: theirs.life, fd: fd, memory: memory, maker: maker}
	m.mu.Lock()
	defer m.mu.Unlock()
	if l := &m.lives[j.proc]; l.life != j.life || l.state != joining || m.ctx.Err() != nil {
		j.discard()
		return ErrFenced
	}
	m.lives[j.proc].state = open
	m.inbox = append(m.inbox, j)
	m.ring()
	return nil
}

// detach takes the descriptor out of the runtime's poller, which would otherwise be woken by every
// message.
func detach(conn net.Conn) (int, error) {
	c, ok := conn.(syscall.Conn)
	if !ok {
		return 0, fmt.Errorf("mesh: %T has no descriptor", conn)
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, err
	}
	fd := -1
	if e := raw.Control(func(d uintptr) {
		fd, err = unix.FcntlInt(d, unix.F_DUPFD_CLOEXEC, 0)
	}); e != nil {
		return 0, e
	}
	return fd, errors.Join(err, conn.Close())
}

// tune sets the options of a connection. Each is for speed alone, so that one that the system
// refuses is left as it is.
func (m *Mesh) tune(conn net.Conn, fd int) {
	unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
	switch {
	case m.c.Congestion != "":
		unix.SetsockoptString(fd, unix.IPPROTO_TCP, unix.TCP_CONGESTION, m.c.Congestion)
	case sameHost(conn):
		unix.SetsockoptString(fd, unix.IPPROTO_TCP, unix.TCP_CONGESTION, "reno")
	}
}

// sameHost reports whether a connection stays on this host as far as its addresses tell.
func sameHost(conn net.Conn) bool {
	a, ok := conn.LocalAddr().(*net.TCPAddr)
	b, also := conn.RemoteAddr().(*net.TCPAddr)
	return ok && also && (a.IP.IsLoopback() || a.IP.Equal(b.IP))
}

// The offer of shared memory: where it is, how large its rings are, and what is written in it.
const offerSize = 1 + 3*4 + 32

// offer makes memory and asks the dialer whether it sees it, too; nil if not.
func (m *Mesh) offer(conn net.Conn) (*link.Memory, error) {
	var b [offerSize]byte
	var memory *link.Memory
	if !m.c.Private && sameHost(conn) {
		var err error
		// without memory the connection alone will do
		if memory, err = link.NewMemory(m.c.Ring); err == nil {
			pid, fd := memory.Place()
			b[0] = 1
			binary.LittleEndian.PutUint32(b[1:], uint32(pid))
			binary.LittleEndian.PutUint32(b[5:], uint32(fd))
			binary.LittleEndian.PutUint32(b[9:], uint32(m.c.Ring))
			rand.Read(memory.Proof())
			copy(b[13:], memory.Proof())
			memory.Loan(m.arena, true)
		}
	}
	var answer [1]byte
	_, err := conn.Write(b[:])
	if err == nil {
		_, err = io.ReadFull(conn, answer[:])
	}
	if memory != nil && (err != nil || answer[0] != 1) {
		memory.Close()
		memory = nil
	}
	if memory != nil {
		memory.Borrow(true)
	}
	return memory, err
}

// answer takes an offer.
func (m *Mesh) answer(conn net.Conn) (*link.Memory, error) {
	var b [offerSize]byte
	if _, err := io.ReadFull(conn, b[:]); err != nil {
		return nil, err
	}
	var memory *link.Memory
	if b[0] == 1 && !m.c.Private {
		number := func(at int) int { return int(binary.LittleEndian.Uint32(b[at:])) }
		var err error
		// if it is not here, the connection alone will do
		memory, err = link.OpenMemory(number(1), number(5), number(9))
		if err == nil && !bytes.Equal(memory.Proof(), b[13:]) {
			memory.Close()
			memory = nil
		}
	}
	var yes byte
	if memory != nil {
		yes = 1
		memory.Loan(m.arena, false)
		memory.Borrow(false)
	}
	_, err := conn.Write([]byte{yes})
	if err != nil && memory != nil {
		memory.Close()
		memory = nil
	}
	return memory, err
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

const longestPause = 200 * time.Millisecond

func (m *Mesh) dialUntil(a Address, end time.Time) {
	ctx, cancel := context.WithDeadline(m.ctx, end)
	defer cancel()
	for pause := 5 * time.Millisecond; m.mayDial(a); pause = min(2*pause, longestPause) {
		err := m.dialOnce(ctx, a)
		m.giveUp(a.Proc, a.Life, dialing)
		switch {
		case err == nil || m.ctx.Err() != nil:
			return
		case errors.Is(err, ErrFenced):
			m.notify(Notice{Event: Fenced, Proc: a.Proc, Life: a.Life, Address: a.Host, Err: err})
			return
		}
		if rest(ctx, pause); ctx.Err() != nil {
			if m.ctx.Err() == nil && m.mayDial(a) {
				m.giveUp(a.Proc, a.Life, dialing)
				m.notify(Notice{Event: Unreachable, Proc: a.Proc, Life: a.Life, Address: a.Host,
					Err: err})
			}
			return
		}
	}
}

// mayDial reports whether there is a reason to dial, and notes that we do.
func (m *Mesh) mayDial(a Address) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	l := &m.lives[a.Proc]
	if l.life > a.Life || l.life == a.Life && l.state != apart && l.state != dialing ||
		m.ctx.Err() != nil {
		return false
	}
	if l.life == a.Life || l.state != open && l.state != joining {
		*l = life{a.Life, dialing}
	}
	return true
}

func (m *Mesh) dialOnce(ctx context.Context, a Address) error {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", a.Host)
	if err != nil {
		return err
	}
	defer conn.Close()
	defer closeWith(m.ctx, conn)()
	conn.SetDeadline(time.Now().Add(timeoutOr(m.c.Timeout)))
	theirs, err := m.c.dial(conn, a.Proc)
	if err != nil {
		return err
	}
	memory, err := m.answer(conn)
	if err != nil {
		return err
	}
	if !m.dialed(theirs) {
		if memory != nil {
			memory.Close()
		}
		return ErrDuplicate
	}
	err = m.join(conn, theirs, memory, false)
	if err != nil {
		m.giveUp(theirs.from, theirs.life, joining)
		return ErrDuplicate // a newer life came between; the loop looks again
	}
	return nil
}

// dialed notes that a dial has ended well; it reports false if another connection was faster or a
// newer life is known.
func (m *Mesh) dialed(c card) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	l := &m.lives[c.from]
	if c.life < l.life || c.life == l.life && l.state != dialing && l.state != apart {
		return false
	}
	*l = life{c.life, joining}
	return true
}
