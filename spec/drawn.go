package spec

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/spec/order"
	"github.com/domino-check/domino/spec/trace"
)

// drawn is a whole line that was declared, among all that there could be.
type drawn struct {
	places [][]point
	lines  *order.Lines
	line   []int
	pasts  []*trace.History
}

// drawn finds the points of the line that was declared last; nil when it is not whole yet, or when
// somebody has failed since whoever declares it was told where that rank is: then what is declared
// is out of date, and another recovery begins. A rank is seen to have failed meanwhile when it is
// down, or stays somewhere else than it is and has done nothing since it started again.
func (f *Facts) drawn(v View, m *lined) (d *drawn, broken string) {
	if m.named < f.Layout.Ranks || len(m.goals) < f.Layout.Ranks {
		return nil, ""
	}
	d = new(drawn)
	for _, g := range m.goals {
		o := v.Observed(g.rank)
		if o.History == nil {
			return nil, ""
		}
		now := here(o.History)
		if g.stays && g.at != now {
			if s := m.start(g.rank); o.Incarnation > 0 && !s.sent && s.from == now {
				return nil, ""
			}
			return nil, fmt.Sprintf("%s stays at %s in the line of round %d, and is at %s",
				f.name(g.rank), g.at, m.round, now)
		}
		places := pointsOf(imagesOf(m.images, g.rank), o.History)
		at := slices.Index(places, g.at)
		if at < 0 {
			return nil, fmt.Sprintf("%s goes back to %s in the line of round %d, where it has no "+
				"image", f.name(g.rank), g.at, m.round)
		}
		d.places, d.line = append(d.places, places), append(d.line, at)
		d.pasts = append(d.pasts, g.at.of(o.History))
	}
	d.lines = linesOf(f, v, d.places)
	return d, ""
}

// orphan names one of a line that has one.
func (d *drawn) orphan(f *Facts) string {
	for r := range d.pasts {
		for q := range d.pasts {
			if r == q {
				continue
			}
			if id := order.Orphan(f.Layout, d.pasts[r], trace.Rank(q), d.pasts[q]); !id.IsZero() {
				return fmt.Sprintf("the line that is declared has an orphan: %s has received %s "+
					"at %s, which %s has not sent at %s", f.name(trace.Proc(r)), f.label(id),
					d.places[r][d.line[r]], f.As(Missing, f.name(trace.Proc(q))),
					d.places[q][d.line[q]])
			}
		}
	}
	return ""
}
