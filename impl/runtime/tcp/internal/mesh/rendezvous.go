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
	Timeout time.Duration                    // of one handshake; 0: it grows with Procs
	// for the first bytes of somebody who connects; 0 means 1 s
	FirstWord time.Duration

	mu    sync.Mutex
	known map[trace.Proc]Address
	all   chan struct{} // closed when all first lives are there
	first []byte        // the table then, as it is sent to each of them
}

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
	a := acceptor{bound: r.Procs + maxHandshakes,
		firstWord: r.FirstWord, refused: refused, handle: func(conn net.Conn) {
			err := r.register(ctx, &id, conn)
			if err != nil && ctx.Err() == nil && !errors.Is(err, ErrGone) {
				refused(conn.RemoteAddr().String(), err)
			}
		}}
	return a.serve(ctx, l)
}

func (r *Rendezvous) register(ctx context.Context, id *Identity, conn net.Conn) error {
	limit := timeout(r.Timeout, r.Procs, maxDoublings)
	conn.SetDeadline(time.Now().Add(limit))
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
		var err error
		if r.first, err = encodeValue(r.table()); err != nil {
			r.mu.Unlock()
			return err
		}
		close(r.all)
	}
	r.mu.Unlock()
	if r.Joined != nil {
		r.Joined(a.Proc, a)
	}
	if a.Life == 0 {
		conn.SetDeadline(time.Time{}) // the others may take their time to start
		select {
		case <-r.all:
		case <-ctx.Done():
			return ctx.Err()
		}
		conn.SetDeadline(time.Now().Add(limit))
		r.mu.Lock()
		first := r.first
		r.mu.Unlock()
		_, err := conn.Write(first)
		return err
	}
	return writeValue(conn, r.Table())
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
	return r.table()
}

// table is Table; the mutex is held.
func (r *Rendezvous) table() []Address {
	var list []Address
	for p := range trace.Proc(r.Procs) {
		if a, ok := r.known[p]; ok {
			list = append(list, a)
		}
	}
	return list
}

// Register tells the rendezvous at the address where this process listens, and returns where the
// others do. Until it has proven itself it tries again when the network fails.
func Register(ctx context.Context, address string, id Identity, listens string) ([]Address, error) {
	var table []Address
	conn, err := id.meet(ctx, address)
	if err == nil {
		defer conn.Close()
		defer closeWith(ctx, conn)()
		err = writeValue(conn, Address{Host: listens})
	}
	if err == nil {
		err = readValue(conn, &table)
	}
	if ctx.Err() != nil && err != nil {
		err = fmt.Errorf("%w: %w", ctx.Err(), err)
	}
	if err != nil {
		return nil, fmt.Errorf("mesh: proc %d inc %d: rendezvous %s: %w", id.Self, id.Life, address,
			err)
	}
	return table, nil
}

// maxMeets bounds the attempts to reach a rendezvous.
const maxMeets = 6

// meet connects with a rendezvous and shakes hands.
func (id *Identity) meet(ctx context.Context, address string) (net.Conn, error) {
	for attempt := 0; ; attempt++ {
		dialer := net.Dialer{Timeout: timeout(0, 0, attempt)}
		conn, err := dialer.DialContext(ctx, "tcp", address)
		if err == nil {
			closing := closeWith(ctx, conn)
			conn.SetDeadline(time.Now().Add(timeout(0, 0, attempt)))
			_, err = id.dial(conn, rendezvousProc)
			if closing(); err == nil {
				conn.SetDeadline(time.Time{}) // the others may take their time to start
				return conn, nil
			}
			conn.Close()
		}
		if ctx.Err() != nil || attempt+1 == maxMeets || errors.Is(err, ErrFenced) ||
			errors.Is(err, ErrDuplicate) || errors.Is(err, ErrOtherRun) ||
			errors.Is(err, ErrSecret) || errors.Is(err, ErrStranger) {
			return nil, err
		}
		pause(ctx, attempt)
	}
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

func encodeValue(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(b))), b...), nil
}

func writeValue(w io.Writer, v any) error {
	b, err := encodeValue(v)
	if err == nil {
		_, err = w.Write(b)
	}
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
