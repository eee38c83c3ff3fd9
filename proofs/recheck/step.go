package recheck

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/domino-check/domino/proofs/certificate"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// ErrBeyond is why a certificate can not be checked here, though it may be right.
var ErrBeyond = errors.New("not certifiable")

// step is what a machine does with an input, as it is judged.
type step struct {
	proc    trace.Proc
	next    certificate.Local
	effects []Effect // those that ask for something
	before  []int    // of each: how many events come before it
	seen    []seen
	looks   bool   // some property with a memory judges one of the events by the whole state
	idle    bool   // nothing comes of it
	ended   uint64 // the newest round of the life that its proc leaves in it

	asked    uint64 // others about whom properties have asked so far
	fine     map[string]struct{}
	observed map[uint32]*observation
}

// seen is an event, and what is seen of its proc at that moment.
type seen struct {
	trace.Event
	own spec.Observed
}

// stepOf runs a machine, or knows what it has done before.
func (e *environment) stepOf(l *certificate.Local, in *Input) (*step, error) {
	key := append(binary.BigEndian.AppendUint64(nil, uint64(len(l.State))), l.Entry()...)
	key = append(key, in.key()...)
	if st, ok := e.steps[string(key)]; ok {
		return st, nil
	}
	st, err := e.run(l, in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.Layout.Name(l.Proc), err)
	}
	e.steps[string(key)] = st
	return st, nil
}

// key is the input as bytes, so that two are the same only if all of them is.
func (in *Input) key() []byte {
	b := []byte{byte(in.Happening)}
	text := func(s []byte) {
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(s))), s...)
	}
	b = binary.BigEndian.AppendUint16(b, uint16(in.From))
	b = binary.BigEndian.AppendUint32(b, uint32(in.Incarnation))
	b = binary.BigEndian.AppendUint64(b, uint64(in.Choice))
	text(in.Message)
	text([]byte(in.Key))
	text([]byte(in.Timer))
	b = binary.BigEndian.AppendUint32(b, uint32(len(in.Procs)))
	for _, p := range in.Procs {
		b = binary.BigEndian.AppendUint16(b, uint16(p))
	}
	for _, r := range in.Records {
		b = binary.BigEndian.AppendUint16(b, uint16(r.Owner))
		text([]byte(r.Key))
		text(r.Value)
		if r.Torn {
			b = append(b, 1)
		} else {
			b = append(b, 0)
		}
	}
	return b
}

// run runs a machine and writes down what is seen of it.
func (e *environment) run(l *certificate.Local, in *Input) (*step, error) {
	d, err := e.Step(l, in)
	if err != nil {
		return nil, err
	}
	st := &step{proc: l.Proc, next: *l, fine: map[string]struct{}{},
		observed: map[uint32]*observation{}}
	st.next.State = d.State
	w := witness{environment: e, step: st, done: d}
	if w.history, err = e.History(l.Proc, l.State); err != nil {
		return nil, err
	}
	w.rank = w.history != nil
	if in.Happening == Restarts && d.History != nil {
		w.history = d.History.Clone()
	}
	if e.Layout.Holdings {
		if w.holding, err = e.holdingOf(l); err != nil {
			return nil, err
		}
	}
	if d.First != nil {
		w.see(*d.First)
	}
	renewed, err := w.perform()
	if err != nil {
		return nil, err
	}
	if w.holding != nil {
		st.next.Holding = e.HoldingContent(w.holding)
	}
	own := spec.Observed{Up: true, Fresh: true, Incarnation: st.next.Incarnation,
		History: d.History, Holding: w.holding}
	if renewed >= 0 {
		st.seen[renewed].own, st.ended = own, l.Round
	}
	if d.Restored != nil {
		st.seen = append([]seen{{*d.Restored, own}}, st.seen...)
		for i := range st.before {
			st.before[i]++
		}
	}
	for i := range st.seen {
		for j := range e.monitors {
			st.looks = st.looks || e.monitors[j].LooksAt(&st.seen[i].Event)
		}
	}
	st.idle = len(st.effects) == 0 && string(st.next.Entry()) == string(l.Entry())
	return st, nil
}

// ignores reports whether nothing at all comes of the step: what it shows is that.
func (st *step) ignores() bool {
	return st.idle && !slices.ContainsFunc(st.seen, func(e seen) bool {
		return e.Kind != trace.Dropped
	})
}

// holdingOf is what a proc holds, to be changed.
func (e *environment) holdingOf(l *certificate.Local) (*trace.Holding, error) {
	if len(l.Holding) == 0 {
		return new(trace.Holding), nil
	}
	return e.Holding(l.Holding)
}

// witness sees a proc in the middle of its step.
type witness struct {
	*environment
	*step
	done    *Done
	history *trace.History
	holding *trace.Holding
	rank    bool
}

// perform goes through the effects. It returns the place of the event with which the proc begins
// its next life, -1 if it does not.
func (w *witness) perform() (renewed int, err error) {
	renewed = -1
	for i := range w.done.Effects {
		f := w.done.Effects[i]
		if f.Act == Renews {
			if len(w.effects) > 0 {
				return renewed, fmt.Errorf("%w: it does something before its next life", ErrBeyond)
			}
			w.renew()
			renewed = len(w.seen)
		}
		if f.Former && w.next.Incarnation == 0 {
			return renewed, fmt.Errorf("%w: it sends what is left of no life", ErrBeyond)
		}
		if f.Act == Commits {
			f.Value = w.LineContent(w.history.Line(f.Sent, f.Received))
		}
		if f.Act != Declares {
			w.effects, w.before = append(w.effects, f), append(w.before, len(w.seen))
		}
		if f.Event != nil {
			w.see(*f.Event)
		}
	}
	return renewed, nil
}

// renew begins the next life of a proc that has not stopped: it is blank but for what its machine
// keeps.
func (w *witness) renew() {
	w.next.Incarnation++
	w.next.Round, w.next.Evaluated = 0, 0
	if w.done.History != nil {
		w.history = w.done.History.Clone()
	}
	if w.holding != nil {
		*w.holding = trace.Holding{}
	}
}

// see notes an event with what is seen of the proc before it, and folds it into that.
func (w *witness) see(e trace.Event) {
	if e.Kind == trace.Resumed && w.done.History != nil {
		w.history = w.done.History.Clone() // the image brings its own past
	}
	own := spec.Observed{Up: true, Incarnation: w.next.Incarnation, Round: w.next.Round,
		Evaluated: w.next.Evaluated}
	if w.rank {
		own.History = w.history.Clone()
	}
	if w.holding != nil {
		h := *w.holding
		own.Holding = &h
	}
	w.seen = append(w.seen, seen{e, own})
	if e.Kind == trace.Halted && w.Facts.KeepsLines && w.answered == "" {
		w.answered = w.Layout.Name(w.proc) + " answers " + e.Text
	}
	if e.Kind == trace.Emitted {
		w.next.Round = max(w.next.Round, e.Stamp.Round)
		if w.Layout.Kinds[e.Text] == trace.Evaluated {
			w.next.Evaluated = max(w.next.Evaluated, e.Stamp.Round)
		}
	}
	if w.history != nil {
		w.history = w.history.Clone()
		w.history.Apply(e)
	}
	if w.holding != nil {
		w.holding.Apply(e)
	}
}
