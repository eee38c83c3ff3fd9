package mesh

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/domino-check/domino/impl/runtime/tcp/internal/awake"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/frame"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/link"
	"github.com/domino-check/domino/spec/trace"
)

// direct is the number of connections up to which each is read in turn; beyond that one call asks
// which of them are worth it.
const direct = 2

// checkEvery is how many polls pass between two looks at connections that are not read in turn.
const checkEvery = 2048

// peer is what the owner knows about one proc.
type peer struct {
	proc    trace.Proc
	life    trace.Incarnation
	link    *link.Link
	ready   bool   // the system says that something is there
	paused  bool   // the owner does not want to hear
	left    bool   // it said goodbye
	told    bool   // we did
	failed  bool   // nothing can be written any more
	watched uint32 // events that the system watches for
}

// Mesh is one process's end of all its links.
type Mesh struct {
	c       Config
	peers   []*peer // by proc; nil: not connected
	live    []*peer
	streams int // of them, not through shared memory
	turn    int
	polls   int
	unsent  int  // links that may have something queued
	lending bool // some link may have borrowed a payload
	notices []Notice
	arena   *link.Arena // nil: nothing is lent
	epoll   int
	event   int
	events  [64]unix.EpollEvent

	signal atomic.Bool // the inbox, or wakes, have something
	mu     sync.Mutex
	inbox  []joined
	news   []Notice
	awoken bool
	lives  map[trace.Proc]*life // of those of whom there is something to know
	closed bool

	addresses map[trace.Proc]Address
	dials     chan struct{} // places for attempts to dial
	strangers atomic.Int64  // refused

	cancel context.CancelFunc
	ctx    context.Context
	tasks  sync.WaitGroup
}

// New makes a mesh that accepts connections at once. It must be closed.
func New(c Config) (*Mesh, error) {
	if c.Listener == nil || c.Pool == nil || len(c.Secret) == 0 || c.Procs < 1 ||
		int(c.Self) >= c.Procs {
		return nil, fmt.Errorf("mesh: proc %d of %d: a listener, a pool and a secret are needed",
			c.Self, c.Procs)
	}
	if c.Ring == 0 {
		c.Ring = 256 << 10
	}
	m := &Mesh{c: c, peers: make([]*peer, c.Procs), lives: map[trace.Proc]*life{},
		addresses: map[trace.Proc]Address{}, dials: make(chan struct{}, maxDials), epoll: -1,
		event: -1}
	var err error
	if m.epoll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err == nil {
		if m.event, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err == nil {
			err = unix.EpollCtl(m.epoll, unix.EPOLL_CTL_ADD, m.event,
				&unix.EpollEvent{Events: unix.EPOLLIN, Fd: -1})
		}
	}
	if err != nil {
		m.release()
		return nil, fmt.Errorf("mesh: proc %d: %w", c.Self, err)
	}
	if c.Lend && !c.Private && c.Pool.Source == nil {
		// without it payloads go through the rings
		if m.arena, err = link.NewArena(link.ArenaSize); err == nil {
			c.Pool.Source = m.arena.Cut
		}
	}
	m.ctx, m.cancel = context.WithCancel(context.Background())
	m.tasks.Go(func() {
		refused := func(address string, err error) {
			m.refuse(Notice{Event: Refused, Address: address, Err: err})
		}
		a := acceptor{bound: maxHandshakes, firstWord: c.FirstWord, refused: refused,
			handle: m.greet}
		if err := a.serve(m.ctx, c.Listener); err != nil {
			refused(c.Listener.Addr().String(), err)
		}
	})
	return m, nil
}

// Connected is the life of the proc that is connected now.
func (m *Mesh) Connected(p trace.Proc) (trace.Incarnation, bool) {
	if int(p) >= len(m.peers) || m.peers[p] == nil {
		return 0, false
	}
	return m.peers[p].life, true
}

// Send queues a frame for a proc; it reports false if the proc is not connected, and the frame is
// lost, as it would be on its way. A payload of frame.Large bytes or more must not change while
// Borrowed.
func (m *Mesh) Send(to trace.Proc, kind frame.Kind, note uint8, extra, payload []byte) bool {
	if int(to) >= len(m.peers) {
		return false
	}
	p := m.peers[to]
	if p == nil || p.failed {
		return false
	}
	waited := p.link.Queued() > 0
	if p.link.Send(kind, note, extra, payload); !waited && p.link.Queued() > 0 {
		m.unsent++
	}
	if len(payload) >= frame.Large {
		m.lending = true
	}
	return true
}

