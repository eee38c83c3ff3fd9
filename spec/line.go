package spec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/domino-check/domino/spec/order"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// LineConsistent: ranks that restart together restart from one consistent cut.
var LineConsistent = register(Property{
	Name: "line-consistent", Kind: Always, Global: true, Source: "[HydEE] Lemma 2",
	Doc: "the recovery line of a cluster, or of ranks that stop together where nothing is " +
		"replayed, has no orphan: what a member has received from another, the other has sent",
	// With policies a rank may restart alone, and again, so two that are in their second life need
	// not have restarted together; those that have are compared by cut-consistent.
	Applies: func(f *Facts) bool { return !governed(f) },
	Needs:   "no policies that rule who restarts",
	Event: func(f *Facts, v View, e trace.Event) string {
		self := v.Observed(e.Proc)
		if e.Kind != lineReached(f) || self.History == nil {
			return ""
		}
		for r := range f.ranks() {
			mate := v.Observed(r.Proc())
			if r.Proc() == e.Proc || !f.mates(r.Proc(), e.Proc) || mate.History == nil ||
				mate.Incarnation != self.Incarnation {
				continue
			}
			if f.Fetches && (mate.Holding == nil || !mate.Holding.Resumed) {
				// it waits for its image; when that is here, it will be compared with this one
				continue
			}
			if m := order.Orphan(f.Layout, self.History, r, mate.History); !m.IsZero() {
				return lineMessage(f, e.Proc, m)
			}
			if m := order.Orphan(f.Layout, mate.History, trace.Rank(e.Proc),
				self.History); !m.IsZero() {
				return lineMessage(f, r.Proc(), m)
			}
		}
		return ""
	},
})

// mates reports whether two ranks restart from one line: those of a cluster and, where nothing is
// ever replayed, those that stop together.
func (f *Facts) mates(p, q trace.Proc) bool {
	return f.Layout.SameCluster(p, q) ||
		f.Needs == promise.NoDeterminism && slices.Contains(f.Layout.Groups[p], q)
}

// lineReached is the event after which a restarted rank is at its recovery line.
func lineReached(f *Facts) trace.Kind {
	if f.Fetches {
		return trace.Resumed
	}
	return trace.Restored
}

func lineMessage(f *Facts, receiver trace.Proc, m trace.MsgID) string {
	return fmt.Sprintf(
		"the recovery line is not consistent: %s has received %s, which %s has not sent",
		f.name(receiver), f.label(m), f.As(Missing, f.name(m.From.Proc())))
}

// LineSettles: the members of a cluster come to one recovery line.
var LineSettles = register(Property{
	Name: "line-settles", Kind: Final, Source: "[HydEE] section III-A",
	Doc: "when nothing can happen any more, the recovery lines that the members of a cluster " +
		"have declared have no orphan between them",
	Applies: func(f *Facts) bool {
		return f.Checkpoints && f.RollsBack <= promise.Cluster && !f.Fetches
	},
	Needs: "checkpoints in the scenario (Commit), RollsBack no more than the failed clusters, " +
		"images that are not fetched",
	End: func(f *Facts, v View) string {
		for r := range f.ranks() {
			for q := range f.ranks() {
				if r == q || !f.Layout.SameCluster(r.Proc(), q.Proc()) {
					continue
				}
				if m := order.Orphan(f.Layout, lineOf(v, r), q, lineOf(v, q)); !m.IsZero() {
					return lineMessage(f, r.Proc(), m)
				}
			}
		}
		return ""
	},
})

// lineOf is the recovery line that a rank has declared.
func lineOf(v View, r trace.Rank) *trace.History {
	if line := v.Observed(r.Proc()).Line; line != nil {
		return line
	}
	return new(trace.History)
}

// LineProgress: recovery lines only advance, and a restart uses the last one.
var LineProgress = register(Property{
	Name: "line-progress", Kind: Always, Global: true, Source: "[HydEE-fr] Tableau 2",
	Doc: "a committed recovery line never moves back, and no restart goes behind it",
	// Snapshots of the whole job may be found bad when they are read: newest-snapshot knows which
	// one it is that all go back to.
	Applies: func(f *Facts) bool { return !snapshots(f) },
	Needs:   "no snapshots of the whole job",
	Event: func(f *Facts, v View, e trace.Event) string {
		line := v.Observed(e.Proc).Line
		if line == nil || e.Kind != trace.Committed && e.Kind != trace.Resumed &&
			e.Kind != lineReached(f) {
			return ""
		}
		if e.Sent < line.Sent || int(e.Received) < len(line.Delivered) {
			return fmt.Sprintf(
				"%s is %s at %d sent and %d delivered, behind its recovery line at %d and %d",
				f.name(e.Proc), e.Kind, e.Sent, e.Received, line.Sent, len(line.Delivered))
		}
		return ""
	},
})

