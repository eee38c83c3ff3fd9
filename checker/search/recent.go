package search

// recent are some of the states that a worker has found to be known last, in a small memory of its
// own. Most steps lead to a state that was met a moment ago, by the same events in another order:
// these need not be looked up in the table, where each look-up waits for memory. Each place has one
// slot here, which the last one takes.
type recent []uint64

// recentWords is how many words there are once a search is not small any more: they should stay in
// the cache of a core.
const recentWords = 1 << 15

const (
	recentFirst = 64   // words in the beginning
	recentFrom  = 4096 // after so many states there are all of them
)

// slot is where a place is kept. The shard is part of the index, so a narrow one is its slot.
func (r recent) slot(p *place, wide bool) int {
	i := p.slot>>1&^shardMask | uint64(p.shard)
	if wide {
		i *= 2
	}
	return int(i & uint64(len(r)-1))
}

// has reports whether a place is certainly known.
func (r recent) has(p *place, wide bool) bool {
	i := r.slot(p, wide)
	return r[i] == p.slot && (!wide || r[i+1] == p.high)
}

// note remembers a place that is known.
func (r recent) note(p *place, wide bool) {
	i := r.slot(p, wide)
	if r[i] = p.slot; wide {
		r[i+1] = p.high
	}
}
