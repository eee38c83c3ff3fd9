package kernels

import (
	"fmt"

	"github.com/domino-check/domino/impl/core"
)

// matmul multiplies two square matrices: rank 0 sends the second one and a block of rows of the
// first to each worker and collects what they answer, in any order. Dynamic, there are more blocks
// than workers, and whoever answers gets the next, so what a worker is sent depends on the order of
// arrivals. The block of a message is not in it: rank 0 knows who has which.
type matmul struct {
	rank, n, rows   int // rows in a block
	blocks, workers int
	repeats         int
	dynamic         bool
}

// Parts: the second matrix, a block, a result; a block for a certain worker has its rank added. An
// empty block means that there are no more.
const (
	matmulB = iota
	matmulResult
	matmulFlush // who has no block; a result
	matmulAgain // worker: there is more to do
	matmulBlock // plus the rank
)

// The floats of rank 0: A, B, C, the rows of A and C filled up to whole blocks. Of a worker: B,
// block, result.
func (k *matmul) a() int { return k.blocks * k.rows * k.n }
func (k *matmul) b() int { return k.n * k.n }

// The counts of rank 0: next block, what each worker has (plus 1), and the workers that wait. Of a
// worker: 1 when it has a result, 1 when all is done.
const (
	matmulNext = 0
	matmulHas  = 0
	matmulDone = 1
)

func (k *matmul) Begin() core.Numbers {
	if k.rank > 0 {
		return core.Numbers{Floats: make(core.Floats, k.b()+2*k.rows*k.n), Counts: make([]int64, 2)}
	}
	n := core.Numbers{Floats: make(core.Floats, 2*k.a()+k.b()),
		Counts: make([]int64, 1+k.workers+1)}
	for i := range k.b() {
		n.Floats[i], n.Floats[k.a()+i] = unit(uint64(2*i)), unit(uint64(2*i+1))
	}
	for w := 0; w < k.workers && k.dynamic; w++ {
		n.Counts = append(n.Counts, int64(w+1))
	}
	return n
}

// Compute is the work of a worker, as often as it is told to.
func (k *matmul) Compute(_ int, n *core.Numbers) {
	if n.Counts[matmulDone] != 0 {
		return
	}
	b, block, out := n.Floats[:k.b()], n.Floats[k.b():][:k.rows*k.n], n.Floats[k.b()+k.rows*k.n:]
	for range k.repeats {
		clear(out)
		for i := range k.rows {
			for j := range k.n {
				x, row, to := block[i*k.n+j], b[j*k.n:][:k.n], out[i*k.n:][:k.n]
				for l := range to {
					to[l] += float64(x * row[l])
				}
			}
		}
	}
	n.Counts[matmulHas] = 1
}

// queue are the workers without a block, behind the rest of the counts of rank 0.
func (k *matmul) queue(n *core.Numbers) []int64 { return n.Counts[2+k.workers:] }

func (k *matmul) Size(part int, n *core.Numbers) int {
	switch {
	case part == matmulB:
		return 8 * k.b()
	case part == matmulFlush && k.rank == 0 && n.Counts[matmulNext] == int64(k.blocks):
		return 0
	}
	return 8 * k.rows * k.n
}

func (k *matmul) Fill(part int, n *core.Numbers, to []byte) {
	switch {
	case part == matmulB:
		n.Floats[k.a():][:k.b()].Put(to)
	case k.rank > 0:
		n.Floats[k.b()+k.rows*k.n:].Put(to)
		n.Counts[matmulHas] = 0
	case part >= matmulBlock:
		k.give(n, int64(part-matmulBlock), to)
	default:
		worker := k.queue(n)[0]
		n.Counts = append(n.Counts[:2+k.workers], k.queue(n)[1:]...)
		k.give(n, worker, to)
	}
}

// give hands the next block to a worker.
func (k *matmul) give(n *core.Numbers, worker int64, to []byte) {
	block := n.Counts[matmulNext]
	if block == int64(k.blocks) {
		return
	}
	n.Counts[matmulNext], n.Counts[worker] = block+1, block+1
	n.Floats[int(block)*k.rows*k.n:][:k.rows*k.n].Put(to)
}

