package program

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// Which operations end in errors when ranks are gone for good, as in MPI with fault tolerance
// [ErrMgr]. A layer says who is gone (core.Failing), what follows is the same for all:
//   - a send to the dead ends in peer-dead, and its message is not sent; one that was executed
//     before is done, whatever becomes of the message;
//   - a receive that names the dead takes what has arrived, then ends in peer-dead;
//   - a receive from anyone takes what has arrived, then ends in pending, because of the first
//     death that the program has not acknowledged;
//   - a posted receive is the same, but its error shows at the wait, as in MPI_Waitall: when no
//     other posted receive is open. One from anyone stays posted, and each death ends one wait;
//   - the first operation on a group with a dead member ends in peer-dead unless what it waits for
//     has arrived, and all later ones in group-broken: whether others are out of it already, a rank
//     can not know. A group is never mended; the program may have another one;
//   - everything among survivors goes on.
//
// A send is executed at once or not at all, so nothing is ever half handed over. A wait is implied
// at the end of a program, and no error of it is seen.

// errorState is what a program knows of errors; it is kept where the program does something with
// it.
type errorState struct {
	_      struct{}     `cbor:",toarray"`
	Failed bool         `json:"failed"` // the last operation that was tried has ended in an error
	Passed uint32       `json:"passed"` // numbers of messages not sent since the last that was
	Acked  int          `json:"acked"`  // so many deaths are acknowledged
	Told   []int        `json:"told"`   // of each posted receive: so many deaths have ended a wait
	Broken []core.Group `json:"broken"` // an operation on them has ended in an error
}

// ending is an error that the operation at hand ends in.
type ending struct {
	err    core.OpError
	peer   core.Rank // who is dead
	posted int       // place of the posted receive, -1 for the operation itself
}

// endings are the errors in which the operation at hand ends now; none if it does not. It changes
// nothing.
func (h *Host) endings() []ending {
	if h.failing == nil {
		return nil
	}
	dead := h.failing.Dead()
	if len(dead) == 0 {
		return nil
	}
	h.sources = h.layer.Sources(h.sources[:0])
	op := core.Op{Kind: core.OpWait}
	if h.app.PC < len(h.program) {
		op = h.program[h.app.PC]
	}
	var e ending
	switch op.Kind {
	case core.OpSend:
		if to, known := h.destination(&op); known && slices.Contains(dead, to) {
			e = ending{core.ErrPeerDead, to, -1}
		}
	case core.OpMulticast, core.OpContribute:
		e = h.broken(op.Group)
	case core.OpRecv:
		if g, group := core.SourceGroup(op.Peer); group && !op.Any && h.knowsBroken(g) {
			e = h.broken(g)
			break
		}
		e = h.unmet(dead, posted{Peer: op.Peer, Any: op.Any}, h.errors.Acked)
	case core.OpWait:
		return h.unmetPosts(dead)
	}
	if e.err == 0 {
		return nil
	}
	e.posted = -1
	return []ending{e}
}

// unmet is the error of a receive: none as long as something that it may take has arrived. So many
// deaths do not end a receive from anyone.
func (h *Host) unmet(dead []core.Rank, p posted, known int) ending {
	if p.Any {
		if len(h.sources) > 0 || known >= len(dead) {
			return ending{}
		}
		return ending{err: core.ErrPending, peer: dead[known]}
	}
	if slices.Contains(h.sources, p.Peer) {
		return ending{}
	}
	if g, group := core.SourceGroup(p.Peer); group {
		return h.broken(g)
	}
	if slices.Contains(dead, p.Peer) {
		return ending{err: core.ErrPeerDead, peer: p.Peer}
	}
	return ending{}
}

// unmetPosts are the errors of a wait, which is over when every posted receive has one.
func (h *Host) unmetPosts(dead []core.Rank) (list []ending) {
	for i, p := range h.app.Posted {
		known := h.errors.Acked
		if h.sees {
			known = max(known, h.errors.Told[i])
		}
		e := h.unmet(dead, p, known)
		if e.err == 0 {
			return nil
		}
		e.posted = i
		list = append(list, e)
	}
	return list
}