// Contained: only who is in a failed cluster rolls back.
var Contained = register(Property{
	Name: "contained", Kind: Always, Global: true, Source: "[HydEE] section III-A",
	Doc: "a rank rolls back only when its own cluster has failed, or while it recovers itself " +
		"where the end of that is declared, and takes an image for its state only after a restart",
	Applies: func(f *Facts) bool { return f.RollsBack <= promise.Cluster },
	Needs:   "RollsBack no more than the failed clusters",
	Event: func(f *Facts, v View, e trace.Event) string {
		if e.Kind == trace.Resumed && e.Incarnation == 0 {
			return fmt.Sprintf("%s goes back to an image although it has not failed",
				f.name(e.Proc))
		}
		if e.Kind != trace.Crashed || e.Text != "rollback" {
			return ""
		}
		self := v.Observed(e.Proc)
		// such protocols declare the end of each recovery
		if f.Holders && self.History != nil && self.History.Recovering {
			return ""
		}
		for r := range f.ranks() {
			mate := v.Observed(r.Proc())
			if r.Proc() != e.Proc && f.Layout.SameCluster(r.Proc(), e.Proc) &&
				(!mate.Up || mate.Incarnation > self.Incarnation) {
				return ""
			}
		}
		return fmt.Sprintf("%s rolls back although its cluster has not failed", f.name(e.Proc))
	},
})

// PruneSafe: garbage collection keeps what a restart can need.
var PruneSafe = register(Property{
	Name: "prune-safe", Kind: Always, Global: true, Source: "[HydEE] section III-E",
	Doc: "a message leaves a log only when the recovery line of its receiver holds its delivery " +
		"or the message itself, or another log has it",
	Event: func(f *Facts, v View, e trace.Event) string {
		if e.Kind != trace.Pruned {
			return ""
		}
		if f.Layout.Holdings && heldElsewhere(f, v, e) {
			return ""
		}
		if line := v.Observed(e.Peer).Line; line == nil ||
			!line.Received(e.ID) && !line.Waits(e.Peer, e.ID) {
			return fmt.Sprintf("%s removes %s from its log, but %s would need it after a failure",
				f.name(e.Proc), f.label(e.ID), f.name(e.Peer))
		}
		return ""
	},
})

// heldElsewhere reports whether a message that leaves one log is in another or in an image, or
// whether nobody who is up keeps a line of its receiver: then that must save itself anew, or is
// lost, in any case.
func heldElsewhere(f *Facts, v View, e trace.Event) bool {
	for p := range f.procs() {
		if c, ok := v.Observed(p).Holding.Copy(e.ID, e.Peer); ok && (c.Covered || p != e.Proc) {
			return true
		}
	}
	return coveredBy(f, v, e.ID, e.Peer, v.Observed(e.Peer)) ||
		f.KeepsLines && !lineKept(f, v, e.Peer)
}

// StableOnly: stable storage holds what the protocol says and nothing else.
var StableOnly = register(Property{
	Name: "stable-only", Kind: Always, Depth: Thrift, Source: "[HydEE] section III",
	Doc: "only the declared records are stable, so no determinant is; between checkpoints " +
		"nothing is written",
	Applies: func(f *Facts) bool { return f.StableKeys != nil },
	Needs:   "StableKeys (Persist)",
	Event: func(f *Facts, v View, e trace.Event) string {
		if e.Kind != trace.Stored {
			return ""
		}
		for _, prefix := range f.StableKeys {
			if strings.HasPrefix(e.Text, prefix) {
				return ""
			}
		}
		return fmt.Sprintf("%s makes %s stable, which the protocol does not declare",
			f.name(e.Proc), e.Text)
	},
})

// LogScope: only messages between clusters cost memory.
var LogScope = register(Property{
	Name: "log-scope", Kind: Always, Depth: Thrift, Source: "[HydEE] Alg. 1 l. 7",
	Doc:     "only messages between clusters are logged",
	Applies: func(f *Facts) bool { return f.LogsOutside },
	Needs:   "LogsOutside (Logged)",
	Event: func(f *Facts, v View, e trace.Event) string {
		if e.Kind == trace.Logged && f.Layout.SameCluster(e.Proc, e.Peer) {
			return fmt.Sprintf("%s logs %s for %s of its own cluster", f.name(e.Proc),
				f.label(e.ID), f.name(e.Peer))
		}
		return ""
	},
})