func (k *matmul) Take(part int, n *core.Numbers, from core.Rank, data []byte) {
	switch {
	case part == matmulB:
		n.Floats[:k.b()].Get(data)
	case k.rank > 0 && len(data) == 0:
		// what a worker did must not show in the end: it is not the same in every run
		clear(n.Floats[k.b():])
		n.Counts[matmulDone] = 1
	case k.rank > 0:
		n.Floats[k.b():][:k.rows*k.n].Get(data)
	case n.Counts[from] > 0:
		n.Floats[k.a()+k.b()+int(n.Counts[from]-1)*k.rows*k.n:][:k.rows*k.n].Get(data)
		n.Counts[from] = 0
		if k.dynamic {
			n.Counts = append(n.Counts, int64(from))
		}
	}
}

func (k *matmul) Next(part int, n *core.Numbers) (core.Rank, bool) {
	switch {
	case part == matmulAgain:
		return 0, n.Counts[matmulDone] == 0
	case k.rank > 0:
		return 0, n.Counts[matmulHas] != 0
	case len(k.queue(n)) == 0:
		return 0, false
	}
	return core.Rank(k.queue(n)[0]), true
}

// buildMatmul builds the product, static or dynamic.
func buildMatmul(dynamic bool) func(c *config) error {
	return func(c *config) error {
		workers, n := c.ranks-1, c.of("n")
		if workers < 1 {
			return fmt.Errorf("%d rank, want a master and at least one worker: 2 ranks", c.ranks)
		}
		blocks := workers
		if dynamic {
			if blocks = c.of("blocks"); blocks == 0 {
				blocks = 2 * workers
			}
		}
		rows := (n + blocks - 1) / blocks
		c.each(func(rank int) core.Kernel {
			return &matmul{rank, n, rows, blocks, workers, c.of("iterations"), dynamic}
		}, func(w *writer) {
			if dynamic {
				w.dynamic(blocks)
			} else {
				w.static()
			}
		})
		return nil
	}
}

func (w *writer) static() {
	if w.rank > 0 {
		w.recv(0, matmulB)
		w.recv(0, matmulBlock)
		w.compute(0)
		w.send(0, matmulResult)
		return
	}
	for to := 1; to < w.n; to++ {
		w.send(to, matmulB)
		w.send(to, matmulBlock+to)
	}
	w.loop(w.n-1, func() { w.add(core.Op{Kind: core.OpRecv, Any: true, Part: matmulResult}) })
}

func (w *writer) dynamic(blocks int) {
	flush := core.Op{Kind: core.OpFlush, Part: matmulFlush}
	if w.rank > 0 {
		w.recv(0, matmulB)
		w.add(core.Op{Kind: core.OpLoop, Count: 1})
		w.add(core.Op{Kind: core.OpRecv, Peer: 0, Part: matmulBlock, Free: true})
		w.compute(0)
		w.add(flush)
		w.add(core.Op{Kind: core.OpAgain, Part: matmulAgain})
		return
	}
	for to := 1; to < w.n; to++ {
		w.send(to, matmulB)
	}
	w.add(flush)
	w.loop(blocks, func() {
		w.add(core.Op{Kind: core.OpRecv, Any: true, Part: matmulResult, Free: true})
		w.add(flush)
	})
}

// simpleKernels have the simplest shapes.
func simpleKernels() []kernel {
	return []kernel{
		{name: "ring", doc: "each rank sends to the next",
			words: map[string][]string{"variant": {"shift", "token"}}, build: buildRing,
			parameters: []parameter{{"size", 64, 0, 1 << 30, "bytes of a message"}, iterations(1),
				checkpoints}},
		{name: "nbody", doc: "bodies that attract each other, blocks of them travel round a ring",
			build: buildNBody,
			parameters: []parameter{size(4, 1, 1<<20, "bodies a rank"), iterations(1),
				checkpoints}},
		{name: "matmul",
			doc:        "product of matrices, a block for each worker, results received by any",
			build:      buildMatmul(false),
			parameters: []parameter{size(6, 1, 1<<14, "rows and columns"), iterations(1)}},
		{name: "matmul-dynamic",
			doc:   "the same with the next block for whoever answers: not send-deterministic",
			build: buildMatmul(true),
			// a single worker always answers first
			orders: func(c *config) bool { return c.ranks > 2 },
			parameters: []parameter{size(6, 1, 1<<14, "rows and columns"),
				{"blocks", 0, 0, 1 << 14, "blocks of rows, 0 for two a worker"}, iterations(1)}},
	}
}
