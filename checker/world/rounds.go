package world

import (
	"context"
	"time"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/search"
)

// mostRounds is how often a search is made with steps that are taken alone, before it is made
// without.
const mostRounds = 16

// trustingRounds is how many of them take steps that no judgement has looked at yet: each of these
// finds some more that do not stand.
const trustingRounds = 3

// Search explores the world. Steps are taken alone on trust; when all is explored they are judged
// (court), and as long as one does not stand the search is made again without it.
func (w *World) Search(ctx context.Context, o checker.Options) (checker.Result, error) {
	if o.Reduce.Has(checker.Ranks) {
		return w.searchOrbits(ctx, o)
	}
	return w.onTrust(o, func(o checker.Options) (checker.Result, error) {
		return search.Run(ctx, w, o)
	})
}

// onTrust makes searches until one has taken no step alone that does not stand. The time of the
// result is that of all of them and of the judgements.
func (w *World) onTrust(o checker.Options,
	explore func(checker.Options) (checker.Result, error)) (checker.Result, error) {
	w.alone.on = w.alone.possible && o.Reduce.Has(checker.Alone) && kept(&o)
	defer func() { w.alone.on = false }()
	if !w.alone.on {
		return explore(o)
	}
	w.alone.before = ^uint32(0)
	bounds, spent := o, time.Duration(0)
	for round := 1; ; round++ {
		if o.Progress != nil {
			bounds.Progress = func(s checker.Stats) {
				s.Elapsed += spent
				o.Progress(s)
			}
		}
		if o.MaxTime > 0 {
			bounds.MaxTime = max(1, o.MaxTime-spent)
		}
		w.alone.begin()
		r, err := explore(bounds)
		r.Elapsed += spent
		if err != nil || !w.alone.on || r.Bound != "" || len(r.Found) > 0 && !o.All {
			return r, err
		}
		judging := time.Now()
		stands := w.stand()
		r.Elapsed += time.Since(judging)
		if spent = r.Elapsed; stands {
			return r, nil
		}
		if round >= trustingRounds {
			w.alone.before = uint32(w.alone.decisions.len())
		}
		w.alone.on = w.alone.on && round < mostRounds
	}
}

// kept reports whether the search keeps its states in memory until it is over, each of them once:
// another one can be made from the start.
func kept(o *checker.Options) bool {
	return o.Saving.File == "" && o.Saving.Resume == "" && o.Disk == "" && !o.Lasso &&
		o.Order != checker.StatelessOptimal && !o.Reduce.Has(checker.Sleep)
}
