package world

import (
	"errors"
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// ErrMatching says that a rank of a failure-free run has done what its program does not say: then
// nothing that is compared with such runs means anything.
var ErrMatching = errors.New("the failure-free runs of the program are no runs of it")

// Both the ranks under test and those of the failure-free runs, with which they are compared, are
// interpreted by one piece of code (impl/program). What follows says again what a program means,
// from its text alone: it shares nothing with that code, and the failure-free runs are held against
// it (Oracle).

// request is one receive that is open.
type request struct {
	peer  core.Rank
	any   bool
	sends uint32 // that come before it in the program
}

// reader goes through the operations of a rank as its deliveries let it.
type reader struct {
	ops    []core.Op
	at     int
	sends  uint32    // the number of the last message sent
	passed uint32    // numbers behind it of messages that are sent after an error only
	posted []request // in the order of posting
}

// run passes what does not wait.
func (r *reader) run() {
	for ; r.at < len(r.ops); r.at++ {
		op := &r.ops[r.at]
		if op.OnError { // nothing ends in an error
			r.passed += sends(op)
			continue
		}
		switch op.Kind {
		case core.OpRecv:
			return
		case core.OpWait:
			if len(r.posted) > 0 {
				return
			}
		case core.OpPost:
			r.posted = append(r.posted, request{op.Peer, op.Any, r.sends})
		default:
			if sends(op) > 0 {
				r.sends, r.passed = r.sends+r.passed+1, 0
			}
		}
	}
}

// sends is how many messages an operation has the number of.
func sends(op *core.Op) uint32 {
	switch op.Kind {
	case core.OpSend, core.OpMulticast, core.OpContribute:
		return 1
	}
	return 0
}

// take completes the first open receive that the source fits, in the order of the program; it says
// how many sends come before that one.
func (r *reader) take(source core.Rank) (sends uint32, ok bool) {
	for i, q := range r.posted {
		if q.any || q.peer == source {
			r.posted = append(r.posted[:i:i], r.posted[i+1:]...)
			return q.sends, true
		}
	}
	if r.at < len(r.ops) && r.ops[r.at].Kind == core.OpRecv &&
		(r.ops[r.at].Any || r.ops[r.at].Peer == source) {
		r.at++
		return r.sends, true
	}
	return 0, false
}

// mismatch says why what a rank has sent and delivered is no part of a run of its program, or "":
// a message goes to the receive that was opened first among those that it fits, each channel keeps
// its order, and nothing is sent before the receives that come before it are complete. Programs of
// kernels decide for themselves what they do, and are not judged.
func mismatch(l *trace.Layout, programs []core.Program, rank core.Rank, h *trace.History) string {
	if p := programs[rank]; len(p) > 0 && p[0].Kind == core.OpBegin {
		return ""
	}
	r := reader{ops: programs[rank].Unrolled()}
	last := map[core.Rank]uint32{}
	least := uint32(0)
	for _, d := range h.Delivered {
		source := d.ID.From
		if c, collective := l.Collectives[d.ID]; collective {
			source = core.Group(c.Tree + 1).Source()
		} else if d.ID.Number <= last[source] {
			return fmt.Sprintf("%s is delivered behind a later message of its channel",
				l.Label(d.ID))
		}
		last[source] = max(last[source], d.ID.Number)
		r.run()
		sends, ok := r.take(source)
		if !ok {
			return fmt.Sprintf("%s is delivered, and no open receive takes it: matched in the "+
				"order of posting, what came before leaves none", l.Label(d.ID))
		}
		least = max(least, sends)
	}
	r.run()
	switch {
	case h.Sent < least || h.Sent > r.sends:
		return fmt.Sprintf("%d messages are sent, its program sends %d to %d with these "+
			"deliveries", h.Sent, least, r.sends)
	case h.Done && (r.at < len(r.ops) || len(r.posted) > 0 || h.Sent != r.sends):
		return "it has ended before its program"
	}
	return ""
}
