package clustering

import (
	"slices"

	"github.com/domino-check/domino/impl/traffic"
)

// net is an undirected graph of units: ranks, or groups of ranks that stay together. The weight of
// an edge is the bytes both ways; each edge is in the rows of both ends, ascending.
type net struct {
	first  []int
	to     []int32
	weight []int64
	size   []int64   // ranks in each unit
	apart  [][]int32 // units that must not be with it, ascending; nil where there are none
}

func (n *net) units() int { return len(n.size) }

// row is the edges of a unit.
func (n *net) row(v int32) (to []int32, weight []int64) {
	from, end := n.first[v], n.first[v+1]
	return n.to[from:end], n.weight[from:end]
}

// newNet makes a graph of units of traffic: of says to which unit a rank belongs.
func newNet(g *traffic.Graph, of []int32, units int) *net {
	n := &net{first: make([]int, units+1), size: make([]int64, units)}
	for _, u := range of {
		n.size[u]++
	}
	each := func(see func(a, b int32, bytes int64)) {
		for r := range g.Ranks {
			to, bytes := g.Row(r)
			for i, q := range to {
				if a, b := of[r], of[q]; a != b && bytes[i] > 0 {
					see(a, b, bytes[i])
				}
			}
		}
	}
	each(func(a, b int32, _ int64) {
		n.first[a+1]++
		n.first[b+1]++
	})
	for u := range units {
		n.first[u+1] += n.first[u]
	}
	n.to, n.weight = make([]int32, n.first[units]), make([]int64, n.first[units])
	next := slices.Clone(n.first)
	each(func(a, b int32, bytes int64) {
		n.to[next[a]], n.weight[next[a]] = b, bytes
		n.to[next[b]], n.weight[next[b]] = a, bytes
		next[a]++
		next[b]++
	})
	n.merge()
	return n
}

// merge adds up edges between the same units and sorts each row.
func (n *net) merge() {
	units, into := n.units(), 0
	sum, touched := make([]int64, units), []int32(nil)
	for v := range units {
		from, end := n.first[v], n.first[v+1]
		touched = touched[:0]
		for i := from; i < end; i++ {
			if sum[n.to[i]] == 0 {
				touched = append(touched, n.to[i])
			}
			sum[n.to[i]] += n.weight[i]
		}
		slices.Sort(touched)
		n.first[v] = into
		for _, u := range touched {
			n.to[into], n.weight[into] = u, sum[u]
			sum[u] = 0
			into++
		}
	}
	n.first[units] = into
	n.to, n.weight = n.to[:into], n.weight[:into]
}

// contract makes a graph whose units are groups of those of this one: of says which group a unit
// belongs to.
func (n *net) contract(of []int32, groups int) *net {
	c := &net{first: make([]int, groups+1), size: make([]int64, groups),
		to: make([]int32, 0, len(n.to)), weight: make([]int64, 0, len(n.to))}
	start, members := grouped(of, groups)
	sum, touched := make([]int64, groups), []int32(nil)
	for g := range groups {
		touched = touched[:0]
		for _, v := range members[start[g]:start[g+1]] {
			c.size[g] += n.size[v]
			to, weight := n.row(v)
			for i, u := range to {
				if h := of[u]; int(h) != g {
					if sum[h] == 0 {
						touched = append(touched, h)
					}
					sum[h] += weight[i]
				}
			}
		}
		slices.Sort(touched)
		for _, h := range touched {
			c.to, c.weight = append(c.to, h), append(c.weight, sum[h])
			sum[h] = 0
		}
		c.first[g+1] = len(c.to)
	}
	c.to, c.weight = fitted(c.to), fitted(c.weight)
	if n.apart != nil {
		c.apart = make([][]int32, groups)
		for v, list := range n.apart {
			for _, u := range list {
				c.apart[of[v]] = append(c.apart[of[v]], of[u])
			}
		}
		for g, list := range c.apart {
			slices.Sort(list)
			c.apart[g] = slices.Compact(list)
		}
	}
	return c
}

// fitted is a list without the room behind it, if that is much: nets of all levels are kept.
func fitted[T any](list []T) []T {
	if cap(list)-len(list) > cap(list)/8 {
		return append(make([]T, 0, len(list)), list...)
	}
	return list
}

// grouped lists the members of each group one after the other, ascending: those of group g are
// members[start[g]:start[g+1]].
func grouped(of []int32, groups int) (start []int, members []int32) {
	start = make([]int, groups+1)
	for _, g := range of {
		start[g+1]++
	}
	for g := range groups {
		start[g+1] += start[g]
	}
	members = make([]int32, len(of))
	next := slices.Clone(start)
	for v, g := range of {
		members[next[g]] = int32(v)
		next[g]++
	}
	return start, members
}

// cut is the bytes between units of different clusters.
func (n *net) cut(label []int32) (bytes int64) {
	for v := range n.units() {
		to, weight := n.row(int32(v))
		for i, u := range to {
			if int32(v) < u && label[v] != label[u] {
				bytes += weight[i]
			}
		}
	}
	return bytes
}

// squares is the sum of the squares of the sizes of clusters.
func (n *net) squares(label []int32) (sum int64) {
	sizes := make([]int64, n.units())
	for v, c := range label {
		sizes[c] += n.size[v]
	}
	for _, s := range sizes {
		sum += s * s
	}
	return sum
}

// renumber gives clusters the numbers 0, 1, ... in the order of their first units.
func renumber(label []int32) (clusters int) {
	fresh := make([]int32, 0, 16)
	seen := make([]int32, len(label))
	for i := range seen {
		seen[i] = -1
	}
	for v, c := range label {
		if seen[c] < 0 {
			seen[c] = int32(len(fresh))
			fresh = append(fresh, c)
		}
		label[v] = seen[c]
	}
	return len(fresh)
}