// Flush writes what the other sides take. It must follow the Sends of one step.
func (m *Mesh) Flush() {
	if m.unsent == 0 {
		return
	}
	m.unsent = 0
	for _, p := range m.live {
		if p.failed || p.link.Queued() == 0 {
			continue
		}
		if p.link.Flush() != nil {
			p.failed = true // how it ended is what Receive says, after the last frame
		} else if p.link.Queued() > 0 {
			m.unsent++
		}
	}
}

// Queued is how many bytes wait for a proc.
func (m *Mesh) Queued(to trace.Proc) int {
	if p := m.peers[to]; p != nil && !p.failed {
		return p.link.Queued()
	}
	return 0
}

// MostQueued is how many bytes wait for the proc for which most do.
func (m *Mesh) MostQueued() int {
	most := 0
	if m.unsent > 0 {
		for _, p := range m.live {
			if !p.failed {
				most = max(most, p.link.Queued())
			}
		}
	}
	return most
}

// Borrowed reports whether any link has yet to write, or a peer yet to copy, bytes that belong to a
// caller of Send.
func (m *Mesh) Borrowed() bool {
	if m.lending {
		for _, p := range m.live {
			if !p.failed && p.link.Borrowed() > 0 {
				return true
			}
		}
	}
	m.lending = false
	return false
}

// Pause stops or goes on receiving from a proc, so that what it sends stays where it is: in the
// buffers of the connection, and then with the sender.
func (m *Mesh) Pause(p trace.Proc, paused bool) {
	if q := m.peers[p]; q != nil {
		q.paused = paused
	}
}

// Notice is the next notice, if there is one.
func (m *Mesh) Notice() (Notice, bool) {
	if len(m.notices) == 0 {
		return Notice{}, false
	}
	n := m.notices[0]
	if m.notices = m.notices[1:]; len(m.notices) == 0 {
		m.notices = nil
	}
	return n, true
}

// Wake makes Next return Woken once. Any goroutine may call it, until Close returns.
func (m *Mesh) Wake() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.awoken = true
	m.ring()
}

// notify tells the owner something from another goroutine.
func (m *Mesh) notify(n Notice) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.news = append(m.news, n)
	m.ring()
}

// ring makes the owner look; the mutex is held.
func (m *Mesh) ring() {
	if m.closed || m.signal.Swap(true) {
		return
	}
	var one = [8]byte{1}
	unix.Write(m.event, one[:]) // it can only fail when it is full of such news
}

// absorb takes what other goroutines have left.
func (m *Mesh) absorb() (woken bool) {
	m.mu.Lock()
	m.signal.Store(false)
	inbox, news := m.inbox, m.news
	m.inbox, m.news = nil, nil
	woken, m.awoken = m.awoken, false
	var count [8]byte
	unix.Read(m.event, count[:])
	m.mu.Unlock()
	m.notices = append(m.notices, news...)
	for _, j := range inbox {
		m.open(j)
	}
	return woken
}

// open begins to use a connection. The link of an older life of the same proc ends here.
func (m *Mesh) open(j joined) {
	m.mu.Lock()
	over := m.of(j.proc).life > j.life // fenced since
	m.mu.Unlock()
	if over {
		j.discard()
		return
	}
	if p := m.peers[j.proc]; p != nil {
		m.drop(p, Notice{Event: Lost, Err: ErrFenced})
		if p.left { // that was told
			m.notices = m.notices[:len(m.notices)-1]
		}
	}
	c := link.Config{Pool: m.c.Pool, Limit: m.c.Limit, Self: uint32(m.c.Life), Peer: uint32(j.life)}
	p := &peer{proc: j.proc, life: j.life, watched: unix.EPOLLIN}
	m.peers[j.proc] = p
	if j.memory != nil {
		p.link = link.NewShared(j.fd, j.memory, j.maker, c)
	} else {
		p.link = link.NewStream(j.fd, c)
		m.streams++
	}
	m.live = append(m.live, p)
	if err := unix.EpollCtl(m.epoll, unix.EPOLL_CTL_ADD, j.fd,
		&unix.EpollEvent{Events: p.watched, Fd: int32(j.proc)}); err != nil {
		m.drop(p, Notice{Event: Lost, Err: err})
		return
	}
	m.notices = append(m.notices, Notice{Event: Up, Proc: j.proc, Life: j.life,
		Shared: p.link.Shared()})
}

