package node

import (
	"errors"
	"fmt"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/buffer"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/frame"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/mesh"
)

// ErrRollback means that the machine asks for a restart of its proc from stable storage.
var ErrRollback = errors.New("the machine asks to be restarted")

// HaltError is the typed answer with which a machine gave up.
type HaltError struct{ Reason string }

// Error implements error.
func (e *HaltError) Error() string { return "the machine gave up: " + e.Reason }

// Store is the stable storage of a proc. What was put is stable when Commit has returned without an
// error; with ErrFull it was refused, by Commit all that was put since the last one.
type Store interface {
	Put(key string, value []byte) error
	Delete(key string) error
	Commit() error
	// Get reads a record back that is stable: none, a good one or a torn one.
	Get(key string) ([]core.Record, error)
}

// ErrFull is the answer of a store that has no room, to a machine that can be told (core.Refused).
var ErrFull = errors.New("the store is full")

// Transport is the mesh, as far as a node needs it.
type Transport interface {
	Send(to core.Proc, kind frame.Kind, note uint8, extra, payload []byte) bool
	Flush()
	MostQueued() int
	Borrowed() bool
	Pause(p core.Proc, paused bool)
	Next(a *mesh.Arrival, limit time.Duration) mesh.What
	Notice() (mesh.Notice, bool)
}

// Config is what a node needs.
type Config struct {
	Proc       core.Proc
	Life       core.Incarnation
	Procs      int // of the setup, also those that are not connected
	Machine    core.Machine
	NewMessage func() core.Message
	Mesh       Transport
	Pool       *buffer.Pool
	// nil: whatever is persisted is stable at once, and lost with the process
	Store Store
	// what happened to connections; an error ends the turn with it. nil: ignored
	Notices func(mesh.Notice) error
	// every step, before it is taken. nil: nobody
	Before func(kind core.InputKind, from core.Proc, timer string)
	// every step, before its effects are performed; nothing may be kept. nil: nobody
	Observe func(in *core.Input, effects []core.Effect) error
	// how many messages a send to a group is by its tree (trace.Layout.Edges). nil: no groups
	Edges func(core.MsgID) int
	// every effect, before it is performed; an error ends the step there. nil: nobody
	Perform func(e *core.Effect) error

	// a message that the machine ignores comes again when it has changed; for small machines
	Keep bool
	Set  bool // and one that was sent is never sent again
	// nothing happens by itself: messages, writes and timers wait until somebody asks, see Take
	Held       bool
	Tick       time.Duration // of the machine's timers; 0 means 1 ms
	OutLimit   int           // bytes; 0 means 1 MiB
	InLimit    int           // bytes a source; 0 means 16 MiB
	StuckAfter time.Duration // 0 means 100 ms
}

// Counts is what a node has done.
type Counts struct {
	// of the machine; data messages sent in the fixed layout; messages sent by the codec
	Steps, Frames, Encoded uint64
	Bytes                  uint64 // payloads sent in the fixed layout
	Header                 uint64 // protocol headers sent with them
	Lost                   uint64 // messages for procs that are not connected
	Logged                 uint64 // bytes kept in logs
	Coded                  uint64 // bytes of messages sent by the codec
	Sends                  uint64 // of the program, to groups along their trees
	Payload                uint64 // bytes that the program has sent, to groups likewise
	Carried                uint64 // bytes that the protocol has put on messages of the program
	Logs, LogBytes         uint64 // payloads that the machine says to have logged, and their bytes
	LogUnknown             uint64 // of those: payloads whose size nobody here knows
}

