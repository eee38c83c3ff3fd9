package emulate

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// Config says what a run costs and when it ends.
type Config struct {
	Costs Costs
	// Size is how many bytes a message counts as, but for Link.Header; nil means none.
	Size func(core.Message) int64
	// Weight is how many bytes a record counts as; nil means those of its value.
	Weight func(owner core.Proc, key string, value []byte) int64
	// Timer is how long a timer takes, where that is not a number of ticks.
	Timer func(p core.Proc, timer string, ticks uint64) (takes time.Duration, ok bool)
	// Carry is what it takes to send a message beside the prices of links; nil means nothing.
	Carry func(r *Run, from, to core.Proc, m core.Message) Carriage
	// Images is what a message has beside its bytes, of images of a declared size that it carries;
	// nil means that none carries any.
	Images func(r *Run, from, to core.Proc, m core.Message) Images
	// Wire lets messages travel as between processes, by their headers (core.Framed) or else by the
	// codec, so that what is evidence for a search stays at home; that is also their size.
	Wire bool
	// Stepped sees every step of a machine and what it asks for, before that is done; what it
	// returns is what that takes beside the price of a step, before the proc sends anything.
	Stepped func(r *Run, p core.Proc, in *core.Input, effects []core.Effect) Beside
	// PerNode is how many consecutive ranks share processor, cards and disk; 0 = each has its own.
	// Where all ranks do, services do, too: there is one node.
	PerNode int
	// Choose picks one of the steps that a proc may take of its own accord, or none for now, see
	// Run.Wake; nil means the first.
	Choose func(r *Run, p core.Proc, choices []core.Choice) (chosen core.Choice, ok bool)
	// Observe sees every event of the evidence at its time, but without Keep not those that every
	// message of a program leaves. It may call what changes the run.
	Observe func(*Run, trace.Event)
	// Apart, where it is not nil, says that hooks do not mind in which order procs come whose
	// events are closer than it takes one to let another one know: a run of many ranks is faster
	// then (package comment, Windows). It is called whenever hooks have seen all events before a
	// moment. With it a run may end with ErrOrder; then only one without it says what happens.
	Apart func(*Run)
	// Blocks is in how many blocks of procs, each in a goroutine, a run with Apart goes on; the run
	// is the same with any number; 0 = one. Another makes the configuration of one more block: the
	// same, but with hooks that share nothing with other blocks, which are called at the same time,
	// and ask only about the procs that they are called for. nil: there is one block. Apart is
	// called for all blocks together, by nobody else at the same time.
	Blocks  int
	Another func() Config
	// Reload lets a proc that starts again by itself read its records from their disks first.
	Reload bool
	// Keep keeps the trace, and histories for the judge: a run costs much more memory.
	Keep  bool
	Until time.Duration // the run ends then; 0 = when nothing can happen any more
	Steps int           // the most steps of machines; 0 = DefaultSteps
}

// Carriage is what it takes to send one message: it leaves after Wait, others of its sender do not
// wait for it, but those behind it on its channel; and it comes at Rate bytes a second at most, 0 =
// as fast as cards let it.
type Carriage struct {
	Wait time.Duration
	Rate int64
}

// Images are those of processes that one message carries. They are read where they are kept before
// the message leaves, which others of its sender do not wait for, and written where they will be,
// before it is handed over: on the disks of the nodes of both (Costs.Keep).
type Images struct {
	More          int64 // bytes that the message counts as beside its own; may be negative
	Read, Written int64 // bytes, at its sender and at who gets it
}

// DefaultSteps ends a run that would go on for ever.
const DefaultSteps = 100_000_000

// Result is what a run shows.
type Result struct {
	Elapsed time.Duration // at the last event, or Config.Until
	// the same in picoseconds, and when the last program has ended
	Picoseconds, Ended int64
	Steps              int         // of machines
	Messages           int         // between procs
	Bytes              int64       // between nodes, as they count
	Busy               int64       // picoseconds that processors have worked, of all procs together
	Bound              string      // what ended a run in which something could still happen
	Trace              trace.Trace // with Config.Keep
}

