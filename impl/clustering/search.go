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

// shortWork is how many units and edges an attempt looks at in about a third of a second: what
// is larger gets no more than a round or two from each seed, and the best of them get the rest.
const shortWork = 1 << 20

// short is how many rounds an attempt has at most.
func (n *net) short() int { return max(1, shortWork/n.work()) }

// work is how many units and edges a round looks at.
func (n *net) work() int { return n.units() + len(n.to) }

// longEnough is a number of rounds that nearly no search needs.
const longEnough = 100

// kicks is how many kicks a plan gets, if an attempt on its net has at least kickable rounds: each
// takes about as long as one.
const kicks, kickable = 100, 16

// kicked tries a plan with a region of it made anew, again and again, and keeps what is cheaper: a
// cluster and about half of those around it are dissolved into their units.
func (s *seeker) kicked(n *net, label []int32) {
	before := s.cost(n.cut(label), n.squares(label))
	for range kicks {
		if s.stop() {
			return
		}
		fresh := s.dissolved(n, label)
		groups := renumber(fresh)
		project(fresh, s.louvain(n.contract(fresh, groups)))
		s.improve(n, fresh, 1)
		if now := s.cost(n.cut(fresh), n.squares(fresh)); now.compare(before) < 0 {
			copy(label, fresh)
			before = now
		}
	}
}

// dissolved is a partition in which each unit of a region is alone.
func (s *seeker) dissolved(n *net, label []int32) []int32 {
	clusters := renumber(label)
	core := label[s.chance.below(n.units())]
	region, asked := make([]bool, clusters), make([]bool, clusters)
	region[core], asked[core] = true, true
	for v, c := range label {
		if c != core {
			continue
		}
		to, _ := n.row(int32(v))
		for _, u := range to {
			if d := label[u]; !asked[d] {
				asked[d] = true
				region[d] = s.chance.below(2) == 0
			}
		}
	}
	fresh := make([]int32, len(label))
	for v, c := range label {
		// the number of a unit of the cluster stands for the cluster
		fresh[v] = int32(v)
		if !region[c] {
			fresh[v] = -1 - c
		}
	}
	first := make([]int32, clusters)
	for v := len(label) - 1; v >= 0; v-- {
		first[label[v]] = int32(v)
	}
	for v, c := range fresh {
		if c < 0 {
			fresh[v] = first[-1-c]
		}
	}
	return fresh
}

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
