package clustering

import "slices"

// halver splits sets of units into two halves of nearly equal size with few bytes between them.
type halver struct {
	*net
	local []int32 // place of a unit in the set that is split; -1 elsewhere
}

func newHalver(n *net) *halver {
	h := &halver{net: n, local: make([]int32, n.units())}
	for v := range h.local {
		h.local[v] = -1
	}
	return h
}

// half is one set while it is split: units by their place in it.
type half struct {
	first  []int
	to     []int32
	weight []int64
	size   []int64
	total  int64 // ranks
	floor  int64 // ranks that each side should have
	heavy  int64 // ranks of the largest unit
	gain   [2]*tournament
	side   []int8
	ranks  [2]int64
	cut    int64
}

// halve splits a set of at least two units: the side of each, and the bytes between. Of several
// beginnings, each improved, the one with the least cut is taken; then that with the better
// balance, then the first in order. The first unit is on side 0.
func (h *halver) halve(set []int32) (side []int8, cut int64) {
	f := h.within(set)
	var bestRanks int64
	for _, start := range f.starts() {
		f.begin(start)
		for f.pass() {
		}
		if f.side[0] == 1 {
			for i := range f.side {
				f.side[i] ^= 1
			}
		}
		ranks := max(f.ranks[0], f.ranks[1])
		if side == nil || f.cut < cut || f.cut == cut && (ranks < bestRanks ||
			ranks == bestRanks && slices.Compare(f.side, side) < 0) {
			side, cut, bestRanks = slices.Clone(f.side), f.cut, ranks
		}
	}
	return side, cut
}

// within is the graph of a set: edges to others do not matter for its split.
func (h *halver) within(set []int32) *half {
	f := &half{first: make([]int, 1, len(set)+1), side: make([]int8, len(set))}
	for i, v := range set {
		h.local[v] = int32(i)
	}
	for _, v := range set {
		to, weight := h.row(v)
		for i, u := range to {
			if at := h.local[u]; at >= 0 {
				f.to, f.weight = append(f.to, at), append(f.weight, weight[i])
			}
		}
		f.first = append(f.first, len(f.to))
		f.size = append(f.size, h.size[v])
		f.total += h.size[v]
		f.heavy = max(f.heavy, h.size[v])
	}
	for _, v := range set {
		h.local[v] = -1
	}
	f.floor = f.total * 95 / 200 // half, less five percent of it
	f.gain = [2]*tournament{newTournament(len(set)), newTournament(len(set))}
	return f
}

// starts are the beginnings: units whose number has a bit, for each bit; the second half; and what
// grows from a few units.
func (f *half) starts() (list [][]int8) {
	n := len(f.size)
	for bit := 1; bit < n; bit *= 2 {
		side := make([]int8, n)
		for v := range side {
			if v&bit != 0 {
				side[v] = 1
			}
		}
		list = append(list, side)
	}
	side := make([]int8, n)
	ranks := int64(0)
	for v := n - 1; v > 0 && 2*ranks < f.total; v-- {
		side[v] = 1
		ranks += f.size[v]
	}
	list = append(list, side)
	for _, v := range []int{0, n / 3, n / 2, n - 1} {
		list = append(list, f.grown(v))
	}
	return list
}

// grown takes one unit after the other that has most to do with those taken, until they are half.
func (f *half) grown(from int) []int8 {
	side, pull := make([]int8, len(f.size)), newTournament(len(f.size))
	for v := range f.size {
		pull.set(int32(v), 0)
	}
	v, ranks := int32(from), int64(0)
	for taken := 1; ; taken++ {
		side[v] = 1
		ranks += f.size[v]
		pull.remove(v)
		if 2*ranks >= f.total || taken == len(f.size)-1 {
			return side
		}
		for i := f.first[v]; i < f.first[v+1]; i++ {
			if u := f.to[i]; side[u] == 0 {
				pull.set(u, pull.value[u]+f.weight[i])
			}
		}
		v = pull.top()
	}
}

// begin takes a beginning.
func (f *half) begin(side []int8) {
	copy(f.side, side)
	f.ranks, f.cut = [2]int64{}, 0
	for v, s := range f.side {
		f.ranks[s] += f.size[v]
		for i := f.first[v]; i < f.first[v+1]; i++ {
			if f.side[f.to[i]] != s {
				f.cut += f.weight[i]
			}
		}
	}
	f.cut /= 2
}

