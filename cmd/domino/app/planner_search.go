package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/domino-check/domino/impl/clustering"
)

// planning is a plan while it is made.
type planning struct {
	plannerFlags
	clustering.Problem
	subject *planSubject
	std     streams

	best      *clustering.Plan
	bisection *clustering.Plan // if it was asked for
	tried     int              // seeds
	all       bool             // every partition was tried
	points    []*clustering.Plan
}

// stopped asks whether to go on.
func stopped(ctx context.Context) func() bool {
	return func() bool { return ctx.Err() != nil }
}

// take keeps a plan if it is better.
func (p *planning) take(plan *clustering.Plan) {
	if plan != nil && p.Better(plan, p.best) {
		p.best = plan
	}
}

// find looks for the best plan.
func (p *planning) find(ctx context.Context) error {
	if p.method != "search" {
		plan, err := heard(ctx, func() (*clustering.Plan, error) {
			return p.Bisection(stopped(ctx))
		})
		if err != nil && !errors.Is(err, errInterrupted) {
			return err
		}
		if plan != nil && p.Keeps(plan) {
			p.bisection = plan
			p.take(plan)
		}
		if p.method == "bisection" {
			return nil
		}
	}
	if p.Units() <= clustering.MostEnumerated {
		p.Enumerate(stopped(ctx), p.take)
		p.all = ctx.Err() == nil
		return nil
	}
	p.search(ctx)
	return nil
}

// search tries the seeds, and goes on with the best of them. What a signal cuts short does not
// count, so that what is printed is the best of whole attempts.
func (p *planning) search(ctx context.Context) {
	var finals []*clustering.Plan
	pool(ctx, p.workers, p.seeds, func(ctx context.Context, seed int) *clustering.Plan {
		if ctx.Err() != nil {
			return nil
		}
		plan := p.Attempt(seed, stopped(ctx))
		if ctx.Err() != nil && seed > 0 {
			return nil
		}
		return plan
	}, func(seed int, plan *clustering.Plan) {
		if ctx.Err() == nil {
			p.tried++
		}
		if plan == nil || slices.ContainsFunc(finals, func(f *clustering.Plan) bool {
			return slices.Equal(f.Labels, plan.Labels)
		}) {
			return
		}
		finals = append(finals, plan)
		for i := len(finals) - 1; i > 0 && p.Better(finals[i], finals[i-1]); i-- {
			finals[i], finals[i-1] = finals[i-1], finals[i]
		}
		finals = finals[:min(len(finals), clustering.Finals)]
	})
	for _, plan := range finals {
		p.take(plan)
	}
	pool(ctx, p.workers, len(finals), func(ctx context.Context, i int) *clustering.Plan {
		if ctx.Err() != nil {
			return nil
		}
		return p.Polish(finals[i], stopped(ctx))
	}, func(_ int, plan *clustering.Plan) { p.take(plan) })
}

// frontSeeds is how many seeds each ratio of a front has at most.
const frontSeeds = 4

// sweep looks for plans of many ratios, the one that is asked for among them.
func (p *planning) sweep(ctx context.Context) error {
	var plans []*clustering.Plan
	if p.Units() <= clustering.MostEnumerated {
		p.Enumerate(stopped(ctx), func(plan *clustering.Plan) {
			p.take(plan)
			if plans = append(plans, plan); len(plans) > 1<<12 {
				plans = p.Front(plans)
			}
		})
		p.points, p.all = p.Front(plans), ctx.Err() == nil
		return nil
	}
	p.search(ctx)
	plans = append(plans, p.best)
	for _, plan := range []*clustering.Plan{p.Alone(), p.Whole()} {
		if p.Keeps(plan) {
			plans = append(plans, plan)
		}
	}
	tilts, seeds := clustering.Tilts(), min(p.seeds, frontSeeds)
	pool(ctx, p.workers, len(tilts)*seeds, func(ctx context.Context, job int) *clustering.Plan {
		if ctx.Err() != nil {
			return nil
		}
		plan := p.Tilted(tilts[job/seeds]).Attempt(job%seeds, stopped(ctx))
		if ctx.Err() != nil {
			return nil
		}
		return plan
	}, func(_ int, plan *clustering.Plan) {
		plans = append(plans, plan)
		p.take(plan)
	})
	p.points = p.Front(plans)
	return nil
}

// blameSeeds is how many seeds may find a plan where a rule is left out.
const blameSeeds = 4

// blame says which rules can not be kept together: for certain where all partitions were tried.
func (p *planning) blame(ctx context.Context) error {
	if p.method == "bisection" {
		return fmt.Errorf("bisection finds no plan with %d clusters", p.clusters)
	}
	names, err := heard(ctx, func() ([]string, error) {
		return p.Blame(func(q *clustering.Problem) (found bool) {
			if q.Units() <= clustering.MostEnumerated {
				q.Enumerate(func() bool { return found || ctx.Err() != nil },
					func(*clustering.Plan) { found = true })
			}
			for seed := 0; seed < blameSeeds && !found; seed++ {
				found = q.Attempt(seed, stopped(ctx)) != nil
			}
			return found
		}), nil
	})
	switch {
	case err != nil:
		return err
	case p.all:
		return fmt.Errorf("no clustering keeps all constraints: %s can not be kept together",
			strings.Join(names, "; "))
	}
	return fmt.Errorf("no clustering found in %d seeds that keeps all constraints; without one of "+
		"these there is: %s", p.tried, strings.Join(names, "; "))
}
