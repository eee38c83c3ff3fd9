package spec

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/spec/order"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// parts is what no-mixed-restore remembers: the digests of the images that ranks have taken, as
// long as the snapshot can be restored, and which snapshot was selected last, in which episode.
type parts struct {
	selected trace.Snap
	in       uint64 // 1 + the episode
	images   []part
}

// part is an image of a rank, for a snapshot or, if that is so, for the migration of that number.
type part struct {
	snap   trace.Snap
	move   bool
	rank   trace.Proc
	digest uint64
}

// find is the place of an image, where it is or belongs.
func (m *parts) find(s trace.Snap, move bool, rank trace.Proc) (i int, found bool) {
	return slices.BinarySearchFunc(m.images, part{snap: s, move: move, rank: rank},
		func(p, q part) int {
			switch {
			case p.move != q.move && q.move:
				return -1
			case p.move != q.move:
				return 1
			case p.snap != q.snap:
				return p.snap.Compare(q.snap)
			}
			return int(p.rank) - int(q.rank)
		})
}

// keep adds an image, in the place of one of the same name.
func (m *parts) keep(s trace.Snap, move bool, rank trace.Proc, digest uint64) {
	p := part{snap: s, move: move, rank: rank, digest: digest}
	i, found := m.find(s, move, rank)
	if found {
		m.images[i] = p
		return
	}
	m.images = slices.Insert(m.images, i, p)
}

// NoMixedRestore: the ranks of an episode restart from one snapshot, each from its own part. A rank
// that an older episode has started may come up late; it is no part of the present one.
var NoMixedRestore = register(Property{
	Name: "no-mixed-restore", Kind: Monitor, Source: "[ErrMgr] section V-A; P1",
	Applies: snapshots,
	Needs:   bySnapshots,
	Watched: []trace.Kind{trace.Snapped},
	Doc: "whoever restarts in an episode restarts from the snapshot that the episode has " +
		"selected, from the bytes of the image that it had taken for it; and a file that is said " +
		"to be there is of that image",
	Memory: &Remembers[parts]{Observe: func(f *Facts, m *parts, e trace.Event) (broken string) {
		s := e.Snap()
		switch e.Text {
		case trace.SnapTaken:
			m.keep(s, false, e.Proc, e.Digest)
		case trace.SnapImage:
			// of the migrations before this one nobody moves any more
			m.images = slices.DeleteFunc(m.images, func(p part) bool {
				return p.move && p.snap != s
			})
			m.keep(s, true, e.Proc, e.Digest)
		case trace.SnapVoid, trace.SnapRetired, trace.SnapBad:
			// who is about to start from a snapshot that turns out to be bad may do so, and is
			// stopped by the next episode
			m.drop(func(t trace.Snap) bool {
				return t == s && (e.Text != trace.SnapBad || s != m.selected)
			})
		case trace.SnapSelected:
			m.selected, m.in = s, e.Stamp.Round+1
			m.drop(func(t trace.Snap) bool { return t.Compare(s) > 0 })
		case trace.SnapLocal, trace.SnapCopied:
			if i, found := m.find(s, false, e.Peer); found && m.images[i].digest != e.Digest {
				broken = fmt.Sprintf("%s has a file of %s that is not the image of %s",
					f.name(e.Proc), snapName(s), f.name(e.Peer))
			}
		case trace.SnapRestored:
			broken = m.restored(f, e)
		case trace.SnapMoved:
			if i, found := m.find(s, true, e.Proc); !found || m.images[i].digest != e.Digest {
				broken = f.name(e.Proc) + " runs from an image that is not the one that it left"
			}
		}
		return broken
	}},
})

// drop forgets the images of snapshots.
func (m *parts) drop(which func(trace.Snap) bool) {
	m.images = slices.DeleteFunc(m.images, func(p part) bool { return !p.move && which(p.snap) })
}

