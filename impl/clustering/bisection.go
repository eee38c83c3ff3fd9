package clustering

import (
	"errors"
	"slices"
)

// look is how far bisection goes on below a split that does not pay, to see whether the splits
// below pay for it.
const look = 1

// Bisection is the method as published: split all ranks in two halves of nearly equal size with
// as few bytes between them as can be found, keep the split if it pays, and go on with the halves.
// With a number of clusters it makes that split which pays most, or costs least, until there are so
// many. Of constraints it knows only this and what stays together.
func (p *Problem) Bisection(stop func() bool) (*Plan, error) {
	if p.Least > 1 || p.Most > 0 || p.Rollback > 0 || len(p.Part) > 0 {
		return nil, errors.New("bisection knows no constraint but nodes, joined ranks and the " +
			"number of clusters: use the search")
	}
	b := &bisector{halver: newHalver(p.net), price: p.prices(p.Weights), stop: stop}
	all := alone(p.net.units())
	var parts [][]int32
	if p.Clusters > 0 {
		parts = b.number(all, p.Clusters)
	} else {
		parts, _ = b.best(all, look)
	}
	if stop() {
		return nil, nil
	}
	label := make([]int32, len(all))
	for c, part := range parts {
		for _, v := range part {
			label[v] = int32(c)
		}
	}
	return p.plan(label), nil
}

// bisector splits by the cost.
type bisector struct {
	*halver
	price
	stop func() bool
}

// split is the halves of a part, with the cost of the split: negative where it pays.
func (b *bisector) split(part []int32) (halves [2][]int32, cost wide) {
	side, cut := b.halve(part)
	var ranks [2]int64
	for i, v := range part {
		halves[side[i]] = append(halves[side[i]], v)
		ranks[side[i]] += b.size[v]
	}
	// the square of a sum less both squares is twice the product
	return halves, b.price.cut.times(cut).minus(b.square.times(2 * ranks[0]).times(ranks[1]))
}

// best splits a part as often as it pays: a split that does not is kept where those of its halves,
// down to some depth, make up for it. It returns what is left and the cost of all splits.
func (b *bisector) best(part []int32, depth int) (parts [][]int32, cost wide) {
	if len(part) < 2 || b.stop() {
		return [][]int32{part}, wide{}
	}
	halves, cost := b.split(part)
	below := look
	if cost.compare(wide{}) >= 0 {
		if below = depth - 1; below < 0 {
			return [][]int32{part}, wide{}
		}
	}
	for _, half := range halves {
		list, more := b.best(half, below)
		parts, cost = append(parts, list...), cost.plus(more)
	}
	if cost.compare(wide{}) >= 0 {
		return [][]int32{part}, wide{}
	}
	return parts, cost
}

// number splits until there are so many parts.
func (b *bisector) number(all []int32, clusters int) (parts [][]int32) {
	type candidate struct {
		part   []int32
		halves [2][]int32
		cost   wide
	}
	var list []candidate
	add := func(part []int32) {
		if len(part) < 2 {
			parts = append(parts, part)
			return
		}
		halves, cost := b.split(part)
		list = append(list, candidate{part, halves, cost})
	}
	add(all)
	for len(list) > 0 && len(list)+len(parts) < clusters && !b.stop() {
		best := 0
		for i, c := range list {
			if c.cost.compare(list[best].cost) < 0 {
				best = i
			}
		}
		halves := list[best].halves
		list = slices.Delete(list, best, best+1)
		add(halves[0])
		add(halves[1])
	}
	for _, c := range list {
		parts = append(parts, c.part)
	}
	return parts
}
