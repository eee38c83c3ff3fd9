package netpipe

import (
	"math"
	"slices"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/frame"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/mesh"
)

// card is a mesh behind a network card of so many bits a second that each process has for itself,
// as on nodes of their own: a message is handed over when its last byte would have left the card,
// one message after the other. Where all processes share a machine, its processors are what a large
// message waits for, and an emulated card is how a protocol is seen that leaves them idle. What
// arrives does not wait for a card: nobody is sent to by two at a time for long.
type card struct {
	*mesh.Mesh
	rate   float64 // bytes a second
	free   time.Time
	queue  []leaving
	queued int
}

// leaving is a message on its way out.
type leaving struct {
	at      time.Time
	to      core.Proc
	kind    frame.Kind
	note    uint8
	extra   []byte
	payload []byte
}

func (c *card) Send(to core.Proc, kind frame.Kind, note uint8, extra, payload []byte) bool {
	if now := time.Now(); c.free.Before(now) {
		c.free = now
	}
	bytes := frame.Size + len(extra) + len(payload)
	c.free = c.free.Add(time.Duration(float64(bytes) / c.rate * 1e9))
	n := len(c.queue)
	c.queue = slices.Grow(c.queue, 1)[:n+1] // with the room of its extra
	l := &c.queue[n]
	l.at, l.to, l.kind, l.note, l.payload = c.free, to, kind, note, payload
	l.extra = append(l.extra[:0], extra...)
	c.queued += bytes
	return true
}

func (c *card) Flush() {
	sent := 0
	for now := time.Now(); sent < len(c.queue) && !c.queue[sent].at.After(now); sent++ {
		l := &c.queue[sent]
		c.Mesh.Send(l.to, l.kind, l.note, l.extra, l.payload)
		c.queued -= frame.Size + len(l.extra) + len(l.payload)
		l.payload = nil
	}
	if sent > 0 {
		rest := c.queue[sent:]
		for i := range rest { // each takes the room of the one that it follows
			rest[i], c.queue[i] = c.queue[i], rest[i]
		}
		c.queue = c.queue[:len(rest)]
	}
	c.Mesh.Flush()
}

func (c *card) MostQueued() int { return c.Mesh.MostQueued() + c.queued }

func (c *card) Borrowed() bool { return len(c.queue) > 0 || c.Mesh.Borrowed() }

// nap is how long to wait for a moment that comes so much later: a process that sleeps does not
// wake up on the microsecond, so not all of it.
func nap(left time.Duration) time.Duration {
	if left > 5*time.Millisecond {
		return left - 3*time.Millisecond
	}
	return min(max(0, left), 100*time.Microsecond)
}

func (c *card) Next(a *mesh.Arrival, limit time.Duration) mesh.What {
	if limit < 0 {
		limit = math.MaxInt64
	}
	for began := time.Now(); ; {
		c.Flush()
		wait := limit
		if len(c.queue) > 0 {
			wait = min(limit, nap(time.Until(c.queue[0].at)))
		}
		what := c.Mesh.Next(a, wait)
		if what != mesh.Nothing || limit == 0 {
			return what
		}
		if passed := time.Since(began); limit < math.MaxInt64 && passed >= limit {
			return what
		}
	}
}
