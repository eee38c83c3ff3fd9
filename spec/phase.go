package spec

import (
	"fmt"

	"github.com/domino-check/domino/spec/trace"
)

// PhaseOrder: phases follow causality, and rise strictly across clusters.
var PhaseOrder = register(Property{
	Name: "phase-order", Kind: Always, Source: "[HydEE] Lemmas 1 and 3",
	Doc: "a send has at least the phase of every message delivered before it, and a higher " +
		"one if that came from another cluster",
	Applies: func(f *Facts) bool { return f.Phases },
	Needs:   "Phases: stamps of messages carry them",
	Event: func(f *Facts, v View, e trace.Event) string {
		h := v.Observed(e.Proc).History
		if e.Kind != trace.Emitted || e.ID.IsZero() || h == nil || e.Again {
			return "" // a copy from the log leaves later than the deliveries after its send
		}
		for _, d := range h.Delivered {
			least, relation := d.Stamp.Phase, "below"
			if !f.Layout.SameCluster(d.ID.From.Proc(), e.Proc) {
				least, relation = least+1, "not above"
			}
			if e.Stamp.Phase < least {
				return fmt.Sprintf("%s has phase %d, %s phase %d of %s, which %s had received",
					f.label(e.ID), e.Stamp.Phase,
					relation, d.Stamp.Phase, f.As(Holder, f.label(d.ID)), f.name(e.Proc))
			}
		}
		return ""
	},
})

// PhasesDerived: phases are those that the theorems are about (proofs/coq, algorithm1).
var PhasesDerived = register(Property{
	Name: "phases-derived", Kind: Always, Source: "[HydEE] Alg. 1 l. 10-18",
	Doc: "a message that leaves with its send has the largest phase of the messages delivered " +
		"before it, one more for those from other clusters, and no more than 1 when there are none",
	Applies: func(f *Facts) bool { return f.Phases },
	Needs:   "Phases: stamps of messages carry them",
	Event: func(f *Facts, v View, e trace.Event) string {
		h := v.Observed(e.Proc).History
		if e.Kind != trace.Emitted || e.ID.IsZero() || h == nil || e.Again {
			return ""
		}
		derived := uint64(0)
		for _, d := range h.Delivered {
			phase := d.Stamp.Phase
			if !f.Layout.SameCluster(d.ID.From.Proc(), e.Proc) {
				phase++
			}
			derived = max(derived, phase)
		}
		// [HydEE-fr] begins at 0, the figures of both papers at 1
		if got := e.Stamp.Phase; got == derived || derived == 0 && got == 1 {
			return ""
		}
		return fmt.Sprintf("%s leaves %s (life %d) with phase %d, want %d by what it has received",
			f.label(e.ID), f.name(e.Proc), e.Incarnation, e.Stamp.Phase, max(derived, 1))
	},
})

// CausalReplay: nothing is sent before what it depends on has been sent again.
var CausalReplay = register(Property{
	Name: "causal-replay", Kind: Always, Global: true, Source: "[HydEE] Theorem 1",
	Doc: "in the current round no message leaves before every message it depends on in all " +
		"failure-free runs is sent (again)",
	Applies: func(f *Facts) bool { return f.Oracle != nil && f.Phases },
	Needs:   "Phases, and programs that can be explored alone",
	Event: func(f *Facts, v View, e trace.Event) string {
		if e.Kind != trace.Emitted || e.ID.IsZero() {
			return ""
		}
		current := newestRound(f, v)
		if e.Stamp.Round != current {
			// of an older round: the receiver drops it, or counts it as received before the failure
			return ""
		}
		for r, need := range f.Oracle.Past[e.ID] {
			o := v.Observed(trace.Proc(r))
			if trace.Proc(r) == e.Proc || !joined(o, current) || o.History.Sent >= need {
				continue
			}
			missing := trace.MsgID{From: trace.Rank(r), Number: o.History.Sent + 1}
			return fmt.Sprintf(
				"%s leaves %s although it depends on %s, which %s has not sent again",
				f.label(e.ID), f.name(e.Proc), f.As(Missing, f.label(missing)),
				f.name(trace.Proc(r)))
		}
		return ""
	},
})

// newestRound is the newest recovery round that anybody who is up has named.
func newestRound(f *Facts, v View) uint64 {
	var newest uint64
	for p := range f.procs() {
		newest = max(newest, v.Observed(p).Round)
	}
	return newest
}

// joined reports whether a rank takes part in the round with its present state: from its first
// message of that round on, or, when its former life took part too, from its evaluation on, because
// before that the round may be about the former life.
func joined(o Observed, round uint64) bool {
	if o.History == nil || o.Round != round || o.Incarnation > 0 && round == 0 {
		return false
	}
	return o.Incarnation == 0 || o.Former < round || o.Evaluated == round
}

// GateSound: the recovery process never promises more than is true.
var GateSound = register(Property{
	Name: "gate-sound", Kind: Always, Global: true, Source: "[HydEE] Alg. 4",
	Doc:     "when sends up to a phase are allowed, no orphan of a lower phase is outstanding",
	Applies: func(f *Facts) bool { return f.Phases },
	Needs:   "Phases: stamps of messages carry them",
	Event: func(f *Facts, v View, e trace.Event) string {
		if e.Kind != trace.Emitted || f.Layout.Kinds[e.Text] != trace.Gate ||
			e.Stamp.Round != newestRound(f, v) {
			return ""
		}
		for r := range f.ranks() {
			receiver := v.Observed(r.Proc())
			if !joined(receiver, e.Stamp.Round) {
				continue
			}
			for _, d := range receiver.History.Delivered {
				sender := v.Observed(d.ID.From.Proc())
				if joined(sender, e.Stamp.Round) && sender.History.Sent < d.ID.Number &&
					d.Stamp.Phase < e.Stamp.Phase {
					return fmt.Sprintf(
						"sends are allowed above phase %d, but orphan %s of that phase (received "+
							"by %s) is outstanding", d.Stamp.Phase, f.label(d.ID), f.name(r.Proc()))
				}
			}
		}
		return ""
	},
})