// Node drives one machine. One thread uses it.
type Node struct {
	c        Config
	recycler core.Recycler // nil: bytes are never used again
	delivers bool          // there is a program that takes payloads
	memory   memory
	advance  core.Input   // Advance, and Received of the scratch: always the same ones, see step
	receive  core.Input   //
	due      []core.Input // inputs that wait: they come before anything new
	unsure   int          // from here on, those of writes that are not committed
	out      []core.Effect
	choices  []core.Choice
	turn     int
	header   []byte
	later    later
	framed   core.Framed // scratch for arriving data messages; nil: the protocol has none
	arrival  mesh.Arrival
	sources  []source
	paused   bool // some source is
	timers   []timer
	done     bool
	counts   Counts
	keep     keeper
	held     held
	payload  core.MsgID // that the program has sent or a message has brought last
	size     int        // of it
}

// source is what has arrived from a proc in data messages and is not delivered.
type source struct {
	bytes, messages int
	paused          bool
}

// timer is one that was set.
type timer struct {
	at   time.Time
	name string
}

// New makes a node. The first input, Start or Restore, must come by Input.
func New(c Config) (*Node, error) {
	if c.Machine == nil || c.NewMessage == nil || c.Mesh == nil || c.Pool == nil || c.Procs < 1 {
		return nil,
			fmt.Errorf(
				"node: proc %d: a machine, its messages, a mesh, a pool and a number of procs are "+
					"needed", c.Proc)
	}
	def := func(value *int, otherwise int) {
		if *value == 0 {
			*value = otherwise
		}
	}
	def(&c.OutLimit, 1<<20)
	def(&c.InLimit, 16<<20)
	if c.Tick == 0 {
		c.Tick = time.Millisecond
	}
	if c.StuckAfter == 0 {
		c.StuckAfter = 100 * time.Millisecond
	}
	n := &Node{c: c, keep: keeper{on: c.Keep, set: c.Set}, sources: make([]source, c.Procs),
		memory: memory{pool: c.Pool, mesh: c.Mesh}}
	n.framed, _ = c.NewMessage().(core.Framed)
	n.advance.Kind = core.Advance
	if n.receive.Kind = core.Received; n.framed != nil {
		n.receive.Message = n.framed
	}
	n.drive(c.Machine)
	return n, nil
}

// drive lends memory to the protocol of the machine, if it knows what to do with it.
func (n *Node) drive(m core.Machine) {
	n.c.Machine = m
	_, hosted := m.(interface{ Layer() core.Layer })
	n.delivers = hosted || core.HistoryOf(m) != nil
	if n.recycler = core.RecyclerOf(m); n.recycler != nil {
		n.recycler.UseMemory(&n.memory)
	}
	n.memory.recycler = n.recycler
}

// Restart drives another machine from now on, the next life of the same proc: after ErrRollback.
// What the former life waited for is gone with it, messages to itself and timers included; what
// others have sent it, and it them, is still on its way. The first input, Restore, must come by
// Input.
func (n *Node) Restart(m core.Machine, life core.Incarnation) {
	n.sendLater()
	n.Release()
	n.memory.direct = false
	n.due, n.timers, n.done, n.c.Life = nil, nil, false, life
	n.held.writes = nil
	n.hearAll()
	clear(n.sources)
	n.drive(m)
}

// Done reports whether the program has ended. Its protocol may still be needed by others.
func (n *Node) Done() bool { return n.done }

// Idle reports whether the machine can do nothing before it hears from others.
func (n *Node) Idle() bool {
	n.choices = n.c.Machine.Choices(n.choices[:0])
	return len(n.choices) == 0 && len(n.timers) == 0 && len(n.due) == 0 && len(n.later.list) == 0
}

// Counts is what the node has done so far.
func (n *Node) Counts() Counts {
	n.counts.Logged = n.memory.kept
	return n.counts
}

// Release gives back everything that the machine keeps, at the end of its life in this process.
func (n *Node) Release() {
	n.memory.finish()
	n.later, n.memory.borrowed = later{}, false // lost, like what is on its way
	n.memory.direct = !n.c.Mesh.Borrowed()
	if n.recycler != nil {
		n.recycler.Release()
	}
	n.memory.end()
	n.memory.reclaim()
}

