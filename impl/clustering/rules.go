package clustering

import (
	"fmt"
	"slices"
	"strings"
)

// validate says which number of the rules makes no sense.
func (p *Problem) validate() error {
	n := p.Traffic.Ranks
	rank := func(what string, r int) error {
		if r < 0 || r >= n {
			return fmt.Errorf("%s: rank %d is unknown, there are %d, from 0", what, r, n)
		}
		return nil
	}
	if p.Node != nil && len(p.Node) != n {
		return fmt.Errorf("nodes of %d ranks, there are %d", len(p.Node), n)
	}
	for _, group := range p.Join {
		for _, r := range group {
			if err := rank("join", r); err != nil {
				return err
			}
		}
	}
	for _, pair := range p.Part {
		for _, r := range pair {
			if err := rank("part", r); err != nil {
				return err
			}
		}
		if pair[0] == pair[1] {
			return fmt.Errorf("part: rank %d can not be parted from itself", pair[0])
		}
	}
	switch {
	case p.Least < 0 || p.Least > n:
		return fmt.Errorf("least size %d: want a number of ranks in [0, %d]", p.Least, n)
	case p.Most < 0:
		return fmt.Errorf("largest size %d: want a number of ranks, or 0 for any", p.Most)
	case p.Clusters < 0 || p.Clusters > n:
		return fmt.Errorf("%d clusters: want a number in [0, %d]", p.Clusters, n)
	case p.Rollback < 0 || p.Rollback > 1e6:
		return fmt.Errorf("rollback of %d millionths: want a share in (0, 1]", p.Rollback)
	}
	return nil
}

// units numbers what stays together, by its smallest rank.
func (p *Problem) units() int {
	n := p.Traffic.Ranks
	p.unit = alone(n)
	top := func(r int32) int32 {
		for p.unit[r] != r {
			p.unit[r] = p.unit[p.unit[r]]
			r = p.unit[r]
		}
		return r
	}
	join := func(a, b int) {
		x, y := top(int32(a)), top(int32(b))
		p.unit[max(x, y)] = min(x, y)
	}
	first := map[int]int{} // rank of each node
	for r, node := range p.Node {
		if _, ok := first[node]; !ok {
			first[node] = r
		}
		join(first[node], r)
	}
	for _, group := range p.Join {
		for _, r := range group[1:] {
			join(group[0], r)
		}
	}
	for r := range p.unit {
		p.unit[r] = top(int32(r))
	}
	return renumber(p.unit)
}

// keepApart gives the net the pairs that must not be together.
func (p *Problem) keepApart() error {
	if len(p.Part) == 0 {
		return nil
	}
	p.net.apart = make([][]int32, p.net.units())
	for _, pair := range p.Part {
		a, b := p.unit[pair[0]], p.unit[pair[1]]
		if a == b {
			return clashError(fmt.Sprintf("ranks %d and %d must part", pair[0], pair[1]),
				"they stay together by their node or by what is joined")
		}
		p.net.apart[a] = append(p.net.apart[a], b)
		p.net.apart[b] = append(p.net.apart[b], a)
	}
	for u, list := range p.net.apart {
		slices.Sort(list)
		p.net.apart[u] = slices.Compact(list)
	}
	return nil
}

// ClashError says which rules can not be kept together.
type ClashError struct{ Rules []string }

// Error names the rules.
func (e *ClashError) Error() string {
	return "the constraints clash: " + strings.Join(e.Rules, "; ")
}

func clashError(rules ...string) error { return &ClashError{rules} }

// clash finds rules of which arithmetic alone shows that they can not be kept together.
func (p *Problem) clash() error {
	n, units := p.Traffic.Ranks, p.net.units()
	largest, squares := int64(0), int64(0)
	for _, s := range p.net.size {
		largest, squares = max(largest, s), squares+s*s
	}
	k, least, most := p.Clusters, max(p.Least, 1), n
	if p.Most > 0 {
		most = min(p.Most, n)
	}
	kRule := fmt.Sprintf("%d clusters", k)
	leastRule := fmt.Sprintf("at least %d ranks each", least)
	mostRule := fmt.Sprintf("at most %d ranks each", most)
	backRule := fmt.Sprintf("at most %.4g %% rolled back", float64(p.Rollback)/1e4)
	unitRule := fmt.Sprintf("%d ranks that stay together", largest)
	limit := p.limits().squares
	switch {
	case least > most:
		return clashError(leastRule, mostRule)
	case largest > int64(most):
		return clashError(mostRule, unitRule)
	case k > units:
		return clashError(kRule, fmt.Sprintf("only %d groups that need not stay together", units))
	case k > 0 && k*most < n:
		return clashError(kRule, mostRule, fmt.Sprintf("%d ranks", n))
	case k > 0 && k*least > n:
		return clashError(kRule, leastRule, fmt.Sprintf("%d ranks", n))
	case (n+most-1)/most > n/least:
		return clashError(leastRule, mostRule, fmt.Sprintf("%d ranks", n))
	case squares > limit:
		return clashError(backRule, fmt.Sprintf("%.4g %% is the least that is possible",
			100*float64(squares)/(float64(n)*float64(n))))
	case int64(n)*int64(least) > limit:
		return clashError(backRule, leastRule)
	case k > 0 && evenSquares(n, k) > limit:
		return clashError(backRule, kRule)
	case k == 1 && len(p.Part) > 0:
		return clashError(kRule, fmt.Sprintf("ranks %d and %d must part", p.Part[0][0],
			p.Part[0][1]))
	}
	return nil
}

// evenSquares is the least sum of squares that n ranks in k clusters can have.
func evenSquares(n, k int) int64 {
	q, more := int64(n/k), int64(n%k)
	return more*(q+1)*(q+1) + (int64(k)-more)*q*q
}

// rules are those that are asked for, each with the problem without it: what a search that finds
// nothing leaves out in turn, to see which are to blame.
func (r Rules) rules() (names []string, without []func(*Rules)) {
	add := func(asked bool, name string, drop func(*Rules)) {
		if asked {
			names, without = append(names, name), append(without, drop)
		}
	}
	add(r.Clusters > 0, fmt.Sprintf("%d clusters", r.Clusters), func(r *Rules) { r.Clusters = 0 })
	add(r.Least > 1, fmt.Sprintf("at least %d ranks each", r.Least),
		func(r *Rules) { r.Least = 0 })
	add(r.Most > 0, fmt.Sprintf("at most %d ranks each", r.Most), func(r *Rules) { r.Most = 0 })
	add(r.Rollback > 0, fmt.Sprintf("at most %.4g %% rolled back", float64(r.Rollback)/1e4),
		func(r *Rules) { r.Rollback = 0 })
	add(r.Node != nil, "ranks of a node stay together", func(r *Rules) { r.Node = nil })
	add(len(r.Join) > 0, "ranks that are joined", func(r *Rules) { r.Join = nil })
	add(len(r.Part) > 0, "ranks that must part", func(r *Rules) { r.Part = nil })
	return names, without
}
