package spec

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/spec/trace"
)

const onNodes = "procs that run on nodes: Layout.Hosted (Adopted, Disowned)"

// hosting reports whether procs run on nodes that can change.
func hosting(f *Facts) bool { return f.Layout != nil && len(f.Layout.Hosted) > 0 }

const amongNodes = "procs that run on nodes which adopt by themselves (Adopted, Disowned)"

// protecting reports whether nodes find out by themselves who is to adopt whom, by watchdogs, and
// protect each other. Where policies rule that, a head places ranks, detects failures, and keeps
// account of images, so nobody has to watch, ask, or say anything about spares.
func protecting(f *Facts) bool { return hosting(f) && len(f.Policies) == 0 }

// lone reports whether fewer than two nodes are left that are no spares and never failed: then
// nobody can protect anybody.
func lone(f *Facts, v View) bool {
	n := 0
	for p := range f.procs() {
		o := v.Observed(p)
		if o.Up && o.Incarnation == 0 && !f.Layout.Hosted[p] &&
			!slices.Contains(f.Layout.Spares, p) {
			n++
		}
	}
	return hosting(f) && n < 2
}

// OneHost: nobody runs in two places.
var OneHost = register(Property{
	Name: "one-host", Kind: Always, Global: true, Source: "[RADIC] section 6.2.1, design section 4",
	Applies: func(f *Facts) bool { return hosting(f) && !f.Zombies },
	Needs:   "procs that run on nodes (Adopted, Disowned), at most one false suspicion",
	Doc: "where no node that lives is given up, a process is adopted by a node only when no " +
		"other node that is up has adopted it",
	Event: func(f *Facts, v View, e trace.Event) string {
		if e.Kind != trace.Adopted {
			return ""
		}
		for p := range f.procs() {
			if h := v.Observed(p).Holding; h != nil && p != e.Proc &&
				slices.Contains(h.Hosts, e.Peer) {
				return fmt.Sprintf("%s adopts %s, which %s has adopted", f.name(e.Proc),
					f.As(Duplicate, f.name(e.Peer)), f.name(p))
			}
		}
		return ""
	},
})

// HostsSettle: of two places one remains.
var HostsSettle = register(Property{
	Name: "hosts-settle", Kind: Final, Source: "[RADIC] Table 2.1", Applies: hosting,
	Needs: onNodes,
	Doc:   "when nothing can happen any more, no process has been adopted by two nodes that are up",
	End: func(f *Facts, v View) string {
		host := map[trace.Proc]trace.Proc{}
		for p := range f.procs() {
			h := v.Observed(p).Holding
			if h == nil {
				continue
			}
			for _, q := range h.Hosts {
				if first, twice := host[q]; twice {
					return fmt.Sprintf("%s and %s have both adopted %s, and neither gives it up",
						f.name(first), f.As(Culprit, f.name(p)), f.As(Duplicate, f.name(q)))
				}
				host[q] = p
			}
		}
		return ""
	},
})

// SpareOnce: a spare is one spare.
var SpareOnce = register(Property{
	Name: "spare-once", Kind: Always, Source: "[RADIC] section 6.2.1, design section 4",
	Applies: protecting,
	Needs:   amongNodes,
	Doc:     "a spare adopts the ranks of one node only",
	Event: func(f *Facts, v View, e trace.Event) string {
		if e.Kind != trace.Adopted || !slices.Contains(f.Layout.Spares, e.Proc) ||
			int(e.Peer) >= f.Layout.Ranks {
			return ""
		}
		h := v.Observed(e.Proc).Holding
		if h == nil {
			return ""
		}
		for _, q := range h.Hosts {
			if int(q) < f.Layout.Ranks && q != e.Peer &&
				f.Layout.Nodes[q] != f.Layout.Nodes[e.Peer] {
				return fmt.Sprintf("spare %s adopts %s although it has adopted %s of another node",
					f.name(e.Proc), f.name(e.Peer), f.name(q))
			}
		}
		return ""
	},
})

// HostedSomewhere: of no places one must be found.
var HostedSomewhere = register(Property{
	Name: "hosted-somewhere", Kind: Final, Source: "[RADIC] Table 2.1, sections 2.3.2 and 2.3.3",
	Applies: hosting,
	Needs:   onNodes,
	Doc: "when nothing can happen any more, every process that runs on nodes has been adopted by " +
		"one that is up",
	End: func(f *Facts, v View) string {
		runs := map[trace.Proc]bool{}
		for p := range f.procs() {
			if h := v.Observed(p).Holding; h != nil {
				for _, q := range h.Hosts {
					runs[q] = true
				}
			}
		}
		for p := range f.procs() {
			if f.Layout.Hosted[p] && !runs[p] {
				return f.name(p) + " runs nowhere: no node that is up has adopted it"
			}
		}
		return ""
	},
})

