package core

import (
	"cmp"
	"fmt"
	"slices"
)

// OpKind is the kind of one program operation.
type OpKind uint8

// The operations. Named receives match their source in FIFO order; a receive from anyone takes any
// source that is ready.
const (
	OpNone OpKind = iota // no operation: what follows the last one
	// send to Peer, or to the source of the last receive when Any (a reply)
	OpSend
	OpRecv       // block until a message of Peer (or of anyone) is received
	OpPost       // post a receive and go on; it may complete at any later step
	OpWait       // block until every posted receive is complete
	OpCheckpoint // tell the protocol that this is a good place for a recovery line
	OpOutput     // release the state of the program to the outside world
	OpLoop       // begin Count repetitions of what follows up to the matching OpEnd
	OpEnd        // end of a loop
	// send to every other member of Group, of which this rank is the root
	OpMulticast
	// contribute the state of the program to the next reduction of Group, of which this rank is a
	// member
	OpContribute
	OpBegin // first operation of a program with a Kernel: begin with its numbers
	// carry out Part of the computation; it happens together with the operation before
	OpCompute
	// end of a loop that is repeated as long as the kernel has something to do in Part: as long as
	// Next says so
	OpAgain
	// send whatever the kernel has to send in Part, one message a step, and go on when there is
	// nothing more
	OpFlush
	// acknowledge the deaths that are known: receives from anyone no longer end because of them
	OpAcknowledge
	OpCancel // give up every posted receive that is open; only where an error was seen (OnError)
	// take one of Count values, which becomes part of the state of the program: the environment
	// says which one, as a clock, an interrupt or a random number would, and nothing replays it
	OpPick
)

// MaxPicks bounds the values of a pick: each one is a run of its own.
const MaxPicks = 64

// Op is one operation of a program. A program is a flat list of them: it can be resumed between any
// two, generated, shrunk, printed and stored in a scenario.
type Op struct {
	Kind OpKind
	Peer Rank
	Any  bool
	// receive: the state afterwards depends on the order of deliveries; otherwise deliveries
	// commute
	Ordered bool
	// multicast, contribute: [1, number of groups]. A receive from Group.Source() takes multicasts
	// or, at the root, results
	Group Group
	Label string // send, multicast, contribute: what the program calls the message
	Count int    // loop: repetitions, at least 1; pick: values, [2, MaxPicks]
	// send: of the payload; 0 = as few as carry its content, MinBytes; with a Kernel it is the
	// kernel that says
	Bytes int
	Part  int // with a Kernel: which computation or message
	// receive, post, contribute, with a Kernel: what comes is not the same in every run, or over
	// every protocol, and only the kernel knows what matters in the end
	Free   bool
	Kernel Kernel // begin

	Iteration bool // an iteration of the main loop begins with it

	// Try: the program sees the error that the operation ends in, and goes on. Without it an error
	// stops the rank. OnError: executed only if the last operation that was tried has ended in one.
	// See OpError.
	Try, OnError bool
}

// MinBytes is the size of a payload unless a send says another, and the smallest one.
const MinBytes = 8

// maxBytes bounds a payload, so that an absurd size is an error and not a machine without memory.
const maxBytes = 1 << 20

// Size is how many bytes the payload of a send has.
func (op Op) Size() int { return max(op.Bytes, MinBytes) }

// Program is what one rank runs.
type Program []Op

// Group numbers a group of ranks, from 1; 0 is no group. Its tree is Layout.Trees[group-1].
type Group uint16

// groupSources is where the sources begin that are groups and not ranks.
const groupSources = 1 << 31

// MaxGroups bounds the number of groups.
const MaxGroups = 1 << 12

// Source is what a receive from the group names as its peer.
func (g Group) Source() Rank { return groupSources + Rank(g) }

// SourceGroup is the group that a source stands for, if it is one.
func SourceGroup(r Rank) (Group, bool) {
	return Group(r - groupSources), r > groupSources && r <= groupSources+MaxGroups
}

// Unrolled returns the operations in the order in which the program executes them, without those of
// loops.
func (p Program) Unrolled() []Op {
	var ops []Op
	p.walk(func(op Op) {
		if op.Kind != OpLoop && op.Kind != OpEnd && op.Kind != OpAgain {
			ops = append(ops, op)
		}
	})
	return ops
}

// Sends returns the operations that send, to ranks and groups, in the order in which the program
// comes to them, loops unrolled. There are no branches, and a send that is passed over, or ends in
// an error, keeps its number: so the k-th send is the same operation in every run.
func (p Program) Sends() []Op {
	var sends []Op
	p.walk(func(op Op) {
		if op.Kind == OpSend || op.Kind == OpMulticast || op.Kind == OpContribute {
			sends = append(sends, op)
		}
	})
	return sends
}

