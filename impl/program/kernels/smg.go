package kernels

import (
	"math/bits"

	"github.com/domino-check/domino/impl/core"
)

// smg exchanges with the ranks 2^k before and behind, for each level k, and takes the two answers
// in the order in which they come: each goes to a place of its own, and the two are mixed when both
// are there.
type smg struct {
	skeleton
	edge int
}

// Parts: two for each level, for the message to the rank before and to the rank behind. The
// computation of a level is its number.

func (k *smg) doubles(level int) int { return k.edge >> level }

// room is where the message of a part is put when it comes: behind the field.
func (k *smg) room(part int, n *core.Numbers) core.Floats {
	return n.Floats[k.words+part%2*k.edge:][:k.doubles(part/2)]
}

func (k *smg) Begin() core.Numbers {
	n := k.skeleton.Begin()
	n.Floats = append(n.Floats, make(core.Floats, 2*k.edge)...)
	return n
}

func (k *smg) field(n *core.Numbers) *core.Numbers {
	return &core.Numbers{Floats: n.Floats[:k.words], Counts: n.Counts}
}

func (k *smg) Compute(level int, n *core.Numbers) {
	f := k.field(n)
	for side := range 2 {
		buffer := make([]byte, 8*k.doubles(level))
		k.room(2*level+side, n).Put(buffer)
		k.skeleton.Take(2*level+side, f, 0, buffer)
	}
	k.skeleton.Compute(level, f)
}

func (k *smg) Size(part int, _ *core.Numbers) int { return 8 * k.doubles(part/2) }

func (k *smg) Fill(part int, n *core.Numbers, to []byte) { k.skeleton.Fill(part, k.field(n), to) }

func (k *smg) Take(part int, n *core.Numbers, _ core.Rank, data []byte) {
	k.room(part, n).Get(data)
}

func buildSMG(c *config) error {
	edge, n := c.of("edge"), c.ranks
	levels := max(1, bits.Len(uint(n-1))) // distances below n
	c.each(func(rank int) core.Kernel {
		return &smg{skeleton{rank: rank, words: edge}, edge}
	}, func(w *writer) {
		w.iterate(c.of("iterations"), func() {
			for l := range levels {
				before, behind := (w.rank-1<<l%n+n)%n, (w.rank+1<<l)%n
				w.send(before, 2*l)
				w.send(behind, 2*l+1)
				// sent by it to the rank before, which comes first where both are the same
				w.post(behind, 2*l)
				w.post(before, 2*l+1)
				w.wait()
				w.compute(l)
			}
		})
	})
	return nil
}
