package recheck

import (
	"encoding/binary"
	"fmt"

	"github.com/domino-check/domino/proofs/certificate"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// nobody is in the middle of a step.
const nobody = ^trace.Proc(0)

// look is all that properties see of a proc between two steps.
type look struct {
	local, life, line uint32
	former            uint64
	up                bool
}

// observedLocal is what is decoded of a local state.
type observedLocal struct {
	known   bool
	history *trace.History
	holding *trace.Holding
}

// looked is the number of what properties see of a proc in a configuration.
func (e *environment) looked(p trace.Proc, configuration uint32) uint32 {
	table := int(configuration) < len(e.looks[p])
	if table && e.looks[p][configuration] > 0 {
		return e.looks[p][configuration] - 1
	}
	env := &e.body(p, configuration).env
	l := look{configuration | 1<<31, env.Incarnation, env.Line, env.Former, env.Up}
	if table { // else it is that of no state, and like no other
		l.local = e.cert.Tables.Procs[p][configuration].Local
	}
	n, ok := e.look[l]
	if !ok {
		n = uint32(len(e.look))
		e.look[l] = n
	}
	if table {
		e.looks[p][configuration] = n + 1
	}
	return n
}

// observed is what properties see of a proc in a configuration.
func (e *environment) observed(p trace.Proc, configuration uint32) (o spec.Observed, err error) {
	b := e.body(p, configuration)
	o = spec.Observed{Up: b.env.Up, Incarnation: trace.Incarnation(b.env.Incarnation),
		Former: b.env.Former}
	if o.Line, err = e.line(b.env.Line); err != nil || !b.live {
		return o, err
	}
	l, d := &b.local, &observedLocal{}
	if int(configuration) < len(e.looks[p]) {
		d = &e.decoded[e.cert.Tables.Procs[p][configuration].Local-1]
	}
	if !d.known {
		if d.history, err = e.History(p, l.State); err != nil {
			return o, err
		}
		if len(l.Holding) > 0 {
			if d.holding, err = e.Holding(l.Holding); err != nil {
				return o, err
			}
		}
		d.known = true
	}
	o.History, o.Holding, o.Round, o.Evaluated = d.history, d.holding, l.Round, l.Evaluated
	return o, nil
}

// line is the history of a recovery line, by its number plus 1.
func (e *environment) line(number uint32) (h *trace.History, err error) {
	if number == 0 {
		return nil, nil
	}
	if h = e.past[number-1]; h == nil {
		h, err = e.Line(e.cert.Histories[number-1])
		e.past[number-1] = h
	}
	return h, err
}

// view shows a state to properties, and notes whom they ask about.
type view struct {
	*environment
	state []uint32
	self  trace.Proc
	own   spec.Observed
	asked uint64
	err   error
	start []*body // while procs take their first steps, which are in no state yet
}

// Observed implements spec.View.
func (v *view) Observed(p trace.Proc) spec.Observed {
	if p == v.self {
		return v.own
	}
	v.asked |= 1 << p
	if v.start != nil {
		o, err := v.starting(&v.start[p].local)
		v.fail(err)
		return o
	}
	o, err := v.observed(p, v.state[1+p])
	v.fail(err)
	return o
}

// fail keeps the first error.
func (v *view) fail(err error) {
	if v.err == nil {
		v.err = err
	}
}

// starting is what properties see of a proc before its first step, or behind it.
func (e *environment) starting(l *certificate.Local) (o spec.Observed, err error) {
	o = spec.Observed{Up: true, Round: l.Round, Evaluated: l.Evaluated}
	if o.History, err = e.History(l.Proc, l.State); err == nil && len(l.Holding) > 0 {
		o.Holding, err = e.Holding(l.Holding)
	}
	return o, err
}

// judge says what a step breaks in a state, "" if nothing. What it says depends on the step, on
// what is seen of its proc and of those about whom properties ask, and on what they remember if
// that counts: where all that is the same and was fine, it is fine.
func (e *environment) judge(state []uint32, st *step) (broken string, err error) {
	if o := e.remembered(state, st); o.broken != "" {
		return o.broken, nil
	}
	if len(st.seen) == 0 {
		return "", nil
	}
	var room [128]byte
	key := e.judgedKey(room[:0], state, st)
	if _, ok := st.fine[string(key)]; ok {
		return "", nil
	}
	v := &view{environment: e, state: state, self: st.proc}
	env := &e.body(st.proc, state[1+st.proc]).env
	line, err := e.line(env.Line)
	if err != nil {
		return "", err
	}
	for i := range st.seen {
		v.own = st.seen[i].own
		v.own.Line, v.own.Former = line, env.Former
		if broken = e.ask(v, &st.seen[i].Event); broken != "" || v.err != nil {
			return broken, v.err
		}
	}
	if broken, err = e.lookAt(v, st, line, env.Former); broken != "" || err != nil {
		return broken, err
	}
	st.asked |= v.asked
	st.fine[string(e.judgedKey(room[:0], state, st))] = struct{}{}
	return "", nil
}

func (e *environment) judgedKey(key []byte, state []uint32, st *step) []byte {
	env := &e.body(st.proc, state[1+st.proc]).env
	key = binary.LittleEndian.AppendUint32(key, env.Line)
	key = binary.LittleEndian.AppendUint64(key, env.Former)
	if st.looks {
		key = binary.LittleEndian.AppendUint32(key, state[1+e.procs])
	}
	key = binary.LittleEndian.AppendUint64(key, st.asked)
	for p, asked := trace.Proc(0), st.asked; asked != 0; p, asked = p+1, asked>>1 {
		if asked&1 != 0 {
			key = binary.LittleEndian.AppendUint32(key, e.looked(p, state[1+p]))
		}
	}
	return key
}

// ask asks the properties without a memory about an event: the global ones, and with what is seen
// of the step alone those that look at its proc only.
func (e *environment) ask(v *view, ev *trace.Event) string {
	whole := v.own
	defer func() { v.own = whole }()
	step := whole
	step.Line, step.Former = nil, 0
	for i := range e.always {
		if v.own = step; e.always[i].Global {
			v.own = whole
		}
		if m := e.always[i].Event(e.Facts, v, *ev); m != "" {
			return e.always[i].Name + ": " + m
		}
	}
	v.own = step
	for i := range e.pairs {
		key, value := e.pairs[i].Relate(e.Facts, v, *ev)
		if key == "" {
			continue
		}
		key = e.pairs[i].Name + "\x00" + key
		if first, ok := e.pairing[key]; !ok {
			e.pairing[key] = value
		} else if first != value {
			return fmt.Sprintf("%s: it is %q in one run and %q in another", e.pairs[i].Name, first,
				value)
		}
	}
	for i := 0; i < len(e.unseen); i++ {
		if e.unseen[i].Event(e.Facts, v, *ev) != "" {
			e.unseen = append(e.unseen[:i], e.unseen[i+1:]...)
			i--
		}
	}
	return ""
}

// observation is what the properties with a memory make of the events of a step, or of the first
// ones: what they remember then, and what that breaks.
type observation struct {
	memory []spec.Remembered
	next   uint32
	broken string
}

// remembered is the observation of a step in a state.
func (e *environment) remembered(state []uint32, st *step) *observation {
	if len(e.monitors) == 0 {
		return &observation{}
	}
	was := state[1+e.procs]
	o, ok := st.observed[was]
	if !ok {
		o = e.observe(was, st.seen)
		st.observed[was] = o
	}
	return o
}

// observe shows events to the properties with a memory.
func (e *environment) observe(was uint32, events []seen) *observation {
	o := &observation{}
	keys := e.cert.Memories[was]
	for i := range e.monitors {
		r, err := e.monitors[i].Restore(keys[i])
		if err != nil {
			o.broken = err.Error()
			return o
		}
		o.memory = append(o.memory, r)
	}
	for k := range events {
		for i := range e.monitors {
			p := &e.monitors[i]
			if !p.Sees(&events[k].Event) {
				continue
			}
			broken := ""
			o.memory[i], broken = p.Observe(e.Facts, o.memory[i], events[k].Event)
			if broken != "" && o.broken == "" {
				o.broken = p.Name + ": " + broken
			}
		}
	}
	o.next = e.memoryNumber(o.memory)
	return o
}

func (e *environment) memoryNumber(memory []spec.Remembered) uint32 {
	var m certificate.Memory
	for _, r := range memory {
		m = append(m, r.AppendKey(nil))
	}
	if n, ok := e.memories[string(m.Entry())]; ok {
		return n
	}
	return missing
}

// lookAt asks the properties with a memory that judge by the whole state, too, at each event with
// what they remember then.
func (e *environment) lookAt(v *view, st *step, line *trace.History, former uint64) (string,
	error) {
	if !st.looks {
		return "", nil
	}
	for i := range st.seen {
		v.own = st.seen[i].own
		v.own.Line, v.own.Former = line, former
		var o *observation
		for j := range e.monitors {
			p := &e.monitors[j]
			if !p.LooksAt(&st.seen[i].Event) {
				continue
			}
			if o == nil {
				o = e.observe(v.state[1+e.procs], st.seen[:i+1])
			}
			if m := p.Look(e.Facts, v, o.memory[j], st.seen[i].Event); m != "" {
				return p.Name + ": " + m, v.err
			}
		}
	}
	return "", v.err
}

// judgeEnd says what the end of a run breaks, "" if nothing.
func (e *environment) judgeEnd(state []uint32) (string, error) {
	v := &view{environment: e, state: state, self: nobody}
	for i := range e.final {
		if m := e.final[i].End(e.Facts, v); m != "" {
			return e.final[i].Name + ": " + m, v.err
		}
	}
	if len(e.monitors) > 0 {
		o := e.observe(state[1+e.procs], nil)
		for i := range e.monitors {
			if o.broken != "" {
				return o.broken, nil
			}
			if m := e.monitors[i].Settles(e.Facts, v, o.memory[i]); m != "" {
				return e.monitors[i].Name + ": " + m, v.err
			}
		}
	}
	return "", v.err
}
