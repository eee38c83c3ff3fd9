package world

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec"
)

// mostAlike bounds how many procs may be alike: an orbit has as many states as they have orders.
const mostAlike = 10

// early is after how many local steps they are compared with their images for the first time.
const early = 256

// quotient is a world in which states that differ only by the names of procs that are alike
// (core.Setup.Alike) are one state, the one that stands for its orbit (orbit.go). That a renaming
// turns runs into runs is not believed: when the search is over, every local step is compared with
// its images (automorphism.go), and without that there is no answer.
//
// It is a System of its own, which has none of what a world can do besides: other reductions, files
// and endless runs are no part of it.
type quotient struct {
	world  *World
	alike  []core.Proc
	others []core.Proc
	swaps  []*swap
	paints *colours
	rooms  sync.Pool // of *orbiter

	alone    bool   // there is one worker
	compared uint32 // local steps that were compared with their images

	stop    context.CancelFunc
	refuted sync.Mutex // held by who touches the next one
	failure error
}

// searchOrbits is Search with checker.Ranks.
func (w *World) searchOrbits(ctx context.Context, o checker.Options) (r checker.Result, err error) {
	if words := orbitless(&o); words != "" {
		return r, errors.New("reduction ranks: " + words)
	}
	q, err := w.newQuotient()
	if err != nil {
		return r, err
	}
	if ctx, q.stop = context.WithCancel(ctx); ctx.Err() != nil {
		return r, ctx.Err()
	}
	defer q.stop()
	o.Reduce, q.alone = checker.Unreduced, o.Workers <= 1
	r = search.Explore(ctx, q, o)
	if err = q.audit(); err != nil {
		return checker.Result{}, err
	}
	for i := range r.Found {
		if r.Found[i], err = q.real(r.Found[i]); err != nil {
			return checker.Result{}, err
		}
	}
	return r, nil
}

// orbitless says with which options states can not stand for others, or "".
func orbitless(o *checker.Options) string {
	switch {
	case o.Reduce != checker.Ranks:
		return "it goes with no other one: want --reduce ranks"
	case o.Lasso:
		return "endless runs are not looked for"
	case o.Order == checker.StatelessOptimal:
		return "it needs a search that remembers states"
	case o.Saving.File != "" || o.Saving.Resume != "" || o.Disk != "":
		return "the search is not kept in files"
	}
	return ""
}

// newQuotient says why a world has none: only what is compared or argued in automorphism.go may be
// in it.
func (w *World) newQuotient() (*quotient, error) {
	if words := w.withoutOrbits(); words != "" {
		return nil, fmt.Errorf("reduction ranks: protocol %s: %s", w.Setup.Protocol, words)
	}
	q := &quotient{world: w, alike: w.Setup.Alike}
	for p := range core.Proc(w.procs) {
		if !slices.Contains(q.alike, p) {
			q.others = append(q.others, p)
		}
	}
	for i, b := range q.alike[1:] {
		q.swaps = append(q.swaps, &swap{world: w, a: q.alike[i], b: b,
			configurations: make([]table, w.procs)})
	}
	q.paints = &colours{swaps: q.swaps, alike: q.alike, each: make([]table, w.procs)}
	q.rooms.New = func() any { return q.newOrbiter() }
	return q, nil
}

// withoutOrbits says what of a setup, model or property can not be renamed, or "".
func (w *World) withoutOrbits() string {
	s, m := w.Setup, &w.Model
	alike := slices.Compact(slices.Sorted(slices.Values(s.Alike)))
	switch {
	case len(alike) < 2:
		return "it declares no procs that are alike (core.Setup.Alike)"
	case len(alike) > mostAlike:
		return fmt.Sprintf("%d procs are alike, at most %d can be explored so", len(alike),
			mostAlike)
	case !slices.Equal(alike, s.Alike):
		return "its procs that are alike are not in ascending order"
	case s.Layout.Ranks > 0 || s.Layout.Holdings:
		return "the histories of ranks that run programs are not renamed"
	case s.Watchdogs || s.Launched || s.Reads != nil || len(s.Layout.Hosted) > 0 ||
		len(s.Layout.Groups) > 0 || len(s.Local) > 0:
		return "groups, nodes, watchdogs and records of others are not renamed"
	case m.Failures+m.Checkpoints+m.Suspicions+m.Lose+m.Corrupt+m.Full > 0:
		return "want a model without failures, checkpoints, suspicions and damaged records"
	case slices.ContainsFunc(w.monitors.list, func(p spec.Property) bool { return p.Looks() }):
		return "properties with a memory that look at the whole state are not renamed"
	}
	return ""
}

