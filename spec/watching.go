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
	Applies: protecting,
	Needs:   amongNodes,
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
	Name: "reach", Kind: Monitor, Source: "[RADIC] section 6.2.1", Applies: protecting,
	Needs:   amongNodes,
	Watched: []trace.Kind{trace.Emitted, trace.Adopted, trace.Restored},
	Doc: "between two moves of ranks no life of a rank asks more often where the others are than " +
		"every node once and one of them again, for each other rank, and asks nobody but nodes",
	Memory: &Remembers[[]int]{Observe: func(f *Facts, asked *[]int, e trace.Event) string {
		switch {
		case e.Kind == trace.Adopted:
			*asked = nil
			return ""
		case e.Kind == trace.Restored:
			// A rank that has failed alone begins with the table of the start, on the node where it
			// was: the answers that it had were volatile, so it must ask once more. Questions still
			// end: those of one life are counted as before, and a run has only so many lives, of
			// which each follows a failure or a rollback, or it does not terminate, which is
			// another property's.
			if int(e.Proc) < len(*asked) {
				if (*asked)[e.Proc] = 0; slices.Max(*asked) == 0 {
					*asked = nil
				}
			}
			return ""
		case f.Layout.Kinds[e.Text] != trace.Question:
			return ""
		case f.Layout.Hosted[e.Peer]:
			return fmt.Sprintf("%s asks %s, which is no node, where another rank is",
				f.name(e.Proc), f.name(e.Peer))
		case int(e.Proc) >= f.Layout.Ranks:
			return ""
		case *asked == nil:
			*asked = make([]int, f.Layout.Ranks)
		}
		count := &(*asked)[e.Proc]
		if *count++; *count > (nodesOf(f.Layout)+1)*(f.Layout.Ranks-1) {
			return fmt.Sprintf(
				"%s has asked %d times where another rank is, and nobody has moved meanwhile",
				f.name(e.Proc), *count)
		}
		return ""
	}},
})

// DegradationSaid: nobody gives up performance in silence. What a node has said once is good for
// the ranks of one node only, on one other node.
var DegradationSaid = register(Property{
	Name: "degradation-said", Kind: Monitor, Source: "[RADIC] section 2.3.3, basic protection",
	Applies: func(f *Facts) bool { return protecting(f) && !f.Zombies },
	Watched: []trace.Kind{trace.Declared, trace.Adopted},
	Needs:   amongNodes + ", at most one false suspicion",
	Doc: "the ranks of a node become guests of one that has its own only after some node has " +
		"said, for them, that no spare is left",
	Memory: &Remembers[degradation]{Observe: func(f *Facts, m *degradation,
		e trace.Event) string {
		if e.Kind == trace.Declared {
			if f.Layout.Kinds[e.Text] == trace.Shares && !slices.Contains(m.said, e.Proc) {
				m.said = append(m.said, e.Proc)
				slices.Sort(m.said)
			}
			return ""
		}
		guest := int(e.Peer) < f.Layout.Ranks && f.Layout.Nodes[e.Peer] != e.Proc &&
			!slices.Contains(f.Layout.Spares, e.Proc)
		if !guest || m.host == e.Proc && m.from == f.Layout.Nodes[e.Peer] {
			return ""
		}
		if len(m.said) == 0 {
			return fmt.Sprintf("%s becomes a guest of %s, and nobody has said that no spare is "+
				"left", f.name(e.Peer), f.name(e.Proc))
		}
		m.said, m.host, m.from = m.said[1:], e.Proc, f.Layout.Nodes[e.Peer]
		return ""
	}},
})

// degradation is what degradation-said remembers: who has said so, with nobody adopted since, and
// of the last guests the host and the node that they had at the start.
type degradation struct {
	host, from trace.Proc
	said       []trace.Proc
}

// LeavesNothing: maintenance costs no work.
var LeavesNothing = register(Property{
	Name: "leaves-nothing", Kind: Always, Global: true,
	Source:  "[RADIC] section 2.3.3, planned changes",
	Applies: protecting,
	Needs:   amongNodes + ", nodes that say when they leave (Declared)",
	Doc: "a node leaves when the recovery line of each rank that runs there holds everything " +
		"that the rank has done, unless that has failed on its own, so that nothing is done " +
		"again",
	Event: func(f *Facts, v View, e trace.Event) string {
		node := v.Observed(e.Proc).Holding
		if e.Kind != trace.Declared || f.Layout.Kinds[e.Text] != trace.Leaves || node == nil {
			return ""
		}
		for _, p := range node.Hosts {
			o := v.Observed(p)
			// A rank that has failed alone: 1. it says that it has stopped, and fails. 2. Its next
			// life goes on. 3. What the former life has said arrives, and nothing tells the node
			// that it is out of date before the next life does, which may take any time. That
			// costs work because of the failure, not because of the maintenance.
			if int(p) >= f.Layout.Ranks || o.History == nil || o.Incarnation > 0 {
				continue
			}
			line := trace.History{}
			if o.Line != nil {
				line = *o.Line
			}
			done := trace.HeldImage{Of: p, Sent: o.History.Sent,
				Received: uint32(len(o.History.Delivered))}
			if (line.Sent < done.Sent || uint32(len(line.Delivered)) < done.Received) &&
				!f.keptImage(v, done) {
				return fmt.Sprintf("%s leaves, and the recovery line of %s is at %d sent, %d "+
					"delivered, of %d and %d", f.name(e.Proc), f.name(p), line.Sent,
					len(line.Delivered), o.History.Sent, len(o.History.Delivered))
			}
		}
		return ""
	},
})

// keptImage reports whether somebody who is up keeps an image of a rank that is no older. It is
// what the rank will begin with, even if its process ends with its node before it has said so
// itself.
func (f *Facts) keptImage(v View, done trace.HeldImage) bool {
	for p := range f.procs() {
		o := v.Observed(p)
		if o.Up && o.Holding != nil && slices.ContainsFunc(o.Holding.Images,
			func(i trace.HeldImage) bool {
				return i.Of == done.Of && i.Sent >= done.Sent && i.Received >= done.Received
			}) {
			return true
		}
	}
	return false
}

// RecoverySaved: the next failure does not repeat a recovery.
var RecoverySaved = register(Property{
	Name: "recovery-saved", Kind: Monitor, Source: "[RADIC] Table 2.1, after a restart",
	Applies: protecting,
	Watched: []trace.Kind{trace.Recovered, trace.Committed, trace.Restored},
	Needs:   amongNodes + ", ends of recoveries (Recovered)",
	Doc: "a rank whose recovery is complete takes a checkpoint, which moves its recovery line, " +
		"unless it fails before",
	Memory: &Remembers[[]bool]{
		Observe: func(f *Facts, bare *[]bool, e trace.Event) string {
			if int(e.Proc) >= f.Layout.Ranks {
				return ""
			}
			if *bare == nil {
				*bare = make([]bool, f.Layout.Ranks)
			}
			(*bare)[e.Proc] = e.Kind == trace.Recovered && e.Incarnation > 0
			return ""
		},
		Settle: func(f *Facts, bare *[]bool) string {
			if i := slices.Index(*bare, true); i >= 0 {
				return fmt.Sprintf("%s has recovered and taken no checkpoint since",
					f.name(trace.Proc(i)))
			}
			return ""
		},
	},
})
