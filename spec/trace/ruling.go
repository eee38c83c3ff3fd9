package trace

import (
	"cmp"
	"slices"
	"strconv"
)

// EpisodeBits are those of an episode that count within one life of the service that opens it: what
// is above them is the life.
const EpisodeBits = 16

// Episode names an episode: its number, behind the life of the service from the second one on.
func Episode(n uint64) string {
	number := strconv.FormatUint(n&(1<<EpisodeBits-1), 10)
	if life := n >> EpisodeBits; life > 0 {
		return strconv.FormatUint(life, 10) + "." + number
	}
	return number
}

// Snap names a snapshot of the job.
type Snap struct {
	_     struct{} `cbor:",toarray"`
	Epoch uint64   `json:"epoch"`
	Seq   uint64   `json:"seq"` // 0 is the initial state
}

// Compare orders snapshots: those of a later episode are newer, whatever their number.
func (s Snap) Compare(t Snap) int {
	return cmp.Or(cmp.Compare(s.Epoch, t.Epoch), cmp.Compare(s.Seq, t.Seq))
}

// Snap is the snapshot that a Snapped event is about.
func (e Event) Snap() Snap { return Snap{Epoch: e.Stamp.Phase, Seq: e.Stamp.Date} }

// HeldSnap is a snapshot that a head keeps account of.
type HeldSnap struct {
	_           struct{} `cbor:",toarray"`
	Snap        Snap     `json:"snap"`
	Established bool     `json:"established"` // otherwise its number is reserved
	Pinned      bool     `json:"pinned"`
}

// HeldFile is the part of one rank of a snapshot that a proc has read back and can hand out, or
// for which a head has given a token.
type HeldFile struct {
	_      struct{} `cbor:",toarray"`
	Snap   Snap     `json:"snap"`
	Of     Proc     `json:"of"`
	Digest uint64   `json:"digest"` // of the bytes of the image, unpacked
}

func (f HeldFile) compare(g HeldFile) int {
	return cmp.Or(f.Snap.Compare(g.Snap), cmp.Compare(f.Of, g.Of))
}

// Ruling is what one incarnation of a proc has declared of failures and of snapshots, by Ruled and
// Snapped. Slices are ascending.
type Ruling struct {
	_      struct{}   `cbor:",toarray"`
	Snaps  []HeldSnap `json:"snaps"` // neither void, retired nor bad
	Files  []HeldFile `json:"files"`
	Tokens []HeldFile `json:"tokens"` // that are out

	Episode uint64 `json:"episode"` // the newest one
	Open    bool   `json:"open"`    // it is not over
	Group   []Proc `json:"group"`   // whom it is about
	Heard   []Proc `json:"heard"`   // whom some episode was about
	// Moving are the ranks that are being moved; Restarts: all ranks are being restarted. Over:
	// some failure or prediction was answered in full.
	Moving   []Proc `json:"moving"`
	Restarts bool   `json:"restarts"`
	Over     bool   `json:"over"`
	Stable   bool   `json:"stable"` // in it, the runtime is repaired
	Forecast bool   `json:"forecast"`
	Asked    string `json:"asked"`    // the policy that was asked last
	Answered bool   `json:"answered"` // it has answered
	Owner    string `json:"owner"`    // the policy that has claimed
	Aborted  bool   `json:"aborted"`
	// the newest selection, and 1 + its episode; of a rank what it runs from
	From   Snap   `json:"from"`
	FromIn uint64 `json:"from_in"`

	Gone    []Proc `json:"gone"`    // ranks without which the job goes on
	Drained []Proc `json:"drained"` // nodes that nothing needs any more
	// a rank: it stands still; and the ranks from which a receive has ended in an error
	Paused  bool   `json:"paused"`
	Refused []Proc `json:"refused"`
}

// Apply folds one event of the proc.
func (r *Ruling) Apply(e Event) {
	switch e.Kind {
	case Snapped:
		r.snapped(e)
	case Ruled:
		r.ruled(e)
	}
}

