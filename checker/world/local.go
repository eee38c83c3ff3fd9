package world

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sync/atomic"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// local is one distinct state of one incarnation of a proc.
type local struct {
	proc      core.Proc
	inc       core.Incarnation
	round     uint64 // newest round that this incarnation has put on a message
	evaluated uint64 // newest round that it has evaluated its channels for
	content   []byte // canonical bytes of the machine
	history   *trace.History
	// nil unless the layout says that holdings are declared, and before the first step
	holding *trace.Holding
	choices []uint32 // inputs of the program steps that are enabled
}

// act is one effect as the world performs it.
type act struct {
	kind  actKind
	firm  bool // a crash right after the step can not take it back
	to    core.Proc
	value uint32 // packet or operation
	first int    // events of the step before it
}

type actKind uint8

const (
	actSend     actKind = iota
	actChange           // of the env
	actRollback         // stops its proc
	actNothing          // only a place for a crash
	actWatch            // of the life of proc to
	actExit             // stops its proc and what that has adopted
	actRenew            // its proc is in its next life
	actLaunch           // of the env of proc to, if that is down
)

// packet is what a send puts on its way.
func (a *act) packet() packetNumber { return packetNumber(a.value) }

// transition is one local step, remembered.
type transition struct {
	next      uint32
	violation int // of a local property
	// some event is seen by a global property: its place among the events of other procs matters
	visible bool
	// the program sends, receives or ends, or the proc names or evaluates a newer round: what can
	// not be taken back
	longer  bool
	watched bool // a property with a memory sees some event
	idle    bool // nothing comes of it: the input is ignored
	inside  bool // a crash between two of its effects leads where none before or after it does
	acts    []act
	checks  []check        // events that global properties look at
	asks    *atomic.Uint64 // others that these ask about, a bit each, as far as is known
	from    uint32
	input   uint32
	events  []trace.Event  // evidence, without step number
	run     *atomic.Uint32 // number of the search that took it last, apart from those planned
}

// check is one event for global properties, with what was known of its proc at that moment.
type check struct {
	event trace.Event
	self  spec.Observed
}

// internInput numbers an input.
func (w *World) internInput(in core.Input) uint32 {
	content := inputContent(&in)
	if number, ok := w.inputs.find(content); ok {
		return number
	}
	return w.inputs.intern(content, in)
}

// inputContent are the canonical bytes of an input.
func inputContent(in *core.Input) []byte {
	content := []byte{byte(in.Kind)}
	content = binary.BigEndian.AppendUint16(content, uint16(in.From))
	content = binary.BigEndian.AppendUint64(content, uint64(in.Choice))
	content = binary.BigEndian.AppendUint32(content, uint32(in.Incarnation))
	if in.Message != nil {
		content = append(content, core.Encode(in.Message)...)
	}
	return append(content, core.Encode([]any{in.Key, in.Timer, in.Procs, in.Records})...)
}

// input is the input that the environment makes of an env: what it is, under the key; made once.
func (w *World) input(key uint64, in func() core.Input) uint32 {
	if n, ok := w.asked.get(key); ok {
		return n
	}
	return w.asked.put(key, w.internInput(in()))
}

// internLocal numbers the state that a machine with the choices is in.
func (w *World) internLocal(l local, m core.Machine, choices []core.Choice) uint32 {
	l.content = core.EncodeState(m)
	key := w.localKey(&l)
	if number, ok := w.locals.find(key); ok {
		return number
	}
	w.addViews(&l, m, choices)
	return w.locals.intern(key, l)
}

// localKey are the canonical bytes of a local state.
func (w *World) localKey(l *local) []byte {
	key := binary.BigEndian.AppendUint16(nil, uint16(l.proc))
	key = binary.BigEndian.AppendUint32(key, uint32(l.inc))
	key = binary.BigEndian.AppendUint64(key, l.round)
	key = binary.BigEndian.AppendUint64(key, l.evaluated)
	if w.layout.Holdings {
		key = appendHolding(key, l.holding)
	}
	return append(key, l.content...)
}