// broken is the error of an operation on a group.
func (h *Host) broken(g core.Group) ending {
	dead, broken := h.failing.Broken(g)
	switch {
	case !broken:
		return ending{}
	case h.knowsBroken(g):
		return ending{err: core.ErrGroupBroken, peer: dead}
	}
	return ending{err: core.ErrPeerDead, peer: dead}
}

func (h *Host) knowsBroken(g core.Group) bool { return slices.Contains(h.errors.Broken, g) }

// fail ends the operation at hand in errors. The program's state takes them in, so that a run in
// which it sees others, or sees them elsewhere, ends in another state. A rank that does not want to
// see them stops.
func (h *Host) fail(list []ending, out []core.Effect) []core.Effect {
	a, op := &h.app, core.Op{Kind: core.OpWait}
	if a.PC < len(h.program) {
		op = h.program[a.PC]
	}
	word := trace.OpError
	if !op.Try {
		word = trace.OpFatal
	}
	for _, e := range list {
		out = append(out, core.Effect{Kind: core.Declare, What: trace.Ruled, To: e.peer.Proc(),
			Key: word + " " + h.verb(op, e) + " " + e.err.String()})
	}
	if !op.Try {
		return append(out, core.Effect{Kind: core.Exit})
	}
	for _, e := range slices.Backward(list) { // so that places stay what they are
		h.note(op, e)
	}
	for _, e := range list {
		a.Value = core.Mix(a.Value*31 + core.Mix(uint64(e.err)<<32+uint64(e.peer)+1))
	}
	if sends(op.Kind) {
		h.errors.Passed++
	}
	h.errors.Failed = true
	h.failing.Erred()
	h.advance()
	return out
}

// verb is what has ended in the error. The dead member of a group may have sent other messages,
// which have arrived: so an operation on a group is no receive.
func (h *Host) verb(op core.Op, e ending) string {
	peer, collective := op.Peer, op.Kind == core.OpMulticast || op.Kind == core.OpContribute
	if e.posted >= 0 {
		peer = h.app.Posted[e.posted].Peer
	}
	if _, group := core.SourceGroup(peer); collective || group && e.err != core.ErrPending {
		return "collective"
	}
	return op.Kind.Verb()
}

// note keeps what one error changes.
func (h *Host) note(op core.Op, e ending) {
	peer, group := op.Peer, op.Group
	if e.posted >= 0 {
		p := h.app.Posted[e.posted]
		if p.Any {
			known := &h.errors.Told[e.posted]
			*known = max(*known, h.errors.Acked) + 1
			return
		}
		peer = p.Peer
		h.unpost(e.posted)
	}
	if g, ok := core.SourceGroup(peer); ok && !op.Any {
		group = g
	}
	if group > 0 && !h.knowsBroken(group) {
		h.errors.Broken = append(h.errors.Broken, group)
		slices.Sort(h.errors.Broken)
	}
}

// sends reports whether an operation has the number of a message.
func sends(k core.OpKind) bool {
	return k == core.OpSend || k == core.OpMulticast || k == core.OpContribute
}

// post adds a posted receive, with what a program that sees errors knows of it.
func (h *Host) post(p posted) {
	h.app.Posted = append(h.app.Posted, p)
	if h.sees {
		h.errors.Told = append(h.errors.Told, 0)
	}
}

// unpost takes out the posted receive at a place.
func (h *Host) unpost(i int) {
	h.app.Posted = slices.Delete(h.app.Posted, i, i+1)
	if h.sees {
		h.errors.Told = slices.Delete(h.errors.Told, i, i+1)
	}
}

// passOver goes past what is done after an error only, where there was none. A message that is not
// sent keeps its number.
func (h *Host) passOver() {
	a := &h.app
	for a.PC < len(h.program) && h.program[a.PC].OnError && !h.errors.Failed {
		if sends(h.program[a.PC].Kind) {
			h.errors.Passed++
		}
		a.PC, a.Loops = h.program.Next(a.PC, a.Loops)
	}
}

// tried forgets the error of an operation that was tried before, when the one at hand is.
func (h *Host) tried() {
	if h.app.PC < len(h.program) && h.program[h.app.PC].Try {
		h.errors.Failed = false
	}
}

// deaths is how many deaths the program may know of.
func (h *Host) deaths() int {
	if h.failing == nil {
		return 0
	}
	return max(h.errors.Acked, len(h.failing.Dead()))
}
