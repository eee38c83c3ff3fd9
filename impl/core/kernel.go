package core

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Kernel is the numeric side of a program: what its operations OpCompute, OpFlush, and those that
// send and receive, do with numbers. A program with a kernel begins with OpBegin, which holds it;
// the part of an operation says which computation or message is meant. All methods are functions of
// their arguments alone: a Kernel never changes, and what changes is in Numbers, which is part of
// the program's image. Floating point is for the application alone, and rounded the same way
// everywhere: no fused multiply-add.
type Kernel interface {
	// Begin is the state before the first operation.
	Begin() Numbers
	// Compute carries out one part of the computation.
	Compute(part int, n *Numbers)
	// Size is how many bytes the message of a part has.
	Size(part int, n *Numbers) int
	// Fill writes the message of a part into to, which has that size and any content. It may change
	// the state.
	Fill(part int, n *Numbers, to []byte)
	// Take accepts a message of a part; it keeps no reference to the data.
	Take(part int, n *Numbers, from Rank, data []byte)
	// Next says where the next message of an OpFlush goes, or that there is none, and whether an
	// OpAgain goes on. It changes nothing.
	Next(part int, n *Numbers) (to Rank, ok bool)
}

// Numbers is the state of a kernel.
type Numbers struct {
	_      struct{} `cbor:",toarray"`
	Floats Floats   `json:"floats"`
	Counts []int64  `json:"counts"`
}

// Floats is encoded by the bits of its numbers, eight bytes each, little-endian.
type Floats []float64

// MarshalBinary implements encoding.BinaryMarshaler.
func (f Floats) MarshalBinary() ([]byte, error) {
	b := make([]byte, 8*len(f))
	f.Put(b)
	return b, nil
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler.
func (f *Floats) UnmarshalBinary(b []byte) error {
	if len(b)%8 != 0 {
		return fmt.Errorf("core: %d bytes are not a whole number of floats", len(b))
	}
	*f = make(Floats, len(b)/8)
	f.Get(b)
	return nil
}

// Put writes the numbers to bytes: eight for each.
func (f Floats) Put(to []byte) {
	to = to[:8*len(f)]
	for _, x := range f {
		binary.LittleEndian.PutUint64(to, math.Float64bits(x))
		to = to[8:]
	}
}

// Get reads the numbers from bytes: eight for each.
func (f Floats) Get(from []byte) {
	from = from[:8*len(f)]
	for i := range f {
		f[i] = math.Float64frombits(binary.LittleEndian.Uint64(from))
		from = from[8:]
	}
}

// Buffers is where a program with a kernel gets the bytes of its messages, and where those that it
// has received go.
type Buffers interface {
	// Get returns bytes with any content that nobody else uses.
	Get(size int) []byte
	// Done says that the program needs a received payload no more. Whoever knows that no log and no
	// queue holds it may use it again.
	Done(data []byte)
}

// validateKernel reports the first operation that needs a kernel where there is none, or is at the
// wrong place.
func (p Program) validateKernel() error {
	for i, op := range p {
		switch {
		case op.Kind == OpBegin && (i > 0 || op.Kernel == nil):
			return fmt.Errorf("operation %d: the numeric part of a program comes first, once", i+1)
		case (op.Kind == OpCompute || op.Kind == OpFlush || op.Kind == OpAgain) &&
			p[0].Kind != OpBegin:
			return fmt.Errorf("operation %d needs a numeric part of the program", i+1)
		case op.Kind == OpPick && p[0].Kind == OpBegin:
			return fmt.Errorf("operation %d: a program with a numeric part can not pick", i+1)
		}
	}
	return nil
}

// PayloadBytes is how many bytes a send of the program carries. How many a flush does, only the
// kernel knows when it comes to it.
func (p Program) PayloadBytes(send Op) int {
	if p[0].Kind == OpBegin {
		return p[0].Kernel.Size(send.Part, nil)
	}
	return send.Size()
}
