package world

import (
	"fmt"
	"slices"
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
// they look up is read without locks, and what is met for the first time is computed under one
// lock.
type World struct {
	Config
	procs  int
	layout *trace.Layout

	always, local []spec.Property // global and local Always properties
	calm          []spec.Property // of whole runs without failures
	// one of always comes from outside: what it looks at is not known, so every step is visible
	wide   bool
	final  []spec.Property
	pairs  []spec.Property
	unseen []spec.Property // Sometimes properties not seen yet
	seen   []string
	// the first in the alphabet of the typed answers of ranks that can not be recovered
	answer    string
	witnesses map[string]witness // of Pair properties

	unjudged   atomic.Bool // a step was left behind: nothing new is judged any more
	judging    sync.Mutex  // of the next four
	broken     int         // violation number of a property that has panicked, 0 = none
	failure    error       // what is wrong with it
	violations []spec.Violation
	numbers    map[spec.Violation]int

	bytes atomic.Int64 // when they were counted last

	mu          sync.Mutex // held by who writes to anything below, or runs a machine
	messages    interned[messageNumber, message]
	packets     interned[packetNumber, packet]
	inputs      interned[uint32, core.Input]
	locals      interned[uint32, local]
	inboxes     interned[inboxNumber, inbox]
	envs        interned[uint32, env]
	histories   interned[uint32, *trace.History]
	operations  interned[uint32, operation]
	transitions store[uint32, transition]

	configurations []configurations    // of each proc
	former         map[uint64]struct{} // local steps met before a search was resumed, not since

	known    table // (local, input) -> transition
	pushes   table // (inbox, packet) -> inbox
	cuts     table // (inbox, channel) -> inbox without it
	envSteps table // (env, operation) -> env
	plains   table // operation that is only numbers -> operation
	rounds   table // recovery round -> small number
	asked    table // what the environment asks of a proc, by the env that it follows from -> input
	starts   table // (env, notices that are still of use) -> env after the restart
	restores table // (env of the proc, env whose records it reads) -> local step
	masters  masters
	foreign  foreign
	eager    eagerness
	crashes  crashDigits
	monitors monitors
	overWord int // see settled.go; 0 when no failure waits for a recovery
	harmWord int // see harm.go; 0 when records are safe
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
	if err := c.Setup.ValidateCode(); err != nil {
		return nil, err
	}
	w := &World{Config: c, procs: len(c.Setup.Layout.Names), layout: &c.Setup.Layout,
		numbers: map[spec.Violation]int{}, witnesses: map[string]witness{}}
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
	if serial(&c) {
		w.overWord = w.procWords() + w.monitors.words()
	}
	if initialHarm(&c.Model) != 0 {
		w.harmWord = w.procWords() + w.monitors.words() + min(w.overWord, 1)
	}
	w.configurations = make([]configurations, w.procs)
	w.locals.intern(nil, local{})
	w.internInbox(nil)
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
			w.unseen = append(w.unseen, p)
		case p.Kind == spec.FailureFree:
			w.calm = append(w.calm, p)
		case p.Kind == spec.Monitor:
			w.monitors.list = append(w.monitors.list, p)
			w.monitors.looks = w.monitors.looks || p.Look != nil
			w.wide = w.wide || p.Look != nil && w.own(p.Name)
		}
	}
}

// Words implements checker.System.
func (w *World) Words() int {
	return w.procWords() + w.monitors.words() + min(w.overWord, 1) + min(w.harmWord, 1)
}