// Run is one run.
type Run struct {
	setup   *core.Setup
	config  Config
	now     moment
	clock   clock
	items   []item
	unused  []int32
	procs   []proc
	shared  *disk      // of all nodes, if they share one
	calls   int        // events of clock that are functions of whoever watches
	windows *windows   // nil where events are in clock
	input   core.Input // of the step that a machine takes
	// nobody else puts anything on the card of a node, and nothing that waits to leave is passed:
	// what leaves later may be put on it now
	direct  bool
	header  []byte
	pool    []core.Framed // messages that nobody uses
	effects []core.Effect
	choices []core.Choice
	result  Result
	over    bool
	failed  any // what a block of procs has panicked with
}

// New prepares a run and refuses what it can not do.
func New(setup *core.Setup, c Config) (*Run, error) {
	if err := errors.Join(setup.ValidateCode(), c.Costs.Validate()); err != nil {
		return nil, err
	}
	l := &setup.Layout
	if c.Steps == 0 {
		c.Steps = DefaultSteps
	}
	r := &Run{setup: setup, config: c, procs: make([]proc, len(l.Names)),
		shared: open(c.Costs.Disk), direct: c.Carry == nil && c.Images == nil &&
			c.Costs.Between.Eager == 0 && c.Costs.Within.Eager == 0 && c.PerNode <= 1 &&
			len(l.Nodes)+len(l.Hosted) == 0}
	for i := range r.procs {
		p := &r.procs[i]
		p.id, p.node, p.up, p.begun = core.Proc(i), core.Proc(i), true, -1
		if i < len(l.Nodes) {
			p.node = l.Nodes[i]
		}
		p.box = p.id
		if c.Costs.Cores > 0 {
			p.cores = make([]processor, c.Costs.Cores)
		}
		switch {
		case c.PerNode > 1 && c.PerNode >= l.Ranks:
			p.box = 0
		case c.PerNode > 1 && i < l.Ranks:
			p.box = core.Proc(i / c.PerNode * c.PerNode)
		}
		if c.Images != nil {
			p.keep = open(c.Costs.Keep)
		}
		if !c.Costs.Shared {
			p.disk = open(c.Costs.Disk)
		}
		for _, own := range c.Costs.Disks {
			if own.Proc == p.id {
				p.own, p.disk = true, open(own.Disk)
			}
		}
	}
	if c.Costs.Wake > 0 && c.Costs.Cores > 0 {
		r.crowd()
	}
	r.result.Trace.Layout = *l
	return r, nil
}

// crowd finds the procs of which more share a node than it has cores.
func (r *Run) crowd() {
	on := make([]int, len(r.procs))
	for i := range r.procs {
		on[r.procs[r.procs[i].node].box]++
	}
	for i := range r.procs {
		p := &r.procs[i]
		p.crowded = on[r.procs[p.node].box] > r.config.Costs.Cores
	}
}

// Run runs to the end. Its error is a machine that breaks its contract, or asks for what is not
// emulated.
func (r *Run) Run() (result *Result, err error) {
	at := core.Proc(0)
	defer func() {
		if failure := recover(); failure != nil {
			err = fmt.Errorf("emulate: at %v %s: %v", r.Now(), r.setup.Layout.Name(at), failure)
		}
	}()
	if w := r.apart(); w != nil {
		if err := r.inWindows(w); err != nil {
			return nil, err
		}
		r.now = r.windows.last
		return r.ended(), nil
	}
	for i := range r.procs {
		at = core.Proc(i)
		r.begin(&r.procs[i], core.Input{Kind: core.Start})
	}
	for len(r.clock) > 0 && !r.over {
		if until := lasting(r.config.Until); until > 0 && r.clock[0].at > until {
			r.now, r.result.Bound = until, "time"
			break
		}
		if r.clock[0].at == theEnd {
			r.result.Bound = "time"
			break
		}
		if r.result.Steps >= r.config.Steps {
			r.result.Bound = "steps"
			break
		}
		e := r.clock.pop()
		r.now, at = e.at, e.proc
		r.happen(&r.procs[e.proc], e.number, e.item)
	}
	return r.ended(), nil
}