// appendHolding adds what a proc holds to a key, behind its length; nil has none.
func appendHolding(key []byte, h *trace.Holding) []byte {
	var content []byte
	if h != nil {
		content = core.Encode(h)
	}
	return append(binary.BigEndian.AppendUint32(key, uint32(len(content))), content...)
}

// addViews notes what is often asked of a machine in the local state.
func (w *World) addViews(l *local, m core.Machine, choices []core.Choice) {
	if h := core.HistoryOf(m); h != nil {
		l.history = h.Clone()
	}
	for _, c := range choices {
		l.choices = append(l.choices, w.internInput(core.Input{Kind: core.Advance, Choice: c}))
	}
}

// blank is the local state of a proc before Start or Restore.
func (w *World) blank(p core.Proc, inc core.Incarnation) uint32 {
	m := w.Setup.New(p)
	return w.internLocal(local{proc: p, inc: inc}, m, m.Choices(nil))
}

// transition is the number of the local step; the machine runs only the first time.
func (w *World) transition(from, input uint32) uint32 {
	key := pair(from, input)
	t, ok := w.known.get(key)
	if !ok {
		return w.known.once(key, func() uint32 { return w.learn(key, from, input) })
	}
	if w.Forget {
		w.run(from, input)
	}
	return t
}

// learn runs a machine that has not taken the local step yet.
func (w *World) learn(key uint64, from, input uint32) uint32 {
	if _, met := w.former[key]; met {
		w.again.Add(1)
	}
	return w.transitions.add(w.run(from, input))
}

// run executes a local step on a machine of its own. A panic of the machine, wherever it falls, is
// a violation.
func (w *World) run(from, input uint32) (t transition) {
	l, in := *w.locals.at(from), *w.inputs.at(input)
	defer func() {
		if r := recover(); r != nil {
			t = w.stopped(l.proc, from, input, r)
		}
	}()
	if met := w.tried(from, input); met != nil {
		t = w.reshown(met, nil)
		w.complete(&t)
		return t
	}
	first, again := w.execute(l, in, w.masters.copy(w, from))
	m, effects := first.machine, first.effects
	for i := range effects {
		if words := w.Setup.Wrong(&effects[i]); words != "" {
			panic(Misuse{Property: Contract, Words: words})
		}
	}
	r := w.recorder(l, nil)
	r.evidence.After = core.HistoryOf(m)
	if h := r.evidence.After; in.Kind == core.Restore && h != nil {
		r.history = *h // the image brings its own past
	}
	if event, ok := r.evidence.OfInput(&in); ok {
		r.event(event)
	}
	t = r.record(effects)
	t.from, t.input = from, input
	t.next = w.internLocal(local{proc: l.proc, inc: r.from.inc, round: r.round,
		evaluated: r.evaluated, holding: r.holding}, m, first.choices)
	w.masters.keep(t.next, m)
	if in.Kind == core.Restore {
		r.restored(&t)
	}
	r.restarts(&t)
	t.longer = r.round > l.round || r.evaluated > l.evaluated ||
		grown(l.history, w.locals.at(t.next).history)
	t.watched = w.monitors.watch(t.events)
	w.complete(&t)
	if w.Twice {
		if d := w.difference(l, in, t.next, effects, again); d != "" {
			t.violation = w.violation(spec.Violation{Property: "deterministic", Message: d})
		}
	}
	return t
}

// complete notes what a search asks of a step besides what it does and shows.
func (w *World) complete(t *transition) {
	t.asks, t.run = new(atomic.Uint64), new(atomic.Uint32)
	for i := range t.acts {
		t.inside = t.inside || t.acts[i].firm
	}
	t.visible = t.visible || t.watched || w.wide
	t.idle = t.next == t.from && len(t.acts) == 0 && t.violation == 0 &&
		!slices.ContainsFunc(t.events, func(e trace.Event) bool {
			return e.Kind != trace.Dropped
		})
}

// recorder turns the effects of one local step into acts and evidence, and judges the evidence by
// the local properties.
type recorder struct {
	world     *World
	from      local
	history   trace.History
	holding   *trace.Holding
	round     uint64
	evaluated uint64
	t         transition
	evidence  core.Evidence
	trial     *trial // nil for a step of some run
}

