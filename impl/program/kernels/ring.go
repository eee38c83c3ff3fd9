package kernels

import (
	"math"

	"github.com/domino-check/domino/impl/core"
)

// buildRing passes messages round a ring: all at once, or one alone.
func buildRing(c *config) error {
	bytes, token := c.of("size"), c.choices["variant"] == "token"
	sizes := map[int]int{0: bytes} // of all ranks: each is looked up for each message
	c.each(func(rank int) core.Kernel {
		return &skeleton{rank: rank, words: bytes / 8, sizes: sizes, light: true}
	}, func(w *writer) {
		next, before := (w.rank+1)%w.n, (w.rank-1+w.n)%w.n
		w.iterate(c.of("iterations"), func() {
			if token && w.rank > 0 {
				w.recv(before, 0)
				w.compute(1)
				w.send(next, 0)
				return
			}
			w.send(next, 0)
			w.recv(before, 0)
			w.compute(1)
		})
	})
	return nil
}

// nbody moves bodies under their gravity: every block of bodies travels once round the ring in a
// step.
type nbody struct {
	rank, bodies int
}

// The floats, by body: position and mass, the same of the block that travels, velocity,
// acceleration.
func (k *nbody) own(n *core.Numbers) core.Floats    { return n.Floats[:4*k.bodies] }
func (k *nbody) travel(n *core.Numbers) core.Floats { return n.Floats[4*k.bodies : 8*k.bodies] }
func (k *nbody) speed(n *core.Numbers) core.Floats  { return n.Floats[8*k.bodies : 11*k.bodies] }
func (k *nbody) force(n *core.Numbers) core.Floats  { return n.Floats[11*k.bodies : 14*k.bodies] }

// Computations.
const (
	nbodyStart   = iota // of a step: the own block begins to travel
	nbodyAttract        // the block that is here attracts
	nbodyMove
)

// nbodyStep is the length of a time step, nbodySoft keeps close bodies from flying apart.
const (
	nbodyStep = 1e-3
	nbodySoft = 1e-2
)

func (k *nbody) Begin() core.Numbers {
	n := core.Numbers{Floats: make(core.Floats, 14*k.bodies)}
	for i := range 4 * k.bodies {
		n.Floats[i] = unit(uint64(k.rank*k.bodies*4 + i))
	}
	return n
}

func (k *nbody) Compute(part int, n *core.Numbers) {
	own, speed, force := k.own(n), k.speed(n), k.force(n)
	switch part {
	case nbodyStart:
		copy(k.travel(n), own)
		clear(force)
		k.attract(n)
	case nbodyAttract:
		k.attract(n)
	case nbodyMove:
		for b := range k.bodies {
			for d := range 3 {
				speed[3*b+d] += float64(nbodyStep * force[3*b+d])
				own[4*b+d] += float64(nbodyStep * speed[3*b+d])
			}
		}
	}
}

// attract adds the attraction of the travelling bodies.
func (k *nbody) attract(n *core.Numbers) {
	own, travel, force := k.own(n), k.travel(n), k.force(n)
	for a := range k.bodies {
		for b := range k.bodies {
			var d [3]float64
			square := nbodySoft
			for i := range d {
				d[i] = travel[4*b+i] - own[4*a+i]
				square += float64(d[i] * d[i])
			}
			pull := travel[4*b+3] / float64(square*math.Sqrt(square))
			for i := range d {
				force[3*a+i] += float64(pull * d[i])
			}
		}
	}
}

func (k *nbody) Size(int, *core.Numbers) int { return 32 * k.bodies }

func (k *nbody) Fill(_ int, n *core.Numbers, to []byte) { k.travel(n).Put(to) }

func (k *nbody) Take(_ int, n *core.Numbers, _ core.Rank, data []byte) { k.travel(n).Get(data) }

func (k *nbody) Next(int, *core.Numbers) (core.Rank, bool) { return 0, false }

func buildNBody(c *config) error {
	c.each(func(rank int) core.Kernel { return &nbody{rank, c.of("n")} }, func(w *writer) {
		w.iterate(c.of("iterations"), func() {
			w.compute(nbodyStart)
			w.loop(w.n-1, func() {
				w.send((w.rank+1)%w.n, 0)
				w.recv((w.rank-1+w.n)%w.n, 0)
				w.compute(nbodyAttract)
			})
			w.compute(nbodyMove)
		})
	})
	return nil
}
