package spec

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/spec/trace"
)

func snapName(s trace.Snap) string {
	if s.Seq == 0 {
		return "the initial state"
	}
	return fmt.Sprintf("snapshot %d.%s", s.Seq, trace.Episode(s.Epoch))
}

// EstablishedOnly: a head is not believed. A holder that has crashed without the head having been
// told may be missing among the replicas, not more; a store that is down is not asked.
var EstablishedOnly = register(Property{
	Name: "established-only", Kind: Always, Global: true, Depth: Protection,
	Source:  "[ErrMgr] section IV; P2",
	Applies: snapshots,
	Needs:   bySnapshots,
	Doc: "a snapshot is established only when the file of every rank that is not gone was read " +
		"back where no anticipated failure takes it: in the store, or on as many nodes as there " +
		"are to be replicas, or one in each failure domain that is left; what is on a node that " +
		"is drained does not count; and all that hold a file hold the same bytes",
	Event: func(f *Facts, v View, e trace.Event) string {
		if e.Kind != trace.Snapped || e.Text != trace.SnapEstablished {
			return ""
		}
		for r := range f.ranks() {
			list, digests := f.holders(v, e.Snap(), r.Proc(), noFile)
			for i, d := range digests {
				if d != digests[0] {
					return fmt.Sprintf("%s is established, and %s and %s hold different files "+
						"of %s", snapName(e.Snap()), f.name(list[0]), f.name(list[i]),
						f.name(r.Proc()))
				}
			}
			if have, want := f.replicas(v, list); have < want && !gone(f, v, r.Proc()) {
				return fmt.Sprintf("%s is established, and of %s %d replicas were read back, "+
					"want %d", snapName(e.Snap()), f.name(r.Proc()), have, want)
			}
		}
		return ""
	},
})

// replicas counts the domains of those who hold a file, and says how many it needs: as many as
// promised, or one in each domain where a node is left; less those that may have failed just now.
// A node that is drained may be switched off at any time: it neither counts nor is it left.
// When as many have failed just now, all replicas may have been there: the head can not know.
func (f *Facts) replicas(v View, holders []trace.Proc) (have, want int) {
	if f.Snapshots.Replicas == 0 {
		if f.storeDown(v) || f.storeBack(v) {
			return 1, 1
		}
		return len(holders), 1
	}
	at, left := map[int]bool{}, map[int]bool{}
	counts := func(p trace.Proc) bool {
		return !f.rulings(v, func(_ trace.Proc, r *trace.Ruling) bool {
			return slices.Contains(r.Drained, p)
		})
	}
	for _, p := range holders {
		if counts(p) {
			at[f.domain(p)] = true
		}
	}
	for p := trace.Proc(f.ranks()); p < f.procs(); p++ {
		if f.isNode(p) && v.Observed(p).Up && counts(p) {
			left[f.domain(p)] = true
		}
	}
	missing := f.unheard(v)
	return len(at), min(f.Snapshots.Replicas, len(left)+missing) - missing
}

