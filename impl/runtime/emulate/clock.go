package emulate

import "github.com/domino-check/domino/impl/core"

// event is something that happens at a moment. The order of events is total, and does not depend on
// when they were put into the queue relative to those of other procs.
type event struct {
	at     moment
	number uint64 // of the proc, rising; an event is copied often, so the kind is below it
	item   int32  // in the pool
	proc   core.Proc
}

// numbered is a number with a kind.
func numbered(number uint64, k eventKind) uint64 { return number<<8 | uint64(k) }

func (e *event) kind() eventKind { return eventKind(e.number) }

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

// clock is a queue of events, the earliest first: a heap in which each event has four below it, so
// that it is half as deep as a binary one, and those four are next to each other in memory.
// Invariant: for all i > 0, clock[(i-1)/4] is before clock[i].
type clock []event

// push adds an event.
func (c *clock) push(e event) {
	q := append(*c, e)
	i := len(q) - 1
	for i > 0 {
		up := (i - 1) / 4
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
		down := 4*i + 1
		if down >= len(q) {
			break
		}
		for next := down + 1; next < min(4*i+5, len(q)); next++ {
			if q[next].before(&q[down]) {
				down = next
			}
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