// Initial implements checker.System: every proc has started.
func (w *World) Initial(state []uint32) int {
	w.mu.Lock()
	state[budgetWord] = initialBudget(&w.Model) | w.crashes.initial()
	if w.monitors.word != 0 {
		state[w.monitors.word] = 0
	}
	if w.overWord != 0 {
		state[w.overWord] = 0
	}
	if w.harmWord != 0 {
		state[w.harmWord] = initialHarm(&w.Model)
	}
	for p := range core.Proc(w.procs) {
		state[procWord(p)] = w.configurations[p].number(configuration{local: w.blank(p, 0),
			inbox: emptyInbox, env: w.internEnv(env{Up: true, Host: w.firstHost(p)})})
	}
	start := w.internInput(core.Input{Kind: core.Start})
	w.mu.Unlock()
	x := checker.NewExpansion(w.Words())
	x.Begin(state)
	x.Add(checker.Step{})
	violation := 0
	for p := range core.Proc(w.procs) {
		tr := w.transition(w.localOf(state, p), start)
		if v := w.judge(x.Now(), p, tr); v != 0 && violation == 0 {
			violation = v
		}
		w.perform(x, p, tr)
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
	if n, ok := w.numbers[v]; ok || w.unjudged.Load() {
		return n
	}
	w.violations = append(w.violations, v)
	w.numbers[v] = len(w.violations)
	return len(w.violations)
}

// Seen lists the Sometimes properties that some run has shown so far, and those that none has.
func (w *World) Seen() (seen, unseen []string) {
	for _, p := range w.unseen {
		unseen = append(unseen, p.Name)
	}
	return w.seen, unseen
}

// LocalSteps is the number of distinct local transitions and local states met so far.
func (w *World) LocalSteps() (transitions, states int) {
	return w.transitions.len() + len(w.former), w.locals.len() - 1
}

// cause is what the environment does with an event that leads to a local step: what surrounds a
// proc, or is on its way to it, changes, a budget is spent, others stop.
type cause struct {
	what   change
	proc   core.Proc
	value  uint32
	budget uint32
	harm   uint32                   // of the word of harms, see harm.go
	also   func(*checker.Expansion) // nil = nothing
}

// change is what a cause changes.
type change uint8

const (
	unchanged change = iota
	newInbox
	newEnv
)

func (c *cause) apply(w *World, x *checker.Expansion) {
	switch c.what {
	case newInbox:
		w.setInbox(x, c.proc, inboxNumber(c.value))
	case newEnv:
		w.setEnv(x, c.proc, c.value)
	}
	if c.budget != 0 {
		x.Set(budgetWord, x.At(budgetWord)-c.budget)
	}
	if c.harm != 0 {
		x.Set(w.harmWord, x.At(w.harmWord)-c.harm)
	}
	if c.also != nil {
		c.also(x)
	}
}

// Expand implements checker.System.
func (w *World) Expand(state []uint32, reduce checker.Reduction, x *checker.Expansion) {
	x.Begin(state)
	w.remember(state, x)
	if reduce.Has(checker.Singletons) && w.eager.expand(w, state, x) {
		return
	}
	for p := range core.Proc(w.procs) {
		if !w.env(state, p).Up {
			w.restarts(state, p, x)
			continue
		}
		w.deliveries(state, p, x)
		w.programSteps(state, p, x)
		w.environmentSteps(state, p, x)
	}
	w.faults(state, reduce, x)
}

// deliveries adds the events that take a message from the network.
func (w *World) deliveries(state []uint32, p core.Proc, x *checker.Expansion) {
	box := w.inbox(state, p)
	for i := range box.heads {
		w.delivery(state, p, &box.heads[i], x)
	}
}

func (w *World) delivery(state []uint32, p core.Proc, h *head, x *checker.Expansion) {
	tr := w.transition(w.localOf(state, p), h.input)
	if w.Model.KeepsIgnored() && !w.consequence(state, p, tr) {
		return
	}
	c := cause{}
	if !w.Model.Set {
		c = cause{what: newInbox, proc: p, value: uint32(w.pop(w.inboxOf(state, p), h))}
	}
	w.step(state, p, tr, code(deliver, p, h.name).step(), x, c)
}

// consequence reports whether anything at all comes of a local step. In a set, to send what is on
// its way already is nothing.
func (w *World) consequence(state []uint32, p core.Proc, tr uint32) bool {
	t := w.transitions.at(tr)
	if t.idle || !w.Model.Set {
		return !t.idle
	}
	if t.violation != 0 || t.next != w.localOf(state, p) {
		return true
	}
	for i := range t.acts {
		switch a := &t.acts[i]; a.kind {
		case actSend:
			number := w.inboxOf(state, a.to)
			if w.push(number, a.packet()) != number {
				return true
			}
		case actChange, actRollback, actWatch, actExit, actRenew, actLaunch:
			return true
		}
	}
	if t.watched {
		o := w.observe(state[w.monitors.word], tr)
		return o.violation != 0 || o.next != state[w.monitors.word]
	}
	return len(t.checks) > 0 && w.judge(state, p, tr) != 0
}

// programSteps adds the steps of the program of a rank.
func (w *World) programSteps(state []uint32, p core.Proc, x *checker.Expansion) {
	number := w.localOf(state, p)
	for i, choice := range w.locals.at(number).choices {
		w.step(state, p, w.transition(number, choice), code(advance, p, i).step(), x,
			cause{})
	}
}

// step adds the event of a local transition, and the crashes inside it.
func (w *World) step(state []uint32, p core.Proc, tr uint32, s checker.Step, x *checker.Expansion,
	c cause) {
	if c.also == nil {
		s.Violation = w.judge(state, p, tr)
	}
	x.Add(s)
	c.apply(w, x)
	if c.also != nil { // what others have come to is to be seen
		x.Steps[len(x.Steps)-1].Violation = w.judge(x.Now(), p, tr)
	}
	w.perform(x, p, tr)
	if left(state, failures) > 0 {
		w.cutShort(state, p, tr, eventCode(s.Code), x, c)
	}
}

// perform moves a proc to the end of a local transition and does what its effects ask for.
func (w *World) perform(x *checker.Expansion, p core.Proc, tr uint32) {
	t := w.transitions.at(tr)
	w.setLocal(x, p, t.next)
	for i := range t.acts {
		w.act(x, p, &t.acts[i])
	}
	if t.watched {
		word := w.monitors.word
		x.Set(word, w.observe(x.At(word), tr).next)
	}
}

// act does one effect.
func (w *World) act(x *checker.Expansion, p core.Proc, a *act) {
	switch a.kind {
	case actSend:
		number := w.inboxOf(x.Now(), a.to)
		w.setInbox(x, a.to, w.push(number, a.packet()))
	case actChange:
		w.setEnv(x, p, w.envStep(w.envOf(x.Now(), p), a.value))
	case actRollback:
		number := w.envOf(x.Now(), p)
		stop := operation{Kind: opStop, A: w.envs.at(number).Inc + 1,
			Round: w.locals.at(w.localOf(x.Now(), p)).round}
		w.setLocal(x, p, deadLocal)
		w.setEnv(x, p, w.envStep(number, w.plain(stop)))
		w.endTickets(x, p)
	case actWatch:
		op := operation{Kind: opWatch, A: uint32(a.to), B: w.watchedLife(x.Now(), a.to)}
		w.setEnv(x, p, w.envStep(w.envOf(x.Now(), p), w.plain(op)))
	case actRenew:
		number := w.envOf(x.Now(), p)
		w.setEnv(x, p, w.envStep(number,
			w.plain(operation{Kind: opRenew, A: w.envs.at(number).Inc + 1})))
	case actLaunch:
		if e := w.envOf(x.Now(), a.to); !w.envs.at(e).Up {
			w.setEnv(x, a.to, w.envStep(e, a.value))
		}
	case actExit:
		members := w.withHosted(x.Now(), w.group(p))
		w.crash(x, members, slices.Repeat([]operation{{Kind: opStop}}, len(members)))
	}
}

// Bytes implements checker.Sizer: it estimates the memory of the interned contents, which are kept
// as bytes and, for local states, decoded.
func (w *World) Bytes() int64 {
	if !w.mu.TryLock() { // a step may be under way, for long
		return w.bytes.Load()
	}
	defer w.mu.Unlock()
	var total int64
	add := func(content int64, things int) { total += 2*content + 64*int64(things) }
	add(w.messages.content, w.messages.len())
	add(w.packets.content, w.packets.len())
	add(w.inputs.content, w.inputs.len())
	add(w.inboxes.content, w.inboxes.len())
	add(w.envs.content, w.envs.len())
	add(w.histories.content, w.histories.len())
	add(w.operations.content, w.operations.len())
	total += 40*int64(len(w.former)) + 3*w.locals.content + 256*int64(w.locals.len()) +
		512*int64(w.transitions.len())
	add(w.monitors.memories.content, w.monitors.memories.len())
	for _, t := range []*table{&w.monitors.steps, &w.known, &w.pushes, &w.cuts, &w.envSteps,
		&w.plains, &w.asked, &w.starts, &w.restores} {
		total += t.bytes()
	}
	w.bytes.Store(total)
	return total
}

// String names the configuration for errors.
func (w *World) String() string { return fmt.Sprintf("world of %s", w.Setup.Protocol) }
