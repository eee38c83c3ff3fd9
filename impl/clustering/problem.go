package clustering

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/traffic"
)

// Rules are what a clustering must keep to. The zero value asks for nothing.
type Rules struct {
	Node     []int    // of each rank, whose ranks stay together; nil = each rank is its own
	Join     [][]int  // ranks of which each group stays together
	Part     [][2]int // ranks that must not be together
	Least    int      // ranks in a cluster, at least
	Most     int      // at most; 0 = any number
	Clusters int      // exactly; 0 = any number
	// Rollback bounds R, the expected share of ranks that one failure rolls back, in millionths;
	// 0 = any
	Rollback int64
}

// Problem is what a clustering is wanted for.
type Problem struct {
	Traffic *traffic.Graph
	Weights
	Rules

	net  *net
	unit []int32 // of each rank
}

// Plan is one clustering.
type Plan struct {
	Labels  []int // cluster of each rank; clusters are numbered in the order of their first ranks
	Sizes   []int // of the clusters, in ranks
	Logged  int64 // bytes between clusters
	Squares int64 // sum of the squares of the sizes
}

// Open contracts what stays together and says what can not be met, before any search.
func (p *Problem) Open() error {
	n := p.Traffic.Ranks
	if !p.fits(p.Traffic.Bytes, n) {
		return fmt.Errorf("%d ranks and %d bytes with alpha and beta of so many digits: costs "+
			"would not be exact", n, p.Traffic.Bytes)
	}
	if err := p.validate(); err != nil {
		return err
	}
	units := p.units()
	p.net = newNet(p.Traffic, p.unit, units)
	if err := p.keepApart(); err != nil {
		return err
	}
	return p.clash()
}

// Units is how many units there are: ranks, or groups that stay together.
func (p *Problem) Units() int { return p.net.units() }

// prices are those of the weights.
func (p *Problem) prices(w Weights) price {
	n := int64(p.Traffic.Ranks)
	return price{whole(w.Alpha).times(n).times(n), whole(w.Beta).times(p.Traffic.Bytes)}
}

// limits are the bounds of the rules, without those that only the end of a search can meet.
func (p *Problem) limits() bounds {
	n := int64(p.Traffic.Ranks)
	b := bounds{most: n, squares: n * n}
	if p.Most > 0 {
		b.most = int64(p.Most)
	}
	if p.Rollback > 0 {
		b.squares = p.mostSquares()
	}
	return b
}

// mostSquares is the largest sum of squares with which R is within its bound.
func (p *Problem) mostSquares() int64 {
	n := int64(p.Traffic.Ranks)
	return n*n/1e6*p.Rollback + n*n%1e6*p.Rollback/1e6
}

// plan makes a plan of labels of units.
func (p *Problem) plan(label []int32) *Plan {
	clusters := renumber(label)
	plan := &Plan{Labels: make([]int, p.Traffic.Ranks), Sizes: make([]int, clusters),
		Logged: p.net.cut(label), Squares: p.net.squares(label)}
	for r, u := range p.unit {
		plan.Labels[r] = int(label[u])
		plan.Sizes[label[u]]++
	}
	return plan
}

// Cost is that of a plan as a number; plans are compared by Better, which rounds nothing.
func (p *Problem) Cost(plan *Plan) float64 {
	return (float64(p.Alpha)*p.Share(plan) + float64(p.Beta)*p.Back(plan)) / float64(p.Scale)
}

// Share is L, the share of bytes that is logged.
func (p *Problem) Share(plan *Plan) float64 {
	return float64(plan.Logged) / float64(p.Traffic.Bytes)
}

// Back is R, the expected share of ranks that a failure rolls back.
func (p *Problem) Back(plan *Plan) float64 {
	n := float64(p.Traffic.Ranks)
	return float64(plan.Squares) / (n * n)
}

// Better reports whether a plan comes before another: by cost, number of clusters, labels. Any plan
// is better than none.
func (p *Problem) Better(a, b *Plan) bool {
	if a == nil || b == nil {
		return b == nil && a != nil
	}
	q := p.prices(p.Weights)
	c := q.cost(a.Logged, a.Squares).compare(q.cost(b.Logged, b.Squares))
	if c == 0 {
		c = len(a.Sizes) - len(b.Sizes)
	}
	return c < 0 || c == 0 && slices.Compare(a.Labels, b.Labels) < 0
}

// Keeps reports whether a plan keeps to the rules.
func (p *Problem) Keeps(plan *Plan) bool { return p.broken(plan) == "" }

// broken names a rule that a plan does not keep to, "" for none.
func (p *Problem) broken(plan *Plan) string {
	switch {
	case p.Clusters > 0 && len(plan.Sizes) != p.Clusters:
		return fmt.Sprintf("%d clusters, want %d", len(plan.Sizes), p.Clusters)
	case p.Most > 0 && slices.Max(plan.Sizes) > p.Most:
		return fmt.Sprintf("a cluster of %d ranks, want at most %d", slices.Max(plan.Sizes),
			p.Most)
	case slices.Min(plan.Sizes) < p.Least:
		return fmt.Sprintf("a cluster of %d ranks, want at least %d", slices.Min(plan.Sizes),
			p.Least)
	case p.Rollback > 0 && plan.Squares > p.mostSquares():
		return "a failure rolls back too much"
	}
	for _, pair := range p.Part {
		if plan.Labels[pair[0]] == plan.Labels[pair[1]] {
			return fmt.Sprintf("ranks %d and %d are together", pair[0], pair[1])
		}
	}
	first := make([]int, p.net.units())
	for r := len(p.unit) - 1; r >= 0; r-- {
		first[p.unit[r]] = r
	}
	for r, u := range p.unit {
		if plan.Labels[r] != plan.Labels[first[u]] {
			return fmt.Sprintf("ranks %d and %d are not together", first[u], r)
		}
	}
	return ""
}
