package world

import (
	"cmp"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// Config is what a world is made of. Facts may be nil: then nothing is judged.
type Config struct {
	Setup *core.Setup
	Model fault.Model
	Facts *spec.Facts
	// Twice runs every local step two times from the same bytes and reports a difference as the
	// property "deterministic".
	Twice bool
	// Cuts puts a crash between any two effects of every step, also where the argument in
	// failure.go makes that superfluous.
	Cuts bool
	// Forget runs the machine again each time a local step is taken, as if nothing were remembered:
	// a measure of what memory is worth.
	Forget bool
	// MaxStep is how long a step may take, 0 = DefaultMaxStep: one that takes longer breaks the
	// property "returns" and is left behind, see foreign.
	MaxStep time.Duration
	// Until is closed when whoever asks has had enough: then no step keeps him for much longer.
	Until <-chan struct{}
}

// World implements checker.System. Expand, Terminal and Violation are safe for concurrent use: what
// they look up is read without locks. What is met for the first time is computed outside of all
// locks: a local step, and what monitors make of one, by the first who wants it, for whom others
// wait; the rest by all who want it at one time, with the same result.
type World struct {
	Config
	procs  int
	layout *trace.Layout
	placed []bool        // by proc: the layout says where it runs
	groups [][]core.Proc // by proc: who stops with it, see core.Setup.Group

	always, local []spec.Property // global and local Always properties
	calm          []spec.Property // of whole runs without failures
	// one of always comes from outside: what it looks at is not known, so every step is visible
	wide   bool
	final  []spec.Property
	pairs  []spec.Property
	sights sights

	unjudged   atomic.Bool  // a step was left behind: nothing new is judged any more
	broken     atomic.Int64 // violation number of a property that has panicked, 0 = none
	judging    sync.Mutex   // held by who writes above, or touches the next three
	failure    error        // what is wrong with the property
	violations []spec.Violation
	numbers    map[spec.Violation]int

	messages    interned[messageNumber, message]
	packets     interned[packetNumber, packet]
	inputs      interned[uint32, core.Input]
	locals      interned[uint32, local]
	inboxes     interned[inboxNumber, inbox]
	envs        interned[uint32, env]
	histories   interned[uint32, *trace.History]
	operations  interned[uint32, operation]
	deedLists   interned[uint32, []deed]
	transitions store[uint32, transition]

	budgetList     budgetList
	configurations []configurations // of each proc
	roundCount     atomic.Uint32
	former         map[uint64]struct{} // local steps met before a search was resumed
	again          atomic.Int64        // how many of them were met since

	known       table // (local, input) -> transition
	pushes      table // (inbox, packet) -> inbox
	cuts        table // (inbox, channel) -> inbox without it
	envSteps    table // (env, operation) -> env
	plains      table // operation that is only numbers -> operation
	rounds      table // recovery round -> small number
	asked       table // what the environment asks of a proc, by its env -> input
	starts      table // (env, notices that are still of use) -> env after the restart
	restores    table // (env of the proc, env whose records it reads) -> local step
	verdicts    atomic.Pointer[verdicts]
	mostPlanned int64      // see plan.go
	keeping     sync.Mutex // held by who writes to these
	masters     masters
	foreign     foreign
	eager       eagerness
	alone       aloneness
	crashes     crashDigits
	monitors    monitors
	identities  identities
	elsewhere   [2]int // local steps and states of a search in several processes, see Account
	serial      bool   // a failure waits for the recovery from others, see settled.go
}

// Numbers with a fixed meaning.
const (
	deadLocal  = 0 // local state of a proc that is down
	emptyInbox = 0
)

// Words of a state vector.
const budgetWord = 0

// New makes the world; the error says what is wrong with the setup or the model.
func New(c Config) (*World, error) {
	if err := cmp.Or(c.Setup.AtMost(core.MaxSearched), c.Setup.ValidateCode()); err != nil {
		return nil, err
	}
	w := &World{Config: c, procs: len(c.Setup.Layout.Names), layout: &c.Setup.Layout,
		numbers: map[spec.Violation]int{}, foreign: foreign{new(sync.Pool)}}
	for p := range core.Proc(w.procs) {
		_, placed := w.layout.Hosted[p]
		w.placed, w.groups = append(w.placed, placed), append(w.groups, c.Setup.Group(p))
	}
	if err := c.Model.Validate(w.procs); err != nil {
		return nil, err
	}
	if n := c.Model.Together(); n > mostOthers+1 || n > 1 && w.procs > 1<<otherBits {
		return nil,
			fmt.Errorf(
				"world: %d groups of %d procs may stop at once, at most %d of %d can be explored",
				n,
				w.procs, mostOthers+1, 1<<otherBits)
	}
	if c.Facts != nil {
		list, err := spec.Select(c.Facts)
		if err != nil {
			return nil, err
		}
		w.properties(spec.Guard(list, w.layout, w.fail))
	}
	w.monitors.begin(w.procWords())
	w.serial = c.Model.Settled && c.Model.Failures > 1 && !c.Model.OneInstant
	w.configurations = make([]configurations, w.procs)
	w.locals.intern(nil, local{})
	w.verdicts.Store(&verdicts{})
	w.mostPlanned = mostPlanned
	w.internInbox(nil)
	w.alone.possible = !w.excluded()
	w.eager.checkpoints = c.Model.Checkpoints > 0 || takesCheckpoints(c.Setup)
	return w, nil
}

func (w *World) properties(list []spec.Property) {
	for _, p := range list {
		switch {
		case p.Kind == spec.Always && p.Global:
			w.always = append(w.always, p)
			w.wide = w.wide || w.own(p.Name)
		case p.Kind == spec.Always:
			w.local = append(w.local, p)
		case p.Kind == spec.Final:
			w.final = append(w.final, p)
		case p.Kind == spec.Pair:
			w.pairs = append(w.pairs, p)
		case p.Kind == spec.Sometimes:
			w.sights.look(p)
		case p.Kind == spec.FailureFree:
			w.calm = append(w.calm, p)
		case p.Kind == spec.Monitor:
			w.monitors.list = append(w.monitors.list, p)
			w.wide = w.wide || p.Looks() && w.own(p.Name)
		}
	}
}

// Words implements checker.System.
func (w *World) Words() int {
	return w.procWords() + w.monitors.words()
}

// Initial implements checker.System: every proc has started.
func (w *World) Initial(state []uint32) int {
	state[budgetWord] = w.budgetList.number(budgets{
		faults: initialBudget(&w.Model) | w.crashes.initial(), harms: initialHarm(&w.Model)})
	if w.monitors.word != 0 {
		state[w.monitors.word] = 0
	}
	for p := range core.Proc(w.procs) {
		state[procWord(p)] = w.numbered(p, configuration{local: w.blank(p, 0),
			inbox: emptyInbox, env: w.internEnv(env{Up: true, Host: w.firstHost(p)})})
	}
	start := w.internInput(core.Input{Kind: core.Start})
	x := checker.NewExpansion(w.Words())
	x.Begin(state)
	x.Add(checker.Step{})
	violation := 0
	for p := range core.Proc(w.procs) {
		tr := w.transition(w.localOf(state, p), start)
		if v := w.judge(x.Now(), p, tr); v != 0 && violation == 0 {
			violation = v
		}
		w.perform(x, p, tr, *w.of(x.Now(), p))
	}
	copy(state, x.Now())
	return violation
}

// Terminal implements checker.System: of several properties that the end breaks, the deepest
// counts.
func (w *World) Terminal(state []uint32) int {
	v := &view{world: w, state: state, self: noProc}
	var deepest *spec.Property
	broken := ""
	for i := range w.final {
		if broken = w.final[i].End(w.Facts, v); broken != "" {
			deepest = &w.final[i]
			break
		}
	}
	for i, memory := range w.Remembered(state) {
		p := &w.monitors.list[i]
		if deepest != nil && spec.Deeper(deepest, p) <= 0 {
			continue
		}
		if m := p.Settles(w.Facts, v, memory); m != "" {
			deepest, broken = p, m
		}
	}
	if deepest == nil {
		return 0
	}
	return w.violation(spec.Violation{Property: deepest.Name, Message: broken})
}

// Violation implements checker.System.
func (w *World) Violation(number int) spec.Violation {
	w.judging.Lock()
	defer w.judging.Unlock()
	return w.violations[number-1]
}

// violation numbers a violation from 1.
func (w *World) violation(v spec.Violation) int {
	w.judging.Lock()
	defer w.judging.Unlock()
	return w.violationNumber(v)
}

// leave notes that a step is left behind: nothing new is judged any more. What it breaks, if there
// is anything, is judged when it is the first one.
func (w *World) leave(v spec.Violation) (number int) {
	w.judging.Lock()
	defer w.judging.Unlock()
	if v.Property != "" {
		number = w.violationNumber(v)
	}
	w.unjudged.Store(true)
	return number
}

// violationNumber is violation for who holds judging.
func (w *World) violationNumber(v spec.Violation) int {
	if n, ok := w.numbers[v]; ok || w.unjudged.Load() {
		return n
	}
	w.violations = append(w.violations, v)
	w.numbers[v] = len(w.violations)
	return len(w.violations)
}

// LocalSteps is the number of distinct local transitions and local states met so far.
func (w *World) LocalSteps() (transitions, states int) {
	if w.elsewhere != [2]int{} {
		return w.elsewhere[0], w.elsewhere[1]
	}
	return w.transitions.len() + len(w.former) - int(w.again.Load()), w.locals.len() - 1
}

// Expand implements checker.System.
func (w *World) Expand(state []uint32, reduce checker.Reduction, x *checker.Expansion) {
	x.Begin(state)
	w.remember(state, x)
	if reduce.Has(checker.Alone) && w.alone.expand(w, state, x) {
		return
	}
	if reduce.Has(checker.Singletons) && w.eager.expand(w, state, x) {
		return
	}
	var room [32]*plan
	plans, lives, failing := room[:0], false, w.left(state, failures) > 0 || w.Model.Staggered
	for p := range core.Proc(w.procs) {
		pl := w.plan(p, state[procWord(p)])
		plans, lives, failing = append(plans, pl), lives || pl.inc > 0, failing || pl.still
	}
	for p := range core.Proc(w.procs) {
		w.walk(state, p, plans, failing, lives, x)
	}
	w.faults(state, reduce, x)
}

// Bytes implements checker.Sizer: it estimates the memory of the interned contents, which are kept
// as bytes and, for local states, decoded.
func (w *World) Bytes() int64 {
	var total int64
	add := func(content int64, things int) { total += 2*content + 64*int64(things) }
	add(w.messages.content.Load(), w.messages.len())
	add(w.packets.content.Load(), w.packets.len())
	add(w.inputs.content.Load(), w.inputs.len())
	add(w.inboxes.content.Load(), w.inboxes.len())
	add(w.envs.content.Load(), w.envs.len())
	add(w.histories.content.Load(), w.histories.len())
	add(w.operations.content.Load(), w.operations.len())
	total += 40*int64(len(w.former)) + 3*w.locals.content.Load() + 256*int64(w.locals.len()) +
		512*int64(w.transitions.len())
	add(w.monitors.content())
	for _, t := range []*table{&w.monitors.steps, &w.known, &w.pushes, &w.cuts, &w.envSteps,
		&w.plains, &w.asked, &w.starts, &w.restores} {
		total += t.bytes()
	}
	for p := range w.configurations {
		total += w.configurations[p].bytes()
	}
	w.keeping.Lock()
	total += w.verdicts.Load().bytes()
	w.keeping.Unlock()
	return total
}

// String names the configuration for errors.
func (w *World) String() string { return fmt.Sprintf("world of %s", w.Setup.Protocol) }
