package epochs

import (
	"fmt"

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
	Memory: &spec.Remembers[epochs]{Observe: func(f *spec.Facts, m *epochs, e trace.Event) string {
		if e.Peer == 0 {
			*m = epochs{}
		}
		if e.Stamp.Date != 0 && (m.least == 0 || e.Stamp.Date < m.least) {
			m.least = e.Stamp.Date
		}
		if e.Text == trace.LineBack && (m.back == 0 || e.Stamp.Phase < m.back) {
			m.back, m.rank = e.Stamp.Phase, e.Peer
		}
		if int(e.Peer) == f.Layout.Ranks-1 && m.back != 0 && m.least != 0 && m.back < m.least {
			return fmt.Sprintf("%s goes back to epoch %d, and the failed ranks have images of "+
				"epoch %d and later", f.Layout.Name(m.rank), m.back, m.least)
		}
		return ""
	}},
}

// epochs are, over the ranks of a line that were declared so far, the smallest of the images of
// those that have failed, and the smallest to which somebody goes back; 0 is none.
type epochs struct {
	least, back uint64
	rank        trace.Proc // who goes back there
}

// backWhereSaid holds a rank that goes back to what it has said: the line is of no use to others
// if one of them is elsewhere. It remembers, by rank, where each that is on its way will stand.
var backWhereSaid = spec.Property{
	Name: "back-where-said", Kind: spec.Monitor, Source: "[Epochs]",
	Doc:     "a rank that goes back because another has failed restarts where it has said",
	Applies: func(f *spec.Facts) bool { return true },
	Watched: []trace.Kind{trace.Undone, trace.Restored},
	Memory:  &spec.Remembers[[]goesBack]{Observe: observeReturns},
}

// goesBack is where a rank has said that it goes back to.
type goesBack struct {
	said           bool
	sent, received uint32
}

func observeReturns(f *spec.Facts, ranks *[]goesBack, e trace.Event) (broken string) {
	if int(e.Proc) >= f.Layout.Ranks {
		return ""
	}
	if *ranks == nil {
		*ranks = make([]goesBack, f.Layout.Ranks)
	}
	at, r := goesBack{true, e.Sent, e.Received}, &(*ranks)[e.Proc]
	if e.Kind == trace.Undone {
		*r = at
		return ""
	}
	if r.said && *r != at {
		broken = fmt.Sprintf("%s restarts at %d sent, %d received, and has said that it goes back "+
			"to %d sent, %d received", f.Layout.Name(e.Proc), at.sent, at.received, r.sent,
			r.received)
	}
	*r = goesBack{}
	return broken
}
