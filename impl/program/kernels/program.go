package kernels

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// Parts with this bit are messages of collective operations, which published counts leave out;
// those with the next one carry a result.
const (
	collective = 1 << 24
	result     = 1 << 23
)

// writer writes the program of one rank.
type writer struct {
	rank, n    int
	checkpoint int
	trees      []trace.Tree
	ops        core.Program
	begins     bool // the next operation begins an iteration
}

// each builds the program of every rank: numeric part, then operations.
func (c *config) each(make func(rank int) core.Kernel, write func(w *writer)) {
	for r := range c.ranks {
		if c.stopped != nil {
			return
		}
		w := &writer{rank: r, n: c.ranks, checkpoint: c.numbers["checkpoint"], trees: c.trees}
		w.ops = core.Program{{Kind: core.OpBegin, Kernel: make(r)}}
		write(w)
		if c.visit != nil {
			c.stopped = c.visit(r, w.ops, c.trees)
			continue
		}
		c.programs = append(c.programs, w.ops)
	}
}

func (w *writer) add(op core.Op) {
	op.Iteration, w.begins = w.begins, false
	w.ops = append(w.ops, op)
}

// send sends a message of the part; to the rank itself it is nothing.
func (w *writer) send(to, part int) {
	if to != w.rank {
		w.add(core.Op{Kind: core.OpSend, Peer: core.Rank(to), Part: part})
	}
}

// recv receives a message that its source has sent as the part.
func (w *writer) recv(from, part int) {
	if from != w.rank {
		w.add(core.Op{Kind: core.OpRecv, Peer: core.Rank(from), Part: part, Ordered: true})
	}
}

// post posts a receive, to be completed by wait, in any order.
func (w *writer) post(from, part int) {
	if from != w.rank {
		w.add(core.Op{Kind: core.OpPost, Peer: core.Rank(from), Part: part})
	}
}

func (w *writer) wait() { w.add(core.Op{Kind: core.OpWait}) }

func (w *writer) compute(part int) { w.add(core.Op{Kind: core.OpCompute, Part: part}) }

// multicast sends a message of the part from the root of a group to all other members, who receive
// it here.
func (w *writer) multicast(g core.Group, part int) {
	if w.trees[g-1].Root() == core.Rank(w.rank) {
		w.add(core.Op{Kind: core.OpMulticast, Group: g, Part: part})
		return
	}
	w.result(g, part)
}

// contribute adds the message of the part to the next reduction of a group. It is Free, as what is
// received of a group: which messages come on the way is up to the protocol.
func (w *writer) contribute(g core.Group, part int) {
	w.add(core.Op{Kind: core.OpContribute, Group: g, Part: part, Free: true})
}

// result receives what comes of a group: at its root the sum of all contributions.
func (w *writer) result(g core.Group, part int) {
	w.add(core.Op{Kind: core.OpRecv, Peer: g.Source(), Part: part, Ordered: true, Free: true})
}

// loop repeats what body writes.
func (w *writer) loop(count int, body func()) {
	switch {
	case count == 1:
		body()
	case count > 1:
		w.add(core.Op{Kind: core.OpLoop, Count: count})
		body()
		w.add(core.Op{Kind: core.OpEnd})
	}
}

// iterate is the main loop, with checkpoints.
func (w *writer) iterate(count int, body func()) {
	w.repeat(count, func() { w.iteration(body) })
}

// iteration writes an iteration of the main loop.
func (w *writer) iteration(body func()) {
	w.begins = true
	body()
	w.begins = false
}

// repeat is a loop with checkpoints.
func (w *writer) repeat(count int, body func()) {
	k := w.checkpoint
	if k == 0 {
		w.loop(count, body)
		return
	}
	w.loop(count/k, func() {
		w.loop(k, body)
		w.add(core.Op{Kind: core.OpCheckpoint})
	})
	w.loop(count%k, body)
}

// exchange sends a part to a partner and receives the partner's.
func (w *writer) exchange(with, part int) {
	w.send(with, part)
	w.recv(with, part)
}

// allreduce combines a value by recursive doubling: messages of the part carry what is combined so
// far, those of its result go to the ranks that a number of ranks which is no power of two leaves
// over.
func (w *writer) allreduce(part int) {
	part |= collective
	power := 1 << (bits.Len(uint(w.n)) - 1)
	over := w.n - power // pairs in which the first sits out
	id := w.rank - over // among those who take part
	if w.rank < 2*over {
		if id = w.rank / 2; w.rank%2 == 0 {
			w.send(w.rank+1, part)
			w.recv(w.rank+1, part|result)
			return
		}
		w.recv(w.rank-1, part)
	}
	for m := 1; m < power; m *= 2 {
		with := id ^ m
		if with < over {
			with = 2*with + 1
		} else {
			with += over
		}
		w.exchange(with, part)
	}
	if w.rank < 2*over {
		w.send(w.rank-1, part|result)
	}
}

// reduce combines a value at rank 0 along a binomial tree.
func (w *writer) reduce(part int) {
	part |= collective
	for m := 1; m < w.n; m *= 2 {
		if w.rank&m != 0 {
			w.send(w.rank-m, part)
			return
		}
		if w.rank+m < w.n {
			w.recv(w.rank+m, part)
		}
	}
}

// alltoall exchanges with every other rank: the part of a message is base plus its destination, and
// for the receiver base plus its source.
func (w *writer) alltoall(base int) {
	for s := 1; s < w.n; s++ {
		to, from := (w.rank+s)%w.n, (w.rank-s+w.n)%w.n
		if w.n&(w.n-1) == 0 {
			to, from = w.rank^s, w.rank^s
		}
		w.send(to, base+to)
		w.recv(from, base+from)
	}
}

// unit is a number in [0, 1) made from a seed: initial values.
func unit(seed uint64) float64 { return float64(core.Mix(seed)>>11) / (1 << 53) }

// block is the range of n points that part i of p owns: the first n mod p own one more.
func block(n, p, i int) (first, count int) {
	first = i*(n/p) + min(i, n%p)
	count = n / p
	if i < n%p {
		count++
	}
	return first, count
}

// divisor is the largest divisor of n that is not above its square root.
func divisor(n int) int {
	d := 1
	for k := 2; k*k <= n; k++ {
		if n%k == 0 {
			d = k
		}
	}
	return d
}

// addFloats adds what a message holds.
func addFloats(to core.Floats, data []byte) {
	for i := range to {
		to[i] += math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
	}
}
