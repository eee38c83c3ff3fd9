package epochs

import (
	"fmt"
	"strings"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// noDomino is what epochs are for. A Lined event has the epoch in which the rank goes on as its
// phase and, of a rank that has failed, the epoch of its newest image as its date. Groups have
// epochs of their own, which ascend with what is logged between them, so it is the same there.
var noDomino = spec.Property{
	Name: "no-domino", Kind: spec.Monitor, Source: "[Epochs]",
	Doc:     "nobody goes back behind the smallest epoch at which a rank that has failed restarts",
	Applies: func(f *spec.Facts) bool { return true },
	Watched: []trace.Kind{trace.Lined},
	Observe: func(f *spec.Facts, memory string, e trace.Event) (next, broken string) {
		var least, back, rank uint64 // over the ranks of this line so far; 0 is none
		if e.Peer > 0 {
			if n, err := fmt.Sscan(memory, &least, &back, &rank); n != 3 {
				panic(fmt.Sprint("invariant: the memory of no-domino is three numbers: ", err))
			}
		}
		if e.Stamp.Date != 0 && (least == 0 || e.Stamp.Date < least) {
			least = e.Stamp.Date
		}
		if e.Text == trace.LineBack && (back == 0 || e.Stamp.Phase < back) {
			back, rank = e.Stamp.Phase, uint64(e.Peer)
		}
		if int(e.Peer) == f.Layout.Ranks-1 && back != 0 && least != 0 && back < least {
			broken = fmt.Sprintf("%s goes back to epoch %d, and the failed ranks have images of "+
				"epoch %d and later", f.Layout.Name(trace.Proc(rank)), back, least)
		}
		return fmt.Sprint(least, back, rank), broken
	},
}

// backWhereSaid holds a rank that goes back to what it has said: the line is of no use to others
// if one of them is elsewhere. It remembers, by rank, where each that is on its way will stand.
var backWhereSaid = spec.Property{
	Name: "back-where-said", Kind: spec.Monitor, Source: "[Epochs]",
	Doc:     "a rank that goes back because another has failed restarts where it has said",
	Applies: func(f *spec.Facts) bool { return true },
	Watched: []trace.Kind{trace.Undone, trace.Restored},
	Observe: func(f *spec.Facts, memory string, e trace.Event) (next, broken string) {
		said := make([]string, f.Layout.Ranks)
		copy(said, strings.Split(memory, ";"))
		if int(e.Proc) >= len(said) {
			return memory, ""
		}
		at := fmt.Sprintf("%d sent, %d received", e.Sent, e.Received)
		if e.Kind == trace.Undone {
			said[e.Proc] = at
			return strings.Join(said, ";"), ""
		}
		if said[e.Proc] != "" && said[e.Proc] != at {
			broken = fmt.Sprintf("%s restarts at %s, and has said that it goes back to %s",
				f.Layout.Name(e.Proc), at, said[e.Proc])
		}
		said[e.Proc] = ""
		return strings.Join(said, ";"), broken
	},
}
