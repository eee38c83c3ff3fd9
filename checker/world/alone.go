package world

import (
	"bytes"
	"slices"
	"sync/atomic"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// Steps taken alone: a partial-order reduction by singleton persistent sets, of which the search
// itself shows that they are persistent. Nobody claims anything.
//
// Such a step e is one of a proc p, a reception or a step of the program, that does nothing but
// change the state of p and send; it breaks nothing, and no property that looks at it looks at
// another proc. It is taken alone in a state when
//
//  1. no failure can come between: who may still crash is not the sender of the message that e
//     takes (unless all that is in flight survives), nor, if e sends, p or a receiver. If p itself
//     may crash, e sends nothing, and the crash undoes it: it takes the message, too;
//  2. no other event takes its message: the network loses and repeats none, and its channel does
//     not end; if it may, because its sender is dead, and it keeps its order, that end is taken in
//     the state as well, and nothing else;
//  3. e stands (court): for every input i that p may be given while e waits, but from its channel,
//     both orders lead to the same local state, with the same effects, evidence and answers of
//     properties of each step, and do not send to one proc both; and e stands behind i;
//  4. if e or what it is behind such i changes what properties see of p (its history, its rounds,
//     what it holds), then no monitor looks at p from then on (readers), and whatever a global
//     property that looks at p says while e waits, it says behind e, too (opinions).
//
// What may be given to p in a local state X (its offers) is: the inputs that states expanded in
// full have had for it there; the steps of the program, and checkpoints while any are left; e
// itself, where it waits; and all but the program's that is offered in the state that e, waiting,
// leads to from X.
//
// An opinion is what global properties say of a step, by what they are shown of the procs that they
// ask about: its own in the step, others between two of theirs. Offered are those that the search
// has formed; and with one for which p is in the state behind e, waiting, the one for which it is
// in the state before: as a proc that is asked about, or as the one whose step it is, where its
// input is offered there. Both must say the same, and ask about the same procs.
//
// The search goes by 3 and 4 on trust. When nothing is left to explore, the court judges all that
// was trusted by all that was met; as long as anything does not stand, it is expanded in full from
// then on, in another search. The last one has trusted nothing that does not stand. For it:
//
// Theorem. Every run of the unreduced system from a state s of the search, without a violation
// before its last step, is one of the search but for the order of steps, and for steps taken alone
// that are put in; every input that its last state has for any proc is among the offers, and every
// opinion of its steps, so that they break the same in both.
//
// Proof, by induction on the length of the run, then on how many reduced states can follow each
// other from s (finite: below). If s is expanded in full, its first step is taken, and the rest is
// shorter; what s has is offered. Let e be taken alone in s. Each step of the run before e, or of
// all of it when e is not there, is of another proc or has an input that is offered to p, as the
// runs up to it are shorter. The former commutes with e: it can not end, take or lose what e needs
// (1, 2); what it sends to p goes behind, and what e sends behind what others have sent; it does
// not see e (4), nor e it. The latter does by 3. So e may be put first, and the rest is shorter; or
// it may be put in, and from the state behind e the run is as long as before. If the channel of e
// ends in the run before e, that may be put first: nothing has been taken from the channel before,
// everything else is possible without it, and nobody sees it. An input of the last
// state is possible behind e, too, unless it is p's own program or checkpoint, or e: all offered.
// A crash that undoes e leads to the same state with and without it. Now a step of the run shows
// the same in its new place: to properties of one proc by 3, and monitors see e not at all. A
// global property is shown the same procs but p, and p behind e: by induction that opinion is
// offered, so the one without e is, and both say the same (4); of a step of p, too, since its input
// is offered. A run that ends has no e left, so its end is that of a run of the search.
//
// No event is put off for ever: e makes a history longer or a round newer, which no step taken
// alone undoes; or it takes a message and sends only to procs of lower number, which can not go on
// for ever. So no cycle consists of such steps.
//
// A step that its protocol claims to commute (eagerness) is taken like one that is taken alone, in
// the states where that argument holds. The court knows it as a step put off: what it can hide is
// offered, and 4 is asked of it. Of 3, an input that does not commute with it is believed to be
// none that can come while it waits: that is the claim. So the proof says the same of it, with the
// claim instead of 3 and the quiet state instead of 1 and 2: no failure is left, and its channel
// does not end. It makes a history longer, or takes a message and sends nothing, like others.
//
// Not where procs are launched, stop one by one or ignore messages that stay in flight, nor while a
// failure waits for something: there the argument does not hold.
type aloneness struct {
	possible  bool      // the argument holds under the model
	on        bool      // a search takes steps alone
	trusted   knowledge // what the searches before have met: the one under way goes by it
	decisions store[uint32, decision]
	numbers   table                 // (local step, channel) -> decision
	claimed   table                 // the same, of those that protocols claim
	readers   [phases]atomic.Uint64 // procs at which monitors looked, by phase
	exits     atomic.Bool           // some step stops more than its proc
	forgot    atomic.Bool           // not all opinions are known: no proc may be shown as another
	moves     atomic.Uint64         // procs that start a new life without a failure
	lines     atomic.Bool           // somebody declares recovery lines, which properties see
	run       atomic.Uint32         // number of the search under way
	before    uint32                // only decisions before this one are taken
	trials    map[uint64]*trial
	lined     bool   // lines, when they were made
	trying    bool   // one is made: what properties say is of no run
	troubled  bool   // a property has panicked in it
	without   clause // a condition that is not asked: for tests
}

// phases are how many values World.phase has.
const phases = 32

// knowledge is what a search has met that decides which steps may be taken alone.
type knowledge struct {
	readers [phases]uint64
	exits   bool
	moves   uint64
}

// read are the procs at which monitors look in the phase or later ones.
func (k *knowledge) read(phase int) (at uint64) {
	if k.moves != 0 {
		phase = phases - 1
	}
	for i := range phase + 1 {
		at |= k.readers[i]
	}
	return at
}

// learnt adds what the search under way has met.
func (a *aloneness) learnt() *knowledge {
	k := &a.trusted
	for i := range a.readers {
		k.readers[i] |= a.readers[i].Load()
	}
	if k.exits, k.moves = a.exits.Load(), a.moves.Load(); a.forgot.Load() {
		k.readers[0] = ^uint64(0)
	}
	return k
}

// clause is a condition of the argument. A test leaves out one after the other and expects that
// something goes wrong.
type clause uint8

const (
	noClause      clause = iota
	orderClause          // both orders of two steps of the proc lead to the same
	channelClause        // the channel of the message does not end
	failureClause        // no failure of sender, proc or receiver comes between
	keptClause           // the crash of the proc takes the message
	lossClause           // the network neither loses the message nor delivers it twice
	meetClause           // steps that change places send to different procs
	laterClause          // what may come after the step may come before it
	ownClause            // and say it of steps of the proc itself
	opinionClause        // properties say the same whether the step has been taken or not
)

// decision is a step that may be taken alone, from one channel or by the program.
type decision struct {
	proc    core.Proc
	step    uint32
	channel uint32 // name, noChannel for a step of the program
	to      uint64 // procs that it sends to
	mute    bool   // it changes nothing that properties see of the proc
	claimed bool   // the protocol says that it commutes
	// phases in which it is taken, and those in which it must not be, without and with checkpoints
	// that may still be asked for
	used, bad [2]atomic.Uint32
}

// noChannel is that of a step of the program, and of what the environment does.
const noChannel = ^uint32(0)

// candidate is an event of a plan that may be taken alone.
type candidate struct {
	event    int
	decision uint32
}

// excluded reports whether the argument does not hold in the setup or under the model.
func (w *World) excluded() bool {
	return w.Setup.Launched || w.Model.Set || w.Model.KeepsIgnored() || w.Model.Staggered ||
		w.procs > mostProcs || w.Forget
}

// candidates are the events of a plan that may be taken alone as far as the configuration says.
func (m *planner) candidates() (list []candidate) {
	if !m.alone.possible {
		return nil
	}
	for i := range m.events {
		e := &m.events[i]
		k := e.code.kind()
		if e.care&^(judged|divisible) != 0 || e.violation != 0 || k != deliver && k != advance {
			continue
		}
		t := m.transitions.at(e.step)
		to, ok := m.lonely(t)
		if !ok {
			continue
		}
		channel := noChannel
		if k == deliver {
			channel = uint32(e.code.arg())
		}
		number := m.alone.numbers.add(pair(e.step, channel), func() uint32 {
			return m.alone.decisions.add(decision{proc: m.proc, step: e.step, channel: channel,
				to: to, mute: m.alike(t.from, t.next)})
		})
		list = append(list, candidate{event: i, decision: number})
	}
	return list
}

// lonely reports whether a local step does nothing but send, shows no monitor anything and can not
// be put off for ever; and whom it sends to.
func (w *World) lonely(t *transition) (to uint64, ok bool) {
	here, next := w.locals.at(t.from), w.locals.at(t.next)
	if t.watched || t.violation != 0 || t.next == deadLocal || here.inc != next.inc {
		return 0, false
	}
	lower := true
	for i := range t.acts {
		a := &t.acts[i]
		if a.kind != actSend || w.packets.at(a.packet()).inc != here.inc || a.to == here.proc {
			return 0, false
		}
		to |= 1 << a.to
		lower = lower && a.to < here.proc
	}
	for _, e := range t.events {
		switch e.Kind {
		case trace.Halted, trace.Released, trace.Adopted, trace.Disowned:
			return 0, false
		}
	}
	if len(w.layout.Hosted) > 0 && !w.sameHolding(t.from, t.next) {
		return 0, false
	}
	return to, t.longer || lower && w.inputs.at(t.input).Kind == core.Received
}

// alike reports whether properties see the same of a proc in both local states.
func (w *World) alike(a, b uint32) bool {
	if a == b {
		return true
	}
	l, m := w.locals.at(a), w.locals.at(b)
	return l.round == m.round && l.evaluated == m.evaluated && w.sameHolding(a, b) &&
		(l.history == nil) == (m.history == nil) &&
		(l.history == nil || bytes.Equal(core.Encode(l.history), core.Encode(m.history)))
}

// sameHolding reports whether a proc holds the same for others in both.
func (w *World) sameHolding(a, b uint32) bool {
	l, m := w.locals.at(a), w.locals.at(b)
	return l.holding == m.holding ||
		bytes.Equal(appendHolding(nil, l.holding), appendHolding(nil, m.holding))
}

// phase is how far failures and restarts have come; it never grows in a run in which nobody rolls
// back.
func (w *World) phase(state []uint32) int {
	phase := 2 * w.left(state, failures)
	for p := range core.Proc(w.procs) {
		if !w.of(state, p).up {
			return phase + 1
		}
	}
	return phase
}

// mayStop are the procs that may still stop, or are bound to.
func (w *World) mayStop(state []uint32) (may uint64) {
	b := w.budgets(state)
	for _, p := range w.bound(state) {
		may |= 1 << p
	}
	if b.faults>>failures&15 == 0 {
		return may
	}
	for p := range core.Proc(w.procs) {
		members := w.group(p)
		_, ok := w.crashes.one(b.faults, members[0])
		if ok && slices.ContainsFunc(members, w.isVictim) {
			may |= 1 << p
		}
	}
	if may != 0 && len(w.layout.Hosted) > 0 {
		may = ^uint64(0)
	}
	return may
}

// looked notes that monitors have looked at procs in the state.
func (w *World) looked(state []uint32, at uint64) {
	if r := &w.alone.readers[w.phase(state)]; at&^r.Load() != 0 {
		r.Or(at)
	}
}

// expand puts a step that is taken alone into x, if there is one.
func (a *aloneness) expand(w *World, state []uint32, x *checker.Expansion) bool {
	unreliable := w.left(state, losses) > 0 || w.left(state, duplicates) > 0
	if !a.on || unreliable && a.without != lossClause {
		return false
	}
	may := w.mayStop(state)
	if may != 0 && (w.Model.Overlap > 0 || w.serial) || w.waits(state) {
		return false
	}
	phase := w.phase(state)
	requests := min(1, w.left(state, checkpoints))
	for p := range core.Proc(w.procs) {
		pl := w.plan(p, state[procWord(p)])
		for _, c := range pl.alone {
			d, e := a.decisions.at(c.decision), &pl.events[c.event]
			ok, dead := w.allowed(state, d, may)
			if !ok || !w.trusts(state, c.decision, e, phase, requests) {
				continue
			}
			if w.takes(p, pl, e, x); dead {
				w.endOf(p, pl, d, x)
			}
			x.Reduced = true
			return true
		}
	}
	return false
}

// trusts reports whether a decision is taken in a state of the phase, as far as the searches before
// have shown; then it is to be judged.
func (w *World) trusts(state []uint32, number uint32, e *event, phase, requests int) bool {
	a := &w.alone
	d := a.decisions.at(number)
	if number >= a.before || d.bad[requests].Load()>>phase&1 != 0 ||
		!d.mute && a.trusted.read(phase)>>d.proc&1 != 0 {
		return false
	}
	if e.care&judged != 0 && (w.judge(state, d.proc, e.step) != 0 ||
		w.transitions.at(e.step).asks.Load() != 0) {
		return false
	}
	if d.used[requests].Load()>>phase&1 == 0 {
		d.used[requests].Or(1 << phase)
	}
	return true
}

// trustsClaim reports whether a step that its protocol claims is taken in the state.
func (w *World) trustsClaim(state []uint32, pl *plan, number int) bool {
	i := slices.IndexFunc(pl.alone, func(c candidate) bool { return c.event == number })
	if i < 0 {
		return false
	}
	d, e := *w.alone.decisions.at(pl.alone[i].decision), &pl.events[number]
	claim := w.alone.claimed.add(pair(d.step, d.channel), func() uint32 {
		return w.alone.decisions.add(decision{proc: d.proc, step: d.step, channel: d.channel,
			to: d.to, mute: d.mute, claimed: true})
	})
	return w.trusts(state, claim, e, w.phase(state), 0)
}

// endOf adds the end of the channel of a step that is taken alone.
func (w *World) endOf(p core.Proc, pl *plan, d *decision, x *checker.Expansion) {
	for i := range pl.events {
		if e := &pl.events[i]; e.care&cutting != 0 && uint32(e.code.arg()) == d.channel {
			x.Add(e.code.step())
			w.touch(x, p, deed(e.next))
		}
	}
}

// allowed reports whether no failure can come between the step and others, and whether the end of
// its channel can, which is then to be taken, too.
func (w *World) allowed(state []uint32, d *decision, may uint64) (ok, ends bool) {
	if w.alone.trusted.exits {
		return false, false
	}
	if w.alone.without != failureClause && d.to != 0 && (d.to|1<<d.proc)&may != 0 {
		return false, false
	}
	if d.channel == noChannel {
		return true, false
	}
	from, dead := w.senderOf(state, d)
	if w.alone.without == failureClause {
		may = 0
	}
	if may>>d.proc&1 != 0 && w.alone.without != keptClause && w.Model.KeepToDead {
		return false, false
	}
	switch {
	case w.Model.FromDead == fault.Every || dead && w.alone.without == channelClause:
		return true, false
	case dead:
		return w.Model.FromDead == fault.Prefix && w.Model.KeepsOrder(), true
	}
	return may>>from&1 == 0 &&
		(w.alone.trusted.moves>>from&1 == 0 || w.Model.FromDead != fault.Prefix), false
}

// senderOf is who has sent the message that a step takes, and whether that life is over.
func (w *World) senderOf(state []uint32, d *decision) (from core.Proc, dead bool) {
	inc := core.Incarnation(d.channel & 0xffff)
	if from = core.Proc(d.channel >> 16); !w.Model.KeepsOrder() {
		k := w.packets.at(packetNumber(d.channel))
		from, inc = k.from, k.inc
	}
	return from, uint32(inc) != w.of(state, from).inc
}

// begin forgets what the search before has met.
func (a *aloneness) begin() {
	a.run.Add(1)
	for i := range a.readers {
		a.readers[i].Store(0)
	}
}

// exits notes that a proc stops others, too.
func (r *recorder) exits() {
	if r.trial == nil {
		r.world.alone.exits.Store(true)
	}
}

// moves notes that a proc starts a new life without a failure.
func (r *recorder) moves() {
	if r.trial == nil {
		r.world.alone.moves.Or(1 << r.from.proc)
	}
}

// took notes that a search takes a step that no plan has.
func (a *aloneness) took(t *transition) {
	if run := a.run.Load(); t.run.Load() != run {
		t.run.Store(run)
	}
}
