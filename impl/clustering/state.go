package clustering

import "slices"

// price is what costs are made of: times the bytes cut, and times the sum of squared sizes.
type price struct{ cut, square wide }

// cost is that of a partition, as a multiple of 1 / (scale bytes ranks^2).
func (p price) cost(cut, squares int64) wide {
	return p.cut.times(cut).plus(p.square.times(squares))
}

// bounds are what no partition may break.
type bounds struct {
	most    int64 // ranks in a cluster
	squares int64 // sum of the squares of sizes
	least   int64 // ranks in a cluster; only where frozen
	frozen  bool  // clusters neither come nor go
}

// state is a partition of the units of a net, changed by one move of a unit after the other, each
// of which makes it cheaper.
type state struct {
	*net
	price
	bounds
	label   []int32
	ranks   []int64 // of each cluster
	members []int32 // units of it
	total   int64   // sum of squares
	free    []int32 // clusters without members
	level   bool    // a move to what is as cheap is welcome

	sum     []int64 // of the unit that is looked at: weight to clusters
	touched []int32
	queue   []int32
	waiting []bool
}

// newState begins with a partition, which it keeps and changes.
func newState(n *net, p price, b bounds, label []int32) *state {
	units := n.units()
	s := &state{net: n, price: p, bounds: b, label: label, ranks: make([]int64, units),
		members: make([]int32, units), sum: make([]int64, units), waiting: make([]bool, units)}
	for v, c := range label {
		s.ranks[c] += n.size[v]
		s.members[c]++
	}
	for c := units - 1; c >= 0; c-- {
		s.total += s.ranks[c] * s.ranks[c]
		if s.members[c] == 0 {
			s.free = append(s.free, int32(c))
		}
	}
	return s
}

// settle moves single units until no move makes the partition cheaper. Units are looked at in an
// order drawn from chance, and again when a neighbour has left or come. It reports whether any has
// moved.
func (s *state) settle(r *chance) (moved bool) {
	s.queue = r.shuffled(s.queue[:0], s.units())
	for v := range s.waiting {
		s.waiting[v] = true
	}
	for at := 0; at < len(s.queue); at++ {
		v := s.queue[at]
		s.waiting[v] = false
		c := s.best(v)
		if c == s.label[v] {
			continue
		}
		s.move(v, c)
		moved = true
		to, _ := s.row(v)
		for _, u := range to {
			if s.label[u] != c && !s.waiting[u] {
				s.waiting[u] = true
				s.queue = append(s.queue, u)
			}
		}
		if at > len(s.waiting) { // what was looked at needs no room
			s.queue = append(s.queue[:0], s.queue[at+1:]...)
			at = -1
		}
	}
	return moved
}

// drift moves every unit once to a cluster that is as cheap for it as its own, if there is one, or
// cheaper. So what is too much at one place can go, step by step, to where it is missing.
func (s *state) drift(r *chance) {
	s.level = true
	s.queue = r.shuffled(s.queue[:0], s.units())
	for _, v := range s.queue {
		if c := s.best(v); c != s.label[v] {
			s.move(v, c)
		}
	}
	s.level = false
}

// best is the cluster that is cheapest for a unit: its own unless another, or an empty one, is
// cheaper, or as cheap where that is wanted.
func (s *state) best(v int32) int32 {
	own := s.label[v]
	if s.frozen && (s.members[own] == 1 || s.ranks[own]-s.size[v] < s.least) {
		return own
	}
	to, weight := s.row(v)
	for i, u := range to {
		c := s.label[u]
		if s.sum[c] == 0 {
			s.touched = append(s.touched, c)
		}
		s.sum[c] += weight[i]
	}
	// the cost of v with others is twice its size times theirs, less what is no longer cut
	both := s.square.times(2 * s.size[v])
	least, best := both.times(s.ranks[own]-s.size[v]).minus(s.price.cut.times(s.sum[own])), own
	for _, c := range s.touched {
		if c == own || !s.allowed(v, c) {
			continue
		}
		cost := both.times(s.ranks[c]).minus(s.price.cut.times(s.sum[c]))
		if d := cost.compare(least); d < 0 || d == 0 && s.level && best == own {
			least, best = cost, c
		}
	}
	if s.members[own] > 1 && !s.frozen && least.compare(wide{}) > 0 {
		best = s.free[len(s.free)-1]
	}
	for _, c := range s.touched {
		s.sum[c] = 0
	}
	s.touched = s.touched[:0]
	return best
}

// allowed reports whether a unit may move to a cluster. A move that leaves less to roll back always
// keeps within the bound of that.
func (s *state) allowed(v, c int32) bool {
	if s.ranks[c]+s.size[v] > s.most {
		return false
	}
	if more := s.more(v, c); more > 0 && s.total+more > s.bounds.squares {
		return false
	}
	if s.apart != nil {
		for _, u := range s.apart[v] {
			if s.label[u] == c {
				return false
			}
		}
	}
	return true
}

// more is by how much a move changes the sum of squares.
func (s *state) more(v, c int32) int64 {
	return 2 * s.size[v] * (s.ranks[c] - (s.ranks[s.label[v]] - s.size[v]))
}

// move moves a unit to another cluster.
func (s *state) move(v, c int32) {
	own := s.label[v]
	s.total += s.more(v, c)
	s.ranks[own] -= s.size[v]
	s.ranks[c] += s.size[v]
	if s.members[c] == 0 {
		at := len(s.free) - 1 // best gives the last one
		for s.free[at] != c {
			at--
		}
		s.free = slices.Delete(s.free, at, at+1)
	}
	if s.members[own]--; s.members[own] == 0 {
		s.free = append(s.free, own)
	}
	s.members[c]++
	s.label[v] = c
}

// chance draws numbers from a seed, the same everywhere.
type chance uint64

func (r *chance) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below is a number in [0, n).
func (r *chance) below(n int) int { return int(r.next() % uint64(n)) }

// shuffled appends the numbers below n in an order drawn from chance.
func (r *chance) shuffled(list []int32, n int) []int32 {
	for i := range n {
		list = append(list, int32(i))
		j := r.below(i + 1)
		list[i], list[j] = list[j], list[i]
	}
	return list
}
