package optimistic

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// Ends is the incarnation end table: by rank, the last interval that survived the end of each
// incarnation that is over, in their order. So the newest incarnation that is known of a rank is
// the length of its list, and its first interval comes behind the last entry.
type Ends [][]uint32

// Known reports whether the beginning of an incarnation of a rank has been announced here.
func (t Ends) Known(r core.Rank, incarnation uint32) bool {
	return int(incarnation) <= len(t[r])
}

// Lost reports whether an interval did not survive: it lies behind the end of its incarnation, or
// of a later one, which may have gone back farther.
func (t Ends) Lost(r core.Rank, incarnation, interval uint32) bool {
	for k := int(incarnation); k < len(t[r]); k++ {
		if t[r][k] < interval {
			return true
		}
	}
	return false
}

// Begin is the last interval before the newest incarnation of a rank. All intervals up to it that
// have survived are stable: the rank was restored from them.
func (t Ends) Begin(r core.Rank) uint32 {
	if n := len(t[r]); n > 0 {
		return t[r][n-1]
	}
	return 0
}

// Merge adds what another table knows, and reports whether that was anything. Two tables never
// contradict each other, because an entry is durable at its rank before anybody hears of it.
func (t Ends) Merge(other Ends) (grown bool) {
	for r := range other {
		if len(other[r]) > len(t[r]) {
			t[r], grown = slices.Clone(other[r]), true
		}
	}
	return grown
}

// Beyond reports whether the table knows something that another one does not.
func (t Ends) Beyond(other Ends) bool {
	for r := range t {
		if r >= len(other) || len(t[r]) > len(other[r]) {
			return true
		}
	}
	return false
}

// Clone is an independent copy.
func (t Ends) Clone() Ends {
	list := slices.Clone(t)
	for r := range list {
		list[r] = slices.Clone(list[r])
	}
	return list
}

// Vector is on which interval of each rank a state depends: two numbers a rank, the incarnation and
// the interval. A zero interval is the initial state, on which everybody depends.
type Vector []uint32

// At is the entry of a rank.
func (v Vector) At(r core.Rank) (incarnation, interval uint32) { return v[2*r], v[2*r+1] }

// interval is the interval of a rank.
func (v Vector) interval(r core.Rank) uint32 { return v[2*r+1] }

// Set puts the entry of a rank.
func (v Vector) Set(r core.Rank, incarnation, interval uint32) {
	v[2*r], v[2*r+1] = incarnation, interval
}

// Merge makes the state depend on what another one depends on. Entries that have survived are
// ordered by their intervals alone, as an incarnation begins behind the ends of those before.
func (v Vector) Merge(other []uint32) {
	for i := 0; i+1 < len(other); i += 2 {
		if other[i] > v[i] || other[i] == v[i] && other[i+1] > v[i+1] {
			v[i], v[i+1] = other[i], other[i+1]
		}
	}
}

// LostIn is the first rank on a lost interval of which the vector depends.
func (t Ends) LostIn(v []uint32) (r core.Rank, lost bool) {
	for i := 0; i+1 < len(v); i += 2 {
		if t.Lost(core.Rank(i/2), v[i], v[i+1]) {
			return core.Rank(i / 2), true
		}
	}
	return 0, false
}

// KnownIn reports whether all incarnations of a vector have been announced.
func (t Ends) KnownIn(v []uint32) bool {
	for i := 0; i+1 < len(v); i += 2 {
		if !t.Known(core.Rank(i/2), v[i]) {
			return false
		}
	}
	return true
}
