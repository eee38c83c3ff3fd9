package core

import (
	"fmt"
	"slices"
)

// OpError is an error that an operation of a program ends in, as in MPI: the operation is over, the
// rank is not. Where a program does not say that it wants to see it (Op.Try), the rank stops, and
// whoever runs the job decides what that means.
type OpError uint8

// The errors.
const (
	// ErrPeerDead: the rank that the operation names, or a member of its group, is gone for good.
	ErrPeerDead OpError = iota + 1
	// ErrPending: a receive from anyone waits, and somebody who may have been going to send is gone
	// for good. A posted receive stays posted.
	ErrPending
	// ErrGroupBroken: an operation on the group has ended in ErrPeerDead before.
	ErrGroupBroken
)

// String is the word of evidence.
func (e OpError) String() string {
	return [...]string{"", "peer-dead", "pending", "group-broken"}[e]
}

// Failing is a Layer under which operations of its program may end in errors. It only says who is
// gone; which operations that ends, and how, is the same for every protocol (package program).
//
// Dead and Broken say nothing as long as the layer holds its program, and change nothing. What they
// have said once is true as long as the past of the program survives.
type Failing interface {
	Layer
	// Dead lists the ranks that are gone for good, in the order in which the layer was told; it
	// grows at the end only. Of whoever is listed nothing more arrives: what has, can be received.
	Dead() []Rank
	// Broken names a member of the group that is gone for good: the first in Dead.
	Broken(Group) (dead Rank, broken bool)
	// Erred is called when the program has seen an error: what it does from now on depends on when
	// that was, as after a receive.
	Erred()
}

// Sees reports whether the program does anything with errors, so that a rank has to keep what it
// has seen of them.
func (p Program) Sees() bool { return slices.ContainsFunc(p, Op.sees) }

func (op Op) sees() bool {
	return op.Try || op.OnError || op.Kind == OpAcknowledge || op.Kind == OpCancel
}

// Blind is the program as it runs where no operation ends in an error: nothing is tried, and what
// it would do after one, and the numbers of messages in it, are not there.
func (p Program) Blind() Program {
	if !p.Sees() {
		return p
	}
	var blind Program
	for _, op := range p {
		if op.OnError || op.Kind == OpAcknowledge {
			continue
		}
		op.Try = false
		blind = append(blind, op)
	}
	return blind
}

// verbs are what operations are called in evidence and in the text form of a program.
var verbs = map[OpKind]string{OpSend: "send", OpRecv: "recv", OpPost: "post", OpWait: "wait",
	OpCheckpoint: "checkpoint", OpOutput: "output", OpLoop: "loop", OpEnd: "end",
	OpMulticast: "multicast", OpContribute: "contribute", OpAcknowledge: "ack",
	OpCancel: "cancel", OpPick: "pick"}

// Verb is what the operation is called.
func (k OpKind) Verb() string { return verbs[k] }

// validateErrors reports the first operation that is tried, or done after an error, and can not be.
func (p Program) validateErrors() error {
	tried := false
	for i, op := range p {
		_, group := SourceGroup(op.Peer)
		group = group && !op.Any && (op.Kind == OpRecv || op.Kind == OpPost)
		collective := group || op.Kind == OpMulticast || op.Kind == OpContribute
		ends := collective || op.Kind == OpSend || op.Kind == OpRecv || op.Kind == OpWait
		switch {
		case op.sees() && p[0].Kind == OpBegin:
			return fmt.Errorf("operation %d: a program with a numeric part can not see errors", i+1)
		case op.Try && op.Kind == OpPost:
			return fmt.Errorf("operation %d: a post never ends in an error, the wait for it "+
				"does: want try wait", i+1)
		case op.Try && !ends:
			return fmt.Errorf("operation %d: %s never ends in an error, want try with send, "+
				"reply, recv, wait or an operation on a group", i+1, op.Kind.Verb())
		case op.OnError && (op.Kind == OpLoop || op.Kind == OpEnd):
			return fmt.Errorf("operation %d: a loop is never done on an error alone, the "+
				"operations in it may be", i+1)
		case op.OnError && collective:
			// the number of a reduction would not be the same for all members
			return fmt.Errorf("operation %d: an operation on a group is done by every member, "+
				"whatever each has seen: want it without onerror", i+1)
		case op.OnError && !tried:
			return fmt.Errorf("operation %d: onerror with nothing tried before it", i+1)
		case op.Kind == OpCancel && !op.OnError:
			return fmt.Errorf("operation %d: want onerror cancel: what is received must not "+
				"depend on who comes first where nothing fails", i+1)
		}
		tried = tried || op.Try
	}
	return nil
}