// Picks reports whether the environment chooses part of what the program computes with.
func (p Program) Picks() bool {
	return slices.ContainsFunc(p, func(op Op) bool { return op.Kind == OpPick })
}

// PickPlaces are the places (Place) of the picks in the order in which the program comes to them,
// loops unrolled.
func (p Program) PickPlaces() (places []uint64) {
	pc, loops := 0, []Loop(nil)
	for pc < len(p) {
		if p[pc].Kind == OpPick {
			places = append(places, Place(pc, loops))
		}
		pc, loops = p.Next(pc, loops)
	}
	return places
}

// Place tells where a program is, also in which repetition of its loops: two picks of one program
// that take the same values the other way round are not the same.
func Place(pc int, loops []Loop) uint64 {
	at := Mix(uint64(pc) + 1)
	for _, l := range loops {
		at = Mix(at*31 + uint64(l.Left))
	}
	return at
}

// walk visits the operations in execution order, loops unrolled.
func (p Program) walk(visit func(Op)) {
	var pc int
	var loops []Loop
	for pc < len(p) {
		op := p[pc]
		visit(op)
		pc, loops = p.Next(pc, loops)
	}
}

// Loop is one active loop: where its body begins and how many repetitions are left, the current one
// included.
type Loop struct {
	_    struct{} `cbor:",toarray"`
	Body int      `json:"body"`
	Left int      `json:"left"`
}

// Next is the position after the operation at pc. It changes the loops in place.
func (p Program) Next(pc int, loops []Loop) (int, []Loop) {
	switch op := &p[pc]; op.Kind {
	case OpLoop:
		return pc + 1, append(loops, Loop{Body: pc + 1, Left: op.Count})
	case OpEnd:
		if top := &loops[len(loops)-1]; top.Left > 1 {
			top.Left--
			return top.Body, loops
		}
		return pc + 1, loops[:len(loops)-1]
	case OpAgain: // the kernel knows better, see Kernel.Next
		return pc + 1, loops[:len(loops)-1]
	}
	return pc + 1, loops
}

// maxSteps bounds the operations of one rank's program, loops unrolled, so that an absurd loop
// count is an error and not a hang.
const maxSteps = 1 << 20

// operation names one in an error: a text would be made for each that is right.
type operation struct {
	rank   Rank
	number int
}

// String names the operation.
func (o operation) String() string {
	return fmt.Sprintf("program of rank %d: operation %d", o.rank, o.number)
}

// Validate reports the first operation that can not be executed by rank self of n ranks.
func (p Program) Validate(self Rank, n int) error {
	if err := cmp.Or(p.validateKernel(), p.validateErrors()); err != nil {
		return fmt.Errorf("program of rank %d: %w", self, err)
	}
	depth, product := 0, 1
	factors := []int{1}
	steps := 0
	for i, op := range p {
		where := operation{self, i + 1}
		switch op.Kind {
		case OpMulticast, OpContribute:
			if op.Group == 0 {
				return fmt.Errorf("%v: no group", where)
			}
		case OpSend, OpRecv, OpPost:
			if _, group := SourceGroup(op.Peer); group && op.Kind != OpSend {
				break // see ValidateGroups
			}
			if !op.Any && int(op.Peer) >= n {
				return fmt.Errorf("%v: rank %d does not exist, there are %d ranks", where, op.Peer,
					n)
			}
			if op.Bytes != 0 && (op.Bytes < MinBytes || op.Bytes > maxBytes) {
				return fmt.Errorf("%v: %d bytes, want [%d, %d]", where, op.Bytes, MinBytes,
					maxBytes)
			}
			if !op.Any && op.Peer == self {
				return fmt.Errorf("%v: a rank can not send to or receive from itself", where)
			}
		case OpLoop:
			if op.Count < 1 {
				return fmt.Errorf("%v: loop count %d, want at least 1", where, op.Count)
			}
			depth++
			product = min(product*min(op.Count, maxSteps+1), maxSteps+1)
			factors = append(factors, product)
		case OpEnd, OpAgain:
			if depth == 0 {
				return fmt.Errorf("%v: end without loop", where)
			}
			depth--
			factors = factors[:len(factors)-1]
			product = factors[len(factors)-1]
		case OpPick:
			if op.Count < 2 || op.Count > MaxPicks {
				return fmt.Errorf("%v: pick %d, want [2, %d]", where, op.Count, MaxPicks)
			}
		case OpWait, OpCheckpoint, OpOutput, OpBegin, OpCompute, OpFlush, OpAcknowledge, OpCancel:
		default:
			return fmt.Errorf("%v: unknown operation %d", where, op.Kind)
		}
		if steps += product; steps > maxSteps {
			return fmt.Errorf("%v: more than %d steps, make the loops shorter", where, maxSteps)
		}
	}
	if depth != 0 {
		return fmt.Errorf("program of rank %d: loop without end", self)
	}
	return nil
}