// Buffers is where a program gets the bytes that it sends and gives back those that it received.
// What it has sent is used again once it is written and in no log.
func (n *Node) Buffers() *Buffers { return (*Buffers)(&n.memory) }

// Input gives the machine an event of the environment: Start, Restore, Down, Checkpoint.
func (n *Node) Input(in core.Input) error {
	if err := n.step(&in); err != nil {
		return err
	}
	return n.dueInputs()
}

// Turn gives the machine one thing to do, and waits for it at most so long (for ever if the limit
// is negative); it reports whether there was anything.
func (n *Node) Turn(limit time.Duration) (bool, error) {
	if n.turn++; len(n.timers) > 0 && n.turn%64 == 0 {
		if fired, err := n.fire(); fired || err != nil {
			return fired, err
		}
	}
	n.choices = n.c.Machine.Choices(n.choices[:0])
	if len(n.choices) == 0 {
		n.hearAll()
		return n.listen(limit)
	}
	if n.c.Mesh.MostQueued() > n.c.OutLimit {
		return n.stopped(limit)
	}
	if n.turn%16 == 0 { // a program that never waits must hear, too
		if heard, err := n.listen(0); heard || err != nil {
			return heard, err
		}
	}
	choice := n.choices[0]
	if len(n.choices) > 1 { // a division costs as much as all of this
		choice = n.choices[n.turn%len(n.choices)]
	}
	if n.advance.Choice != choice {
		n.advance.Choice = choice
	}
	if err := n.step(&n.advance); err != nil {
		return true, err
	}
	return true, n.dueInputs()
}

// stopped listens while the program may not go on because a peer is slow.
func (n *Node) stopped(limit time.Duration) (bool, error) {
	queued := n.c.Mesh.MostQueued()
	patient := limit < 0 || limit > n.c.StuckAfter
	if patient {
		limit = n.c.StuckAfter
	}
	heard, err := n.listen(min(limit, time.Millisecond))
	if heard || err != nil || n.c.Mesh.MostQueued() < queued {
		return true, err
	}
	if heard, err = n.listen(limit); heard || err != nil || n.c.Mesh.MostQueued() < queued {
		return true, err
	}
	if patient {
		n.hearAll() // perhaps everybody waits for everybody
	}
	return false, nil
}

// listen takes one thing from the mesh.
func (n *Node) listen(limit time.Duration) (bool, error) {
	if len(n.timers) > 0 && limit != 0 {
		if fired, err := n.fire(); fired || err != nil {
			return fired, err
		}
		if next := max(0, time.Until(n.timers[0].at)); limit < 0 || next < limit {
			limit = next
		}
	}
	if len(n.memory.waiting) > 0 {
		n.memory.reclaim()
	}
	what := mesh.Nothing
	if len(n.later.list) > 0 {
		what = n.idleLater()
	}
	// the log's copies, as long as nothing comes
	for len(n.memory.copies) > 0 && what == mesh.Nothing {
		if what = n.c.Mesh.Next(&n.arrival, 0); what == mesh.Nothing {
			n.memory.work(slice)
		}
	}
	if what == mesh.Nothing {
		what = n.c.Mesh.Next(&n.arrival, limit)
	}
	switch what {
	case mesh.Frame:
		return true, n.received(&n.arrival)
	case mesh.Notified:
		for notice, ok := n.c.Mesh.Notice(); ok; notice, ok = n.c.Mesh.Notice() {
			if err := n.notice(notice); err != nil {
				return true, err
			}
		}
		return true, nil
	case mesh.Woken:
		return true, nil
	}
	return false, nil
}

func (n *Node) notice(notice mesh.Notice) error {
	if notice.Event == mesh.Up || notice.Event == mesh.Lost {
		n.sources[notice.Proc] = source{}
	}
	if n.c.Notices == nil {
		return nil
	}
	return n.c.Notices(notice)
}

