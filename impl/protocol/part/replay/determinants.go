package replay

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/link"
)

// DetKey begins the names of the records of determinants; the place of the reception is behind it.
// A record has the determinant of that reception, as its last one, and before it those that came
// with the message and were not written here. So what is stable at all is always the past of some
// receptions with everything that they depend on: writes become stable in their order, and a
// message brings along what is not stable of its own past. A replay would otherwise wait for a
// message that its sender, of which an earlier reception is lost, does not send this time.
const DetKey = "det/"

// record writes the determinant of the present reception, or counts it as repeated.
func (l *layer) record(from core.Rank, d *link.Data, out []core.Effect) []core.Effect {
	s := &l.s
	repeated := len(s.Replay) > 0 && (s.Replay[0].Place == s.Place || l.has(ByArrival))
	if repeated {
		s.Replay = slices.Clone(s.Replay[1:])
	}
	if !l.recording() || l.has(InnerUnrecorded) && l.same(from, l.rank) {
		return out
	}
	first := len(s.Unstable)
	for _, t := range d.Dets {
		if t.Place > s.Written.Of(t.Receiver) && !l.has(OthersUnwritten) {
			s.Unstable = append(s.Unstable, t)
			s.Written.Set(t.Receiver, t.Place)
		}
	}
	if repeated && len(s.Unstable) == first {
		return out // all of it is stable
	}
	if l.Gate == Border {
		s.Written.Set(l.rank, s.Place)
	}
	s.Unstable = append(s.Unstable, link.Det{Receiver: l.rank, Place: s.Place, Sender: from,
		Number: d.Number, ID: d.Payload.ID})
	list := s.Unstable[first:]
	if l.has(OwnFirst) && len(list) > 1 {
		return l.ownFirst(list, out)
	}
	out, e := core.Add(out, core.Persist)
	e.Key, e.Value = DetKey+strconv.FormatUint(uint64(s.Place), 10), core.Encode(&list)
	return out
}

// ownFirst is what OwnFirst does: the own determinant, which is the last one, is written before the
// others.
func (l *layer) ownFirst(list []link.Det, out []core.Effect) []core.Effect {
	own, others := list[len(list)-1:], list[:len(list)-1]
	key := DetKey + strconv.FormatUint(uint64(l.s.Place), 10)
	return append(out, core.Effect{Kind: core.Persist, Key: key + "/own", Value: core.Encode(&own)},
		core.Effect{Kind: core.Persist, Key: key, Value: core.Encode(&others)})
}

// placeOf is the place in the name of a record of determinants.
func placeOf(key string) (place uint32, ok bool) {
	number, ok := strings.CutPrefix(key, DetKey)
	n, err := strconv.ParseUint(number, 10, 32)
	return uint32(n), ok && err == nil
}

// persisted goes on when a record is stable.
func (l *layer) persisted(key string, out []core.Effect) []core.Effect {
	place, ok := placeOf(key)
	if l.has(OwnFirst) && strings.HasSuffix(key, "/own") {
		return out // it is counted with the others
	}
	if !ok {
		return l.s.Saving.Persisted(l, key, l.imaged(key, out))
	}
	own := slices.IndexFunc(l.s.Unstable, func(t link.Det) bool {
		return t.Receiver == l.rank && t.Place == place
	})
	l.s.Unstable = slices.Delete(l.s.Unstable, 0, own+1)
	return out
}

// load finds what is to be repeated: the determinants of this rank that are behind its image, its
// own records and those of its group, up to the first that is missing. Records that the image
// covers are left of a failure between the line and their end.
func (l *layer) load(records []core.Record, out []core.Effect) ([]core.Effect, error) {
	s := &l.s
	found := map[uint32]link.Det{} // looked at by place, in order
	for i := range records {
		r := &records[i]
		if r.Torn || !strings.HasPrefix(r.Key, DetKey) {
			continue
		}
		var list []link.Det
		if err := core.Decode(r.Value, &list); err != nil {
			return out, fmt.Errorf("rank %d: record %s of proc %d: %w", l.rank, r.Key, r.Owner, err)
		}
		if r.Owner == l.rank.Proc() && list[len(list)-1].Place <= s.Place {
			out = append(out, core.Effect{Kind: core.Persist, Key: r.Key})
		}
		for _, t := range list {
			if l.Gate == Border {
				s.Written.Set(t.Receiver, max(s.Written.Of(t.Receiver), t.Place))
			}
			if t.Receiver == l.rank {
				found[t.Place] = t
			}
		}
	}
	s.Replay = l.behind(found)
	return out, nil
}

// behind are the determinants behind the image, up to the first that is missing.
func (l *layer) behind(found map[uint32]link.Det) (list []link.Det) {
	place, left := l.s.Place, len(found)
	for left > 0 {
		place++
		t, ok := found[place]
		switch {
		case ok:
			list, left = append(list, t), left-1
		case !l.has(InnerUnrecorded) || place > l.s.Place+1<<16:
			return list
		}
	}
	return list
}