// refuse ends the search: something can not be renamed.
func (q *quotient) refuse(words string) {
	q.refuted.Lock()
	defer q.refuted.Unlock()
	if q.failure == nil {
		q.failure = fmt.Errorf("reduction ranks: the procs %s of %s are not alike: %s",
			q.world.names(q.alike), q.world.Setup.Protocol, words)
	}
	q.stop()
}

// wrong is why the search was ended.
func (q *quotient) wrong() error {
	q.refuted.Lock()
	defer q.refuted.Unlock()
	return q.failure
}

// guard turns the asymmetry that somebody below met into the end of the search.
func (q *quotient) guard() {
	switch r := recover().(type) {
	case nil:
	case asymmetry:
		q.refuse(r.words)
	default:
		panic(r)
	}
}

// Words implements checker.System.
func (q *quotient) Words() int { return q.world.Words() }

// Bytes implements checker.Sizer.
func (q *quotient) Bytes() int64 {
	total := q.world.Bytes() + q.paints.bytes()
	for _, s := range q.swaps {
		for _, t := range []*table{&s.locals, &s.messages, &s.packets, &s.inboxes, &s.memories} {
			total += t.bytes()
		}
		for p := range s.configurations {
			total += s.configurations[p].bytes()
		}
	}
	return total
}

// Initial implements checker.System. Every renaming leaves the start as it is, or they are not
// alike.
func (q *quotient) Initial(state []uint32) int {
	defer q.guard()
	violation := q.world.Initial(state)
	for _, s := range q.swaps {
		if !s.keeps(state) {
			q.refuse("they begin differently")
		}
	}
	return violation
}

// Expand implements checker.System: of each orbit that a step leads to, the state that stands for
// it.
func (q *quotient) Expand(state []uint32, _ checker.Reduction, x *checker.Expansion) {
	x.Begin(state)
	defer q.guard()
	if q.alone && q.world.transitions.len() > 2*int(q.compared)+early {
		q.auditSteps() // a search of what is not alike may have no end
	}
	c := q.rooms.Get().(*orbiter)
	defer q.rooms.Put(c)
	copy(c.state, state)
	x.LeftOut.Renamed = c.make() - 1
	q.world.Expand(state, checker.Unreduced, c.x)
	for i, step := range c.x.Steps {
		c.state = c.x.State(i, c.state[:0])
		c.make()
		x.Add(step)
		for word, value := range c.state {
			x.Set(word, value)
		}
	}
}

// Terminal implements checker.System.
func (q *quotient) Terminal(state []uint32) int { return q.world.Terminal(state) }

// Violation implements checker.System.
func (q *quotient) Violation(number int) spec.Violation { return q.world.Violation(number) }

// real is the run of the machines that a run of orbits stands for: step by step one that leads to
// the same orbit, and breaks the same. No name is given back for that: whichever such step is
// taken, the rest can follow it.
func (q *quotient) real(f checker.Found) (_ checker.Found, err error) {
	lost := fmt.Errorf("reduction ranks: the run that breaks %s is one of orbits only", f.Property)
	orbit, state := make([]uint32, q.Words()), make([]uint32, q.Words())
	violation := q.world.Initial(state)
	copy(orbit, state)
	x, path := checker.NewExpansion(q.Words()), make([]uint64, 0, len(f.Path))
	for _, code := range f.Path {
		q.world.Expand(orbit, checker.Unreduced, x)
		i := slices.IndexFunc(x.Steps, func(s checker.Step) bool { return s.Code == code })
		if i < 0 {
			return f, lost
		}
		broken, next := q.broken(x.Steps[i].Violation), q.orbitOf(x.State(i, nil))
		q.world.Expand(state, checker.Unreduced, x)
		i = 0
		for i < len(x.Steps) && (q.broken(x.Steps[i].Violation) != broken ||
			!slices.Equal(q.orbitOf(x.State(i, nil)), next)) {
			i++
		}
		if i == len(x.Steps) {
			return f, lost
		}
		violation, state, orbit = x.Steps[i].Violation, x.State(i, nil), next
		path = append(path, x.Steps[i].Code)
	}
	if violation == 0 {
		violation = q.world.Terminal(state)
	}
	if q.broken(violation) != f.Property {
		return f, lost
	}
	return checker.Found{Violation: q.Violation(violation), Path: path}, nil
}

// orbitOf is what stands for a state, which may be any of the unreduced search.
func (q *quotient) orbitOf(state []uint32) []uint32 {
	c := q.rooms.Get().(*orbiter)
	defer q.rooms.Put(c)
	copy(c.state, state)
	c.make()
	return slices.Clone(c.state)
}

// broken is the property of a violation, "" of none.
func (q *quotient) broken(violation int) string {
	if violation == 0 {
		return ""
	}
	return q.Violation(violation).Property
}