// NewestSnapshot: what a head has established it goes back to, and to nothing else. One of which
// more replicas are lost than nodes may fail is as good as none, and need not be declared so.
var NewestSnapshot = register(Property{
	Name: "newest-snapshot", Kind: Always, Global: true, Source: "[ErrMgr] section V; P4",
	Applies: snapshots,
	Needs:   bySnapshots,
	Doc: "an episode goes back to the newest snapshot that is established, not bad, not retired " +
		"and not exhausted by episodes that have gone back to it, or to a newer one, or to the " +
		"initial state when there is none; none is established that was not reserved, is void, " +
		"or belongs to a past that was given up",
	Event: func(f *Facts, v View, e trace.Event) string {
		if e.Kind != trace.Snapped {
			return ""
		}
		r, s := rulingOf(v, e.Proc), e.Snap()
		switch e.Text {
		case trace.SnapSelected:
			if s.Seq > 0 && !established(r, s) {
				return fmt.Sprintf("episode %s goes back to %s, which is not established",
					trace.Episode(e.Stamp.Round), snapName(s))
			}
			for _, h := range r.Snaps {
				if h.Established && h.Snap.Compare(s) > 0 && f.whole(v, h.Snap, noFile) {
					return fmt.Sprintf("episode %s goes back to %s, although %s is established",
						trace.Episode(e.Stamp.Round), snapName(s), snapName(h.Snap))
				}
			}
		case trace.SnapExhausted:
			if s.Compare(r.From) > 0 {
				return fmt.Sprintf("%s is exhausted, and no episode has gone back to it, the "+
					"last one to %s", snapName(s), snapName(r.From))
			}
		case trace.SnapEstablished:
			switch {
			case !r.Knows(s):
				return snapName(s) + " is established, and is void, or was never reserved"
			case s.Epoch+1 < r.FromIn:
				return fmt.Sprintf("%s is established, and episode %s has given up the past that "+
					"it is of", snapName(s), trace.Episode(r.FromIn-1))
			}
		}
		return ""
	},
})

// established reports whether a head says so of a snapshot.
func established(r *trace.Ruling, s trace.Snap) bool {
	return slices.ContainsFunc(r.Snaps, func(h trace.HeldSnap) bool {
		return h.Snap == s && h.Established
	})
}

// EstablishedStays: what is established is so for good, also when the head forgets it. It remembers
// the snapshots that are.
var EstablishedStays = register(Property{
	Name: "established-stays", Kind: Monitor, Source: "[ErrMgr] section IV; P3",
	Applies: func(f *Facts) bool { return snapshots(f) && f.Snapshots.Replicas == 0 },
	Needs:   bySnapshots + ", whose files are in a store",
	Watched: []trace.Kind{trace.Snapped},
	Doc: "no episode goes back to an older snapshot than one that was established before, by " +
		"whatever life of the head, and has not been declared bad or exhausted",
	Memory: &Remembers[[]trace.Snap]{Observe: func(f *Facts, established *[]trace.Snap,
		e trace.Event) (broken string) {
		i, found := slices.BinarySearchFunc(*established, e.Snap(), trace.Snap.Compare)
		switch e.Text {
		case trace.SnapEstablished:
			if !found {
				*established = slices.Insert(*established, i, e.Snap())
			}
		case trace.SnapRetired, trace.SnapVoid, trace.SnapBad, trace.SnapExhausted:
			if found {
				*established = slices.Delete(*established, i, i+1)
			}
		case trace.SnapSelected:
			for _, was := range *established {
				if was.Compare(e.Snap()) > 0 {
					broken = fmt.Sprintf("episode %s goes back to %s, and %s was established",
						trace.Episode(e.Stamp.Round), snapName(e.Snap()), snapName(was))
				}
			}
		}
		return broken
	}},
})

// SnapshotNumbers: a number is good for one snapshot, also for one that came to nothing.
var SnapshotNumbers = register(Property{
	Name: "snapshot-numbers", Kind: Monitor, Source: "P17",
	Applies: snapshots,
	Needs:   bySnapshots,
	Watched: []trace.Kind{trace.Snapped},
	Doc: "the numbers that are reserved for snapshots rise over the whole run, whatever fails, " +
		"and nothing is taken for a number that was not reserved",
	Memory: &Remembers[uint64]{Observe: func(f *Facts, last *uint64, e trace.Event) string {
		switch seq := e.Stamp.Date; {
		case e.Text == trace.SnapReserved && seq <= *last:
			return fmt.Sprintf("number %d is reserved for a snapshot, after %d", seq, *last)
		case e.Text == trace.SnapReserved:
			*last = seq
		case e.Text == trace.SnapTaken && seq > *last:
			return fmt.Sprintf("%s takes %s, and the last number that was reserved is %d",
				f.name(e.Proc), snapName(e.Snap()), *last)
		}
		return ""
	}},
})

