package causal

import (
	"math/bits"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// Det is a determinant ([CAMEL] section 2.3): the RSN-th reception of Recver was the message SSN of
// Sender.
type Det struct {
	_      struct{}   `cbor:",toarray"`
	Recver core.Rank  `json:"recver"`
	RSN    RSN        `json:"rsn"`
	Sender core.Rank  `json:"sender"`
	SSN    SSN        `json:"ssn"`
	Group  core.Group `json:"group,omitempty"` // reduction: SSN is a round of this group
	// what the program got; evidence, no machine reads it
	ID core.MsgID `json:"id"`
	// which delivery of the program that was, from 1; evidence
	Index uint32 `json:"index"`
	// deliveries of the sender before the send; evidence
	Past    uint32 `json:"past"`
	Holders Ranks  `json:"holders"` // who is known to have it
}

// Ranks is a set of ranks below 64. In a determinant of more ranks, it is up to three holders
// (holders).
type Ranks uint64

// MaxRanks is the largest number of ranks of which all holders of a determinant are kept: they are
// one word.
const MaxRanks = 64

func only(r core.Rank) Ranks { return 1 << r }

// holders are the holders of a determinant as they are in one word: up to MaxRanks ranks, a bit
// each; beyond, the first MaxHolders that became known, ascending, each in holderBits bits plus
// one. Whoever is left out is as one whose acknowledgement was lost. No more than f+1 are asked
// for.
type holders struct{ many bool }

// MaxHolders are kept of the holders of a determinant with more than MaxRanks ranks.
const (
	MaxHolders = 3
	holderBits = 20
)

// add adds a rank.
func (h holders) add(s Ranks, r core.Rank) Ranks {
	if !h.many {
		return s | only(r)
	}
	list := h.list(s)
	at, found := slices.BinarySearch(list, r)
	if found || len(list) == MaxHolders {
		return s
	}
	return word(slices.Insert(list, at, r))
}

// word is a list of ranks beyond MaxRanks.
func word(list []core.Rank) (s Ranks) {
	for i, q := range list {
		s |= Ranks(q+1) << (holderBits * i)
	}
	return s
}

// less takes a rank out.
func (h holders) less(s Ranks, r core.Rank) Ranks {
	if !h.many {
		return s &^ only(r)
	}
	return word(slices.DeleteFunc(h.list(s), func(q core.Rank) bool { return q == r }))
}

// list are the ranks beyond MaxRanks.
func (h holders) list(s Ranks) []core.Rank {
	list := make([]core.Rank, 0, MaxHolders)
	for ; s != 0; s >>= holderBits {
		list = append(list, core.Rank(s&(1<<holderBits-1))-1)
	}
	return list
}

// all adds the ranks of another set.
func (h holders) all(s, t Ranks) Ranks {
	if !h.many {
		return s | t
	}
	for _, r := range h.list(t) {
		s = h.add(s, r)
	}
	return s
}

// count is how many are known.
func (h holders) count(s Ranks) int {
	if !h.many {
		return bits.OnesCount64(uint64(s))
	}
	n := 0
	for ; s != 0; s >>= holderBits {
		n++
	}
	return n
}

func (d Det) same(e Det) bool { e.Holders, e.Past = d.Holders, d.Past; return d == e }

// item is the determinant as something that is held here.
func (d Det) item() trace.Item {
	return trace.Item{Sort: trace.Determinant, Peer: d.Recver.Proc(), Number: d.Index, ID: d.ID,
		Past: d.Past}
}

// store merges determinants into the table, all of them now held here, too.
func (l *Layer) store(dets []Det, from core.Rank, out []core.Effect) []core.Effect {
	for _, d := range dets {
		out = l.storeOne(d, from, out)
	}
	return out
}

func (l *Layer) storeOne(d Det, from core.Rank, out []core.Effect) []core.Effect {
	if l.before(&d) {
		return out
	}
	d.Holders = l.holders.add(l.holders.add(d.Holders, l.Rank), from)
	if known := l.S.Dets.find(d.Recver, d.RSN); known != nil {
		if !known.same(d) { // two stories of one reception: the evidence shows it
			return append(out, core.Kept(d.item()))
		}
		known.Holders = l.holders.all(known.Holders, d.Holders)
		return out
	}
	l.S.Dets.insert(d)
	if d.Recver == l.Rank {
		l.enough = min(l.enough, d.RSN-1)
	}
	return append(out, core.Kept(d.item()))
}

// own is the determinant of one of our receptions, if it is known.
func (l *Layer) own(r RSN) *Det { return l.S.Dets.find(l.Rank, r) }

// last is the number of our last reception of which a determinant is known (maxDet).
func (l *Layer) last() RSN {
	if own := l.S.Dets.of(l.Rank); len(own) > 0 {
		return own[len(own)-1].RSN
	}
	return 0
}

// piggyback are the determinants that must travel on the next message. With f = 1 those are the own
// ones that nobody else is known to hold (detBuf, [CAMEL] Alg. 1 l. 6); beyond, all with at most f
// holders ([AHM]).
func (l *Layer) piggyback() []Det {
	f := l.f
	if l.Has(S13) {
		f = min(f, 1) // Deviation: S13 promises more and runs the protocol for one failure
	}
	if f > 1 {
		return l.few(f, l.S.Dets.By)
	}
	own := l.S.Dets.of(l.Rank)
	at, _ := place(own, l.enough+1)
	for at < len(own) && l.holders.count(own[at].Holders) > f {
		l.enough = own[at].RSN
		at++
	}
	return l.few(f, []Receptions{{List: own[at:]}})
}

// few are the determinants that at most f ranks are known to hold.
func (l *Layer) few(f int, lists []Receptions) []Det {
	needed := 0
	for r := range lists {
		dets := lists[r].List
		for i := range dets {
			if l.holders.count(dets[i].Holders) <= f {
				needed++
			}
		}
	}
	list := l.list(needed)
	for r := range lists {
		dets := lists[r].List
		for i := range dets {
			if l.holders.count(dets[i].Holders) <= f {
				list = append(list, dets[i])
			}
		}
	}
	return list
}

// held notes that a rank has acknowledged determinants ([CAMEL] Alg. 1 l. 19-21): identity is the
// whole tuple.
func (l *Layer) held(dets []Det, by core.Rank) {
	for _, d := range dets {
		if known := l.S.Dets.find(d.Recver, d.RSN); known != nil && known.same(d) {
			known.Holders = l.holders.add(known.Holders, by)
		}
	}
}

// lost notes that a rank has failed: what it held must be held by somebody else again. With f = 1
// that is not needed: it has what it held again when its recovery is complete, and until then
// nobody else may fail.
func (l *Layer) lost(by core.Rank) {
	if l.f <= 1 {
		return
	}
	l.enough = 0
	for r := range l.S.Dets.By {
		dets := l.S.Dets.By[r].List
		for i := range dets {
			dets[i].Holders = l.holders.less(dets[i].Holders, by)
		}
	}
}
