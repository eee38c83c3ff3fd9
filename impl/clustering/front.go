package clustering

import (
	"cmp"
	"slices"
)

// Tilts are the steps of a sweep over beta by alpha: what Tilted takes.
func Tilts() (list []int) {
	for halves := -tilts; halves <= tilts; halves++ {
		list = append(list, halves)
	}
	return list
}

// Tilted is the same problem with beta multiplied by about 2^(halves/2): what is best for it, for
// each of Tilts, are points of the front.
func (p *Problem) Tilted(halves int) *Problem {
	q := *p
	q.Weights = p.tilted(halves)
	return &q
}

// Front are the plans that no other one beats or equals in both bytes logged and ranks rolled back,
// those with the smallest clusters first. Plans that are nil are none.
func (p *Problem) Front(plans []*Plan) (front []*Plan) {
	list := slices.DeleteFunc(slices.Clone(plans), func(plan *Plan) bool { return plan == nil })
	slices.SortFunc(list, func(a, b *Plan) int {
		return cmp.Or(cmp.Compare(a.Squares, b.Squares), cmp.Compare(a.Logged, b.Logged),
			cmp.Compare(len(a.Sizes), len(b.Sizes)), slices.Compare(a.Labels, b.Labels))
	})
	for _, plan := range list {
		if len(front) == 0 || plan.Logged < front[len(front)-1].Logged {
			front = append(front, plan)
		}
	}
	return front
}

// Blame names rules that can not be kept together: each of them is needed for that, as what is left
// has a plan by the function. Where the function may overlook one, so may the blame.
func (p *Problem) Blame(possible func(*Problem) bool) (names []string) {
	rules := p.Rules
	all, without := rules.rules()
	for i, drop := range without {
		fewer := rules
		drop(&fewer)
		q := &Problem{Traffic: p.Traffic, Weights: p.Weights, Rules: fewer}
		if q.Open() == nil && possible(q) {
			names = append(names, all[i])
		} else {
			rules = fewer
		}
	}
	return names
}

// Alone and Whole are the two plans that need no search: every unit by itself, and one cluster of
// all. They may break the rules.
func (p *Problem) Alone() *Plan { return p.plan(alone(p.net.units())) }

// Whole is one cluster of all ranks.
func (p *Problem) Whole() *Plan { return p.plan(make([]int32, p.net.units())) }
