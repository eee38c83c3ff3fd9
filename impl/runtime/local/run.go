package local

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/plan"
	"github.com/domino-check/domino/spec/trace"
)

// Run runs the setup to its end, to a bound, or until the context is cancelled. It returns when all
// its goroutines have ended, unless it returns ErrHangs.
func Run(ctx context.Context, setup *core.Setup, c Config) (*Result, error) {
	if err := c.Validate(setup); err != nil {
		return nil, err
	}
	r := newRun(setup, c)
	if c.MaxStep == 0 {
		r.run(ctx)
		return r.result(), r.err
	}
	ended := make(chan struct{})
	// a step that never returns may be the first of all, which no proc's own goroutine takes
	go func() {
		defer close(ended)
		r.run(ctx)
	}()
	if err := r.awaitSteps(ended); err != nil {
		return nil, err
	}
	return r.result(), r.err
}

// run lives until all procs have ended.
func (r *run) run(ctx context.Context) {
	r.begin()
	var owned sync.WaitGroup
	for _, p := range r.procs {
		owned.Go(func() { r.live(p) })
	}
	r.watch(ctx)
	owned.Wait()
}

// watch waits for the end of the run, or ends it.
func (r *run) watch(ctx context.Context) {
	var limit <-chan time.Time
	if r.config.MaxTime > 0 {
		timer := time.NewTimer(r.config.MaxTime)
		defer timer.Stop()
		limit = timer.C
	}
	bound := ""
	select {
	case <-r.done:
		return
	case <-ctx.Done():
		bound = "interrupted"
	case <-limit:
		bound = fmt.Sprintf("time limit %v", r.config.MaxTime)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.end(bound)
}

// run is one run. Everything below mu belongs to who holds it; a machine belongs to the goroutine
// of its proc while the proc is busy.
type run struct {
	setup  *core.Setup
	layout *trace.Layout
	config Config
	start  time.Time
	done   chan struct{}           // closed when the run is over
	trying []atomic.Pointer[offer] // that run, by proc

	mu    sync.Mutex
	procs []*proc
	left  budgets
	rng   *rand.Rand
	pace  pace
	now   time.Duration // of virtual time
	busy  int           // procs that are not waiting
	over  bool
	// since the last failure there was a moment at which the recovery from it was over
	recovered bool
	armed     []plan.Failure // of the plan, not struck yet
	requests  []*request     // of the plan, not made yet
	spoils    []*plan.Spoil  // of the plan, not done yet
	inFlight  int
	gone      int // how often something was lost so far: what was in vain before may not be now
	position  int // in Config.Schedule
	out       Result
	err       error
}

// budgets are what is left of those in the model.
type budgets struct {
	failures, checkpoints, losses, duplicates, suspicions, torn int

	lose, corrupt, full int // of records
}

func newRun(setup *core.Setup, c Config) *run {
	m := &c.Model
	if c.Parallel = c.Parallel || c.Real; c.Schedule != nil {
		c.Parallel, c.Real = false, false
	}
	r := &run{setup: setup, layout: &setup.Layout, config: c, start: time.Now(),
		done: make(chan struct{}), trying: make([]atomic.Pointer[offer], len(setup.Layout.Names)),
		rng: rand.New(rand.NewPCG(c.Seed, 0)),
		left: budgets{m.Failures, m.Checkpoints, m.Loss, m.Duplicates, m.Suspicions, m.Torn,
			m.Lose, m.Corrupt, m.Full},
		armed: append([]plan.Failure(nil), c.Plan.Failures...)}
	for _, q := range c.Plan.Requests {
		r.requests = append(r.requests, &request{Request: q})
	}
	for _, d := range c.Plan.Spoils {
		r.spoils = append(r.spoils, &d)
	}
	for p := range setup.Layout.Names {
		r.procs = append(r.procs, &proc{id: core.Proc(p), up: true, wake: make(chan struct{}, 1),
			rng: rand.New(rand.NewPCG(c.Seed, uint64(p)+1))})
	}
	r.place()
	r.pace.draw(r.rng, len(r.procs), c.Spread)
	r.out.Trace.Layout = *r.layout
	return r
}

// begin starts every proc, before any of them does anything else, as the world does, and lets go
// who has something to do.
func (r *run) begin() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.procs {
		p.machine = r.setup.New(p.id)
		a := r.attempt(p, &offer{kind: start, input: core.Input{Kind: core.Start}})
		if a.failed != "" {
			r.out.Panic = a.failed
			r.end("")
			return
		}
		r.record(a.events)
		r.perform(p, a, len(a.acts))
		p.settle(a)
		p.readyAt = r.pace.delay(p.rng, r.pace.steps[p.id]) // nobody is always the first
	}
	r.strike()
	r.rouse() // their goroutines will find the message
	r.turn()
}

