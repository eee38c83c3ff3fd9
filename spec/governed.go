package spec

import (
	"slices"

	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// Jobs with a head: somebody rules what is done about a failure, and keeps account of snapshots of
// the whole job. What it says is evidence of what it has decided, and of nothing else: that a file
// can be read is what those say who hold it, that a rank is down what the driver has seen.

// What properties of such jobs need.
const (
	byPolicies  = "Policies: who answers a failure is declared (Ruled)"
	bySnapshots = "Snapshots: files and records are declared (Snapped)"
)

// governed jobs have one head, of which each ruling is declared once, when it rules. A head that is
// replicated is not one: a replica may declare late what another one has ruled, and the next leader
// goes on in the middle of an episode. What it rules is judged where it is alone, and that replicas
// together are like one that never fails, by the package that replicates.
func governed(f *Facts) bool { return declaresRulings(f) && !f.Replicated }

// declaresRulings tells that a job has a head, of one or several procs.
func declaresRulings(f *Facts) bool {
	return len(f.Policies) > 0 && f.Layout != nil && f.Layout.Holdings
}

func snapshots(f *Facts) bool {
	return f.Snapshots.Promised && f.Layout != nil && f.Layout.Holdings && !f.Replicated
}

// rulingOf is what a proc that is up has declared.
func rulingOf(v View, p trace.Proc) *trace.Ruling {
	if h := v.Observed(p).Holding; h != nil {
		return &h.Ruling
	}
	return new(trace.Ruling)
}

// rulings visits what services have declared, until one visit says that this is enough. Ranks rule
// nothing.
func (f *Facts) rulings(v View, enough func(trace.Proc, *trace.Ruling) bool) bool {
	for p := trace.Proc(f.ranks()); p < f.procs(); p++ {
		if enough(p, rulingOf(v, p)) {
			return true
		}
	}
	return false
}

// gone reports whether a rank is down for good because a head has ruled that the job goes on
// without it. Who is started again is not gone, whatever was said of its former life.
func gone(f *Facts, v View, rank trace.Proc) bool {
	return declaresRulings(f) && !v.Observed(rank).Up && f.rulings(v,
		func(_ trace.Proc, r *trace.Ruling) bool { return slices.Contains(r.Gone, rank) })
}

// aborted reports whether a head has given the job up. Whether it had to is for policy-order and
// abort-last.
func aborted(f *Facts, v View) bool {
	return declaresRulings(f) && f.rulings(v,
		func(_ trace.Proc, r *trace.Ruling) bool { return r.Aborted })
}

// isNode reports whether ranks may run on the node of a proc.
func (f *Facts) isNode(p trace.Proc) bool {
	return slices.Contains(f.Layout.Nodes, p) || slices.Contains(f.Layout.Spares, p)
}

// domain is what fails together with a proc.
func (f *Facts) domain(p trace.Proc) int {
	if d := f.Snapshots.Domains; int(p) < len(d) {
		return d[p]
	}
	return int(p)
}

// holders are the procs that are up and hold the part of a rank where no anticipated failure takes
// it: the store or, where nodes replicate, nodes. Except leaves files out.
func (f *Facts) holders(v View, s trace.Snap, rank trace.Proc,
	except func(trace.Proc, trace.HeldFile) bool) (list []trace.Proc, digests []uint64) {
	for p := trace.Proc(f.ranks()); p < f.procs(); p++ {
		if f.isNode(p) != (f.Snapshots.Replicas > 0) {
			continue
		}
		for _, file := range rulingOf(v, p).Files {
			if file.Snap == s && file.Of == rank && !except(p, file) {
				list, digests = append(list, p), append(digests, file.Digest)
			}
		}
	}
	return list, digests
}

// newest is the newest snapshot that a head says to be established.
func (f *Facts) newest(v View) (newest trace.Snap, ok bool) {
	f.rulings(v, func(_ trace.Proc, r *trace.Ruling) bool {
		if s, found := newestOf(r); found && (!ok || s.Compare(newest) > 0) {
			newest, ok = s, true
		}
		return false
	})
	return newest, ok
}

// newestOf is the newest snapshot that one proc says to be established.
func newestOf(r *trace.Ruling) (newest trace.Snap, ok bool) {
	for _, h := range r.Snaps { // ascending
		if h.Established {
			newest, ok = h.Snap, true
		}
	}
	return newest, ok
}

// readable is the newest established snapshot of which somebody holds every part, but for files and
// snapshots that are left out.
func (f *Facts) readable(v View, without func(trace.Snap) bool,
	except func(trace.Proc, trace.HeldFile) bool) (newest trace.Snap, ok bool) {
	f.rulings(v, func(_ trace.Proc, r *trace.Ruling) bool {
		for _, h := range r.Snaps {
			if !h.Established || without(h.Snap) || ok && h.Snap.Compare(newest) <= 0 {
				continue
			}
			if f.whole(v, h.Snap, except) {
				newest, ok = h.Snap, true
			}
		}
		return false
	})
	return newest, ok
}

// whole reports whether somebody holds every part of a snapshot. A rank that is gone has none.
func (f *Facts) whole(v View, s trace.Snap, except func(trace.Proc, trace.HeldFile) bool) bool {
	for r := range f.ranks() {
		if list, _ := f.holders(v, s, r.Proc(), except); list == nil && !gone(f, v, r.Proc()) {
			return false
		}
	}
	return true
}

// noFile leaves out no file, noSnap no snapshot.
func noFile(trace.Proc, trace.HeldFile) bool { return false }
func noSnap(trace.Snap) bool                 { return false }

// storeDown reports whether a service that is no node is down: what it holds can be seen again when
// it is back, and not before.
func (f *Facts) storeDown(v View) bool {
	for p := trace.Proc(f.ranks()); p < f.procs(); p++ {
		if !f.isNode(p) && !v.Observed(p).Up {
			return true
		}
	}
	return false
}

// storeBack reports whether a service that is no node has failed: what it had on its disk before it
// does not say again.
func (f *Facts) storeBack(v View) bool {
	for p := trace.Proc(f.ranks()); p < f.procs(); p++ {
		o := v.Observed(p)
		if !f.isNode(p) && o.Up && o.Incarnation > 0 && rulingOf(v, p).Snaps == nil {
			return true
		}
	}
	return false
}

// unheard counts the domains of nodes that are down and about which no head has ever opened an
// episode: it may not have been told yet. Of one that has come back it may not have been told
// again.
func (f *Facts) unheard(v View) int {
	domains := map[int]bool{}
	for p := trace.Proc(f.ranks()); p < f.procs(); p++ {
		heard := f.rulings(v, func(_ trace.Proc, r *trace.Ruling) bool {
			return slices.Contains(r.Heard, p)
		})
		if o := v.Observed(p); f.isNode(p) && !o.Up && (!heard || o.Incarnation > 0) {
			domains[f.domain(p)] = true
		}
	}
	return len(domains)
}

// home is the node on which a rank runs: the one that has adopted it or, in its first life, where
// it was placed. Of a rank that runs nowhere it is no proc at all.
func (f *Facts) home(v View, rank trace.Proc) trace.Proc {
	for p := trace.Proc(f.ranks()); p < f.procs(); p++ {
		if h := v.Observed(p).Holding; h != nil && slices.Contains(h.Hosts, rank) {
			return p
		}
	}
	if o := v.Observed(rank); int(rank) < len(f.Layout.Nodes) && o.Incarnation == 0 && o.Up {
		return f.Layout.Nodes[rank]
	}
	return f.procs()
}

// runsThrough reports whether a job may go on without some of its ranks.
func runsThrough(f *Facts) bool { return f.Has(promise.RunsThrough) }
