package spec

import (
	"fmt"
	"math"

	"github.com/domino-check/domino/spec/trace"
)

// RecoveryEnds: a rank that is back counts among the living again; until then another failure is
// one more at a time. Where a program is stuck, terminates says more.
var RecoveryEnds = register(Property{
	Name: "recovery-ends", Kind: Final, Source: "[CAMEL] Theorem 1", Applies: holders,
	Needs: declaredKept,
	Doc:   "at the end, when every program has ended, no rank is still recovering",
	End: func(f *Facts, v View) string {
		found := ""
		for r := range f.ranks() {
			switch h := v.Observed(r.Proc()).History; {
			case h == nil || !h.Done:
				return ""
			case h.Recovering && found == "":
				found = fmt.Sprintf("%s has restarted and its recovery never ends",
					f.name(r.Proc()))
			}
		}
		return found
	},
})

// Repeated: the end of a recovery is not declared before its time. Until then another failure is
// one more at a time, so who declares it early counts two failures at once as two after each other.
var Repeated = register(Property{
	Name: "repeated", Kind: Always, Global: true, Source: "[AM] section 2; [RADIC] section 4.1.2",
	Applies: func(f *Facts) bool {
		return f.Holders || f.KeepsLines && f.Layout != nil && f.Layout.Holdings
	},
	Needs: "Holders, or KeepsLines: what is kept is declared (Kept, Logged, Recovered)",
	Doc: "a rank declares the end of its recovery only when it has received again whatever " +
		"somebody who is up has recorded as received by it, up to the first place that is lost",
	Event: func(f *Facts, v View, e trace.Event) string {
		h := v.Observed(e.Proc).History
		if e.Kind != trace.Recovered || h == nil {
			return ""
		}
		last := f.lastRepeatable(v, e.Proc)
		for p := range f.procs() {
			o := v.Observed(p)
			if p == e.Proc || !o.Up {
				continue
			}
			if id := unrepeated(o, e.Proc, h, last); !id.IsZero() {
				return fmt.Sprintf("%s declares the end of its recovery and has not received %s "+
					"again, as %s knows it has", f.name(e.Proc), f.As(Missing, f.label(id)),
					f.name(p))
			}
		}
		return ""
	},
})

// lastRepeatable is the last place in a log, of the deliveries of a rank, that has to be received
// again. Where places have holes it is the one before the first that nobody who is up has. What is
// behind that need not be repeated: the rank that made the lost delivery had nobody's word that its
// place was recorded (who records it and fails is a second failure at a time), and until it has
// that, it sends nothing (gate-sound); so nobody depends on its state since.
func (f *Facts) lastRepeatable(v View, rank trace.Proc) uint32 {
	if !f.Holes {
		return math.MaxUint32
	}
	places := map[uint32]bool{}
	for p := range f.procs() {
		if o := v.Observed(p); o.Up && o.Holding != nil {
			for _, c := range o.Holding.Copies {
				if c.To == rank {
					places[c.Order] = true
				}
			}
		}
	}
	last := uint32(0)
	for places[last+1] {
		last++
	}
	return last
}

// unrepeated is a message that somebody knows to be received by a rank, at a place in a log up to
// the last, and that rank has not received; zero if there is none.
func unrepeated(o Observed, rank trace.Proc, h *trace.History, last uint32) trace.MsgID {
	if o.History != nil {
		for _, i := range o.History.Memory {
			if i.Sort == trace.Determinant && i.Peer == rank && int(i.Number) > len(h.Delivered) {
				return i.ID
			}
		}
	}
	// A log that began anew does not know the lives of before, so it may record what a former life
	// had on its way to the lost log. That life has not heard of it, so nobody depends on it.
	if o.Holding != nil && o.Incarnation == 0 {
		for _, c := range o.Holding.Copies {
			if c.To == rank && c.Order != 0 && c.Order <= last && !c.Gone && !c.Covered &&
				!h.Received(c.ID) {
				return c.ID
			}
		}
	}
	return trace.MsgID{}
}