// snapped follows what becomes of snapshots and of their files.
func (r *Ruling) snapped(e Event) {
	s := e.Snap()
	file := HeldFile{Snap: s, Of: e.Peer, Digest: e.Digest}
	switch e.Text {
	case SnapReserved:
		r.note(s, func(*HeldSnap) {})
	case SnapEstablished, SnapRecorded:
		r.note(s, func(h *HeldSnap) { h.Established = true })
	case SnapPinned, SnapUnpinned:
		if r.Knows(s) {
			r.note(s, func(h *HeldSnap) { h.Pinned = e.Text == SnapPinned })
		}
	case SnapVoid, SnapRetired, SnapBad, SnapExhausted:
		r.Snaps = slices.DeleteFunc(slices.Clone(r.Snaps), func(h HeldSnap) bool {
			return h.Snap == s
		})
	case SnapSelected, SnapRestored:
		r.From, r.FromIn = s, e.Stamp.Round+1
		r.Restarts = true
	case SnapLocal, SnapCopied:
		r.Files = with(r.Files, file, HeldFile.compare)
	case SnapEvicted:
		r.Files = slices.DeleteFunc(slices.Clone(r.Files), func(f HeldFile) bool {
			return f.Snap == s && (f.Of == e.Peer || e.Peer == e.Proc)
		})
	case SnapGranted:
		r.Tokens = with(r.Tokens, file, HeldFile.compare)
	case SnapReturned:
		r.Tokens = slices.DeleteFunc(slices.Clone(r.Tokens), func(f HeldFile) bool {
			return f.Snap == s && (f.Of == e.Peer || e.Peer == e.Proc)
		})
	}
}

// note changes the entry of a snapshot, a new one if there is none.
func (r *Ruling) note(s Snap, change func(*HeldSnap)) {
	h := HeldSnap{Snap: s}
	if i := slices.IndexFunc(r.Snaps, func(h HeldSnap) bool { return h.Snap == s }); i >= 0 {
		h = r.Snaps[i]
	}
	change(&h)
	r.Snaps = with(r.Snaps, h, func(a, b HeldSnap) int { return a.Snap.Compare(b.Snap) })
}

// Knows reports whether a snapshot is reserved or established.
func (r *Ruling) Knows(s Snap) bool {
	return slices.ContainsFunc(r.Snaps, func(h HeldSnap) bool { return h.Snap == s })
}

// ruled follows an episode, and the walk along the policies.
func (r *Ruling) ruled(e Event) {
	word, about := RuleOf(e.Text)
	switch word {
	case RuleOpened:
		r.opened(e)
	case RulePredicted:
		if !r.Open {
			r.Forecast, r.Asked, r.Answered = true, "", false
		}
	case RuleStabilised:
		r.Stable = true
	case RuleOffered:
		r.Asked, r.Answered = about, false
	case RuleObserved, RuleDeferred:
		r.Asked, r.Answered = about, true
	case RuleClaimed:
		r.Asked, r.Owner, r.Answered = about, about, true
	case RuleFailed:
		r.Owner, r.Answered = "", true
	case RuleCompleted:
		r.Owner, r.Answered, r.Open, r.Forecast = "", true, false, false
		r.Moving, r.Restarts, r.Over = nil, false, true
	case RuleMigrating:
		r.Moving = with(r.Moving, e.Peer, cmp.Compare[Proc])
	case RuleAborted:
		r.Aborted, r.Open = true, false
	case RuleSustained:
		r.Gone = with(r.Gone, e.Peer, cmp.Compare[Proc])
	case RuleDrained:
		r.Drained = with(r.Drained, e.Peer, cmp.Compare[Proc])
	case RulePaused, RuleContinued:
		r.Paused = word == RulePaused
	case OpError:
		if about == "recv peer-dead" || about == "wait peer-dead" {
			r.Refused = with(r.Refused, e.Peer, cmp.Compare[Proc])
		}
	}
}

// opened begins an episode, or adds to the one that has just begun. Who owns the one before goes on
// owning until it is said to have failed.
func (r *Ruling) opened(e Event) {
	if !r.Open {
		r.Group = nil
	}
	if !r.Open || e.Stamp.Round > r.Episode {
		r.Episode, r.Open, r.Stable, r.Forecast = e.Stamp.Round, true, false, false
		r.Asked, r.Answered = "", false
	}
	r.Gone = without(r.Gone, e.Peer) // whoever is to answer for it says so again
	r.Group = with(r.Group, e.Peer, cmp.Compare[Proc])
	r.Heard = with(r.Heard, e.Peer, cmp.Compare[Proc])
}

// with is the ascending list with an entry, in the place of one that compares equal. The given list
// stays as it is.
func with[T any](list []T, entry T, compare func(T, T) int) []T {
	i, found := slices.BinarySearchFunc(list, entry, compare)
	list = slices.Clone(list)
	if found {
		list[i] = entry
		return list
	}
	return slices.Insert(list, i, entry)
}

// without is the list without an entry.
func without(list []Proc, entry Proc) []Proc {
	return slices.DeleteFunc(slices.Clone(list), func(p Proc) bool { return p == entry })
}
