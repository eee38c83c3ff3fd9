package manetho

import (
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/link"
)

// storeKey is the prefix of records of determinants, with ascending numbers behind it.
const storeKey = "dets/"

func storeRecord(number uint32) string { return fmt.Sprint(storeKey, number) }

// stored is what a rank knows of its records of determinants. They are written one after the other,
// so what is stable has no gaps: 1. b's receptions 1 and 2 are written at the same time and b fails
// with the record of 2 alone, 2. b receives another message first, 3. it fails again, and finds
// that one and the old 2.
type stored struct {
	_       struct{}   `cbor:",toarray"`
	First   uint32     `json:"first"`   // number of the first record that may be there
	Last    uint32     `json:"last"`    // of the last one, 0 = there has been none
	Writing bool       `json:"writing"` // it is not stable yet
	Place   uint32     `json:"place"`   // our last reception in it
	Waiting []link.Det `json:"waiting"` // for the next one
}

// flush writes what is new, unless a write is under way: nobody waits for it but outputs. What
// others have received is written, too: 1. b's reception depends on one of c, 2. all fail, and b's
// is stable and c's is not, 3. c receives something else, and b waits for a message that c does not
// send any more.
func (l *layer) flush(out []core.Effect) []core.Effect {
	s := &l.s.Store
	if s.Writing || len(s.Waiting) == 0 {
		return out
	}
	s.Last++
	s.Writing = true
	for i := range s.Waiting {
		if d := &s.Waiting[i]; d.Receiver == l.rank {
			s.Place = max(s.Place, d.Place)
		}
	}
	out = append(out, core.Effect{Kind: core.Persist, Key: storeRecord(s.Last),
		Value: core.Encode(s.Waiting)})
	s.Waiting = nil
	if l.has(MN6) {
		l.stable(s.Place) // Deviation: MN6 does not wait for the write
	}
	return out
}

// stable notes that our receptions up to a place are.
func (l *layer) stable(place uint32) { l.s.Stable[l.rank] = max(l.s.Stable[l.rank], place) }

// written goes on when a record is stable.
func (l *layer) written(key string, out []core.Effect) []core.Effect {
	if s := &l.s.Store; key == storeRecord(s.Last) {
		s.Writing = false
		l.stable(s.Place)
	}
	return out
}

// clean removes the records that an image has made superfluous. One that is still being written
// stays until the next image.
func (l *layer) clean(last uint32, out []core.Effect) []core.Effect {
	s := &l.s.Store
	if s.Writing {
		last = min(last, s.Last-1)
	}
	for ; s.First <= last; s.First++ {
		out = append(out, core.Effect{Kind: core.Persist, Key: storeRecord(s.First)})
	}
	return out
}

// recall reads the records. A torn one was the last: what was in it was not stable.
func (l *layer) recall(records []core.Record, out []core.Effect) ([]core.Effect, error) {
	s := &l.s.Store
	for _, r := range records {
		var number uint32
		if found, _ := fmt.Sscanf(r.Key, storeKey+"%d", &number); found != 1 ||
			r.Owner != l.rank.Proc() {
			continue
		}
		s.First, s.Last = min(s.First, number), max(s.Last, number)
		if r.Torn {
			continue
		}
		var dets []link.Det
		if err := core.Decode(r.Value, &dets); err != nil {
			return out, fmt.Errorf("rank %d: record %s: %w", l.rank, r.Key, err)
		}
		for i := range dets {
			out = l.learn(&dets[i], 0, out)
		}
	}
	s.Waiting = nil // it is all there already
	l.stable(l.last())
	return out, nil
}
