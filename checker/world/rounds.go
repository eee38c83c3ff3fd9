package world

import (
	"context"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/search"
)

// mostRounds is how often a search is made with steps that are taken alone, before it is made
// without.
const mostRounds = 16

// Search explores the world. Steps are taken alone on trust; when all is explored they are judged
// (court), and as long as one does not stand the search is made again without it.
func (w *World) Search(ctx context.Context, o checker.Options) (checker.Result, error) {
	return w.onTrust(o, func(o checker.Options) (checker.Result, error) {
		return search.Run(ctx, w, o)
	})
}

// onTrust makes searches until one has taken no step alone that does not stand.
func (w *World) onTrust(o checker.Options,
	explore func(checker.Options) (checker.Result, error)) (checker.Result, error) {
	w.alone.on = w.alone.possible && o.Reduce.Has(checker.Alone) && kept(&o)
	defer func() { w.alone.on = false }()
	for round := 1; ; round++ {
		w.alone.begin()
		r, err := explore(o)
		switch {
		case err != nil || !w.alone.on || r.Bound != "" || len(r.Found) > 0 && !o.All:
			return r, err
		case w.stand():
			return r, nil
		case round == mostRounds:
			w.alone.on = false
		}
		if o.MaxTime > 0 {
			o.MaxTime = max(1, o.MaxTime-r.Elapsed)
		}
	}
}

// kept reports whether the search keeps its states in memory until it is over, each of them once:
// another one can be made from the start.
func kept(o *checker.Options) bool {
	return o.Saving.File == "" && o.Saving.Resume == "" && o.Disk == "" && !o.Lasso &&
		o.Order != checker.StatelessOptimal && !o.Reduce.Has(checker.Sleep)
}
