package level

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/shard"
	"github.com/domino-check/domino/spec"
)

// Outcome is what a search has come to.
type Outcome struct {
	checker.Result
	Shown                   checker.Shown
	LocalSteps, LocalStates int
	Asked                   int64 // bytes of questions to keepers and of their answers
	Written                 int64 // bytes of levels
	Again                   int   // attempts that came to nothing
}

// stats are those of the committed levels.
func (l *lead) stats() checker.Stats {
	t := &l.record.Stats
	return checker.Stats{States: t.States, Transitions: t.Transitions, Terminals: t.Terminals,
		Depth: t.Depth, Frontier: l.record.waiting(), Covered: l.head.Level, Saved: t.Saved,
		Bytes: l.bytes, Peak: l.bytes, Disk: t.Written,
		Elapsed: time.Duration(l.before)*time.Millisecond + time.Since(l.began)}
}

// outcome says what came out, with the runs that show it. The system knows then what all runs have
// shown.
func (l *lead) outcome(ctx context.Context) (Outcome, error) {
	t := &l.record.Stats
	out := Outcome{Shown: l.record.shown(), LocalSteps: t.Steps, LocalStates: t.Locals,
		Asked: t.Asked, Written: t.Written, Again: t.Again + l.again}
	out.Stats, out.Bound = l.stats(), l.bound
	l.sys.Learn(out.Shown) // or it would not find broken what others have seen differently
	list := slices.Clone(l.record.Findings)
	slices.SortFunc(list, func(f, g leveled) int { return f.compare(&g) })
	if !l.Options.All && len(list) > 1 {
		list = list[:1]
	}
	for _, f := range list {
		path, err := l.path(ctx, &f)
		if err != nil {
			return out, fmt.Errorf("%s is violated (%s), but the run is lost: %w", f.Property,
				f.Message, err)
		}
		out.Found = append(out.Found, checker.Found{Violation: spec.Violation{
			Property: f.Property, Message: f.Message, Step: f.Step}, Path: path})
	}
	out.Result = out.Judged()
	return out, nil
}

// path is a run that shows a finding, as steps of the coordinator's system: the fingerprints of its
// states, back through the objects, and then forward a step to each.
func (l *lead) path(ctx context.Context, f *leveled) ([]uint64, error) {
	var way []checker.Digest
	for at := f.At; ; {
		in, err := l.open(ctx, at.Object)
		if err != nil {
			return nil, err
		}
		s, err := in.states(ctx, l.head.Words)
		if err != nil {
			return nil, err
		}
		if at.Place >= s.len() {
			return nil, fmt.Errorf("object %s has no state %d", at.Object.Name, at.Place)
		}
		way = append(way, s.print(at.Place))
		if in.Level == 0 {
			break
		}
		if at, err = parentOf(in, int(s.parents[at.Place])); err != nil {
			return nil, err
		}
	}
	slices.Reverse(way)
	if f.Stepped {
		way = append(way, f.Next)
	}
	return l.follow(way, f)
}

// parentOf is where the state with a place in the block of an object is.
func parentOf(in *opened, n int) (place, error) {
	for _, s := range in.Inputs {
		if n < s.To-s.From {
			return place{s.Object, s.From + n}, nil
		}
		n -= s.To - s.From
	}
	return place{}, fmt.Errorf("object %s: a parent is not in its block", in.at.Name)
}

// follow takes a step to each fingerprint; the last one may be that of a step that shows the
// finding.
func (l *lead) follow(way []checker.Digest, f *leveled) (path []uint64, err error) {
	state := make([]uint32, l.sys.Words())
	l.sys.Initial(state)
	if checker.Identity(l.sys, state) != way[0] {
		return nil, errors.New("it begins in another state")
	}
	x := checker.NewExpansion(len(state))
	for n, print := range way[1:] {
		l.sys.Expand(state, l.Options.Reduce, x)
		shows := f.Stepped && n == len(way)-2
		i := l.step(x, print, f, shows)
		if i < 0 {
			return nil, fmt.Errorf("step %d leads nowhere", n+1)
		}
		path, state = append(path, x.Steps[i].Code), x.State(i, nil)
	}
	return path, nil
}

// step is the step to the state with a fingerprint, that shows the finding or nothing; -1 if there
// is none.
func (l *lead) step(x *checker.Expansion, print checker.Digest, f *leveled, shows bool) int {
	for i := range x.Steps {
		v := x.Steps[i].Violation
		if (v != 0) != shows || shows && l.sys.Violation(v).Property != f.Property {
			continue
		}
		if checker.Identity(l.sys, x.State(i, nil)) == print {
			return i
		}
	}
	return -1
}

// Forget removes all that a search has kept: nobody may take part in it any more.
func Forget(ctx context.Context, c Config) error {
	c, err := c.filled()
	if err != nil {
		return err
	}
	return errors.Join(c.Engine.Purge(ctx, c.ID), c.Engine.Forget(ctx, "search", c.ID),
		c.Engine.Forget(ctx, shard.Result, c.ID), c.Blobs.Forget(ctx, c.ID))
}
