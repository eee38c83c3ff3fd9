package program

import (
	"encoding/binary"
	"math"

	"github.com/domino-check/domino/impl/core"
)

// fingerprint is one of the numbers, to the last bit.
func fingerprint(n *core.Numbers) uint64 {
	h := uint64(len(n.Floats))
	for _, x := range n.Floats {
		h = core.Mix(h ^ math.Float64bits(x))
	}
	for _, c := range n.Counts {
		h = core.Mix(h ^ uint64(c))
	}
	return h
}

// sample is a fingerprint of some of a payload: all of a small one, of a large one words from all
// over it. A message that is not the right one differs somewhere in it, and large messages need not
// be read twice.
func sample(data []byte) uint64 {
	const whole, words = 256, 32
	if len(data) <= whole {
		return core.Payload{Data: data}.Digest()
	}
	h := uint64(len(data))
	for i := range words {
		h = core.Mix(h ^ binary.LittleEndian.Uint64(data[i*(len(data)-8)/(words-1):]))
	}
	return h
}

// Tune prepares a rank for long runs on real data: buffers, which may be nil, for its messages,
// and, when brief, no lists of deliveries and of what the protocol keeps in its history, nor,
// beside a kernel, digests of payloads. Whoever judges a run by its trace needs none of them, and
// a list of determinants costs more the longer it is. Final digests are the same.
func (h *Host) Tune(buffers core.Buffers, brief bool) { h.buffers, h.brief = buffers, brief }

// begin puts a program with a kernel before its first operation.
func (h *Host) begin() {
	if len(h.program) == 0 || h.program[0].Kind != core.OpBegin {
		return
	}
	h.kernel = h.program[0].Kernel
	h.numbers = h.kernel.Begin()
	h.app.PC = 0
	h.advance()
}

// compute carries out what comes next and concerns nobody else, a flush of nothing included. It has
// no effect, so it is part of the step before.
func (h *Host) compute() {
	a := &h.app
	for a.PC < len(h.program) {
		switch op := &h.program[a.PC]; op.Kind {
		case core.OpCompute:
			h.kernel.Compute(op.Part, &h.numbers)
		case core.OpFlush:
			if _, more := h.kernel.Next(op.Part, &h.numbers); more {
				return
			}
		case core.OpAgain:
			if _, more := h.kernel.Next(op.Part, &h.numbers); more {
				a.PC = a.Loops[len(a.Loops)-1].Body
				continue
			}
		case core.OpLoop, core.OpEnd:
		default:
			return
		}
		a.PC, a.Loops = h.program.Next(a.PC, a.Loops)
	}
}

// fill makes the payload of a send.
func (h *Host) fill(part int) []byte {
	size := h.kernel.Size(part, &h.numbers)
	var data []byte
	if h.buffers != nil {
		data = h.buffers.Get(size)[:size]
	} else {
		data = make([]byte, size)
	}
	h.kernel.Fill(part, &h.numbers, data)
	return data
}