// recorder is one for steps from the local state.
func (w *World) recorder(l local, as *trial) recorder {
	r := recorder{world: w, from: l, round: l.round, evaluated: l.evaluated, trial: as,
		evidence: core.Evidence{Proc: l.proc, Incarnation: l.inc}}
	if l.history != nil {
		r.history = *l.history
	}
	if w.layout.Holdings {
		r.holding = new(trace.Holding)
		if l.holding != nil {
			*r.holding = *l.holding
		}
	}
	return r
}

func (r *recorder) record(effects []core.Effect) transition {
	for i := range effects {
		r.effect(&effects[i])
	}
	return r.t
}

func (r *recorder) effect(e *core.Effect) {
	w := r.world
	acts, first := len(r.t.acts), len(r.t.events)
	defer func() {
		for i := acts; i < len(r.t.acts); i++ {
			r.t.acts[i].first = first
		}
	}()
	switch e.Kind {
	case core.SendMessage:
		number := w.internMessage(e.Message)
		if e.Former {
			r.sendFormer(e, number)
			return
		}
		k := w.internPacket(packet{from: r.from.proc, inc: r.from.inc, message: number})
		r.t.acts = append(r.t.acts, act{kind: actSend, to: e.To, value: uint32(k)})
	case core.Persist:
		r.write(e)
	case core.SetTimer:
		r.change(operation{Kind: opSetTimer, Key: e.Timer}, false)
	case core.Watch:
		r.t.acts = append(r.t.acts, act{kind: actWatch, to: e.To})
	case core.Unwatch:
		r.change(operation{Kind: opUnwatch, A: uint32(e.To)}, false)
	case core.Renew:
		r.moves()
		r.renew()
	case core.Exit:
		r.exits()
		r.t.acts = append(r.t.acts, act{kind: actExit})
		r.t.visible = true
	case core.Commit:
		w.alone.lines.Store(true)
		line := r.history.Line(e.Sent, e.Received)
		r.change(operation{Kind: opLine, A: w.internHistory(line)}, true)
	case core.Declare:
		if e.What == trace.Resumed {
			r.history = *r.evidence.After // the image brings its own past
		}
	case core.Rollback:
		r.moves()
		r.t.acts = append(r.t.acts, act{kind: actRollback})
	case core.Kill:
		r.change(operation{Kind: opKill, A: uint32(e.To)}, false)
	case core.Launch:
		r.t.acts = append(r.t.acts, act{kind: actLaunch, to: e.To, value: w.internOperation(
			operation{Kind: opTicket, A: uint32(r.from.proc), Key: e.Key, Value: e.Value})})
	case core.Read:
		r.change(operation{Kind: opRead, Key: e.Key}, false)
	default:
		if e.Acts() { // a crash can not take back what has left the system
			r.t.acts = append(r.t.acts, act{kind: actNothing, firm: true})
		}
	}
	if event, ok := r.evidence.Of(e); ok {
		r.event(event)
	}
}

// write adds a change of the store. A nil value deletes; the codec does not tell it from an empty
// one, so A does.
func (r *recorder) write(e *core.Effect) {
	op := operation{Kind: opWrite, Key: e.Key, Value: e.Value}
	if e.Value == nil {
		op.A = 1
	}
	r.change(op, false)
}

// change adds an operation on the env.
func (r *recorder) change(op operation, firm bool) {
	r.t.acts = append(r.t.acts, act{kind: actChange, firm: firm,
		value: r.world.internOperation(op)})
}

// event judges and keeps one piece of evidence.
func (r *recorder) event(e trace.Event) {
	w := r.world
	r.judge(e)
	if e.Kind == trace.Emitted {
		r.round = max(r.round, e.Stamp.Round)
		if w.layout.Kinds[e.Text] == trace.Evaluated {
			r.evaluated = max(r.evaluated, e.Stamp.Round)
		}
	}
	switch e.Kind {
	case trace.Sent, trace.Released, trace.Halted, trace.Adopted, trace.Disowned:
		// the last ones: who stops with the proc
		r.t.visible = true
	}
	if e.Kind == trace.Halted && r.trial == nil && w.Facts != nil && w.Facts.KeepsLines {
		w.sights.answered(w.layout.Name(e.Proc) + " answers " + e.Text)
	}
	r.history.Apply(e)
	if r.holding != nil {
		r.holding.Apply(e)
	}
	r.t.events = append(r.t.events, e)
}

