package cluster

import (
	"slices"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/disk"
	"github.com/domino-check/domino/spec/processes"
	"github.com/domino-check/domino/spec/trace"
)

// witness writes the evidence of a life: of each step first what has led to it, then each effect
// before it is performed.
type witness struct {
	life      *life
	recorder  *recorder
	setup     *core.Setup
	evidence  core.Evidence // of the step under way
	number    uint64        // of steps
	began     uint64
	waiting   []trace.Event // of the step, before the next effect that acts
	sizes     []uint32      // of what is sent among them
	effects   []core.Effect
	at        int    // of effects
	cause     *Cause // until it is written
	performed int    // effects that act, in all lives
	// everybody begins before anything else happens, so a first life does not stop before that
	started   bool
	suspected bool // the next notice of a failure is false, and no event
	measured  bool // moments are given by the program's progress, too
	now, next progress
	said      map[string]uint64 // declarations, by word; nil: nobody asks
}

func (w *witness) begin(l *life) {
	w.life, w.setup, w.performed, w.started = l, l.setup, l.in.Performed, l.in.Restart
	w.measured = slices.ContainsFunc(l.in.Moments, func(m moment) bool {
		return m.What == Iteration || m.What == Date
	})
	if slices.ContainsFunc(l.in.Moments, func(m moment) bool { return m.What == Said }) {
		w.said = map[string]uint64{}
	}
}

// observe begins a step.
func (w *witness) observe(in *core.Input, effects []core.Effect) error {
	if err := w.settled(); err != nil { // of the step before
		return err
	}
	w.look()
	w.number++
	w.began = w.life.clock.tick()
	w.evidence = core.Evidence{Proc: w.life.in.Proc, Incarnation: w.life.in.Incarnation,
		After: core.HistoryOf(w.life.machine)}
	w.effects, w.at, w.waiting = effects, 0, w.waiting[:0]
	e := trace.Event{Proc: w.evidence.Proc, Incarnation: w.evidence.Incarnation}
	switch in.Kind {
	case core.Restore:
		e = w.evidence.Restarted()
	case core.Received:
		d := in.Message.Describe()
		e.Kind, e.Peer, e.ID, e.Stamp, e.Text = trace.Arrived, in.From, d.ID, d.Stamp, d.Kind
	case core.Persisted, core.Tick, core.Killed:
		if e, _ = w.evidence.OfInput(in); in.Kind == core.Persisted {
			w.life.marks.add(processes.Mark{What: processes.Acked, Key: in.Key})
		}
	case core.Down:
		if !w.suspected {
			e.Kind, e.Text = trace.Told, w.setup.Layout.NamesOf(in.Procs)
		}
	}
	if e.Kind != 0 {
		w.waiting = append(w.waiting, e)
	}
	w.cause = w.life.cause(in)
	w.gather()
	if w.at == len(effects) {
		return w.write()
	}
	return nil // with the first effect
}

func (w *witness) close() error {
	if w.recorder == nil {
		return nil
	}
	return w.recorder.file.Close()
}

// gather takes the events of the declarations up to the next effect that acts.
func (w *witness) gather() {
	for w.at < len(w.effects) && !w.effects[w.at].Acts() {
		w.take()
	}
}

func (w *witness) take() {
	if effect := &w.effects[w.at]; effect.Kind == core.Renew {
		w.waiting = append(w.waiting, w.evidence.Renewed()...)
	} else if e, ok := w.evidence.Of(effect); ok {
		w.waiting = append(w.waiting, e)
		if e.Kind == trace.Sent {
			w.sizes = append(w.sizes, uint32(len(effect.Payload.Data)))
		}
		if e.Kind == trace.Emitted && !e.Again && !e.ID.IsZero() {
			w.next.phase = e.Stamp.Phase
		}
	}
	w.at++
}

// perform comes before each effect.
func (w *witness) perform(e *core.Effect) error {
	if !e.Acts() {
		return nil // it belongs to the one before
	}
	if err := w.moments(); err != nil {
		return err
	}
	w.take()
	w.gather()
	w.performed++
	return w.write()
}

// write makes the events that wait survive the death of the process.
func (w *witness) write() error {
	p := w.piece(w.began)
	p.Events, p.Sizes, p.Cause, p.Marks = w.waiting, w.sizes, w.cause, w.life.marks.take()
	w.cause = nil
	err := w.recorder.write(&p)
	w.hear(w.waiting)
	if slices.ContainsFunc(w.waiting, places) && err == nil {
		w.life.say(answer{Kind: saidHosts})
	}
	w.waiting, w.sizes = w.waiting[:0], w.sizes[:0]
	return err
}

// piece is one without events.
func (w *witness) piece(began uint64) piece {
	p := piece{Began: began, Number: w.number, Wall: time.Now().UnixNano(),
		Performed: w.performed, Incarnation: w.evidence.Incarnation}
	if h := w.evidence.After; h != nil {
		p.Recovering, p.Done = h.Recovering, h.Done
	}
	return p
}

// aside writes down what has become of connections and the disk since the last piece, for which the
// next step is too late. It is a piece of the last step.
func (w *witness) aside() error {
	if w.recorder == nil || len(w.life.marks.list) == 0 {
		return nil
	}
	// the frames were taken since
	p := piece{Began: w.life.clock.tick(), Number: w.number, Wall: time.Now().UnixNano(),
		Performed: w.performed, Incarnation: w.life.in.Incarnation, Marks: w.life.marks.take()}
	if h := core.HistoryOf(w.life.machine); h != nil {
		p.Recovering, p.Done = h.Recovering, h.Done
	}
	return w.recorder.write(&p)
}

// spoilt writes down what has become of a record between two effects.
func (w *witness) spoilt(how disk.Damage) error {
	p := w.piece(w.life.clock.tick())
	p.Spoilt = &how
	return w.recorder.write(&p)
}

// settled comes when a step is over.
func (w *witness) settled() error {
	w.now = w.next
	return w.moments()
}

// moments stops at the moments of the plan that have come, until the supervisor says how to go on,
// if ever.
func (w *witness) moments() error {
	in := &w.life.in
	if !w.started {
		return nil
	}
	for i := 0; i < len(in.Moments); {
		m := in.Moments[i]
		if !w.reached(&m) {
			i++
			continue
		}
		in.Moments = append(in.Moments[:i:i], in.Moments[i+1:]...)
		if in.Flush {
			w.life.carrier.Flush()
		}
		w.life.say(answer{Kind: saidMoment, Index: m.Index, Request: m.Request, Stop: m.Stop,
			Spoil: m.Spoil != ""})
		if !m.Request {
			w.life.await()
		}
		if m.Spoil != "" {
			if how, done, err := w.life.store.spoil(&m); err != nil {
				return err
			} else if done {
				if err := w.spoilt(how); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
