package spec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/domino-check/domino/spec/trace"
)

// Terminates: every run ends with every program at its end.
var Terminates = register(Property{
	Name: "terminates", Kind: Final, Depth: Progress, Source: "[HydEE] Theorem 2",
	Doc: "no run gets stuck: when nothing can happen any more, every program has ended; with " +
		"--lasso, no fair run goes on for ever",
	End: func(f *Facts, v View) string {
		var stuck []string
		if gaveUp(f, v) {
			return "" // beyond the model, and it has been said
		}
		// No program ends that was stopped for good. That it had to be is judged when it is: every
		// other policy has declined or failed (policy-order), and no snapshot could be restored
		// (abort-last). That it is at rest, with no rank up, is for episodes-end.
		if aborted(f, v) {
			return ""
		}
		without, down := false, false
		for r := range f.ranks() {
			switch h := v.Observed(r.Proc()).History; {
			// A policy goes on without the rank: it is down, a head that is up has ruled so, and
			// has heard of no failure of it since. Who is up has to end.
			case gone(f, v, r.Proc()):
				without = true
			case h == nil:
				down = true
				stuck = append(stuck, f.As(Culprit, f.name(r.Proc()))+" is down for good")
			case !h.Done:
				stuck = append(stuck, fmt.Sprintf(
					"%s has sent %d and received %d and can not go on",
					f.As(Culprit, f.name(r.Proc())),
					h.Sent, len(h.Delivered)))
			}
		}
		// a program may wait for what somebody sends only when it has seen no error
		if stuck == nil || without && !down && f.left(v) {
			return ""
		}
		return "the run is stuck: " + strings.Join(append(stuck, missing(f, v)...), "; ")
	},
})

// missing names who has not contributed to a reduction that others have contributed to. Where a
// reduction is messages among others, the programs tell it alone.
func missing(f *Facts, v View) (words []string) {
	words = slices.Clone(f.Layout.Unjoined)
	for i := range f.Layout.Trees {
		t := &f.Layout.Trees[i]
		rounds := make([]uint32, len(t.Members))
		most := uint32(0)
		for j, m := range t.Members {
			for id, c := range f.Layout.Collectives { // a maximum: the order does not matter
				if h := v.Observed(m.Proc()).History; c.Tree == i && id.From == m && h != nil &&
					id.Number <= h.Sent {
					rounds[j] = max(rounds[j], c.Round)
				}
			}
			most = max(most, rounds[j])
		}
		for j, m := range t.Members {
			if rounds[j] < most {
				words = append(words, fmt.Sprintf("reduction %d of group %s waits for %s",
					rounds[j]+1, t.Name, f.As(Missing, f.name(m.Proc()))))
			}
		}
	}
	return words
}

// FinalState: failures leave no mark on the result.
var FinalState = register(Property{
	Name: "final-state", Kind: Final, Depth: Safety, Source: "[HydEE] section IV",
	Doc: "the final state of the ranks is that of some failure-free run or, of a run in which " +
		"ranks are gone for good, of some run in which they stop and others see errors",
	Applies: explored,
	Needs:   aloneOrWithout,
	End: func(f *Facts, v View) string {
		if runsThrough(f) {
			// of a job that is given up this says nothing: nobody has ended
			if aborted(f, v) || f.left(v) {
				return ""
			}
			return "the ranks end in a combination of states that no run ends in in which those " +
				"that are down stop"
		}
		if key := FinalKey(f, v); key != "" && !f.Oracle.Finals[key] {
			return "the ranks end in a combination of states that no failure-free run ends in"
		}
		return ""
	},
})

// GivesNoUp: no machine declares that it can not go on.
var GivesNoUp = register(Property{
	Name: "gives-not-up", Kind: Always, Depth: Progress, Global: true, Source: "design section 9",
	Doc: "no process stops with an error of its own, but a rank of which nobody who is up keeps " +
		"an image, and whoever can not restart without it",
	Event: func(f *Facts, v View, e trace.Event) string {
		if e.Kind == trace.Halted && !(f.KeepsLines && int(e.Proc) < f.Layout.Ranks &&
			lost(f, v, e.Proc)) {
			return fmt.Sprintf("%s gives up: %s", f.name(e.Proc), e.Text)
		}
		return ""
	},
})

// lost reports whether nobody keeps an image of the rank, or of one with which it restarts and
// which has said so.
func lost(f *Facts, v View, rank trace.Proc) bool {
	if !lineKept(f, v, rank) {
		return true
	}
	for r := range f.ranks() {
		if h := v.Observed(r.Proc()).Holding; r.Proc() != rank &&
			f.Layout.SameCluster(r.Proc(), rank) && h != nil && h.Halted &&
			!lineKept(f, v, r.Proc()) {
			return true
		}
	}
	return false
}

// OneIncarnation: nothing of an older life of a proc acts.
var OneIncarnation = register(Property{
	Name: "one-incarnation", Kind: Always, Source: "fail-stop",
	Doc: "an event of a proc belongs to its one live incarnation",
	Event: func(f *Facts, v View, e trace.Event) string {
		o := v.Observed(e.Proc)
		if e.Kind == trace.Restored && !o.Fresh {
			return fmt.Sprintf(
				"%s restarts as incarnation %d, which is not newer, or without having stopped",
				f.name(e.Proc), e.Incarnation)
		}
		if !o.Up && e.Kind != trace.Restored || e.Incarnation != o.Incarnation {
			return fmt.Sprintf(
				"%s acts as incarnation %d, but incarnation %d is the live one (up: %t)",
				f.name(e.Proc), e.Incarnation, o.Incarnation, o.Up)
		}
		return ""
	},
})