// pass moves units one after the other, each once, always the one that makes the cut least, even
// where that is more than before, and takes back what came after the best moment (Fiduccia and
// Mattheyses). It reports whether the split has become better.
func (f *half) pass() bool {
	for v, s := range f.side {
		gain := int64(0)
		for i := f.first[v]; i < f.first[v+1]; i++ {
			if f.side[f.to[i]] == s {
				gain -= f.weight[i]
			} else {
				gain += f.weight[i]
			}
		}
		f.gain[s].set(int32(v), gain)
		f.gain[1-s].remove(int32(v))
	}
	cut, larger := f.cut, f.larger()
	var moved []int32
	best := 0
	for {
		v := f.choice()
		if v < 0 {
			break
		}
		f.flip(v)
		moved = append(moved, v)
		if f.balanced() && (f.cut < cut || f.cut == cut && f.larger() < larger) ||
			larger > f.total-f.floor && f.larger() < larger { // it was not balanced
			cut, larger, best = f.cut, f.larger(), len(moved)
		}
		if len(moved)-best > vainMoves(len(f.size)) {
			break
		}
	}
	for i := len(moved) - 1; i >= best; i-- {
		f.flip(moved[i])
	}
	return best > 0
}

// vainMoves is after how many moves without a better split a pass ends: all of them in a small set.
func vainMoves(units int) int { return max(512, units/16) }

func (f *half) larger() int64  { return max(f.ranks[0], f.ranks[1]) }
func (f *half) balanced() bool { return f.total-f.larger() >= f.floor }

// choice is the unit whose move gains most, of those that may move: out of balance by one move at
// most.
func (f *half) choice() int32 {
	best := int32(-1)
	for s := range f.gain {
		v := f.gain[s].top()
		if v < 0 || f.ranks[s] == f.size[v] {
			continue
		}
		left := f.ranks[s] - f.size[v]
		if left < f.floor && !f.balanced() && f.ranks[s] < f.ranks[1-s] {
			continue // it is the smaller side already
		}
		if left < f.floor-f.heavy {
			continue
		}
		if best < 0 || f.gain[s].value[v] > f.gain[0].value[best] ||
			f.gain[s].value[v] == f.gain[0].value[best] && v < best {
			best = v
		}
	}
	return best
}

// flip moves a unit to the other side; it does not move again in this pass.
func (f *half) flip(v int32) {
	s := f.side[v]
	f.gain[0].remove(v)
	f.gain[1].remove(v)
	f.side[v] = 1 - s
	f.ranks[s] -= f.size[v]
	f.ranks[1-s] += f.size[v]
	for i := f.first[v]; i < f.first[v+1]; i++ {
		u, w := f.to[i], f.weight[i]
		if f.side[u] == s {
			f.cut += w
			w = 2 * w
		} else {
			f.cut -= w
			w = -2 * w
		}
		if t := f.gain[f.side[u]]; t.in(u) {
			t.set(u, t.value[u]+w)
		}
	}
}

// tournament knows the unit with the largest value, the smallest such unit, in one look, and
// changes a value in as many steps as there are rounds.
type tournament struct {
	value  []int64
	winner []int32 // of each match, from 1 the final; the units themselves follow; -1 = nobody
	half   int
}

func newTournament(units int) *tournament {
	t := &tournament{value: make([]int64, units), half: 1}
	for t.half < units {
		t.half *= 2
	}
	t.winner = make([]int32, 2*t.half)
	for i := range t.winner {
		t.winner[i] = -1
	}
	return t
}

func (t *tournament) top() int32      { return t.winner[1] }
func (t *tournament) in(v int32) bool { return t.winner[t.half+int(v)] >= 0 }
func (t *tournament) set(v int32, to int64) {
	t.value[v] = to
	t.winner[t.half+int(v)] = v
	t.play(t.half + int(v))
}

func (t *tournament) remove(v int32) {
	if t.in(v) {
		t.winner[t.half+int(v)] = -1
		t.play(t.half + int(v))
	}
}

// play repeats the matches above a unit.
func (t *tournament) play(at int) {
	if t.half == 1 { // one unit has no match
		t.winner[1] = t.winner[at]
		return
	}
	for at /= 2; at >= 1; at /= 2 {
		a, b := t.winner[2*at], t.winner[2*at+1]
		if a < 0 || b >= 0 && t.value[b] > t.value[a] {
			a = b
		}
		t.winner[at] = a
	}
}
