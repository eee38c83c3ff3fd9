package traffic

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/kernels"
	"github.com/domino-check/domino/spec/trace"
)

// Flusher is a kernel that knows what it sends by OpFlush in a whole run, at whatever moments.
type Flusher interface {
	Flushes(send func(to core.Rank, messages, bytes int64))
}

// Kernel is what the kernel of a line such as "cg class=D ranks=1024" sends, by its programs, of
// which there is one at a time in memory. The context of a long one is the caller's: it is asked
// before each rank whether to go on.
func Kernel(text string, goOn func() error) (*Graph, error) {
	var b Builder
	ranks := 0
	err := kernels.Each(text, func(rank int, p core.Program, trees []trace.Tree) error {
		if err := goOn(); err != nil {
			return err
		}
		ranks = rank + 1
		return b.program(rank, p, trees)
	})
	if err != nil {
		return nil, err
	}
	return b.Graph(ranks, true)
}

// Programs is what programs send, in which groups may multicast and contribute along their trees.
func Programs(programs []core.Program, trees []trace.Tree) (*Graph, error) {
	var b Builder
	for r, p := range programs {
		if err := b.program(r, p, trees); err != nil {
			return nil, err
		}
	}
	return b.Graph(len(programs), true)
}

// program adds what one rank sends. Loops are not unrolled.
func (b *Builder) program(rank int, p core.Program, trees []trace.Tree) error {
	times, flushed := []int64{1}, false
	sums := map[[2]core.Rank]*channel{}
	var order []*channel
	var wrong error
	send := func(from, to core.Rank, messages, bytes int64) {
		sum := sums[[2]core.Rank{from, to}]
		if sum == nil {
			sum = &channel{from: uint32(from), to: uint32(to)}
			sums[[2]core.Rank{from, to}], order = sum, append(order, sum)
		}
		size := times[len(times)-1]
		if !fits(messages, size, &sum.messages) || !fits(bytes, size, &sum.bytes) {
			wrong = fmt.Errorf("rank %d to rank %d: %w", from, to, errAbsurd)
		}
	}
	for _, op := range p {
		switch op.Kind {
		case core.OpLoop:
			times = append(times, times[len(times)-1]*int64(op.Count))
		case core.OpEnd, core.OpAgain:
			times = times[:len(times)-1]
		case core.OpSend, core.OpMulticast, core.OpContribute:
			if op.OnError {
				continue // only after a failure
			}
			if op.Kind == core.OpSend && op.Any {
				return fmt.Errorf("rank %d answers whoever it has received from: its program "+
					"does not say how much goes where; plan a recorded run (cluster run --dir)",
					rank)
			}
			sendOp(core.Rank(rank), p, op, trees, send)
		case core.OpFlush:
			flushed = true
		}
	}
	if flushed {
		k, ok := p[0].Kernel.(Flusher)
		if !ok {
			return fmt.Errorf("rank %d sends what comes to its mind: its program does not say "+
				"how much goes where; plan a recorded run (cluster run --dir)", rank)
		}
		k.Flushes(func(to core.Rank, messages, bytes int64) {
			send(core.Rank(rank), to, messages, bytes)
		})
	}
	if wrong != nil {
		return wrong
	}
	for _, c := range order {
		if err := b.Add(int(c.from), int(c.to), c.bytes, c.messages); err != nil {
			return fmt.Errorf("rank %d: %w", rank, err)
		}
	}
	return nil
}

// sendOp is what one operation puts on the network: a message to a rank, one along every edge of a
// tree, or one from a member of a tree to its parent.
func sendOp(rank core.Rank, p core.Program, op core.Op, trees []trace.Tree,
	send func(from, to core.Rank, messages, bytes int64)) {
	bytes := int64(p.PayloadBytes(op))
	switch op.Kind {
	case core.OpSend:
		send(rank, op.Peer, 1, bytes)
	case core.OpMulticast:
		t := &trees[op.Group-1]
		for i := 1; i < len(t.Members); i++ {
			send(t.Parents[i], t.Members[i], 1, bytes)
		}
	case core.OpContribute:
		if t := &trees[op.Group-1]; t.Root() != rank {
			send(rank, t.Parent(rank), 1, bytes)
		}
	}
}

// fits adds a product to a sum unless it is absurd.
func fits(n, times int64, sum *int64) bool {
	high, low := bits.Mul64(uint64(n), uint64(times))
	if n < 0 || times < 0 || high > 0 || low > math.MaxInt64/2 || *sum > MaxBytes {
		return false
	}
	*sum += int64(low)
	return *sum <= MaxBytes
}