// NeverLoseTheLast: nobody gives away what the next failure needs. More failures than there are
// replicas left are beyond the model; a bad file is the fault of whoever spoiled it.
var NeverLoseTheLast = register(Property{
	Name: "never-lose-the-last", Kind: Always, Global: true, Depth: Protection,
	Source:  "[ErrMgr] section IV; P3",
	Applies: snapshots,
	Needs:   bySnapshots,
	Doc: "nothing that is deleted, retired, declared void or bad, or given up with its node " +
		"makes the newest established snapshot that can be read an older one, or none; one is " +
		"bad only when a part of it can not be read",
	Event: func(f *Facts, v View, e trace.Event) string {
		without, except := f.taken(v, e)
		if without == nil {
			return ""
		}
		before, was := f.readable(v, noSnap, noFile)
		lost := f.unheard(v)
		if !was || f.storeDown(v) || f.Snapshots.Replicas > 0 && lost >= f.Snapshots.Replicas {
			return ""
		}
		after, is := f.readable(v, without, except)
		if is && after.Compare(before) >= 0 || e.Text == trace.SnapBad && f.Damaged {
			return ""
		}
		left := "no snapshot is left"
		if is {
			left = snapName(after) + " is what is left"
		}
		return fmt.Sprintf("%s could be read, and when %s says %q of %s, %s", snapName(before),
			f.name(e.Proc), e.Text, f.name(e.Peer), left)
	},
})

// taken says which snapshots and which files an event takes away; nil if it is about none.
func (f *Facts) taken(v View, e trace.Event) (without func(trace.Snap) bool,
	except func(trace.Proc, trace.HeldFile) bool) {
	switch {
	case e.Kind == trace.Ruled && e.Text == trace.RuleDrained:
		return noSnap, func(p trace.Proc, _ trace.HeldFile) bool { return p == e.Peer }
	case e.Kind != trace.Snapped:
		return nil, nil
	case e.Text == trace.SnapEvicted:
		return noSnap, func(p trace.Proc, file trace.HeldFile) bool {
			return p == e.Proc && file.Snap == e.Snap() && (file.Of == e.Peer || e.Peer == e.Proc)
		}
	case e.Text == trace.SnapRetired || e.Text == trace.SnapVoid || e.Text == trace.SnapBad:
		return func(s trace.Snap) bool { return s == e.Snap() }, noFile
	}
	return nil, nil
}

// CacheKept: a cache is worth something when the failure comes.
var CacheKept = register(Property{
	Name: "cache-kept", Kind: Always, Global: true, Depth: Thrift,
	Source:  "[ErrMgr] section IV, caching; P18",
	Applies: func(f *Facts) bool { return snapshots(f) && f.Snapshots.Cache > 0 },
	Needs:   bySnapshots + ", with Cache: files that stay on their node",
	Doc: "the node of a rank does not delete its file of the newest established snapshot, and " +
		"beside that has files of no more snapshots in progress than the cache has room for, or " +
		"of one; a snapshot that somebody reads is not retired",
	Event: func(f *Facts, v View, e trace.Event) string {
		newest, ok := f.newest(v)
		switch {
		case e.Kind != trace.Snapped:
		case e.Text == trace.SnapRetired:
			for _, h := range rulingOf(v, e.Proc).Snaps {
				if h.Snap == e.Snap() && h.Pinned {
					return snapName(h.Snap) + " is retired, and somebody reads it"
				}
			}
		// what was newest may be bad by now, and its node not know that it has to keep another one
		case e.Text == trace.SnapEvicted && ok && e.Snap() == newest && !f.Damaged &&
			e.Peer != e.Proc && f.home(v, e.Peer) == e.Proc:
			return fmt.Sprintf("%s deletes the file of %s of %s, the newest one", f.name(e.Proc),
				f.name(e.Peer), snapName(newest))
		case e.Text == trace.SnapLocal:
			if n := f.cached(v, e); n > max(1, f.Snapshots.Cache-1) {
				return fmt.Sprintf("%s has files of %s for %d snapshots in progress, and its "+
					"cache is for %d, an established one among them", f.name(e.Proc),
					f.name(e.Peer), n, f.Snapshots.Cache)
			}
		}
		return ""
	},
})

