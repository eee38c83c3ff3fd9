package compare

import (
	"fmt"
	"time"
)

// logs is of which messages the payload is ever kept, by bytes, in runs with images at instants of
// their own: none, all, those between groups, or a part.
func (l *lab) logs() (c Cell, err error) {
	var sum Log
	for _, shape := range l.programs() {
		run := l.base(shape, l.scale.Ranks, lengths[shape])
		if err := l.images(run, 3); err != nil {
			return c, err
		}
		if l.gathers && shape == "master-worker" {
			run.Images = Plan{}
		}
		run.Write = 100 * time.Microsecond
		f, err := l.runAnd(run, true)
		if err != nil {
			return c, err
		}
		k := f.Log
		if k.Intra+k.Inter > 0 && sum.Intra+sum.Inter == 0 || c.Shows == "" {
			c.Shows = run.String()
		}
		sum.Intra, sum.Inter = sum.Intra+k.Intra, sum.Inter+k.Inter
		sum.SentIntra, sum.SentInter = sum.SentIntra+k.SentIntra, sum.SentInter+k.SentInter
		sum.Peak, sum.Undeclared = max(sum.Peak, k.Peak), sum.Undeclared+k.Undeclared
	}
	c.Value = sum.word()
	c.Figures = fmt.Sprintf("%s of the bytes between groups, %s inside; at most %d bytes at a time",
		share(sum.Inter, sum.SentInter), share(sum.Intra, sum.SentIntra), sum.Peak)
	if !l.row.Grouped {
		c.Figures = fmt.Sprintf("%s of the bytes; at most %d bytes at a time",
			share(sum.Inter, sum.SentInter), sum.Peak)
	}
	if sum.Undeclared > 0 {
		c.Why = fmt.Sprintf("%d messages were found in states, and not declared to be kept; fewer "+
			"than one in %d may be those of an image",
			sum.Undeclared, few)
	}
	return c, nil
}

// word is which messages are kept.
func (k *Log) word() string {
	switch {
	case k.Intra+k.Inter == 0:
		return "none"
	case k.Inter == k.SentInter && k.Intra == k.SentIntra:
		return "all"
	case k.Inter == k.SentInter && k.Intra == 0:
		return "between groups"
	}
	return "part"
}

// share is a part in percent.
func share(part, all int64) string {
	if all == 0 {
		return "nothing"
	}
	return fmt.Sprintf("%.0f %%", 100*float64(part)/float64(all))
}
