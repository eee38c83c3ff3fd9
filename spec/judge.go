package spec

import (
	"cmp"
	"slices"

	"github.com/domino-check/domino/spec/trace"
)

// Ledger folds the events of one run into what properties see. The zero value is not usable; see
// NewLedger.
type Ledger struct {
	ranks    int
	kinds    map[string]trace.Meaning
	holdings bool
	procs    []Observed
	// of a restarted proc that has done nothing yet: what its last life had done
	past []*trace.History
}

// NewLedger is the state before the first event: every proc up, no history.
func NewLedger(layout *trace.Layout) *Ledger {
	l := &Ledger{ranks: layout.Ranks, kinds: layout.Kinds, holdings: layout.Holdings,
		procs: make([]Observed, len(layout.Names)),
		past:  make([]*trace.History, len(layout.Names))}
	for p := range l.procs {
		l.procs[p].Up = true
		if p < l.ranks {
			l.procs[p].History = new(trace.History)
		}
	}
	return l
}

// Observed implements View.
func (l *Ledger) Observed(p trace.Proc) Observed {
	o := l.procs[p]
	if !o.Up {
		o.History, o.Holding = nil, nil
	}
	return o
}

// Apply folds one event.
func (l *Ledger) Apply(e trace.Event) {
	o := &l.procs[e.Proc]
	switch e.Kind {
	case trace.Crashed:
		o.Former = max(o.Former, o.Round)
		o.Up, o.Round, o.Evaluated = false, 0, 0
	case trace.Restored:
		o.Fresh = !o.Up && e.Incarnation > o.Incarnation
		o.Up, o.Incarnation = true, e.Incarnation
		// To be cut when the image has come, see Resumed; or when there is another life before
		// this one has done anything, which may begin with a newer image of the last one.
		if past := l.past[e.Proc]; past != nil {
			o.History = past
		} else {
			l.past[e.Proc] = o.History
		}
	case trace.Resumed:
		if past := l.past[e.Proc]; past != nil {
			o.History = past
		}
	case trace.Sent, trace.Delivered, trace.Finished:
		l.past[e.Proc] = nil
	case trace.Emitted:
		o.Round = max(o.Round, e.Stamp.Round)
		if l.kinds[e.Text] == trace.Evaluated {
			o.Evaluated = max(o.Evaluated, e.Stamp.Round)
		}
	case trace.Committed:
		if o.History != nil {
			o.Line = o.History.Clone().Line(e.Sent, e.Received)
		}
	}
	if l.holdings {
		h := trace.Holding{}
		if o.Holding != nil {
			h = *o.Holding
		}
		h.Apply(e)
		o.Holding = &h
	}
	if o.History != nil {
		h := *o.History
		// in place: a ledger follows one run, and who looked before has a shorter list of the same
		// array
		if e.Kind == trace.Delivered {
			h.Delivered = append(h.Delivered,
				trace.Delivery{ID: e.ID, Stamp: e.Stamp, Digest: e.Digest})
		} else {
			h.Apply(e)
		}
		if e.Kind == trace.Restored || e.Kind == trace.Resumed {
			h.Delivered = slices.Clip(h.Delivered) // what was cut off stays for who has seen it
		}
		o.History = &h
	}
}

// restoredView shows one proc as it is at the end of the step in which it restarts.
type restoredView struct {
	*Ledger
	proc trace.Proc
	own  Observed
}

func (v *restoredView) Observed(p trace.Proc) Observed {
	if p == v.proc {
		return v.own
	}
	return v.Ledger.Observed(p)
}

// restored is the view in which a restart is judged, the first of the events: what the new
// incarnation declares in the same step, to hold or to keep, it had restored with the rest. A
// restart that a crash cuts short has not led to a state that could be judged: it does not last.
func (l *Ledger) restored(events []trace.Event) (view View, lasts bool) {
	first := events[0]
	o := l.procs[first.Proc]
	var holding trace.Holding
	if o.Holding != nil {
		holding = *o.Holding
	}
	var history *trace.History
	if o.History != nil {
		history = o.History.Clone()
	}
	for _, e := range events[1:] {
		if e.Step != first.Step || e.Proc != first.Proc {
			break
		}
		if e.Kind == trace.Crashed {
			return l, false
		}
		holding.Apply(e)
		if history != nil {
			history.Apply(e)
		}
	}
	if o.History = history; l.holdings {
		o.Holding = &holding
	}
	return &restoredView{Ledger: l, proc: first.Proc, own: o}, true
}

// Judge returns every violation of the properties in one trace, in order; complete says whether the
// run came to its end, so that Final properties apply. Pair properties need several runs and are
// not judged here. The error says that a property panics.
func Judge(f *Facts, t *trace.Trace, properties []Property, complete bool) (found []Violation,
	err error) {
	properties = Guard(properties, &t.Layout, func(_ Violation, failed error) {
		err = cmp.Or(err, failed)
	})
	judge(f, t, properties, complete, func(event int, p *Property, broken string) {
		v := Violation{Property: p.Name, Message: broken}
		if event >= 0 {
			v.Step = t.Events[event].Step
		}
		found = append(found, v)
	})
	return found, err
}

// judge tells of everything in one trace that breaks a property: the event, -1 for the end of the
// run, and how.
func judge(f *Facts, t *trace.Trace, properties []Property, complete bool,
	found func(event int, p *Property, broken string)) {
	l := NewLedger(&t.Layout)
	memories := make([]Remembered, len(properties))
	for i := range properties {
		if properties[i].Kind == Monitor {
			memories[i] = properties[i].Begin()
		}
	}
	for k, e := range t.Events {
		if e.Kind == trace.Lost {
			continue // nobody sees that
		}
		after := e.Kind == trace.Restored || e.Kind == trace.Resumed
		if after {
			l.Apply(e)
		}
		view, lasts := View(l), true
		if e.Kind == trace.Restored {
			view, lasts = l.restored(t.Events[k:])
		}
		for i, p := range properties {
			m := ""
			switch {
			case p.Kind == Always && (lasts || !p.Global):
				m = p.Event(f, view, e)
			case p.Kind == Monitor && p.Sees(&e):
				memories[i], m = p.Observe(f, memories[i], e)
				if m == "" && lasts && p.LooksAt(&e) {
					m = p.Look(f, view, memories[i], e)
				}
			}
			if m != "" {
				found(k, &properties[i], m)
			}
		}
		if !after {
			l.Apply(e)
		}
	}
	if !complete {
		return
	}
	for i, p := range properties {
		if m := p.ends(f, l, memories[i]); m != "" {
			found(-1, &properties[i], m)
		}
	}
}

// ends is how the end of a run breaks the property, or "".
func (p *Property) ends(f *Facts, v View, memory Remembered) string {
	switch {
	case p.Kind == Final:
		return p.End(f, v)
	case p.Kind == Monitor:
		return p.Settles(f, v, memory)
	}
	return ""
}