func (r *recorder) judge(e trace.Event) {
	w := r.world
	if w.Facts == nil {
		return
	}
	if r.trial != nil {
		r.note(e)
		return
	}
	own := r.observed()
	if w.global(e) {
		r.t.visible = true
		r.t.checks = append(r.t.checks, check{event: e, self: own})
	}
	r.ask(&view{world: w, self: e.Proc, own: own}, e)
}

// ask asks the properties that look at one proc only.
func (r *recorder) ask(v *view, e trace.Event) {
	w := r.world
	for _, p := range w.local {
		if m := p.Event(w.Facts, v, e); m != "" && r.t.violation == 0 {
			r.t.violation = w.violation(spec.Violation{Property: p.Name, Message: m})
		}
	}
	if number := w.relate(v, e); number != 0 && r.t.violation == 0 {
		r.t.violation = number
	}
	for _, p := range w.sights.left() {
		if p.Event(w.Facts, v, e) != "" {
			w.sights.see(p.Name)
		}
	}
	if r.t.violation == 0 {
		r.t.violation = w.failed()
	}
}

// global reports whether global properties look at the event.
func (w *World) global(e trace.Event) bool {
	if w.wide {
		return true
	}
	switch e.Kind {
	case trace.Pruned, trace.Committed, trace.Restored, trace.Resumed, trace.Crashed, trace.Halted,
		trace.Adopted, trace.Declared:
		return true
	case trace.Recovered:
		return w.Facts.Holders || w.Facts.KeepsLines
	case trace.Sent:
		return spec.NoOrphan.Applies(w.Facts)
	case trace.Released:
		return w.Facts.Needs == promise.Piecewise || w.Facts.Outputs != promise.NoOutputs
	case trace.Snapped, trace.Ruled, trace.Imaged, trace.Lined, trace.Undone:
		return true
	case trace.Delivered:
		return len(w.Facts.Policies) > 0
	case trace.Emitted:
		meaning := w.layout.Kinds[e.Text]
		return !e.ID.IsZero() || meaning == trace.Gate ||
			meaning == trace.Replay && spec.Refines.Applies(w.Facts)
	}
	return false
}

// observed is what properties see of the proc in the middle of its step.
func (r *recorder) observed() spec.Observed {
	o := spec.Observed{Up: true, Incarnation: r.from.inc, Round: r.round, Evaluated: r.evaluated}
	if r.holding != nil {
		h := *r.holding
		o.Holding = &h
	}
	if r.from.history != nil {
		h := r.history
		o.History = &h
	}
	return o
}

// restored puts the Restored event in front of the evidence of a restart.
func (r *recorder) restored(t *transition) {
	e := r.evidence.Restarted()
	t.events = append([]trace.Event{e}, t.events...)
	for i := range t.acts {
		t.acts[i].first++
	}
	t.checks = append([]check{{event: e}}, t.checks...)
	t.visible = true
}

// restarts asks the properties of one proc about the restarts in the step, which are judged by the
// state at its end.
func (r *recorder) restarts(t *transition) {
	if r.world.Facts == nil {
		return
	}
	for _, c := range t.checks {
		if c.event.Kind == trace.Restored {
			r.ask(&view{world: r.world, self: c.event.Proc, own: r.world.restarted(t)}, c.event)
		}
	}
	t.violation = cmp.Or(t.violation, r.t.violation)
}

// restarted is what properties see of a proc that is restored in the step.
func (w *World) restarted(t *transition) spec.Observed {
	l := w.locals.at(t.next)
	return spec.Observed{Up: true, Fresh: true, Incarnation: l.inc, History: l.history,
		Holding: l.holding}
}

func (w *World) internHistory(h *trace.History) uint32 {
	content := core.Encode(h)
	if number, ok := w.histories.find(content); ok {
		return number
	}
	return w.histories.intern(content, h.Clone())
}
