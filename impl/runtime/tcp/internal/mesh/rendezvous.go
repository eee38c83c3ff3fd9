package mesh

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/domino-check/domino/spec/trace"
)

// Address is where one life of a proc listens.
type Address struct {
	Proc trace.Proc        `json:"proc"`
	Life trace.Incarnation `json:"life"`
	Host string            `json:"host"` // host:port
}

// Rendezvous is where processes whose ports the system chooses find each other. First lives wait
// until all are there; a later life gets the addresses that are known at once.
type Rendezvous struct {
	Identity Identity
	Procs    int // [0, Procs) are expected
	// called, from any goroutine, for every connection that is refused; may be nil
	Refused func(address string, err error)
	Joined  func(proc trace.Proc, a Address) // likewise for each registration; may be nil
	Timeout time.Duration                    // of one handshake; 0 means 5 s

	mu    sync.Mutex
	known map[trace.Proc]Address
	all   chan struct{} // closed when all first lives are there
}

const defaultTimeout = 5 * time.Second

// maxHandshakes bounds the handshakes that an acceptor carries on at one time; more wait in the
// system's queue.
const maxHandshakes = 64

// Serve answers until the context ends; it closes the listener and returns when every connection is
// closed.
func (r *Rendezvous) Serve(ctx context.Context, l net.Listener) error {
	r.known, r.all = map[trace.Proc]Address{}, make(chan struct{})
	id := r.Identity
	id.Self = rendezvousProc
	refused := r.Refused
	if refused == nil {
		refused = func(string, error) {}
	}
	// first lives keep their place until all are there
	return serve(ctx, l, r.Procs+maxHandshakes, refused, func(conn net.Conn) {
		if err := r.register(ctx, &id, conn); err != nil && ctx.Err() == nil {
			refused(conn.RemoteAddr().String(), err)
		}
	})
}

// afterError is how long an acceptor rests when it can not accept, mostly for want of descriptors.
const afterError = 50 * time.Millisecond

// serve accepts connections until the context ends and handles a bounded number at one time. It
// goes on after errors, which it tells, unless somebody else closes the listener.
func serve(ctx context.Context, l net.Listener, bound int, refused func(string, error),
	handle func(net.Conn)) error {
	defer l.Close()
	defer closeWith(ctx, l)()
	var handlers sync.WaitGroup
	defer handlers.Wait()
	slots := make(chan struct{}, bound)
	for {
		slots <- struct{}{}
		conn, err := l.Accept()
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, net.ErrClosed):
			return fmt.Errorf("mesh: accept: %w", err)
		default:
			refused(l.Addr().String(), fmt.Errorf("mesh: accept: %w", err))
			rest(ctx, afterError)
			<-slots
			continue
		}
		handlers.Go(func() {
			defer func() { <-slots }()
			closing := closeWith(ctx, conn)
			handle(conn)
			closing()
			conn.Close()
		})
	}
}

// closeWith closes something when the context ends. The function that it returns, to be called
// once, ends that; what was being closed is closed then.
func closeWith(ctx context.Context, c io.Closer) (stop func()) {
	closed := make(chan struct{})
	forget := context.AfterFunc(ctx, func() {
		c.Close()
		close(closed)
	})
	return func() {
		if !forget() {
			<-closed
		}
	}
}

// rest waits, unless the context ends.
func rest(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

func (r *Rendezvous) register(ctx context.Context, id *Identity, conn net.Conn) error {
	conn.SetDeadline(time.Now().Add(timeoutOr(r.Timeout)))
	theirs, err := id.accept(conn, r.judge)
	if err != nil {
		return err
	}
	var a Address
	if err := readValue(conn, &a); err != nil {
		return err
	}
	a.Proc, a.Life = theirs.from, theirs.life
	r.mu.Lock()
	if old, ok := r.known[a.Proc]; ok && old.Life > a.Life {
		r.mu.Unlock()
		return ErrFenced
	}
	before := len(r.known)
	r.known[a.Proc] = a
	if before < r.Procs && len(r.known) == r.Procs {
		close(r.all)
	}
	r.mu.Unlock()
	if r.Joined != nil {
		r.Joined(a.Proc, a)
	}
	if a.Life == 0 {
		conn.SetDeadline(time.Time{}) // others may take their time to start
		select {
		case <-r.all:
		case <-ctx.Done():
			return ctx.Err()
		}
		conn.SetDeadline(time.Now().Add(timeoutOr(r.Timeout)))
	}
	return writeValue(conn, r.Table())
}

func timeoutOr(d time.Duration) time.Duration {
	if d == 0 {
		return defaultTimeout
	}
	return d
}

func (r *Rendezvous) judge(c card) verdict {
	r.mu.Lock()
	defer r.mu.Unlock()
	old, ok := r.known[c.from]
	switch {
	case int(c.from) >= r.Procs, ok && c.life < old.Life:
		return fenced
	case ok && c.life == old.Life:
		return duplicate
	}
	return admitted
}

// Table is the newest address of every proc that has registered, by number.
func (r *Rendezvous) Table() []Address {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []Address
	for p := range trace.Proc(r.Procs) {
		if a, ok := r.known[p]; ok {
			list = append(list, a)
		}
	}
	return list
}

// Register tells the rendezvous at the address where this process listens, and returns where the
// others do.
func Register(ctx context.Context, address string, id Identity, listens string) ([]Address, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("mesh: proc %d inc %d: rendezvous: %w", id.Self, id.Life, err)
	}
	defer conn.Close()
	defer closeWith(ctx, conn)()
	var table []Address
	_, err = id.dial(conn, rendezvousProc)
	if err == nil {
		err = writeValue(conn, Address{Host: listens})
	}
	if err == nil {
		err = readValue(conn, &table)
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("mesh: proc %d inc %d: rendezvous %s: %w", id.Self, id.Life, address,
			err)
	}
	return table, nil
}

// Below is the part of a list that a first life dials: whoever has a lower number. The others dial
// it.
func Below(list []Address, self trace.Proc) []Address {
	var below []Address
	for _, a := range list {
		if a.Proc < self {
			below = append(below, a)
		}
	}
	return below
}

// maxValue bounds what a rendezvous and a process say to each other.
const maxValue = 1 << 20

func writeValue(w io.Writer, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(len(b))), b...))
	return err
}

func readValue(r io.Reader, v any) error {
	var n [4]byte
	if _, err := io.ReadFull(r, n[:]); err != nil {
		return err
	}
	length := binary.LittleEndian.Uint32(n[:])
	if length > maxValue {
		return fmt.Errorf("%w: %d bytes, at most %d", ErrStranger, length, maxValue)
	}
	b := make([]byte, length)
	if _, err := io.ReadFull(r, b); err != nil {
		return err
	}
	return json.Unmarshal(b, v)
}
