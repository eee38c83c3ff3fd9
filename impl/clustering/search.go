package clustering

// seeker looks for a cheap partition of the units of one problem, from one seed.
type seeker struct {
	price
	bounds
	chance chance
	stop   func() bool
}

// louvain begins with every unit alone: it moves units until nothing is cheaper, contracts clusters
// to units of a coarser net, goes on there, and on the way back moves units of each finer net
// again.
func (s *seeker) louvain(n *net) []int32 {
	label := alone(n.units())
	newState(n, s.price, s.bounds, label).settle(&s.chance)
	if clusters := renumber(label); clusters < n.units() && !s.stop() {
		project(label, s.louvain(n.contract(label, clusters)))
		newState(n, s.price, s.bounds, label).settle(&s.chance)
	}
	return label
}

// alone is the partition in which each unit is a cluster.
func alone(units int) []int32 {
	label := make([]int32, units)
	for v := range label {
		label[v] = int32(v)
	}
	return label
}

// project gives each unit the cluster of what it was contracted to.
func project(label, coarse []int32) {
	for v, c := range label {
		label[v] = coarse[c]
	}
}

// patience is how many rounds in a row may be in vain.
const patience = 3

// shortWork is how many edges the rounds of an attempt look at in about a third of a second: what
// is larger gets no more than a round or two from each seed, and the best of them get the rest.
const shortWork = 1 << 20

// short is how many rounds an attempt has at most.
func (n *net) short() int { return max(1, shortWork/max(1, len(n.to))) }

// improve lets groups of units move, until some rounds in a row have not made the partition
// cheaper: a round pairs units of the same cluster, pairs of pairs and so on, then moves such
// groups, the largest first, which are whole clusters.
func (s *seeker) improve(n *net, label []int32, rounds int) {
	renumber(label)
	before := s.cost(n.cut(label), n.squares(label))
	for vain := 0; vain < patience && rounds > 0 && !s.stop(); rounds-- {
		s.round(n, label)
		renumber(label)
		if now := s.cost(n.cut(label), n.squares(label)); now.compare(before) < 0 {
			before, vain = now, 0
		} else {
			vain++
		}
	}
}

// round is one round: pairs, the same among the pairs, and then single units.
func (s *seeker) round(n *net, label []int32) {
	pair, groups := s.pairs(n, label)
	if 20*groups > 19*n.units() { // nothing left to pair: whole clusters move, or merge
		s.merge(n, label)
	} else {
		coarse := make([]int32, groups)
		for v, g := range pair {
			coarse[g] = label[v]
		}
		renumber(coarse)
		s.round(n.contract(pair, groups), coarse)
		project(pair, coarse)
		copy(label, pair)
	}
	st := newState(n, s.price, s.bounds, label)
	for range 2 {
		st.drift(&s.chance)
		st.settle(&s.chance)
	}
}

// merge moves whole clusters to one another.
func (s *seeker) merge(n *net, label []int32) {
	clusters := renumber(label)
	if s.frozen || clusters == n.units() {
		return
	}
	coarse := alone(clusters)
	newState(n.contract(label, clusters), s.price, s.bounds, coarse).settle(&s.chance)
	project(label, coarse)
}

// pairs joins each unit with the neighbour in its cluster that has the heaviest edge to it, of
// those that are not joined yet.
func (s *seeker) pairs(n *net, label []int32) (group []int32, groups int) {
	group = make([]int32, n.units())
	for v := range group {
		group[v] = -1
	}
	for _, v := range s.chance.shuffled(nil, n.units()) {
		if group[v] >= 0 {
			continue
		}
		mate, heaviest := v, int64(0)
		to, weight := n.row(v)
		for i, u := range to {
			if group[u] < 0 && label[u] == label[v] && weight[i] > heaviest {
				mate, heaviest = u, weight[i]
			}
		}
		group[v], group[mate] = int32(groups), int32(groups)
		groups++
	}
	return group, groups
}
