package spec

import "github.com/domino-check/domino/spec/trace"

// Ledger folds the events of one run into what properties see. The zero value is not usable; see NewLedger.
type Ledger struct {
	ranks    int
	kinds    map[string]trace.Meaning
	holdings bool
	procs    []Observed
	past     []*trace.History // of a restarted proc that has done nothing yet: what its last life had done
}

// NewLedger is the state before the first event: every proc up, no history.
func NewLedger(layout *trace.Layout) *Ledger {
	l := &Ledger{ranks: layout.Ranks, kinds: layout.Kinds, holdings: layout.Holdings, procs: make([]Observed, len(layout.Names)),
		past: make([]*trace.History, len(layout.Names))}
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
		if l.past[e.Proc] == nil {
			l.past[e.Proc] = o.History // to be cut when the image has come, see Resumed
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
			line := o.History.Clone()
			line.Sent, line.Delivered = e.Sent, line.Delivered[:min(int(e.Received), len(line.Delivered))]
			line.Memory, line.Recovering = nil, false
			o.Line = line
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
		h.Apply(e)
		o.History = &h
	}
}

// Judge returns every violation of the properties in one trace, in order; complete says whether the run came to its end,
// so that Final properties apply. Pair properties need several runs and are not judged here.
func Judge(f *Facts, t *trace.Trace, properties []Property, complete bool) []Violation {
	var found []Violation
	l := NewLedger(&t.Layout)
	memories := make([]string, len(properties))
	for _, e := range t.Events {
		after := e.Kind == trace.Restored || e.Kind == trace.Resumed
		if after {
			l.Apply(e)
		}
		for i, p := range properties {
			m := ""
			switch {
			case p.Kind == Always:
				m = p.Event(f, l, e)
			case p.Watches(e.Kind):
				memories[i], m = p.Observe(f, memories[i], e)
			}
			if m != "" {
				found = append(found, Violation{Property: p.Name, Message: m, Step: e.Step})
			}
		}
		if !after {
			l.Apply(e)
		}
	}
	for _, p := range properties {
		if p.Kind != Final || !complete {
			continue
		}
		if m := p.End(f, l); m != "" {
			found = append(found, Violation{Property: p.Name, Message: m})
		}
	}
	return found
}
