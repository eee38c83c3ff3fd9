package world

import (
	"fmt"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/fault"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// Config is what a world is made of. Facts may be nil: then nothing is judged.
type Config struct {
	Setup *core.Setup
	Model fault.Model
	Facts *spec.Facts
	// Twice runs every local step two times from the same bytes and reports a difference as the property "deterministic".
	Twice bool
	// Cuts puts a crash between any two effects of every step, also where the argument in failure.go makes that superfluous.
	Cuts bool
}

// World implements checker.System. It is not safe for concurrent use.
type World struct {
	Config
	procs  int
	layout *trace.Layout

	always, local []spec.Property // global and local Always properties
	final         []spec.Property
	pairs         []spec.Property
	unseen        []spec.Property // Sometimes properties not seen yet
	seen          []string
	witnesses     map[string]witness // of Pair properties

	violations []spec.Violation
	numbers    map[spec.Violation]int

	messages    interner
	messageInfo []message
	packets     interner
	packetInfo  []packet
	inputs      interner
	inputInfo   []core.Input
	locals      interner
	localInfo   []local
	inboxes     interner
	inboxInfo   []inbox
	envs        interner
	envInfo     []env
	histories   interner
	historyInfo []*trace.History

	transitions    table // (local, input) -> transition number
	transitionInfo []transition
	pushes         table // (inbox, packet) -> inbox
	envSteps       table // (env, operation) -> env
	operations     interner
	restores       table // (env of the proc, env whose records it reads) -> local step
	completions    table // env with a write in progress -> input when it completes
	plain          table // operations without text -> operation
	masters        masters
	eager          eagerness
}

// Numbers with a fixed meaning.
const (
	deadLocal  = 0 // local state of a proc that is down
	emptyInbox = 0
)

// Words of a state vector.
const budgetWord = 0

func localWord(p core.Proc) int { return 1 + 3*int(p) }
func inboxWord(p core.Proc) int { return 2 + 3*int(p) }
func envWord(p core.Proc) int   { return 3 + 3*int(p) }

// New makes the world; the error says what is wrong with the setup or the model.
func New(c Config) (*World, error) {
	if err := c.Setup.Validate(); err != nil {
		return nil, err
	}
	w := &World{Config: c, procs: len(c.Setup.Layout.Names), layout: &c.Setup.Layout,
		numbers: map[spec.Violation]int{}, witnesses: map[string]witness{}}
	if err := c.Model.Validate(w.procs); err != nil {
		return nil, err
	}
	if c.Facts != nil {
		w.properties(spec.Select(c.Facts))
	}
	w.locals.number(nil)
	w.localInfo = append(w.localInfo, local{})
	w.internInbox(nil)
	w.eager.checkpoints = c.Model.Checkpoints > 0 || hasCheckpoints(c.Setup.Programs)
	return w, nil
}

func (w *World) properties(list []spec.Property) {
	for _, p := range list {
		switch {
		case p.Kind == spec.Always && p.Global:
			w.always = append(w.always, p)
		case p.Kind == spec.Always:
			w.local = append(w.local, p)
		case p.Kind == spec.Final:
			w.final = append(w.final, p)
		case p.Kind == spec.Pair:
			w.pairs = append(w.pairs, p)
		case p.Kind == spec.Sometimes:
			w.unseen = append(w.unseen, p)
		}
	}
}

// Words implements checker.System.
func (w *World) Words() int { return 1 + 3*w.procs }

// Initial implements checker.System: every proc has started.
func (w *World) Initial(state []uint32) int {
	state[budgetWord] = initialBudget(&w.Model)
	for p := range core.Proc(w.procs) {
		state[inboxWord(p)] = emptyInbox
		state[envWord(p)] = w.internEnv(env{Up: true})
		state[localWord(p)] = w.blank(p, 0)
	}
	start := w.internInput(core.Input{Kind: core.Start})
	violation := 0
	for p := range core.Proc(w.procs) {
		tr := w.transition(state[localWord(p)], start)
		if v := w.judge(state, p, tr); v != 0 && violation == 0 {
			violation = v
		}
		w.perform(state, p, tr)
	}
	return violation
}

// Terminal implements checker.System.
func (w *World) Terminal(state []uint32) int {
	v := &view{world: w, state: state, self: noProc}
	for _, p := range w.final {
		if m := p.End(w.Facts, v); m != "" {
			return w.violation(spec.Violation{Property: p.Name, Message: m})
		}
	}
	return 0
}

// Violation implements checker.System.
func (w *World) Violation(number int) spec.Violation { return w.violations[number-1] }

// violation numbers a violation from 1.
func (w *World) violation(v spec.Violation) int {
	if n, ok := w.numbers[v]; ok {
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
	return len(w.transitionInfo), len(w.localInfo) - 1
}

// kind is the kind of a global event, the top byte of its code.
type kind uint8

const (
	deliver    kind = iota + 1 // a: head of the inbox
	advance                    // a: index of the choice
	persisted                  // the oldest write in progress
	told                       // a: index of the pending notice
	tick                       // a: index of the timer
	checkpoint                 // spontaneous
	crash                      // a: variant
	stop                       // staggered: a member follows its group
	restart                    //
	cut                        // a: channel whose rest is lost
	lose                       // a: head of the inbox
	duplicate                  // a: head of the inbox
	suspect                    // a: proc falsely reported
)

// code packs an event of a state: kind, proc, argument, and the number of effects after which the group crashes (0: none).
func code(k kind, p core.Proc, a int) uint64 {
	return uint64(k)<<56 | uint64(p)<<40 | uint64(uint32(a))
}

func splitCode(c uint64) (kind, core.Proc, int) {
	return kind(c >> 56), core.Proc(c >> 40 & 0xffff), int(uint32(c))
}

// Expand implements checker.System.
func (w *World) Expand(state []uint32, reduce bool, x *checker.Expansion) {
	x.Reset()
	if reduce && w.eager.expand(w, state, x) {
		return
	}
	for p := range core.Proc(w.procs) {
		e := &w.envInfo[state[envWord(p)]]
		if !e.Up {
			w.restarts(state, p, x)
			continue
		}
		w.deliveries(state, p, x)
		w.programSteps(state, p, x)
		w.environmentSteps(state, p, x)
	}
	w.faults(state, x)
}

// deliveries adds the events that take a message from the network.
func (w *World) deliveries(state []uint32, p core.Proc, x *checker.Expansion) {
	number := state[inboxWord(p)]
	for i := range w.inboxInfo[number].heads {
		input := w.inboxInfo[number].heads[i].input
		tr := w.transition(state[localWord(p)], input)
		w.step(state, p, tr, checker.Step{Code: code(deliver, p, i)}, x, func(next []uint32) {
			next[inboxWord(p)] = w.pop(number, i)
		})
	}
}

// programSteps adds the steps of the program of a rank.
func (w *World) programSteps(state []uint32, p core.Proc, x *checker.Expansion) {
	number := state[localWord(p)]
	for i := range w.localInfo[number].choices {
		tr := w.transition(number, w.localInfo[number].choices[i])
		w.step(state, p, tr, checker.Step{Code: code(advance, p, i)}, x, nil)
	}
}

// step adds the event of a local transition: before changes what the environment does with its input.
func (w *World) step(state []uint32, p core.Proc, tr uint32, s checker.Step, x *checker.Expansion, before func([]uint32)) {
	s.Violation = w.judge(state, p, tr)
	next := x.Add(state, s)
	if before != nil {
		before(next)
	}
	w.perform(next, p, tr)
	w.cutShort(state, p, tr, s.Code, x, before)
}

// perform moves a proc to the end of a local transition and does what its effects ask for.
func (w *World) perform(next []uint32, p core.Proc, tr uint32) {
	t := &w.transitionInfo[tr]
	next[localWord(p)] = t.next
	for i := range t.acts {
		w.act(next, p, &t.acts[i])
	}
}

// act does one effect.
func (w *World) act(next []uint32, p core.Proc, a *act) {
	switch a.kind {
	case core.SendMessage:
		next[inboxWord(a.to)] = w.push(next[inboxWord(a.to)], a.packet)
	case core.Rollback:
		stop := operation{Kind: opStop, A: w.envInfo[next[envWord(p)]].Inc + 1, Round: w.localInfo[next[localWord(p)]].round}
		next[localWord(p)] = deadLocal
		next[envWord(p)] = w.envStep(next[envWord(p)], stop)
	default:
		next[envWord(p)] = w.envStep(next[envWord(p)], a.op)
	}
}

// Bytes estimates the memory of the interned contents, which are kept as bytes and, for local states, decoded.
func (w *World) Bytes() int64 {
	var total int64
	for _, n := range []*interner{&w.messages, &w.packets, &w.inputs, &w.inboxes, &w.envs, &w.histories, &w.operations} {
		total += 2*n.content + 64*int64(len(n.numbers))
	}
	total += 3*w.locals.content + 256*int64(len(w.localInfo))
	return total + 512*int64(len(w.transitionInfo)) + 12*int64(len(w.transitions.keys)+len(w.pushes.keys)+len(w.envSteps.keys))
}

// String names the configuration for errors.
func (w *World) String() string { return fmt.Sprintf("world of %s", w.Setup.Protocol) }
