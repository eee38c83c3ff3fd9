package spec

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/spec/order"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// What a failure undoes at ranks that live (promise.Undoing). That a rank goes back is for every
// driver to see: it stops of its own accord (Crashed, "rollback"). How often a proc has failed is,
// too: as often as it has started again, without the times that it went back.

// backs is what these properties remember of each proc that is not as at the beginning.
type backs struct {
	proc trace.Proc
	said bool // it is about to go back, as it has said itself
	back int  // how often it has gone back
	// where it has started again with the fewest sends, plus 1; 0: it never has
	least uint32
}

// of is what is remembered of a proc.
func of(list []backs, p trace.Proc) backs {
	for _, b := range list {
		if b.proc == p {
			return b
		}
	}
	return backs{proc: p}
}

// observeBacks follows who goes back; of the events each property watches those that it needs.
func observeBacks(_ *Facts, list *[]backs, e trace.Event) string {
	b := of(*list, e.Proc)
	switch e.Kind {
	case trace.Undone:
		b.said = true
	case trace.Crashed:
		b.back++
	case trace.Restored:
		b.said = false
		if b.least == 0 || e.Sent+1 < b.least {
			b.least = e.Sent + 1
		}
	}
	i, found := slices.BinarySearchFunc(*list, e.Proc, func(b backs, p trace.Proc) int {
		return int(b.proc) - int(p)
	})
	if !found {
		*list = slices.Insert(*list, i, b)
	}
	(*list)[i] = b
	return ""
}

// failed is how often a proc has failed, as its lives show: each but the first begins behind a
// failure, or because the one before has gone back. The proc of an event is as it was before it.
func failed(o Observed, b backs) int {
	n := int(o.Incarnation) - b.back
	if !o.Up {
		n++
	}
	return max(n, 0)
}

// allFailures counts the failures of all procs: those of procs that stop together once.
func (f *Facts) allFailures(v View, list []backs) (total int) {
	for p := range f.procs() {
		n := failed(v.Observed(p), of(list, p))
		for _, q := range f.Layout.Groups[p] {
			if m := failed(v.Observed(q), of(list, q)); m > n || m == n && q < p {
				n = 0 // it is counted there
			}
		}
		total += n
	}
	return total
}

// UndoneSaid: who loses work by the failure of another rank says so.
var UndoneSaid = register(Property{
	Name: "undone-said", Kind: Monitor, Source: "the evidence of Undo",
	Applies: func(f *Facts) bool { return f.Undo != promise.Undoing{} },
	Needs:   undoes + " (Undone)",
	Watched: []trace.Kind{trace.Undone, trace.Crashed, trace.Restored},
	Looked:  []trace.Kind{trace.Undone, trace.Crashed},
	Doc: "a rank that has not failed says before it goes back whose failure makes it, of " +
		"somebody who has failed or gone back; it goes back to where it has been, and it goes " +
		"back when it has said so",
	Memory: &Remembers[[]backs]{Observe: observeBacks, Look: judgeSaid},
})

// judgeSaid looks at who goes back, and at the end for who never has.
func judgeSaid(f *Facts, v View, m *[]backs, e trace.Event) string {
	list := *m
	b, self := of(list, e.Proc), v.Observed(e.Proc)
	switch e.Kind {
	case trace.Undone:
		if o := v.Observed(e.Peer); e.Peer != e.Proc && o.Up && o.Incarnation == 0 {
			return fmt.Sprintf("%s goes back because of %s, which has not failed",
				f.name(e.Proc), f.name(e.Peer))
		}
		if h := self.History; h != nil && (e.Sent > h.Sent ||
			int(e.Received) > len(h.Delivered)) {
			return fmt.Sprintf("%s, at %d sent and %d delivered, says that it goes back to %d "+
				"and %d", f.name(e.Proc), h.Sent, len(h.Delivered), e.Sent, e.Received)
		}
	case trace.Crashed:
		b.back-- // before this time
		if !b.said && failed(self, b) == 0 {
			return fmt.Sprintf("%s goes back and has not said whose failure makes it",
				f.name(e.Proc))
		}
	case 0:
		for _, b := range list {
			if b.said {
				return f.name(b.proc) + " has said that it goes back, and never has"
			}
		}
	}
	return ""
}

// undoes begins the words about whom a property applies to.
const undoes = "Undo: who lives may lose work"