// cached counts the files of a rank on its node, the one of the event among them, of snapshots that
// are in progress by now: that others are established, retired or void it may not have heard.
func (f *Facts) cached(v View, e trace.Event) int {
	n := 1
	for _, file := range rulingOf(v, e.Proc).Files {
		if file.Of == e.Peer && file.Snap != e.Snap() &&
			f.rulings(v, func(_ trace.Proc, r *trace.Ruling) bool {
				return inProgress(r, file.Snap)
			}) {
			n++
		}
	}
	return n
}

// FlowLimit: copies do not take the network from the program, and no token is lost.
var FlowLimit = register(Property{
	Name: "flow-limit", Kind: Always, Global: true, Depth: Thrift,
	Source:  "[ErrMgr] section IV, flow control; P16",
	Applies: func(f *Facts) bool { return snapshots(f) && f.Snapshots.Copying > 0 },
	Needs:   bySnapshots + ", with Copying: files on their way at one time",
	Doc: "no more tokens are out at a time than files may be copied, and nobody keeps a copy of " +
		"a snapshot in progress for which no token is out",
	Event: func(f *Facts, v View, e trace.Event) string {
		if e.Kind != trace.Snapped {
			return ""
		}
		is := func(t trace.HeldFile) bool { return t.Snap == e.Snap() && t.Of == e.Peer }
		switch r := rulingOf(v, e.Proc); {
		case e.Text == trace.SnapGranted && slices.ContainsFunc(r.Tokens, is):
			return fmt.Sprintf("the token for %s of %s is out twice", snapName(e.Snap()),
				f.name(e.Peer))
		case e.Text == trace.SnapGranted && len(r.Tokens) >= f.Snapshots.Copying:
			return fmt.Sprintf("%d files are copied at one time, with that of %s of %s, want %d",
				len(r.Tokens)+1, f.name(e.Peer), snapName(e.Snap()), f.Snapshots.Copying)
		case e.Text == trace.SnapCopied:
			// every token comes back when an episode is opened, wherever the file is by then
			if f.rulings(v, func(_ trace.Proc, r *trace.Ruling) bool {
				return inProgress(r, e.Snap()) && !r.Open && r.Episode == e.Snap().Epoch &&
					!slices.ContainsFunc(r.Tokens, is)
			}) {
				return fmt.Sprintf("%s keeps a copy of %s of %s, for which no token is out",
					f.name(e.Proc), snapName(e.Snap()), f.name(e.Peer))
			}
		}
		return ""
	},
})

// inProgress reports whether a head has reserved a snapshot, and not yet established it.
func inProgress(r *trace.Ruling, s trace.Snap) bool {
	return slices.ContainsFunc(r.Snaps, func(h trace.HeldSnap) bool {
		return h.Snap == s && !h.Established
	})
}

// SnapshotsSettle: no snapshot hangs, and no token with it.
var SnapshotsSettle = register(Property{
	Name: "snapshots-settle", Kind: Final, Depth: Progress, Source: "P13, P16",
	Applies: snapshots,
	Needs:   bySnapshots,
	Doc: "when nothing can happen any more and the job is not given up, every snapshot for which " +
		"a number was reserved is established or void, and every token is back",
	End: func(f *Facts, v View) (broken string) {
		if aborted(f, v) {
			return "" // everything was stopped, whatever was going on: the words of abort-final
		}
		f.rulings(v, func(p trace.Proc, r *trace.Ruling) bool {
			for _, t := range r.Tokens {
				broken = fmt.Sprintf("the token of %s for the file of %s of %s never comes back",
					f.name(p), f.name(t.Of), snapName(t.Snap))
			}
			for _, h := range r.Snaps {
				if !h.Established {
					broken = fmt.Sprintf("%s of %s is neither established nor void",
						snapName(h.Snap), f.name(p))
				}
			}
			return broken != ""
		})
		return broken
	},
})
