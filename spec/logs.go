package spec

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// LogTrimmed: garbage collection gets to everything. When every rank has taken a checkpoint at its
// end, nothing is kept any more.
var LogTrimmed = register(Property{
	Name: "log-trimmed", Kind: Final, Depth: Thrift,
	Source: "[RADIC] sections 4.1.1 and 4.1.2, design section 4",
	Doc: "when nothing can happen any more, nobody keeps a message whose delivery is in the " +
		"recovery line of its receiver",
	Applies: func(f *Facts) bool { return f.Needs == promise.Piecewise && f.Layout.Holdings },
	Needs: "Needs a piecewise deterministic program, and declares what it keeps " +
		"(Kept, Forgotten)",
	End: func(f *Facts, v View) string {
		if gaveUp(f, v) {
			return ""
		}
		for p := range f.procs() {
			h := v.Observed(p).Holding
			if h == nil {
				continue
			}
			for _, c := range h.Copies {
				line := v.Observed(c.To).Line
				if !c.Gone && (c.Covered || line != nil && line.Received(c.ID)) {
					return fmt.Sprintf("%s still keeps %s, which the recovery line of %s holds",
						f.name(p), f.label(c.ID), f.name(c.To))
				}
			}
		}
		return ""
	},
})

// LogTrue: one life at a time writes a log. What a fenced life has delivered and the present one
// has not would be replayed.
var LogTrue = register(Property{
	Name: "log-true", Kind: Final, Source: "[RADIC] section 4.1.2, design section 4 (Fence)",
	Doc: "when nothing can happen any more, the places in a log are those of the deliveries " +
		"of the life that is up",
	Applies: func(f *Facts) bool { return (f.KeepsLines || f.Holes) && f.Layout.Holdings },
	Needs:   "KeepsLines or Holes, declared (Kept, Forgotten)",
	End: func(f *Facts, v View) string {
		if gaveUp(f, v) {
			return ""
		}
		for p := range f.procs() {
			h := v.Observed(p).Holding
			if h == nil {
				continue
			}
			for _, c := range h.Copies {
				past := v.Observed(c.To).History
				if c.Order == 0 || c.Gone || past == nil {
					continue
				}
				if !placed(f, v, c, past) {
					return fmt.Sprintf("%s keeps %s as delivery %d of %s, which that is not",
						f.name(p), f.label(c.ID), c.Order, f.name(c.To))
				}
			}
		}
		return ""
	},
})

// placed reports whether the place of a logged delivery is the one that it has among those of its
// receiver. Where numbers may leave holes, it comes between those that come before and after it.
func placed(f *Facts, v View, c trace.HeldCopy, past *trace.History) bool {
	at := func(id trace.MsgID) int {
		return slices.IndexFunc(past.Delivered, func(d trace.Delivery) bool { return d.ID == id })
	}
	here := at(c.ID)
	if !f.Holes {
		return int(c.Order) == here+1
	}
	if here < 0 || int(c.Order) <= here {
		return false // so many deliveries before it have numbers, too
	}
	for p := range f.procs() {
		h := v.Observed(p).Holding
		if h == nil {
			continue
		}
		for _, o := range h.Copies {
			if o.To == c.To && o.Order != 0 && !o.Gone && o.ID != c.ID &&
				(o.Order <= c.Order) != (at(o.ID) < here) {
				return false
			}
		}
	}
	return true
}