// end stops everybody, for a reason.
func (r *run) end(bound string) {
	if !r.over {
		r.over, r.out.Bound = true, bound
		close(r.done)
	}
}

// record appends events of the step under way.
func (r *run) record(events []trace.Event) {
	at := int64(r.clock())
	for _, e := range events {
		e.Step = len(r.out.Schedule)
		r.out.Trace.Events = append(r.out.Trace.Events, e)
		r.out.Trace.At = append(r.out.Trace.At, at)
		if r.layout.Holdings {
			r.procs[e.Proc].holding.Apply(e)
		}
	}
}

// clock is the time since the beginning.
func (r *run) clock() time.Duration {
	if r.config.Real {
		return time.Since(r.start)
	}
	return r.now
}

// turn goes on when everybody waits: it lets procs go for which something is due next, or ends the
// run.
func (r *run) turn() {
	switch {
	case r.over || r.busy > 0:
	case r.config.Schedule != nil:
		r.enforce()
	case r.quiet():
		r.out.Complete = true
		r.end("")
	case r.config.Real: // everybody has a timer of its own
	default:
		r.advance()
	}
}

// quiet reports whether nothing but faults can happen, now or later.
func (r *run) quiet() bool {
	for _, p := range r.procs {
		for o := range r.offers(p) {
			if !o.fault {
				return false
			}
		}
	}
	return true
}

// advance moves the virtual clock to the next instant at which something is due.
func (r *run) advance() {
	const never = time.Duration(1<<63 - 1)
	next := never
	var first *proc
	for _, p := range r.procs {
		for o := range r.offers(p) {
			if o.due < next {
				next, first = o.due, p
			}
		}
	}
	if first == nil {
		panic("invariant: a run that is not quiet has something to do")
	}
	r.now = max(r.now, next)
	if r.config.Parallel {
		r.rouse()
		return
	}
	r.release(first)
}

// rouse lets every proc go that waits and has something to do now.
func (r *run) rouse() {
	if !r.config.Parallel {
		return
	}
	for _, p := range r.procs {
		if p.busy {
			continue
		}
		for o := range r.offers(p) {
			if r.config.Real || o.due <= r.now {
				r.release(p)
				break
			}
		}
	}
}

// release wakes a proc that waits.
func (r *run) release(p *proc) {
	p.busy = true
	r.busy++
	p.wake <- struct{}{} // has room: it is taken before the proc waits again
}

// result is what the run has shown, when it is over.
func (r *run) result() *Result {
	out := &r.out
	for _, p := range r.procs {
		out.Performed = append(out.Performed, p.performed)
		var final []byte
		if p.up && p.machine != nil && out.Panic == "" {
			final = core.EncodeState(p.machine)
		}
		out.Finals = append(out.Finals, final)
	}
	out.Failures, out.Elapsed = r.config.Model.Failures-r.left.failures, r.clock()
	if out.Complete {
		out.Waits = r.waits()
	}
	return out
}
