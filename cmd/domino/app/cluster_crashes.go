package app

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
)

// printCrashes tells a reader of the failures, one a line, and how the run was gone on with behind
// one of all.
func (r *clusterRan) printCrashes(w io.Writer) {
	l := &r.resolved.Setup.Layout
	for i, c := range r.result.Crashes {
		what := "failure"
		switch {
		case c.Resumed:
			what = "end of all"
		case c.Exit:
			what = "exit"
		case c.Ordered:
			what = "order to stop"
		}
		fmt.Fprintf(w, "%s %d: %s at %s: reaped %s, agreed on %s, told %s, restarted %s\n",
			what, i+1, l.NamesOf(c.Procs), short3(c.At), after(c.Reaped, c.At),
			after(c.Agreed, c.At), since(c.Told, c.At), since(c.Restarts, c.At))
		if c.Resumed {
			fmt.Fprintf(w, "  the run was resumed: %s\n", r.goingOn(i))
		}
	}
}

// goingOn says from where each rank has gone on behind the end of all that is a crash of the run.
func (r *clusterRan) goingOn(crash int) string {
	from, until := r.result.Crashes[crash].Reaped, time.Duration(math.MaxInt64)
	for _, c := range r.result.Crashes[crash+1:] {
		if c.Resumed {
			until = c.Reaped
			break
		}
	}
	places := make([]string, r.resolved.Setup.Layout.Ranks)
	for p := range places {
		places[p] = r.resolved.Setup.Layout.Name(core.Proc(p)) + " was not up again"
	}
	for _, c := range slices.Backward(r.result.Recoveries()) { // the first of each counts
		if c.Restored >= from && c.Restored < until {
			places[c.Rank] = r.resolved.Setup.Layout.Name(c.Rank.Proc()) + " " + image(&c)
		}
	}
	return strings.Join(places, ", ")
}

// image is the image that a rank has gone on from, by what it had done then.
func image(c *cluster.Recovery) string {
	if c.FromSend == 0 && c.FromDelivery == 0 {
		return "from the beginning"
	}
	return fmt.Sprintf("from its checkpoint behind %d sends and %d deliveries", c.FromSend,
		c.FromDelivery)
}
