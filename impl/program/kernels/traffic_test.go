package kernels

import (
	"cmp"
	"maps"
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// Count is a number of messages and their bytes.
type Count struct{ Messages, Bytes int64 }

// Pair is a channel.
type Pair struct{ From, To core.Rank }

// Traffic counts what whole runs of programs send, by channel, without running them: from rank to
// rank, and in collective operations. Loops are not unrolled, so it is fast for the largest sizes.
// What a kernel sends by OpFlush is not in the program and not counted.
func Traffic(programs []core.Program) (direct, collectives map[Pair]Count) {
	direct, collectives = map[Pair]Count{}, map[Pair]Count{}
	for r, p := range programs {
		times := []int64{1}
		for _, op := range p {
			switch op.Kind {
			case core.OpLoop:
				times = append(times, times[len(times)-1]*int64(op.Count))
			case core.OpEnd, core.OpAgain:
				times = times[:len(times)-1]
			case core.OpSend:
				into := direct
				if op.Part&collective != 0 {
					into = collectives
				}
				pair, n := Pair{core.Rank(r), op.Peer}, times[len(times)-1]
				c := into[pair]
				c.Messages += n
				c.Bytes += n * int64(p[0].Kernel.Size(op.Part, nil))
				into[pair] = c
			}
		}
	}
	return direct, collectives
}

// Total sums a traffic.
func Total(traffic map[Pair]Count) (sum Count) {
	for _, pair := range sortedPairs(traffic) {
		sum.Messages += traffic[pair].Messages
		sum.Bytes += traffic[pair].Bytes
	}
	return sum
}

// sortedPairs lists the channels by sender and receiver.
func sortedPairs(traffic map[Pair]Count) []Pair {
	return slices.SortedFunc(maps.Keys(traffic), func(a, b Pair) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
}
