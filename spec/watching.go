package spec

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/spec/trace"
)

// nodesOf counts the procs on which others run.
func nodesOf(l *trace.Layout) int {
	n := 0
	for p := range l.Names {
		if !l.Hosted[trace.Proc(p)] {
			n++
		}
	}
	return n
}

// NodesWatched: no failure goes unnoticed.
var NodesWatched = register(Property{
	Name: "nodes-watched", Kind: Final, Source: "[RADIC] section 2.3.2, Fig. 2.8",
	Applies: hosting,
	Needs:   onNodes,
	Doc: "when nothing can happen any more, every node on which somebody runs is watched by " +
		"another one that is up",
	End: func(f *Facts, v View) string {
		if lone(f, v) {
			return ""
		}
		for p := range f.procs() {
			h := v.Observed(p).Holding
			if h == nil || len(h.Hosts) == 0 {
				continue
			}
			watched := false
			for q := range f.procs() {
				w := v.Observed(q).Holding
				watched = watched || q != p && w != nil && slices.Contains(w.Watches, p)
			}
			if !watched {
				return fmt.Sprintf(
					"nobody watches %s, on which %s runs, so its failure would not be noticed",
					f.name(p), f.name(h.Hosts[0]))
			}
		}
		return ""
	},
})

// Reach: a rank that has moved can be found.
var Reach = register(Property{
	Name: "reach", Kind: Monitor, Source: "[RADIC] section 6.2.1", Applies: hosting,
	Needs:   onNodes,
	Watched: []trace.Kind{trace.Emitted, trace.Adopted},
	Doc: "between two moves of ranks nobody asks more often where the others are than every node " +
		"once and one of them again, for each other rank",
	Observe: func(f *Facts, memory string, e trace.Event) (next, broken string) {
		switch {
		case e.Kind == trace.Adopted:
			return "", ""
		case f.Layout.Kinds[e.Text] != trace.Question:
			return memory, ""
		}
		count := make([]byte, f.Layout.Ranks)
		copy(count, memory)
		most := (nodesOf(f.Layout) + 1) * (f.Layout.Ranks - 1)
		if int(e.Proc) >= len(count) {
			return memory, ""
		}
		if count[e.Proc]++; int(count[e.Proc]) > most {
			broken = fmt.Sprintf(
				"%s has asked %d times where another rank is, and nobody has moved meanwhile",
				f.name(e.Proc), count[e.Proc])
		}
		return string(count), broken
	},
})

// DegradationSaid: nobody gives up performance in silence.
var DegradationSaid = register(Property{
	Name: "degradation-said", Kind: Monitor, Source: "[RADIC] section 2.3.3, basic protection",
	Applies: hosting, Watched: []trace.Kind{trace.Declared, trace.Adopted},
	Needs: onNodes,
	Doc: "a rank becomes the guest of a node that has its own only after some node has declared " +
		"that it gives up something",
	Observe: func(f *Facts, memory string, e trace.Event) (next, broken string) {
		if e.Kind == trace.Declared {
			return "said", ""
		}
		guest := int(e.Peer) < f.Layout.Ranks && f.Layout.Nodes[e.Peer] != e.Proc &&
			!slices.Contains(f.Layout.Spares, e.Proc)
		if guest && memory == "" {
			return memory,
				fmt.Sprintf("%s becomes a guest of %s, and nobody has said that no spare is left",
					f.name(e.Peer), f.name(e.Proc))
		}
		return memory, ""
	},
})