// drop ends the link to a peer and tells the owner why.
func (m *Mesh) drop(p *peer, n Notice) {
	for i, q := range m.live {
		if q == p {
			m.live = append(m.live[:i], m.live[i+1:]...)
			break
		}
	}
	if !p.link.Shared() {
		m.streams--
	}
	p.link.Close() // the error of a descriptor that goes away tells nothing
	m.peers[p.proc] = nil
	m.lose(p.proc, p.life)
	n.Proc, n.Life = p.proc, p.life
	m.notices = append(m.notices, n)
}

// ended handles the end of a link.
func (m *Mesh) ended(p *peer, err error) {
	if errors.Is(err, link.ErrBye) {
		p.left = true
		m.notices = append(m.notices, Notice{Event: Left, Proc: p.proc, Life: p.life})
		return
	}
	m.drop(p, Notice{Event: Lost, Err: err})
}

// Gather waits until the procs are connected, at most so long. Nothing is received meanwhile: what
// they send early stays in their connections. It fails when one of them can not be reached or is
// lost. Other notices are kept for the owner.
func (m *Mesh) Gather(procs []trace.Proc, limit time.Duration) error {
	var kept []Notice
	defer func() {
		for _, p := range m.live {
			p.paused = false
		}
		m.notices = append(kept, m.notices...)
	}()
	var waited awake.Clock
	missing := func(p trace.Proc) bool { _, ok := m.Connected(p); return !ok && p != m.c.Self }
	for {
		first := slices.IndexFunc(procs, missing)
		if first < 0 && len(m.notices) == 0 {
			return nil
		}
		var a Arrival
		w := m.Next(&a, min(awake.Look, max(0, limit-waited.Passed())))
		if w == Nothing && first >= 0 && waited.Passed() >= limit {
			return fmt.Errorf("mesh: proc %d inc %d: proc %d did not come in %v", m.c.Self,
				m.c.Life, procs[first], limit)
		}
		for n, ok := m.Notice(); ok; n, ok = m.Notice() {
			switch kept = append(kept, n); n.Event {
			case Up:
				m.Pause(n.Proc, true)
			case Lost, Left, Unreachable, Fenced:
				if slices.Contains(procs, n.Proc) {
					return errors.Join(fmt.Errorf("mesh: proc %d inc %d: proc %d inc %d is %s",
						m.c.Self, m.c.Life, n.Proc, n.Life, n.Event), n.Err)
				}
			}
		}
	}
}

// Close ends the mesh in order: what is queued is written, goodbyes are exchanged with all that are
// there, for at most so long. It then lets go of everything and waits for its goroutines. With no
// time at all it ends as a crash would, without a goodbye.
func (m *Mesh) Close(limit time.Duration) {
	m.c.Patience = Patience{}
	var a Arrival
	for end := time.Now().Add(limit); m.talking() && time.Now().Before(end); {
		m.leave()
		m.Flush()
		wait := time.Until(end)
		if m.Borrowed() {
			wait = min(wait, time.Millisecond) // a peer that copies what it was lent rings no bell
		}
		if m.Next(&a, wait) == Frame && a.Payload != nil {
			m.c.Pool.Put(a.Payload)
		}
		m.notices = nil
	}
	for len(m.live) > 0 {
		m.drop(m.live[0], Notice{Event: Left})
	}
	m.cancel()
	m.tasks.Wait()
	m.mu.Lock()
	for _, j := range m.inbox {
		j.discard()
	}
	m.inbox, m.closed = nil, true
	m.mu.Unlock()
	m.release()
}

// leave says goodbye to all that have not heard it, also to who came after Close had begun: two
// that only then are connected would wait for each other's until the limit.
func (m *Mesh) leave() {
	for _, p := range m.live {
		if !p.failed && !p.told {
			p.told, p.paused = true, false
			m.Send(p.proc, frame.Bye, 0, nil, nil)
		}
	}
}

// talking reports whether anyone is still owed something or has not said goodbye.
func (m *Mesh) talking() bool {
	for _, p := range m.live {
		if !p.failed && (p.link.Queued() > 0 || p.link.Borrowed() > 0 || !p.left) {
			return true
		}
	}
	return false
}

func (m *Mesh) release() {
	if m.arena != nil {
		m.arena.Close()
	}
	for _, fd := range []int{m.event, m.epoll} {
		if fd >= 0 {
			unix.Close(fd)
		}
	}
}