// received gives the machine a message.
func (n *Node) received(a *mesh.Arrival) error {
	in := &n.receive
	switch a.Header.Kind {
	case frame.Data:
		if n.framed == nil {
			return fmt.Errorf(
				"node: proc %d inc %d: from %d inc %d: a data frame, which this protocol does "+
					"not have", n.c.Proc, n.c.Life, a.From, a.Life)
		}
		if err := n.framed.ParseHeader(a.Extra, a.From); err != nil {
			return fmt.Errorf("node: proc %d inc %d: from %d inc %d: %w", n.c.Proc, n.c.Life,
				a.From, a.Life, err)
		}
		content := n.framed.Content()
		content.Data = a.Payload
		if r, ok := n.framed.(core.Relayed); n.delivers && !content.ID.IsZero() &&
			!(ok && r.Relayed()) {
			n.arrived(a)
		}
		n.payload, n.size = content.ID, len(a.Payload)
	case frame.Control:
		m := n.c.NewMessage()
		err := core.Decode(a.Payload, m)
		n.c.Pool.Put(a.Payload)
		if err != nil {
			return fmt.Errorf("node: proc %d inc %d: from %d inc %d: %w", n.c.Proc, n.c.Life,
				a.From, a.Life, err)
		}
		if f, ok := m.(core.Framed); ok {
			n.payload, n.size = f.Content().ID, len(f.Content().Data)
		}
		in = &core.Input{Kind: core.Received, From: a.From, Message: m}
	default:
		if a.Payload != nil {
			n.c.Pool.Put(a.Payload)
		}
		return nil // a beat: that it came is all
	}
	if in.From != a.From {
		in.From = a.From
	}
	if err := n.step(in); err != nil {
		return err
	}
	return n.dueInputs()
}

// arrived counts a payload that is not delivered yet, and pauses a source that is too fast.
func (n *Node) arrived(a *mesh.Arrival) {
	s := &n.sources[a.From]
	s.messages++
	if s.bytes += len(a.Payload); s.bytes > n.c.InLimit && !s.paused {
		s.paused, n.paused = true, true
		n.c.Mesh.Pause(a.From, true)
	}
}

// left counts a payload that was delivered or dropped.
func (n *Node) left(from core.Proc, bytes int) {
	if int(from) >= len(n.sources) {
		return
	}
	s := &n.sources[from]
	if s.messages == 0 {
		return // it came by the codec
	}
	if s.messages--; s.messages == 0 {
		s.bytes = 0
	} else if s.bytes -= bytes; s.bytes < 0 {
		s.bytes = 0
	}
	if s.paused && s.bytes <= n.c.InLimit/2 {
		s.paused = false
		n.c.Mesh.Pause(from, false)
	}
}

// hearAll ends every pause.
func (n *Node) hearAll() {
	if !n.paused {
		return
	}
	n.paused = false
	for p := range n.sources {
		if s := &n.sources[p]; s.paused {
			s.paused = false
			n.c.Mesh.Pause(core.Proc(p), false)
		}
	}
}

// fire gives the machine the timers whose time has come.
func (n *Node) fire() (bool, error) {
	now := time.Now()
	fired := false
	for len(n.timers) > 0 && !n.timers[0].at.After(now) {
		name := n.timers[0].name
		n.timers = append(n.timers[:0], n.timers[1:]...)
		fired = true
		if err := n.step(&core.Input{Kind: core.Tick, Timer: name}); err != nil {
			return true, err
		}
	}
	return fired, n.dueInputs()
}

// dueInputs gives the machine what its own effects have caused, and what it has ignored before they
// did.
func (n *Node) dueInputs() error {
	for {
		for len(n.due) > 0 {
			in := n.due[0]
			if n.due = n.due[1:]; len(n.due) == 0 {
				n.due = nil
			}
			if err := n.step(&in); err != nil {
				return err
			}
		}
		if !n.keep.changed || len(n.keep.ignored) == 0 {
			return nil
		}
		if err := n.offer(); err != nil {
			return err
		}
	}
}
