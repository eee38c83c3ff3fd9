package mesh

import (
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/domino-check/domino/impl/runtime/tcp/internal/buffer"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/link"
	"github.com/domino-check/domino/spec/trace"
)

// ErrUnsupported means that the cluster runtime does not run on this operating system.
var ErrUnsupported = errors.New("the cluster needs linux")

// Supported is an error if the cluster does not run on the operating system, a runtime.GOOS.
func Supported(system string) error {
	if system == "linux" {
		return nil
	}
	return fmt.Errorf("%w: its transport is made of epoll, memfd and signals of linux, and this "+
		"is %s; everything else works here", ErrUnsupported, system)
}

// Config is what a mesh needs.
type Config struct {
	Identity
	Procs    int          // [0, Procs) may connect
	Listener net.Listener // TCP; belongs to the mesh
	Pool     *buffer.Pool // of the owner's thread
	Limit    int          // longest payload accepted; 0 means 1 GiB
	Patience Patience     // the zero value blocks at once

	Private bool // do not share memory, not even with processes of this host
	// let the pool cut large buffers from memory that processes of this host see, so that payloads
	// in them are copied only once; for owners who put back all that they get, see the package
	// comment
	Lend bool
	Ring int // bytes of a ring, a power of two, at least 64 KiB; 0 means 256 KiB
	// congestion control of the connections; "" leaves the system's, except that loopback gets
	// reno, which does not pace
	Congestion string
	// of the first attempt at a handshake; 0: it grows with Procs
	Timeout   time.Duration
	FirstWord time.Duration // for the first bytes of somebody who connects; 0 means 1 s
}

// Patience says how long Next polls, and how long it then polls and yields, before it blocks; and
// for how long then at most without telling the Go scheduler.
//
// To tell it costs two more switches of threads for each message, because the scheduler's monitor
// wakes up, and with several processes a core that is most of the time of a message. The garbage
// collector and the monitor stop such a thread by a signal, which ends the call, so only other
// goroutines lose: a process that runs several meshes must not nap.
type Patience struct{ Poll, Yield, Nap time.Duration }

// nap is long against the pause between two messages of a program, short against a run that has
// nothing to do.
const nap = 10 * time.Millisecond

// PatienceFor is the patience for so many processes on so many cores. With a core for each, polling
// costs nobody anything; with a few processes a core, yielding is still faster than waking up;
// beyond that only blocking is.
func PatienceFor(processes, cores int) Patience {
	switch {
	case processes <= cores:
		return Patience{Poll: 2 * time.Millisecond, Yield: time.Millisecond, Nap: nap}
	case processes <= 8*cores:
		return Patience{Yield: 200 * time.Microsecond, Nap: nap}
	}
	return Patience{Nap: nap}
}

// What says what Next found.
type What uint8

// The answers of Next.
const (
	Nothing  What = iota // within the limit
	Frame                // the arrival is filled
	Notified             // Notice has something to say
	Woken                // Wake was called
)

// Arrival is a frame and the life of the proc that sent it.
type Arrival struct {
	link.Arrival
	From trace.Proc
	Life trace.Incarnation
}

// Event says what a notice is about.
type Event uint8

// The events.
const (
	Up Event = iota + 1 // a life of a proc is connected: Proc, Life
	// its connection broke, or a newer life came: Proc, Life, Err. Only a higher life can come back
	Lost
	Left // it ended its side in order: Proc, Life
	// a connection was not accepted: Address, Err, and Proc and Life if it had proven the secret;
	// of those who have proven nothing, only the first
	Refused
	// a proc could not be dialed until the time was up: Proc, Life, Address, Err
	Unreachable
	// a proc has given up on this life of ours: Proc, Err. There is nothing left to do but stop
	Fenced
)

// String names the event.
func (e Event) String() string {
	return [...]string{"", "up", "lost", "left", "refused", "unreachable", "fenced"}[e]
}

// Notice is something that happened to the mesh.
type Notice struct {
	Event   Event
	Proc    trace.Proc
	Life    trace.Incarnation
	Shared  bool // Up: through shared memory
	Address string
	Err     error
}

// Waiting is a proc that was called and is not connected.
type Waiting struct {
	Proc     trace.Proc
	Life     trace.Incarnation
	Address  string // "" if it is not known
	Attempts int    // that have failed
	Lost     bool   // there was a connection, and it broke
	Err      error  // of the last attempt; nil: none has failed yet
}
