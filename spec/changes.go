package spec

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/spec/trace"
)

// ChangesMade: an operator's wish is not forgotten. Whoever gives up may leave others waiting, and
// says so.
var ChangesMade = register(Property{
	Name: "changes-made", Kind: Final, Depth: Progress,
	Source: "[RADIC] section 2.3.3, planned changes",
	Applies: func(f *Facts) bool {
		return protecting(f) && len(f.Layout.Late)+len(f.Layout.Leaving) > 0
	},
	Needs: amongNodes + ", nodes that say when they enter (Declared), at most one false suspicion",
	Doc: "when nothing can happen any more, every node that came later and never failed has " +
		"entered, and every one that was to leave has left",
	End: func(f *Facts, v View) string {
		if gaveUp(f, v) {
			return ""
		}
		for _, p := range f.Layout.Late {
			o := v.Observed(p)
			if o.Up && o.Incarnation == 0 &&
				(o.Holding == nil || !says(f, o.Holding, trace.Enters)) {
				return f.name(p) + " has come, and not entered: not everybody knows of it"
			}
		}
		for _, p := range f.Layout.Leaving {
			if o := v.Observed(p); o.Up && o.Incarnation == 0 {
				return f.name(p) + " was to leave, and is still here"
			}
		}
		return ""
	},
})

// WatchDropped: a watchdog that nobody needs is work for who has to send the heartbeats. Ranks and
// spares protect nobody: they watch whom they have asked, or are promised to; but a rank may watch
// its protector for good (RanksWatch).
var WatchDropped = register(Property{
	Name: "watch-dropped", Kind: Final, Depth: Thrift, Source: "[RADIC] sections 2.3.2 and 6.2.1",
	Applies: protecting,
	Needs:   amongNodes + ", watchdogs (Watched, Unwatched)",
	Doc: "when nothing can happen any more, neither a rank nor a spare watches a node that is up " +
		"and never failed: it has its answer",
	End: func(f *Facts, v View) string {
		if gaveUp(f, v) {
			return ""
		}
		for p := range f.procs() {
			o := v.Observed(p)
			rank := int(p) < f.Layout.Ranks && !f.RanksWatch
			if !rank && !slices.Contains(f.Layout.Spares, p) || !o.Up || o.Holding == nil {
				continue
			}
			for _, q := range o.Holding.Watches {
				// of whoever is back it may not have heard that everything is lost
				if w := v.Observed(q); w.Up && w.Incarnation == 0 {
					return fmt.Sprintf("%s still watches %s, of which it expects nothing",
						f.name(p), f.name(q))
				}
			}
		}
		return ""
	},
})
