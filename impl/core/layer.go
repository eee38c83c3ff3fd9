package core

// Layer is what a protocol puts between the program of one rank and the network. It answers inputs
// like a Machine; two queries tell the host which program steps are enabled, so that a blocked
// program is a state and not a waiting call.
type Layer interface {
	// Step handles an input. A Send must be handled when Ready said true; a Receive from a rank in
	// Sources must append exactly one Deliver effect.
	Step(in Input, out []Effect) []Effect
	// State points to the whole state of the layer, as plain data.
	State() any
	// Ready reports whether a Send to the rank would be accepted now.
	Ready(to Rank) bool
	// Sources appends, in ascending order, the ranks whose next message a Receive would deliver
	// now. Groups follow, by their Source, if the protocol has collectives.
	Sources(buf []Rank) []Rank
}

// Sourced is a Layer that can say of one source, without a look at all others, whether Sources
// names it: with a thousand ranks that look is most of what a step of a program takes.
type Sourced interface {
	Layer
	// Has reports whether Sources appends the source.
	Has(source Rank) bool
}

// Holder is a Layer that can hold its program before steps that are neither sends nor receives: an
// output that must wait until what it depends on is stable, every step of a restarted program that
// has no image yet.
type Holder interface {
	// Holds reports whether the operation must wait now; OpNone is the end of the program.
	Holds(op OpKind) bool
}

// Prompted is a Holder that is told that it holds its program, and may do something about that:
// begin the checkpoint that an output waits for.
type Prompted interface {
	Holder
	// Held comes at the end of every step behind which the program is at an operation for which
	// Holds says that it must wait.
	Held(op OpKind, out []Effect) []Effect
}

// Queued is a Layer that has what has arrived in a queue. Of several messages that could be
// received now, the program receives the one that comes first: so what it receives is a function of
// the queue, if it completes posted receives only where it waits. What arrives later changes
// nothing, for it is behind whatever is there.
type Queued interface {
	Layer
	// Before reports whether the next message of a source comes before that of another one.
	Before(a, b Rank) bool
}

// Application is what a protocol may do with the program of its rank: take its image, put an image
// back.
type Application interface {
	// Image is the canonical bytes of the program's state, history included.
	Image() []byte
	// Load replaces the program's state by an image. It panics on bytes that Image did not write.
	Load(image []byte)
	// Ended reports whether the program has come to its end.
	Ended() bool
	// At is the kind of operation that the program is at, OpNone at its end.
	At() OpKind
	// Position is how many sends and deliveries an image holds.
	Position(image []byte) (sent, received uint32)
}

// Choice names one program step: 0 for the next operation, or a receive, with the source in the low
// half (plus one) and the posted receive that it completes in the high half (plus one, zero for the
// operation itself), or what a pick takes, with the value in the high half (from one) and a low
// half of zero.
type Choice uint64

// Source is the rank that a receive choice takes from, if it is one.
func (c Choice) Source() (Rank, bool) { return Rank(uint32(c)) - 1, uint32(c) != 0 }

// Posted is the place in the list of posted receives of the one that a receive choice completes, -1
// for the operation itself.
func (c Choice) Posted() int { return int(c>>32) - 1 }

// PickChoice takes one of the values of a pick, from 1.
func PickChoice(value int) Choice { return Choice(value) << 32 }

// Picked is the value that a pick takes, if it is one.
func (c Choice) Picked() (value int, ok bool) { return int(c >> 32), c != 0 && uint32(c) == 0 }

// ReceiveChoice takes the next message of a source, into the posted receive at a place or, at -1,
// into that of the operation itself.
func ReceiveChoice(from Rank, posted int) Choice { return Choice(posted+1)<<32 | Choice(from) + 1 }
