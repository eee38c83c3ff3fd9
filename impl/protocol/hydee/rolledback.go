package hydee

import (
	"fmt"

	"github.com/domino-check/domino/impl/core"
)

// image is what a checkpoint of one rank holds ([HydEE] Alg. 1 l. 21): the program, the channels,
// and the messages inside the cluster that were sent before the line and received after it.
// Messages between clusters in flight are never in it: the sender's log has them.
type image struct {
	_        struct{}  `cbor:",toarray"`
	App      []byte    `json:"app"`
	Date     Date      `json:"date"`
	Phase    Phase     `json:"phase"`
	Channels []channel `json:"channels"`
	Waiting  []waiting `json:"waiting"` // ascending ranks
}

// waiting is the channel content from one mate.
type waiting struct {
	_        struct{}  `cbor:",toarray"`
	From     core.Rank `json:"from"`
	Messages []message `json:"messages"`
}

// restore starts a new incarnation from the last committed checkpoint of the cluster ([HydEE] Alg.
// 2 l. 4-8; R4). The gate is closed until the rank has joined a round, and nothing from outside is
// accepted before.
func (l *layer) restore(in core.Input, out []core.Effect) []core.Effect {
	l.reset()
	l.s.Incarnation, l.s.Unjoined, l.s.RolledBack = in.Incarnation, true, true
	number, err := l.committed(in.Records)
	if err != nil {
		return append(out, core.Effect{Kind: core.Halt, Reason: err.Error()})
	}
	if number == 0 {
		return out // the initial state counts as checkpoint 0
	}
	img, err := l.findImage(in.Records, number)
	if err != nil {
		return append(out, core.Effect{Kind: core.Halt, Reason: err.Error()})
	}
	l.app.Load(img.App)
	l.s.Date, l.s.Phase, l.s.RestartDate = img.Date, img.Phase, img.Date
	copy(l.s.Channels, img.Channels)
	for _, w := range img.Waiting {
		l.s.Peers[w.From].Arrived = w.Messages
	}
	if l.has(H20b) {
		for q := range l.s.Channels {
			l.s.Channels[q].Log = nil // Deviation: H20b empties the log at the restart
		}
	}
	return l.line(number, img, out)
}

// findImage reads this rank's image of a committed checkpoint.
func (l *layer) findImage(records []core.Record, number uint32) (*image, error) {
	key := fmt.Sprintf("%s%d", imageKey, number)
	for _, r := range records {
		if r.Owner != l.rank.Proc() || r.Key != key {
			continue
		}
		if r.Torn {
			return nil, fmt.Errorf("rank %d: checkpoint %d is damaged although it was committed",
				l.rank, number)
		}
		img := new(image)
		if err := core.Decode(r.Value, img); err != nil {
			return nil, fmt.Errorf("rank %d: checkpoint %d: %w", l.rank, number, err)
		}
		return img, nil
	}
	return nil, fmt.Errorf("rank %d: checkpoint %d is missing although it was committed", l.rank,
		number)
}

// committed is the number of the last checkpoint whose commit record is whole, 0 when there is
// none.
func (l *layer) committed(records []core.Record) (uint32, error) {
	var last uint32
	for _, r := range records {
		var number uint32
		if r.Owner != l.first(l.rank).Proc() || r.Torn {
			continue
		}
		if n, _ := fmt.Sscanf(r.Key, commitKey+"%d", &number); n == 1 {
			last = max(last, number)
		}
	}
	return last, nil
}
