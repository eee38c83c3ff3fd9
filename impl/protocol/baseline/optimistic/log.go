package optimistic

import (
	"fmt"
	"slices"
	"strings"

	"github.com/domino-check/domino/impl/core"
)

// tail is what the log of one member of a unit has behind its image.
type tail struct {
	_     struct{}    `cbor:",toarray"`
	Here  bool        `json:"here"`  // it knows of the same lives of all members as we do
	Begin uint32      `json:"begin"` // interval of the image
	List  []reception `json:"list"`
	Line  uint32      `json:"line"` // number of the last checkpoint that it has found
}

// tail reads the end table and the log of this rank. Records that are damaged are the end of it,
// those of what did not survive an earlier restart, or is in the image, are left over.
func (l *layer) tail(records []core.Record, begin uint32) (list []reception, err error) {
	var found []reception
	for i := range records {
		r := &records[i]
		if r.Owner != l.rank.Proc() || r.Torn {
			continue
		}
		switch {
		case r.Key == endsKey:
			var ends Ends
			if err := core.Decode(r.Value, &ends); err != nil {
				return nil, fmt.Errorf("rank %d: the end table: %w", l.rank, err)
			}
			l.s.Ends.Merge(ends)
		case strings.HasPrefix(r.Key, logKey):
			var one reception
			if err := core.Decode(r.Value, &one); err != nil {
				return nil, fmt.Errorf("rank %d: record %s: %w", l.rank, r.Key, err)
			}
			l.s.Logged = append(l.s.Logged, one.bare())
			found = append(found, one)
		}
	}
	slices.SortFunc(found, func(a, b reception) int { return int(a.Interval) - int(b.Interval) })
	for _, r := range found {
		if r.Interval == begin+uint32(len(list))+1 &&
			!l.s.Ends.Lost(l.rank, r.Incarnation, r.Interval) {
			list = append(list, r)
		}
	}
	return list, nil
}

// bare is the reception without its payload.
func (r reception) bare() reception {
	r.Data = Data{Number: r.Data.Number, Vector: r.Data.Vector}
	return r
}

// cut finds what the unit repeats: of each log what comes before the first orphan. What a member
// loses may make what another has received from it an orphan, until nothing changes any more.
func (l *layer) cut() {
	members := l.mates()
	for changed := true; changed && !l.has(OP1); { // Deviation: OP1 repeats all that is logged
		changed = false
		for i := range l.s.Tails {
			t := &l.s.Tails[i]
			at := slices.IndexFunc(t.List, func(r reception) bool {
				return l.orphan(&r.Data) || l.lostInside(r.Data.Vector) && !l.has(VA2) ||
					l.s.Ends.Lost(members[i], r.Incarnation, r.Interval)
			})
			if at >= 0 {
				t.List, changed, l.s.Back = t.List[:at], true, true
			}
		}
	}
}

// lostInside reports whether a vector names an interval of a member that is not repeated.
func (l *layer) lostInside(v Vector) bool {
	for i, q := range l.mates() {
		t := &l.s.Tails[i]
		if v.interval(q) > t.Begin+uint32(len(t.List)) {
			return true
		}
	}
	return false
}
