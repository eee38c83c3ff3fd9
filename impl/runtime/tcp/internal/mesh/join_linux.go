package mesh

import (
	"bytes"
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

// life is what is known of the newest life of a proc that has proven itself or that the owner has
// told of.
type life struct {
	life     trace.Incarnation
	state    state
	wanted   bool  // the owner has called it
	calling  bool  // somebody dials, or will, until it is connected or over
	attempts int   // to dial it that have failed
	err      error // of the last
}

// of is the entry of a proc; the mutex is held.
func (m *Mesh) of(p trace.Proc) *life {
	l := m.lives[p]
	if l == nil {
		l = new(life)
		m.lives[p] = l
	}
	return l
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
	conn.SetDeadline(time.Now().Add(timeout(m.c.Timeout, m.c.Procs, maxDoublings)))
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
	// a duplicate is what two that dial each other meet; the others are nobody's fault, and who has
	// called us tries again
	if m.ctx.Err() == nil && !errors.Is(err, ErrDuplicate) && !errors.Is(err, ErrGone) &&
		!errors.Is(err, ErrElsewhere) {
		m.refuse(Notice{Event: Refused, Proc: theirs.from, Life: theirs.life,
			Address: conn.RemoteAddr().String(), Err: err})
	}
}

// refuse tells of a connection that was refused; of strangers only the first.
func (m *Mesh) refuse(n Notice) {
	if n.Proc != 0 || n.Life != 0 || m.strangers.Add(1) <= toldStrangers {
		m.notify(n)
	}
}

// toldStrangers is how many strangers are told of one by one.
const toldStrangers = 8

// Strangers is how many connections were refused before anything was proven.
func (m *Mesh) Strangers() int { return int(m.strangers.Load()) }

// admit decides about a dialer that has proven the secret. Of two that dial each other the higher
// proc wins.
func (m *Mesh) admit(c card) verdict {
	if int(c.from) >= m.c.Procs || c.from == m.c.Self {
		return fenced
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	l := m.of(c.from)
	switch {
	case c.life < l.life, c.life == l.life && l.state == lost:
		return fenced
	case c.life == l.life && (l.state == joining || l.state == open || l.state == dialing &&
		c.from < m.c.Self):
		return duplicate
	}
	m.claim(l, c.life, joining)
	return admitted
}

// claim notes that an attempt to connect with a life has come so far; the mutex is held. What the
// owner wants of a proc he wants of its next life, too.
func (m *Mesh) claim(l *life, of trace.Incarnation, at state) {
	if l.life != of {
		*l = life{life: of, wanted: l.wanted}
	}
	l.state = at
}

// giveUp ends an attempt to connect with a life, which may try again, unless another attempt has
// come further.
func (m *Mesh) giveUp(p trace.Proc, of trace.Incarnation, at state) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if l := m.of(p); l.life == of && l.state == at {
		l.state = apart
		m.reach(p)
	}
}

// lose fences a life whose link has ended.
func (m *Mesh) lose(p trace.Proc, of trace.Incarnation) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if l := m.of(p); l.life == of {
		l.state = lost
	}
}

// Fence says that all lives of a proc below one are over: none of them is admitted or dialed any
// more, and what the owner wanted of them he wants no more. Links that are open stay.
func (m *Mesh) Fence(p trace.Proc, below trace.Incarnation) {
	if int(p) >= m.c.Procs {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if l := m.of(p); l.life < below {
		*l = life{life: below}
	}
}

// Cut closes the link with a life of a proc below one, if it is open, without waiting for what is
// on its way: its host is off, and would not say that it ends. The owner is told as of any that is
// lost. It is for the owner alone.
func (m *Mesh) Cut(p trace.Proc, below trace.Incarnation) {
	if int(p) < len(m.peers) && m.peers[p] != nil && m.peers[p].life < below {
		m.drop(m.peers[p], Notice{Event: Lost, Err: ErrFenced})
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
	l := m.of(j.proc)
	if l.life != j.life || l.state != joining || m.ctx.Err() != nil {
		j.discard()
		return ErrFenced
	}
	l.state, l.attempts, l.err = open, 0, nil
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