// ended is what the run shows now that it is over.
func (r *Run) ended() *Result {
	if r.over {
		r.result.Bound = "stopped"
	}
	r.result.Elapsed, r.result.Picoseconds = r.Now(), int64(r.now)
	return &r.result
}

// Now is the time since the beginning.
func (r *Run) Now() time.Duration { return r.now.duration() }

// Picoseconds is the time since the beginning, exactly.
func (r *Run) Picoseconds() int64 { return int64(r.now) }

// Layout is who takes part.
func (r *Run) Layout() *core.Layout { return &r.setup.Layout }

// Up reports whether a proc runs, and Node where it runs, or did last.
func (r *Run) Up(p core.Proc) bool { return r.procs[p].up }

// Machine is that of the life of a proc, or of its last one.
func (r *Run) Machine(p core.Proc) core.Machine { return r.procs[p].machine }

// Node is the proc on whose node a proc runs, or did last: itself, where it has one of its own.
func (r *Run) Node(p core.Proc) core.Proc { return r.procs[p].node }

// End ends the run.
func (r *Run) End() {
	r.order()
	r.over = true
}

// After calls a function when some time has gone.
func (r *Run) After(d time.Duration, do func()) {
	r.order()
	r.calls++
	r.schedule(&r.procs[0], call, r.now.plus(lasting(d)), item{rest: &rest{call: do}})
}

// Idle reports whether nothing will happen any more of itself: there is nothing ahead but so many
// functions that After was given.
func (r *Run) Idle(calls int) bool {
	r.order()
	return r.calls == calls && len(r.clock) == calls
}

// Wake asks a proc again for what it may do of its own accord (Config.Choose).
func (r *Run) Wake(p core.Proc) {
	r.order()
	r.plan(&r.procs[p])
}

// Tell puts a message before a proc, as if another one had sent it, at once.
func (r *Run) Tell(from, to core.Proc, m core.Message) {
	r.order()
	q := &r.procs[to]
	r.schedule(q, arrive, r.now, item{kind: core.Received, from: from, toLife: q.life, message: m})
}

// Request asks a proc for a checkpoint, as the environment does, and reports whether it hears that:
// one that is down does not, and one that has not come to the last request yet has been asked.
func (r *Run) Request(p core.Proc) bool {
	r.order()
	q := &r.procs[p]
	if !q.up || q.asked {
		return false
	}
	q.asked = true
	r.schedule(q, arrive, r.now, told(p, q.life, core.Input{Kind: core.Checkpoint}))
	return true
}

// put adds an event about an item that is in the pool.
func (r *Run) put(p *proc, kind eventKind, at moment, i int32) {
	if r.windows != nil {
		r.windows.put(r, p, kind, at, i)
		return
	}
	p.number++
	r.clock.push(event{at: at, proc: p.id, number: numbered(p.number, kind), item: i})
}

// happen is one event.
func (r *Run) happen(p *proc, number uint64, i int32) {
	switch kind := eventKind(number); kind {
	case work:
		r.finish(p, number>>8)
	case leave:
		r.depart(&r.procs[r.items[i].from], p, i)
	case card:
		r.enter(p, i)
	case arrive:
		if r.keep(p, i) {
			return
		}
		if c := r.items[i].via; c != nil {
			r.reach(p, c, i)
			return
		}
		r.offer(p, i)
	default:
		what := r.take(i)
		switch kind {
		case stable:
			r.settle(p, &what)
		case ready:
			r.start(p, &what)
		case stop:
			r.stop(p, &what)
		case call:
			r.calls--
			what.rest.call()
		}
	}
}

// note keeps and shows an event of the evidence.
func (r *Run) note(e trace.Event) {
	if r.config.Keep {
		e.Step = r.result.Steps
		r.result.Trace.Events = append(r.result.Trace.Events, e)
		r.result.Trace.At = append(r.result.Trace.At, int64(r.Now()))
	}
	if r.config.Observe != nil {
		r.config.Observe(r, e)
	}
}

// on reports whether a proc is one of a list.
func on(list []core.Proc, p core.Proc) bool { return slices.Contains(list, p) }
