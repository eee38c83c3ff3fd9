package traffic

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// pieceSize is how many channels are gathered in one piece of memory: pieces neither move nor leave
// room behind, so gathering costs 24 bytes a channel whatever their number.
const pieceSize = 1 << 16

// channel is one channel, or part of it, as it comes.
type channel struct {
	from, to        uint32
	bytes, messages int64
}

// Builder gathers channels, in any order and any number of times.
type Builder struct {
	pieces          [][]channel
	most            int // ranks seen: the largest and one
	bytes, messages int64
	local           int64
}

// errAbsurd is a number that no run has.
var errAbsurd = fmt.Errorf("more than %d bytes in all, which is no size of a run",
	int64(MaxBytes))

// Add adds what one rank sends to another. The error says which of the numbers is wrong, and why.
func (b *Builder) Add(from, to int, bytes, messages int64) error {
	switch {
	case from < 0 || from >= MaxRanks:
		return fmt.Errorf("src %d: want a rank in [0, %d)", from, MaxRanks)
	case to < 0 || to >= MaxRanks:
		return fmt.Errorf("dst %d: want a rank in [0, %d)", to, MaxRanks)
	case bytes < 0:
		return fmt.Errorf("bytes %d: less than nothing", bytes)
	case messages < 0:
		return fmt.Errorf("messages %d: less than none", messages)
	case bytes > MaxBytes-b.bytes-b.local:
		return fmt.Errorf("bytes %d: %w", bytes, errAbsurd)
	case messages > MaxBytes-b.messages:
		return fmt.Errorf("messages %d: more than %d in all", messages, int64(MaxBytes))
	}
	b.most = max(b.most, from+1, to+1)
	if from == to {
		b.local += bytes
		return nil
	}
	b.bytes += bytes
	b.messages += messages
	last := len(b.pieces) - 1
	if last < 0 || len(b.pieces[last]) == pieceSize {
		b.pieces = append(b.pieces, make([]channel, 0, pieceSize))
		last++
	}
	b.pieces[last] = append(b.pieces[last], channel{uint32(from), uint32(to), bytes, messages})
	return nil
}

// ErrEmpty says that there is no traffic at all, so that no clustering is better than another.
var ErrEmpty = errors.New("no traffic: nobody sends a byte to another rank")

// Graph is what was added, among so many ranks; 0 is as many as were named. The builder is empty
// afterwards. The error is ErrEmpty, or names ranks that are not there.
func (b *Builder) Graph(ranks int, counted bool) (*Graph, error) {
	if ranks == 0 {
		ranks = b.most
	}
	switch {
	case ranks < b.most:
		return nil, fmt.Errorf("rank %d is unknown, there are %d", b.most-1, ranks)
	case b.bytes == 0:
		return nil, ErrEmpty
	}
	g := &Graph{Ranks: ranks, Bytes: b.bytes, Messages: b.messages, Local: b.local}
	b.place(g, counted)
	merged := 0
	for r := range ranks {
		from, end := g.first[r], g.first[r+1]
		g.first[r] = merged
		merged = g.mergeRow(from, end, merged)
	}
	g.first[ranks] = merged
	g.to, g.bytes = g.to[:merged], g.bytes[:merged]
	if counted {
		g.messages = g.messages[:merged]
	}
	*b = Builder{}
	g.note()
	return g, nil
}

// place puts every channel into the row of its sender, piece by piece, so that memory of pieces can
// go meanwhile.
func (b *Builder) place(g *Graph, counted bool) {
	g.first = make([]int, g.Ranks+1)
	for _, piece := range b.pieces {
		for _, c := range piece {
			g.first[c.from+1]++
		}
	}
	for r := range g.Ranks {
		g.first[r+1] += g.first[r]
	}
	all := g.first[g.Ranks]
	g.to, g.bytes = make([]uint32, all), make([]int64, all)
	if counted {
		g.messages = make([]int64, all)
	}
	next := slices.Clone(g.first)
	for i, piece := range b.pieces {
		for _, c := range piece {
			at := next[c.from]
			next[c.from]++
			g.to[at], g.bytes[at] = c.to, c.bytes
			if counted {
				g.messages[at] = c.messages
			}
		}
		b.pieces[i] = nil
	}
}

// mergeRow sorts a row by receiver, adds up what has the same one, and moves it to a place before
// it; it returns the end of the row there.
func (g *Graph) mergeRow(from, end, into int) int {
	if !ascending(g.to[from:end]) {
		g.sortRow(from, end)
	}
	start := into
	for i := from; i < end; i++ {
		if into > start && g.to[into-1] == g.to[i] {
			g.bytes[into-1] += g.bytes[i]
			if g.messages != nil {
				g.messages[into-1] += g.messages[i]
			}
			continue
		}
		g.to[into], g.bytes[into] = g.to[i], g.bytes[i]
		if g.messages != nil {
			g.messages[into] = g.messages[i]
		}
		into++
	}
	return into
}

func ascending(list []uint32) bool {
	for i := 1; i < len(list); i++ {
		if list[i-1] >= list[i] {
			return false
		}
	}
	return true
}

// sortRow sorts a row by receiver.
func (g *Graph) sortRow(from, end int) {
	row := make([]channel, 0, end-from)
	for i := from; i < end; i++ {
		c := channel{to: g.to[i], bytes: g.bytes[i]}
		if g.messages != nil {
			c.messages = g.messages[i]
		}
		row = append(row, c)
	}
	slices.SortFunc(row, func(a, b channel) int { return cmp.Compare(a.to, b.to) })
	for i, c := range row {
		g.to[from+i], g.bytes[from+i] = c.to, c.bytes
		if g.messages != nil {
			g.messages[from+i] = c.messages
		}
	}
}
