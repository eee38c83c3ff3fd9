package kernels

import (
	"encoding/binary"
	"math"

	"github.com/domino-check/domino/impl/core"
)

// skeleton stands in for numbers that do not matter: a field of floats that every message carries a
// stretch of, and a digest that goes into the first eight bytes of each message and takes in those
// of every message received, so nothing that was ever wrong is forgotten.
type skeleton struct {
	rank  int
	words int         // of the field
	sizes map[int]int // bytes of the messages of each part
	light bool        // the field is what was received last and there is nothing to compute
}

// digestCount is where the digest is; behind it are the values of an allreduce of at most five
// words.
const (
	digestCount = iota
	reduceCount
)

func (k *skeleton) Begin() core.Numbers {
	n := core.Numbers{Floats: make(core.Floats, k.words), Counts: make([]int64, reduceCount+5)}
	for i := range n.Floats {
		n.Floats[i] = unit(uint64(k.rank)<<32 + uint64(i))
	}
	n.Counts[digestCount] = int64(core.Mix(uint64(k.rank)))
	return n
}

// Compute sweeps over the field. A part that is a collective prepares its values.
func (k *skeleton) Compute(part int, n *core.Numbers) {
	if part&collective != 0 {
		for i := range 5 {
			n.Counts[reduceCount+i] = int64(core.Mix(uint64(n.Counts[digestCount]) + uint64(i)))
		}
		return
	}
	before := 0.5
	for i, x := range n.Floats[:k.swept()] {
		before = float64(0.25*before) + float64(0.75*x)
		n.Floats[i] = before
	}
	n.Counts[digestCount] = int64(core.Mix(uint64(n.Counts[digestCount]) + uint64(part)))
}

// swept is how much of the field a computation changes.
func (k *skeleton) swept() int {
	if k.light {
		return 0
	}
	return k.words
}

func (k *skeleton) Size(part int, _ *core.Numbers) int {
	if part&collective != 0 {
		return k.sizes[collective]
	}
	return k.sizes[part]
}

func (k *skeleton) Fill(part int, n *core.Numbers, to []byte) {
	if part&collective != 0 {
		for i := range len(to) / 8 {
			binary.LittleEndian.PutUint64(to[8*i:], uint64(n.Counts[reduceCount+i]))
		}
		return
	}
	stretch(n.Floats, part, to)
	if len(to) >= 8 {
		binary.LittleEndian.PutUint64(to, core.Mix(uint64(n.Counts[digestCount])+uint64(part)))
	}
}

func (k *skeleton) Take(part int, n *core.Numbers, _ core.Rank, data []byte) {
	if part&collective != 0 {
		for i := range len(data) / 8 {
			v := int64(binary.LittleEndian.Uint64(data[8*i:]))
			if part&result == 0 {
				v += n.Counts[reduceCount+i]
			}
			n.Counts[reduceCount+i] = v
		}
		return
	}
	n.Counts[digestCount] = int64(core.Mix(
		uint64(n.Counts[digestCount])*31 + uint64(part) + ends(data)))
	if !k.light {
		blend(n.Floats, part, data)
	} else if len(data) >= 8*k.words && k.words > 0 {
		n.Floats.Get(data)
		n.Floats[0] = unit(uint64(n.Counts[digestCount])) // what came there is not a number
	}
}

func (k *skeleton) Next(int, *core.Numbers) (core.Rank, bool) { return 0, false }

// stretch fills a message from the field, from a place that depends on the part, round and round;
// bytes behind the last whole word are zero.
func stretch(field core.Floats, part int, to []byte) {
	at := part * 17 % max(len(field), 1)
	for len(to) >= 8 && len(field) > 0 {
		piece := field[at:min(len(field), at+len(to)/8)]
		piece.Put(to)
		to, at = to[8*len(piece):], 0
	}
	clear(to)
}

// blend mixes a message into the field, its first word, which is a digest, aside.
func blend(field core.Floats, part int, data []byte) {
	at := part * 13 % max(len(field), 1)
	for i := 8; i+8 <= len(data) && len(field) > 0; i += 8 {
		x := math.Float64frombits(binary.LittleEndian.Uint64(data[i:]))
		field[at] = float64(0.5*field[at]) + float64(0.5*x)
		if at++; at == len(field) {
			at = 0
		}
	}
}

// ends digests the first and the last word of a message, and its length.
func ends(data []byte) uint64 {
	h := uint64(len(data))
	if len(data) >= 8 {
		h = core.Mix(h+binary.LittleEndian.Uint64(data)) +
			binary.LittleEndian.Uint64(data[len(data)-8:])
	}
	return core.Mix(h)
}