// BackOnce: a failure costs who lives one rollback.
var BackOnce = register(Property{
	Name: "back-once", Kind: Monitor, Source: "[SY]",
	Applies: func(f *Facts) bool { return f.Undo.Once },
	Needs:   "Undo.Once: who lives goes back once for each failure",
	Watched: []trace.Kind{trace.Crashed},
	Looked:  []trace.Kind{trace.Crashed},
	Doc: "a rank has gone back no more often than procs have failed; of those that stop together " +
		"it counts once",
	Memory: &Remembers[[]backs]{Observe: observeBacks, Look: judgeTimes},
})

// judgeTimes counts how often a rank has gone back.
func judgeTimes(f *Facts, v View, m *[]backs, e trace.Event) string {
	list := *m
	if e.Kind == 0 {
		return ""
	}
	times := of(list, e.Proc).back
	for i := range list {
		if list[i].proc == e.Proc {
			list[i].back-- // before this time
		}
	}
	if n := f.allFailures(v, list); times > n {
		return fmt.Sprintf("%s goes back %d times for %d failures", f.name(e.Proc), times, n)
	}
	return ""
}

// DependentsOnly: who does not depend on what is lost keeps what it has done.
var DependentsOnly = register(Property{
	Name: "dependents-only", Kind: Monitor, Source: "[KT]; [SY]",
	// Where a line is declared, line-maximal says more. Under send-determinism who has sent what a
	// failed rank has to receive again goes back, too, and depends on nothing that is lost.
	Applies: func(f *Facts) bool {
		return f.RollsBack == promise.Dependents && !f.Undo.Maximal && f.Needs <= promise.Piecewise
	},
	Needs: "RollsBack the dependents, without Undo.Maximal; Needs no more than a piecewise " +
		"deterministic program",
	Watched: []trace.Kind{trace.Crashed, trace.Restored},
	Looked:  []trace.Kind{trace.Crashed},
	Doc: "a rank that has not failed goes back only when it, or somebody with whom it restarts, " +
		"has received what a rank has sent that has started again behind it, or is down, or what " +
		"depends on that",
	Memory: &Remembers[[]backs]{Observe: observeBacks, Look: judgeDependence},
})

// judgeDependence looks at a rank that goes back and has not failed.
func judgeDependence(f *Facts, v View, m *[]backs, e trace.Event) string {
	list := *m
	if e.Kind == 0 || int(e.Proc) >= f.Layout.Ranks {
		return ""
	}
	b, self := of(list, e.Proc), v.Observed(e.Proc)
	b.back-- // before this time
	if failed(self, b) > 0 || f.tainted(v, list)[e.Proc] {
		return ""
	}
	return fmt.Sprintf("%s goes back, and depends on nothing that is lost", f.name(e.Proc))
}

// tainted are the ranks that may depend on what is lost. It errs on the side of more: the pasts of
// ranks do not say what came before a send, so all that a tainted rank has sent is taken to depend
// on what is lost.
func (f *Facts) tainted(v View, list []backs) map[trace.Proc]bool {
	tainted := map[trace.Proc]bool{}
	for again := true; again; {
		again = false
		for r := range f.ranks() {
			if p := r.Proc(); !tainted[p] && f.taints(v, list, p, tainted) {
				tainted[p], again = true, true
			}
		}
	}
	return tainted
}

// taints reports whether a rank is one of them, given some of them.
func (f *Facts) taints(v View, list []backs, p trace.Proc, tainted map[trace.Proc]bool) bool {
	h := v.Observed(p).History
	if h == nil {
		return true // nobody knows what it had received
	}
	// Members of a unit that stop one by one: a mate that depended on what is lost may have gone
	// back already, and then its past shows nothing of that any more. That it went back rightly was
	// judged when it did, so that it has started again is reason enough.
	for q := range f.ranks() {
		if q := q.Proc(); q != p && f.together(p, q) &&
			(tainted[q] || of(list, q).least > 0) {
			return true
		}
	}
	for _, d := range h.Delivered {
		for _, id := range order.Sends(f.Layout, d.ID) {
			q := id.From.Proc()
			if least := of(list, q).least; q != p && (tainted[q] || v.Observed(q).History == nil ||
				least > 0 && id.Number >= least) {
				return true
			}
		}
	}
	return false
}

// together reports whether two procs restart together: as ranks of one cluster, or as procs that
// stop together.
func (f *Facts) together(p, q trace.Proc) bool {
	return f.Layout.SameCluster(p, q) || slices.Contains(f.Layout.Groups[p], q)
}
