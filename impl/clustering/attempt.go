package clustering

import "slices"

// Seeds is how many beginnings a search has at most, unless asked otherwise.
const Seeds = 32

// Of a net that is large, seeds look at so many units and edges in all, but a few there are.
const seedWork, fewSeeds = 1 << 22, 8

// Seeds is how many beginnings a search of the problem has, unless asked otherwise.
func (p *Problem) Seeds() int {
	return min(Seeds, max(fewSeeds, seedWork/p.net.work()))
}

// Finals is how many of the best plans of a search are worth Polish.
const Finals = 2

// Attempt is the plan that the search finds from one seed, nil when it finds none that keeps to the
// rules or is stopped before it has one. The same seed gives the same plan; any number of attempts
// may run at the same time.
func (p *Problem) Attempt(seed int, stop func() bool) *Plan {
	s := p.seeker(seed, stop)
	label := s.begin(p, seed)
	if p.fixed() && !s.repair(p, label) {
		return nil
	}
	s.frozen = p.fixed()
	s.improve(p.net, label, p.net.short())
	return p.kept(label)
}

// Polish goes on with the plan of an attempt: where that had to be short, until nothing helps any
// more, and otherwise by kicks. It never makes a plan worse.
func (p *Problem) Polish(plan *Plan, stop func() bool) *Plan {
	label := make([]int32, p.net.units())
	for r, u := range p.unit {
		label[u] = int32(plan.Labels[r])
	}
	s := p.seeker(-1, stop)
	s.frozen = p.fixed()
	if p.net.short() < kickable {
		s.improve(p.net, label, longEnough)
	} else if !s.frozen {
		s.kicked(p.net, label)
	}
	if better := p.kept(label); p.Better(better, plan) {
		return better
	}
	return plan
}

// fixed reports whether the rules say something of clusters that moves alone would not keep to.
func (p *Problem) fixed() bool { return p.Clusters > 0 || p.Least > 1 }

// kept is the plan of labels if it keeps to the rules.
func (p *Problem) kept(label []int32) *Plan {
	if plan := p.plan(label); p.Keeps(plan) {
		return plan
	}
	return nil
}

// seeker begins with a seed.
func (p *Problem) seeker(seed int, stop func() bool) *seeker {
	b := p.limits()
	b.least = int64(p.Least)
	return &seeker{price: p.prices(p.Weights), bounds: b, stop: stop,
		chance: chance(uint64(seed)*0x632be59bd9b4e019 + 1)}
}

// begin is a first partition: by weights that make its clusters as many or as large as the rules
// want them, where they say so.
func (s *seeker) begin(p *Problem, seed int) []int32 {
	tilted := func(halves int) []int32 {
		own := s.price
		s.price = p.prices(p.tilted(halves))
		label := s.louvain(p.net)
		s.price = own
		return label
	}
	switch {
	case p.Clusters > 0:
		return s.sought(p.Clusters, tilted)
	case p.Rollback > 0 && seed%2 == 1: // smaller clusters than the weights want
		return tilted(seed % 16)
	case p.Least > 1 && seed%2 == 1: // larger ones
		return tilted(-seed % 16)
	}
	return tilted([]int{0, 1, 0, -1, 0, 2, 0, -2}[seed%8])
}

// sought is the partition with about so many clusters, found by halving the range of tilts.
func (s *seeker) sought(clusters int, tilted func(int) []int32) (nearest []int32) {
	low, high, off := 0, 2*tilts, 0
	for low < high && !s.stop() {
		middle := (low + high) / 2
		label := tilted(middle - tilts)
		got := renumber(label)
		if d := max(got-clusters, clusters-got); nearest == nil || d < off {
			nearest, off = label, d
		}
		if got < clusters {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if nearest == nil {
		return tilted(0)
	}
	return nearest
}

// repair merges clusters that are too small or too many, and halves the largest where there are too
// few. It reports whether the number and the least size are then as the rules want them: halves
// that are too small are merged again, so it gives up after as many changes as would do.
func (s *seeker) repair(p *Problem, label []int32) bool {
	for changes := 0; changes <= 2*len(label) && !s.stop(); changes++ {
		clusters := renumber(label)
		net := p.net.contract(label, clusters)
		smallest := slices.Index(net.size, slices.Min(net.size))
		switch {
		case p.Clusters > 0 && clusters > p.Clusters || net.size[smallest] < int64(p.Least):
			coarse := alone(clusters)
			if !s.absorb(net, coarse, int32(smallest)) {
				return false
			}
			project(label, coarse)
		case p.Clusters > 0 && clusters < p.Clusters:
			if !halveLargest(p.net, label, clusters) {
				return false
			}
		default:
			return true
		}
	}
	return false
}

// absorb puts one cluster, a unit of a contracted net, to the one where it costs least.
func (s *seeker) absorb(n *net, coarse []int32, small int32) bool {
	st := newState(n, s.price, s.bounds, coarse)
	to, weight := n.row(small)
	joined := make([]int64, n.units())
	for i, u := range to {
		joined[u] = weight[i]
	}
	var least wide
	best := int32(-1)
	both := s.square.times(2 * n.size[small])
	for c := range int32(n.units()) {
		if c == small || !st.allowed(small, c) {
			continue
		}
		cost := both.times(n.size[c]).minus(s.price.cut.times(joined[c]))
		if best < 0 || cost.compare(least) < 0 {
			least, best = cost, c
		}
	}
	if best >= 0 {
		st.move(small, best)
	}
	return best >= 0
}

// halveLargest splits the cluster with most ranks of those that have more than one unit.
func halveLargest(n *net, label []int32, clusters int) bool {
	start, members := grouped(label, clusters)
	largest, most := -1, int64(0)
	for c := range clusters {
		list := members[start[c]:start[c+1]]
		ranks := int64(0)
		for _, v := range list {
			ranks += n.size[v]
		}
		if len(list) > 1 && ranks > most {
			largest, most = c, ranks
		}
	}
	if largest < 0 {
		return false
	}
	list := members[start[largest]:start[largest+1]]
	side, _ := newHalver(n).halve(list)
	for i, v := range list {
		if side[i] == 1 {
			label[v] = int32(clusters)
		}
	}
	return true
}
