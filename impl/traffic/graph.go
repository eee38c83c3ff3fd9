package traffic

import "fmt"

// Limits, so that an absurd number in a file is an error and not a machine without memory, and
// products of sums stay within 128 bits.
const (
	MaxRanks = 1 << 20
	MaxBytes = 1 << 56 // of a whole run
)

// Graph is the traffic of one run: channels by sender, then receiver, each at most once, none of a
// rank to itself. Nobody changes one.
type Graph struct {
	Ranks    int
	Bytes    int64    // of all channels
	Messages int64    // the same; 0 where they are not counted
	Local    int64    // bytes from ranks to themselves, left out
	Notes    []string // what a reader should know: what was left out, ranks that do not take part

	first    []int // of each rank in what follows, and one more
	to       []uint32
	bytes    []int64
	messages []int64 // nil where they are not counted
}

// Channels is the number of channels.
func (g *Graph) Channels() int { return len(g.to) }

// Counted reports whether messages are counted, and not bytes alone.
func (g *Graph) Counted() bool { return g.messages != nil }

// Row is what a rank sends: to whom, ascending, and how many bytes. The slices are the graph's.
func (g *Graph) Row(rank int) (to []uint32, bytes []int64) {
	from, end := g.first[rank], g.first[rank+1]
	return g.to[from:end], g.bytes[from:end]
}

// RowMessages are the numbers of messages that belong to a row; nil where they are not counted.
func (g *Graph) RowMessages(rank int) []int64 {
	if g.messages == nil {
		return nil
	}
	return g.messages[g.first[rank]:g.first[rank+1]]
}

// Parts is the number of parts between which there is no traffic; a rank that neither sends nor
// receives is one.
func (g *Graph) Parts() (parts, idle int) {
	above := make([]int32, g.Ranks)
	for r := range above {
		above[r] = int32(r)
	}
	top := func(r int32) int32 {
		for above[r] != r {
			above[r] = above[above[r]]
			r = above[r]
		}
		return r
	}
	busy := make([]bool, g.Ranks)
	parts = g.Ranks
	for r := range g.Ranks {
		to, _ := g.Row(r)
		for _, q := range to {
			busy[r], busy[q] = true, true
			if a, b := top(int32(r)), top(int32(q)); a != b {
				above[max(a, b)] = min(a, b)
				parts--
			}
		}
	}
	for _, b := range busy {
		if !b {
			idle++
		}
	}
	return parts, idle
}

// note says what a reader should know of a graph that is complete.
func (g *Graph) note() {
	if g.Local > 0 {
		g.Notes = append(g.Notes, fmt.Sprintf(
			"%d bytes from ranks to themselves are local copies, left out", g.Local))
	}
	switch parts, idle := g.Parts(); {
	case idle > 0:
		g.Notes = append(g.Notes, fmt.Sprintf("%d of %d ranks neither send nor receive", idle,
			g.Ranks))
	case parts > 1:
		g.Notes = append(g.Notes, fmt.Sprintf(
			"not connected: %d parts between which there is no traffic", parts))
	}
}
