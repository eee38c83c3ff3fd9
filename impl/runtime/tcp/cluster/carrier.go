package cluster

import (
	"encoding/binary"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/buffer"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/frame"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/mesh"
	"github.com/domino-check/domino/spec/processes"
)

// clock is never behind the time of day, and always behind nothing that it has heard of.
type clock uint64

// tick is the next reading.
func (c *clock) tick() uint64 {
	*c = max(*c+1, clock(time.Now().UnixNano()))
	return uint64(*c)
}

// hear takes a reading of somebody else into account.
func (c *clock) hear(other uint64) { *c = max(*c, clock(other)) }

const clockBytes = 8

// transport is the mesh as far as a carrier needs it.
type transport interface {
	Send(to core.Proc, kind frame.Kind, note uint8, extra, payload []byte) bool
	Flush()
	MostQueued() int
	Borrowed() bool
	Pause(p core.Proc, paused bool)
	Next(a *mesh.Arrival, limit time.Duration) mesh.What
	Notice() (mesh.Notice, bool)
	Connected(p core.Proc) (core.Incarnation, bool)
	Call(p core.Proc)
	Fence(p core.Proc, below core.Incarnation)
	Cut(p core.Proc, below core.Incarnation)
}

// carrier is the mesh as the node of a life sees it. It puts the clock and the number of known
// failures on each frame, calls those who are not there and keeps what is sent to them, and keeps
// back what knows more failures than we do.
type carrier struct {
	mesh    transport
	pool    *buffer.Pool
	clock   *clock
	epoch   uint64
	gone    []int         // by proc: lives that are over, and drained
	peers   []*connection // by proc; nil: none
	held    int           // bytes that wait for those who are not there
	early   int           // connections with something that came early
	opened  int           // connections, in all
	nothing bool          // of what the dead had sent is heard when it is known that they are
	refused func(mesh.Notice)
	marks   *marks // nil: nobody asks
	extra   []byte
}

// connection is what we have with one proc.
type connection struct {
	up             bool // and what had waited is sent: the mesh may have it open before we know
	life           int
	sent, received uint64
	held           []packet
	lost           bool          // it broke, and nobody has said that the life is over
	early          *mesh.Arrival // it knows of a failure that we do not know of yet
	earlyAt        uint64        // its clock
	paused         bool          // what the node wants
	deaf           bool          // what still comes is as if it had not been sent
}

// packet is a frame that waits.
type packet struct {
	kind           frame.Kind
	note           uint8
	extra, payload []byte
}

// fence says who is over before the life begins.
func (c *carrier) fence() {
	for q, gone := range c.gone {
		if gone > 0 {
			c.mesh.Fence(core.Proc(q), core.Incarnation(gone))
		}
	}
}

// with is the connection with a proc.
func (c *carrier) with(q core.Proc) *connection {
	if c.peers[q] == nil {
		c.peers[q] = new(connection)
	}
	return c.peers[q]
}

func (c *carrier) Send(to core.Proc, kind frame.Kind, note uint8, extra, payload []byte) bool {
	at := c.clock.tick()
	c.extra = binary.LittleEndian.AppendUint64(append(c.extra[:0], extra...), at)
	c.marks.add(processes.Mark{What: processes.Put, Peer: to, Clock: at, Epoch: c.epoch})
	p := c.peers[to]
	if p == nil || !p.up {
		if p = c.with(to); len(p.held) == 0 {
			c.mesh.Call(to)
		}
		c.held += len(payload)
		p.held = append(p.held, packet{kind, uint8(c.epoch), append([]byte(nil), c.extra...),
			append([]byte(nil), payload...)})
		return true
	}
	p.sent++
	return c.mesh.Send(to, kind, uint8(c.epoch), c.extra, payload)
}

// up sends what has waited for a proc.
func (c *carrier) up(n mesh.Notice) {
	p := c.with(n.Proc)
	c.forget(p)
	p.sent, p.received, p.lost = 0, 0, false
	c.mesh.Pause(n.Proc, p.paused)
	if p.up = int(n.Life) >= c.gone[n.Proc]; !p.up {
		return
	}
	c.opened++
	p.life = int(n.Life)
	for _, k := range p.held {
		p.sent++
		c.held -= len(k.payload)
		c.mesh.Send(n.Proc, k.kind, k.note, k.extra, k.payload)
	}
	p.held = nil
	c.mesh.Flush()
}

// forget gives up what came early.
func (c *carrier) forget(p *connection) {
	if p.early != nil {
		if p.early.Payload != nil {
			c.pool.Put(p.early.Payload)
		}
		p.early = nil
		c.early--
	}
}

// dying is the news of a failure, before all that comes from the dead is taken.
func (c *carrier) dying(procs []core.Proc) {
	for _, q := range procs {
		if c.nothing {
			c.with(q).deaf = true
			c.forget(c.with(q))
		}
	}
}

