package emulate

import (
	"time"

	"github.com/domino-check/domino/impl/core"
)

// event is something that happens at a moment. The order of events is total, and does not depend on
// when they were put into the queue relative to those of other procs.
type event struct {
	at     time.Duration
	proc   core.Proc
	kind   eventKind
	number uint64 // of the proc, rising
	item   int32  // in the pool
}

// eventKind says what an event is.
type eventKind uint8

const (
	arrive eventKind = iota // item: an input is there
	leave                   // item: the message leaves its sender
	card                    // item: the first byte of bulk is at the card of the addressee
	work                    // the proc has done what it has begun
	ready                   // item: somebody starts the proc
	stop                    // item: somebody stops the proc
	stable                  // item: a write or read of the proc is done
	call                    // item: of whoever watches the run
)

// before is the order of events.
func (e *event) before(f *event) bool {
	switch {
	case e.at != f.at:
		return e.at < f.at
	case e.proc != f.proc:
		return e.proc < f.proc
	}
	return e.number < f.number
}

// clock is a queue of events, the earliest first: a binary heap.
type clock []event

// push adds an event.
func (c *clock) push(e event) {
	q := append(*c, e)
	i := len(q) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !e.before(&q[up]) {
			break
		}
		q[i] = q[up]
		i = up
	}
	q[i] = e
	*c = q
}

// pop takes the earliest event.
func (c *clock) pop() event {
	q := *c
	first, last := q[0], q[len(q)-1]
	q = q[:len(q)-1]
	*c = q
	i := 0
	for {
		down := 2*i + 1
		if down >= len(q) {
			break
		}
		if down+1 < len(q) && q[down+1].before(&q[down]) {
			down++
		}
		if !q[down].before(&last) {
			break
		}
		q[i] = q[down]
		i = down
	}
	if len(q) > 0 {
		q[i] = last
	}
	return first
}
