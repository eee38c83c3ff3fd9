package mutate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/sample"
	"github.com/domino-check/domino/checker/world"
)

// plainWalk is the plain random walk: of all that can happen, faults included, each has the same
// probability. It knows nothing of earlier runs. Strategy random of package checker is this walk
// with faults that are planned beforehand, at places that are uniform over the history of their
// victim.
type plainWalk struct{}

func (plainWalk) Name() string { return "walk" }

func (plainWalk) Hunt(ctx context.Context, t *Target, b Budget) (Hunt, error) {
	w, err := open(ctx, t.Case, b)
	if err != nil {
		return Hunt{}, err
	}
	began := time.Now()
	h := Hunt{Method: "walk"}
	initial := make([]uint32, w.Words())
	if v := w.Initial(initial); v != 0 {
		h.Schedules = 1
		h.shows(w, checker.Found{Violation: w.Violation(v)})
	}
	x := checker.NewExpansion(w.Words())
	for !h.Killed && h.Bound == "" {
		switch {
		case ctx.Err() != nil:
			return h, ctx.Err()
		case b.Schedules > 0 && h.Schedules == b.Schedules:
			h.Bound = fmt.Sprintf("%d runs", b.Schedules)
		case b.Time > 0 && time.Since(began) > b.Time:
			h.Bound = fmt.Sprintf("time limit %v", b.Time)
		case b.Bytes > 0 && w.Bytes() > b.Bytes:
			h.Bound = fmt.Sprintf("memory limit %d MiB", b.Bytes>>20)
		default:
			r := rand.New(rand.NewPCG(b.Seed, uint64(h.Schedules)))
			h.Schedules++
			if f, ok := one(w, x, initial, r); ok {
				h.shows(w, f)
			}
			if b.Progress != nil && h.Schedules%256 == 0 {
				b.Progress(Hunt{Method: "walk", Schedules: h.Schedules,
					Seconds: time.Since(began).Seconds()})
			}
		}
	}
	h.Seconds = time.Since(began).Seconds()
	return h, w.Err()
}

// one draws one run; it returns the violation that it shows.
func one(w *world.World, x *checker.Expansion, initial []uint32, r *rand.Rand) (checker.Found,
	bool) {
	state := append([]uint32(nil), initial...)
	var path []uint64
	for len(path) < sample.DefaultSteps {
		w.Expand(state, checker.Unreduced, x)
		progress := false
		for _, s := range x.Steps {
			progress = progress || !s.Fault
		}
		if !progress {
			if v := w.Terminal(state); v != 0 {
				return checker.Found{Violation: w.Violation(v), Path: path}, true
			}
		}
		if len(x.Steps) == 0 {
			break
		}
		i := r.IntN(len(x.Steps))
		path = append(path, x.Steps[i].Code)
		if v := x.Steps[i].Violation; v != 0 {
			return checker.Found{Violation: w.Violation(v), Path: path}, true
		}
		state = x.State(i, state[:0])
	}
	return checker.Found{}, false
}
