package policy

import (
	"cmp"
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// Join adds to the group of a fault that nobody has claimed yet. The runtime is to be repaired
// again.
func (s *Status) Join(f Fault) {
	s.Group = union(s.Group, f)
	s.Stable = false
}

// Overtaken is the next episode, about everything that the present one is about and the fault too.
// What was decided stays to be read.
func (s *Status) Overtaken(episode uint32, f Fault) Status {
	before := slices.Clone(s.Entries)
	for i := range before {
		if e := &before[i]; e.Verdict == Claimed {
			e.Verdict, e.Reason = Failed, "overtaken"
		}
	}
	return Status{Episode: episode, Group: union(s.Group, f), Before: before}
}

// union is everything of both. Of a rank that is lost in several lives the last one counts.
func union(a, b Fault) Fault {
	u := Fault{Lost: slices.Clone(a.Lost), Nodes: slices.Clone(a.Nodes)}
	for _, l := range b.Lost {
		i, found := slices.BinarySearchFunc(u.Lost, l, func(x, y Lost) int {
			return cmp.Compare(x.Rank, y.Rank)
		})
		if found {
			u.Lost[i].Life = max(u.Lost[i].Life, l.Life)
		} else {
			u.Lost = slices.Insert(u.Lost, i, l)
		}
	}
	for _, n := range b.Nodes {
		if i, found := slices.BinarySearch(u.Nodes, n); !found {
			u.Nodes = slices.Insert(u.Nodes, i, n)
		}
	}
	return u
}

// Walk offers the fault to the policies behind those that have been asked, until one claims it. It
// returns the order of the owner, and appends to the log what was asked and answered.
func (t Stack) Walk(v *View, s *Status, log []Entry) (Order, []Entry) {
	if !s.Stable || s.Owner != "" {
		panic("invariant: a walk begins when the runtime is repaired and nobody has claimed")
	}
	for _, p := range t[len(s.Entries):] {
		log = append(log, Entry{Policy: p.Name()})
		d := p.Fault(v, s)
		e := Entry{Policy: p.Name(), Verdict: d.Verdict, Reason: d.Reason}
		switch d.Verdict {
		case Observed, Deferred, Claimed, Failed:
		default: // Completed before anything was done, or no answer
			e.Verdict, e.Reason = Failed, "no answer to a fault: "+d.Verdict.String()
		}
		s.Entries, log = append(s.Entries, e), append(log, e)
		if e.Verdict == Claimed {
			s.Owner, s.Order = p.Name(), d.Order
			return d.Order, log
		}
	}
	panic("invariant: the last policy, abort, claims every fault")
}

// Step tells the owner how its order went. The order that comes next is its own, or, when it fails,
// that of a policy below; Nothing says that the fault is answered.
func (t Stack) Step(v *View, s *Status, e Event, log []Entry) (Order, []Entry) {
	last := len(s.Entries) - 1
	p := t[last]
	d := p.Step(v, s, e)
	if d.Verdict == Claimed {
		s.Order = d.Order
		return d.Order, log
	}
	entry := &s.Entries[last]
	entry.Verdict, entry.Reason = d.Verdict, d.Reason
	if d.Verdict == Completed {
		s.Order = Order{}
		return Order{}, append(log, *entry)
	}
	if d.Verdict != Failed {
		entry.Verdict, entry.Reason = Failed, "no answer to an event: "+d.Verdict.String()
	}
	log = append(log, *entry)
	if last == len(t)-1 {
		// whoever gives the job up has nobody below: the outcome changes nothing
		s.Order = Order{}
		return Order{}, log
	}
	s.Owner, s.Order = "", Order{}
	return t.Walk(v, s, log)
}

// Predict offers a prediction to all policies until one claims it. Nothing is lost when none does.
// The orders are that of the owner, if there is one, behind those of policies that have deferred.
func (t Stack) Predict(v *View, p *Prediction, log []Entry) ([]Order, []Entry) {
	var orders []Order
	for _, q := range t {
		d := q.Predicted(v, p)
		log = append(log, Entry{Policy: q.Name()},
			Entry{Policy: q.Name(), Verdict: d.Verdict, Reason: d.Reason})
		switch {
		case d.Verdict == Claimed:
			return append(orders, d.Order), log
		case d.Verdict == Deferred && d.Order.Kind == Snapshot:
			orders = append(orders, d.Order)
		}
	}
	return orders, log
}

// suggested are the nodes that policies suggest for a rank, in the order of the stack.
func (t Stack) suggested(v *View, rank core.Rank) []core.Proc {
	var list []core.Proc
	for _, p := range t {
		list = append(list, p.Targets(v, rank)...)
	}
	return list
}