// cut closes what is open with procs that have failed and whose hosts are off: what has not arrived
// never will, and no end of a connection says so.
func (c *carrier) cut(procs []core.Proc) {
	for _, q := range procs {
		c.with(q).deaf = true
		c.forget(c.with(q))
		c.mesh.Cut(q, core.Incarnation(c.gone[q]+1))
	}
}

// over is the failure of procs: what was sent to them so far is lost, and nothing of those lives is
// taken any more, by whatever connection.
func (c *carrier) over(procs []core.Proc, epoch uint64) {
	for _, q := range procs {
		c.gone[q]++
		c.mesh.Fence(q, core.Incarnation(c.gone[q]))
		p := c.peers[q]
		if p == nil {
			continue // there never was anything
		}
		for _, k := range p.held {
			c.held -= len(k.payload)
		}
		c.forget(p)
		c.peers[q] = nil
	}
	c.epoch = epoch
}

// open are those of the procs of whose lives that are about to be over something may come. It is
// evidence of what drained has found, from the mesh alone.
func (c *carrier) open(procs []core.Proc) (list []core.Proc) {
	for _, q := range procs {
		if life, ok := c.mesh.Connected(q); ok && int(life) <= c.gone[q] {
			list = append(list, q)
		}
	}
	return list
}

// drained reports whether all was taken that came from the lives of procs that are over.
func (c *carrier) drained(procs []core.Proc) bool {
	for _, q := range procs {
		if life, ok := c.mesh.Connected(q); ok && int(life) <= c.gone[q] {
			c.mesh.Pause(q, false) // the end of a connection is behind all that came
			return false
		}
	}
	return true
}

func (c *carrier) Next(a *mesh.Arrival, limit time.Duration) mesh.What {
	for {
		if c.early > 0 && c.release(a) {
			return mesh.Frame
		}
		what := c.mesh.Next(a, limit)
		if what != mesh.Frame {
			return what
		}
		p := c.with(a.From)
		n := len(a.Extra) - clockBytes
		// what is behind an early frame comes only from the dead, when they are drained
		if n < 0 || int(a.Life) < c.gone[a.From] || p.early != nil || p.deaf {
			if a.Payload != nil {
				c.pool.Put(a.Payload)
			}
			continue // as if it had not been sent
		}
		at := binary.LittleEndian.Uint64(a.Extra[n:])
		c.clock.hear(at)
		a.Extra = a.Extra[:n]
		if int8(a.Header.Note-uint8(c.epoch)) > 0 {
			early := *a
			early.Extra = append([]byte(nil), a.Extra...)
			p.early, p.earlyAt = &early, at
			c.early++
			c.mesh.Pause(a.From, true)
			continue
		}
		c.took(a, at)
		return what
	}
}

// took counts a frame that the node is given.
func (c *carrier) took(a *mesh.Arrival, at uint64) {
	c.peers[a.From].received++
	known := c.epoch + uint64(int64(int8(a.Header.Note-uint8(c.epoch)))) // of its sender
	c.marks.add(processes.Mark{What: processes.Took, Peer: a.From, Life: a.Life, Clock: at,
		Epoch: known})
}

// release hands out a frame that came early, when we know what it knows.
func (c *carrier) release(a *mesh.Arrival) bool {
	for q, p := range c.peers {
		if p == nil || p.early == nil || int8(p.early.Header.Note-uint8(c.epoch)) > 0 {
			continue
		}
		*a = *p.early
		p.early = nil
		c.early--
		c.took(a, p.earlyAt)
		c.mesh.Pause(core.Proc(q), p.paused)
		return true
	}
	return false
}

func (c *carrier) Pause(q core.Proc, paused bool) {
	p := c.with(q)
	p.paused = paused
	c.mesh.Pause(q, paused || p.early != nil)
}

func (c *carrier) Flush() { c.mesh.Flush() }

func (c *carrier) MostQueued() int { return max(c.mesh.MostQueued(), c.held) }

func (c *carrier) Borrowed() bool { return c.mesh.Borrowed() }

func (c *carrier) Notice() (mesh.Notice, bool) {
	n, ok := c.mesh.Notice()
	if ok && n.Event == mesh.Up {
		c.up(n)
	} else if ok && n.Event == mesh.Lost {
		p := c.with(n.Proc)
		if p.paused = false; p.up && p.life == int(n.Life) {
			p.up, p.lost = false, true
		}
	} else if ok {
		c.refused(n)
	}
	return n, ok
}

// status is what is known of each connection over which something went, or is to go.
func (c *carrier) status() (list []peer) {
	for q, p := range c.peers {
		if p == nil || !p.up && !p.lost && len(p.held) == 0 {
			continue
		}
		k := peer{Proc: core.Proc(q), Life: -1, Sent: p.sent, Received: p.received,
			Held: len(p.held), Lost: p.lost}
		if p.up {
			k.Life = p.life
		}
		list = append(list, k)
	}
	return list
}