// restored is what is wrong with a restart from a snapshot.
func (m *parts) restored(f *Facts, e trace.Event) string {
	s := e.Snap()
	switch in := e.Stamp.Round + 1; {
	case in < m.in:
		return ""
	case in > m.in:
		return fmt.Sprintf("%s restarts from %s in episode %d, which has selected none",
			f.name(e.Proc), snapName(s), e.Stamp.Round)
	case s != m.selected:
		return fmt.Sprintf("%s restarts from %s, and episode %s has selected %s", f.name(e.Proc),
			snapName(s), trace.Episode(e.Stamp.Round), snapName(m.selected))
	case s.Seq == 0:
		return ""
	}
	i, found := m.find(s, false, e.Proc)
	switch {
	case !found:
		return fmt.Sprintf("%s restarts from %s, of which it has no part", f.name(e.Proc),
			snapName(s))
	case m.images[i].digest != e.Digest:
		return fmt.Sprintf("%s restarts from other bytes than it had saved for %s", f.name(e.Proc),
			snapName(s))
	}
	return ""
}

// CutConsistent: when everybody has gone back, the job goes on from one cut. A rank that is down by
// then is for the next episode.
var CutConsistent = register(Property{
	Name: "cut-consistent", Kind: Always, Global: true, Source: "[ErrMgr] section V-A; P5",
	Applies: func(f *Facts) bool {
		return snapshots(f) && governed(f) && f.Has(promise.RestoresAll)
	},
	Needs: bySnapshots + "; " + byPolicies + ", one of which restores all ranks",
	Doc: "when an episode in which all ranks go back is over, every rank that is up has " +
		"restarted from the selected snapshot, and none has received what another has not " +
		"sent, unless failed ranks may go back alone and do the same again",
	Event: func(f *Facts, v View, e trace.Event) string {
		head := rulingOf(v, e.Proc)
		answer, _ := f.AnswerOf(head.Owner)
		if e.Kind != trace.Ruled || e.Text != trace.RuleResumed || answer != promise.RestoresAll {
			return ""
		}
		for r := range f.ranks() {
			self := v.Observed(r.Proc())
			if self.History == nil {
				continue
			}
			if from := rulingOf(v, r.Proc()); from.FromIn != head.FromIn ||
				from.From != head.From {
				return fmt.Sprintf("episode %s goes on from %s, and %s has not restarted from it",
					trace.Episode(e.Stamp.Round), snapName(head.From), f.name(r.Proc()))
			}
			for q := range f.ranks() {
				mate := v.Observed(q.Proc()).History
				// Where ranks restart alone there may be such a message: 1. q restarts alone,
				// behind what it had sent to r. 2. A snapshot is taken before it has sent that
				// again. 3. All go back to that. But then programs are deterministic (Needs), so q
				// sends the same again, with the same number, and r drops it; exactly-once and
				// final-state look.
				if q == r || mate == nil || f.Has(promise.RestoresFailed) &&
					f.Needs == promise.Deterministic {
					continue
				}
				if m := order.Orphan(f.Layout, self.History, q, mate); !m.IsZero() {
					return fmt.Sprintf("episode %s goes on, and %s has received %s, which %s has "+
						"not sent", trace.Episode(e.Stamp.Round), f.name(r.Proc()),
						f.label(m), f.As(Missing, f.name(q.Proc())))
				}
			}
		}
		return ""
	},
})

// LostWork: there are no clocks, so work is counted in sends and deliveries. An image is of the
// moment at which it is taken, which is after the request; with no-mixed-restore, what is lost by a
// failure is what was done since then.
var LostWork = register(Property{
	Name: "lost-work", Kind: Always, Source: "P14",
	Applies: snapshots,
	Needs:   bySnapshots,
	Doc: "an image that is taken holds everything that the rank has sent and received, and a " +
		"rank that restarts from one is where that was taken",
	Event: func(f *Facts, v View, e trace.Event) string {
		h := v.Observed(e.Proc).History
		if e.Kind != trace.Snapped || h == nil || e.Text != trace.SnapTaken &&
			e.Text != trace.SnapImage && e.Text != trace.SnapRestored &&
			e.Text != trace.SnapMoved ||
			e.Sent == h.Sent && int(e.Received) == len(h.Delivered) {
			return ""
		}
		return fmt.Sprintf("the image that %s has %s is at %d sent, %d delivered, and the rank at "+
			"%d and %d", f.name(e.Proc), e.Text, e.Sent, e.Received, h.Sent, len(h.Delivered))
	},
})