// SpareRoom: a spare does not take what it has no room for.
var SpareRoom = register(Property{
	Name: "spare-room", Kind: Always, Source: "[RADIC] section 6.2.1, design section 8",
	// A head that has no node with room left starts a rank on one without: a job that runs slowly
	// is better than none, and nobody is promised more (errmgr/policy, Place, whose tests are the
	// judge of that order). In RADIC the spare itself has to say no.
	Applies: func(f *Facts) bool {
		return hosting(f) && f.Layout.Room > 0 && len(f.Policies) == 0
	},
	Needs: onNodes + ", of which spares have bounded room, without Policies",
	Doc:   "a spare adopts no more ranks than it has room for",
	Event: func(f *Facts, v View, e trace.Event) string {
		h := v.Observed(e.Proc).Holding
		if e.Kind != trace.Adopted || !slices.Contains(f.Layout.Spares, e.Proc) ||
			int(e.Peer) >= f.Layout.Ranks || h == nil || slices.Contains(h.Hosts, e.Peer) {
			return ""
		}
		n := 1
		for _, q := range h.Hosts {
			if int(q) < f.Layout.Ranks {
				n++
			}
		}
		if n > f.Layout.Room {
			return fmt.Sprintf("spare %s adopts %s as its rank number %d, and it has room for %d",
				f.name(e.Proc), f.name(e.Peer), n, f.Layout.Room)
		}
		return ""
	},
})

// KeptElsewhere: what protects a rank is not where the rank is.
var KeptElsewhere = register(Property{
	Name: "kept-elsewhere", Kind: Final, Source: "[RADIC] section 2.3.3",
	Doc: "when nothing can happen any more, no rank runs on the node of the only proc that " +
		"keeps its line",
	Applies: protecting,
	Needs:   amongNodes,
	End: func(f *Facts, v View) string {
		for p := range f.procs() {
			h := v.Observed(p).Holding
			if h == nil || gaveUp(f, v) || lone(f, v) {
				continue
			}
			for _, rank := range h.Hosts {
				for _, keeper := range h.Hosts {
					if _, ok := v.Observed(keeper).Holding.Image(rank); ok {
						return fmt.Sprintf(
							"%s and %s, which keeps its line, both run on the node of %s",
							f.name(rank), f.name(keeper), f.name(p))
					}
				}
			}
		}
		return ""
	},
})

// SparesUsed: performance is given up only when there is nothing left to replace it.
var SparesUsed = register(Property{
	Name: "spares-used", Kind: Final, Depth: Thrift, Source: "[RADIC] section 2.3.3",
	Doc: "when nothing can happen any more, no rank is a guest on the node of others while a " +
		"spare that has room for it, was there from the start and never failed runs none",
	Applies: protecting,
	Needs:   amongNodes,
	End: func(f *Facts, v View) string {
		for _, s := range f.Layout.Spares {
			spare := v.Observed(s)
			if slices.Contains(f.Layout.Late, s) || !spare.Up || spare.Incarnation > 0 ||
				spare.Holding != nil && len(spare.Holding.Hosts) > 0 {
				continue
			}
			for p := range f.procs() {
				if q, ok := guest(f, v.Observed(p).Holding, p); ok {
					return fmt.Sprintf("%s runs %s beside its own ranks, and spare %s runs none",
						f.name(p), f.name(q), f.As(Expected, f.name(s)))
				}
			}
		}
		return ""
	},
})

// fits reports whether a spare has room for the ranks that a node had at the start.
func fits(f *Facts, node trace.Proc) bool {
	n := 0
	for _, q := range f.Layout.Nodes {
		if q == node {
			n++
		}
	}
	return f.Layout.Room == 0 || n <= f.Layout.Room
}

// guest is a rank that runs on a node that is no spare and was not its own at the start.
func guest(f *Facts, h *trace.Holding, node trace.Proc) (trace.Proc, bool) {
	if h == nil || slices.Contains(f.Layout.Spares, node) {
		return 0, false
	}
	for _, p := range h.Hosts {
		if int(p) < f.Layout.Ranks && f.Layout.Nodes[p] != node && fits(f, f.Layout.Nodes[p]) {
			return p, true
		}
	}
	return 0, false
}

// SparesAsked: who has come later is a spare like any other. At the end of the run nobody could
// tell whether it came in time; when a node says that no spare is left, one can. Whoever has
// entered is known to all; it refuses only when it has adopted, or has no room.
var SparesAsked = register(Property{
	Name: "spares-asked", Kind: Always, Global: true, Source: "[RADIC] sections 2.3.3 and 6.2.1",
	Applies: func(f *Facts) bool { return protecting(f) && !f.Zombies },
	Needs:   amongNodes + ", at most one false suspicion",
	Doc: "a node says that no spare is left only when no spare that has room for the ranks of " +
		"any node, was there from the start or has entered since, and never failed, runs none",
	Event: func(f *Facts, v View, e trace.Event) string {
		if e.Kind != trace.Declared || f.Layout.Kinds[e.Text] != trace.Shares {
			return ""
		}
		for _, s := range f.Layout.Spares {
			spare := v.Observed(s)
			h := spare.Holding
			late := slices.Contains(f.Layout.Late, s)
			if !spare.Up || spare.Incarnation > 0 || h == nil && late || h != nil &&
				(len(h.Hosts) > 0 || late && !says(f, h, trace.Enters)) || !roomy(f) {
				continue
			}
			return fmt.Sprintf("%s says that no spare is left, and spare %s runs none",
				f.name(e.Proc), f.As(Expected, f.name(s)))
		}
		return ""
	},
})

// says reports whether a proc has said something of itself that means that.
func says(f *Facts, h *trace.Holding, m trace.Meaning) bool {
	return slices.ContainsFunc(h.Said, func(text string) bool { return f.Layout.Kinds[text] == m })
}

// roomy reports whether a spare has room for the ranks of any node.
func roomy(f *Facts) bool {
	return !slices.ContainsFunc(f.Layout.Nodes, func(p trace.Proc) bool { return !fits(f, p) })
}
