package spec

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/spec/order"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// OneBody: a rank is in one place. That no node starts what another one has adopted is one-host;
// here it counts who is up, wherever that is.
var OneBody = register(Property{
	Name: "one-body", Kind: Always, Global: true, Source: "[ErrMgr] section V; P9",
	Applies: governed,
	Needs:   byPolicies + ", of ranks that nodes start (Adopted)",
	Doc: "a rank is started only when no body of it is up, and released only where it does not " +
		"run at another node that is up",
	Event: func(f *Facts, v View, e trace.Event) string {
		if int(e.Peer) >= f.Layout.Ranks {
			return ""
		}
		switch {
		// at its own start a node says who is there, and has started nobody
		case e.Kind == trace.Adopted && e.Digest != 0 && v.Observed(e.Peer).Up:
			return fmt.Sprintf("%s starts %s, which is up", f.name(e.Proc),
				f.As(Duplicate, f.name(e.Peer)))
		case e.Kind == trace.Ruled && e.Text == trace.RuleReleased:
			if p := f.home(v, e.Peer); p != e.Proc && f.isNode(p) && v.Observed(p).Up {
				return fmt.Sprintf("%s releases %s, which runs at %s", f.name(e.Proc),
					f.name(e.Peer), f.name(p))
			}
		}
		return ""
	},
})

// FencedOut: nothing of a past that was given up is received. Where the failed ranks alone go back
// that is not so: what they sent before they failed may come first, and is the same. Without
// policies it is not so, either: who has not heard of a failure yet receives what was sent before
// it, and goes back when it hears (Undo.Orphans, orphans-end).
var FencedOut = register(Property{
	Name: "fenced-out", Kind: Always, Global: true, Source: "[ErrMgr] section V; P9",
	Applies: func(f *Facts) bool {
		return governed(f) && f.RollsBack == promise.All && !f.Has(promise.RestoresFailed)
	},
	Needs: byPolicies + ", none of which restores failed ranks alone",
	Doc: "a message is received only when its sender, if that is up, has sent it in the past " +
		"that has survived",
	Event: func(f *Facts, v View, e trace.Event) string {
		if e.Kind != trace.Delivered {
			return ""
		}
		for _, id := range order.Sends(f.Layout, e.ID) {
			if h := v.Observed(id.From.Proc()).History; h != nil && h.Sent < id.Number {
				return fmt.Sprintf("%s receives %s, which %s has not sent since it went back",
					f.name(e.Proc), f.label(id), f.As(Missing, f.name(id.From.Proc())))
			}
		}
		return ""
	},
})

// BystandersUntouched: who stands still for somebody else's move, or for a snapshot, is afterwards
// what it was before.
var BystandersUntouched = register(Property{
	Name: "bystanders-untouched", Kind: Always, Source: "[ErrMgr] section V-B; P11",
	Applies: governed,
	Needs:   byPolicies,
	Doc:     "a rank that stands still neither sends nor receives nor ends before it goes on",
	Event: func(f *Facts, v View, e trace.Event) string {
		switch e.Kind {
		case trace.Sent, trace.Delivered, trace.Finished:
			if rulingOf(v, e.Proc).Paused {
				return fmt.Sprintf("%s has %s something, and stands still", f.name(e.Proc), e.Kind)
			}
		}
		return ""
	},
})

// NoResidue: what is left of a node may be switched off. It remembers the nodes that are drained;
// one that is started again is a new one. That no snapshot needs its files is never-lose-the-last,
// and that a job goes on when it is switched off is terminates, in the runs in which it crashes.
var NoResidue = register(Property{
	Name: "no-residue", Kind: Monitor, Source: "[ErrMgr] section V-B; P10",
	Applies: func(f *Facts) bool { return governed(f) && f.Has(promise.Moves) },
	Needs:   byPolicies + ", one of which moves ranks",
	Watched: []trace.Kind{trace.Ruled, trace.Emitted, trace.Adopted, trace.Restored},
	Doc: "when a node is drained nobody sends anything to it any more, it starts no rank, and " +
		"no episode is about it",
	Memory: &Remembers[[]trace.Proc]{Observe: func(f *Facts, drained *[]trace.Proc,
		e trace.Event) string {
		is := func(p trace.Proc) bool { return slices.Contains(*drained, p) }
		switch {
		case e.Kind == trace.Restored:
			*drained = slices.DeleteFunc(*drained, func(p trace.Proc) bool { return p == e.Proc })
		case e.Kind == trace.Ruled && e.Text == trace.RuleDrained && !is(e.Peer):
			*drained = append(*drained, e.Peer)
			slices.Sort(*drained)
		case e.Kind == trace.Ruled && e.Text == trace.RuleOpened && is(e.Peer):
			return fmt.Sprintf("episode %s is about %s, which nothing needs any more",
				trace.Episode(e.Stamp.Round), f.name(e.Peer))
		case e.Kind == trace.Emitted && is(e.Peer):
			return fmt.Sprintf("%s sends %s to %s, which nothing needs any more", f.name(e.Proc),
				e.Text, f.name(e.Peer))
		case e.Kind == trace.Adopted && is(e.Proc):
			return fmt.Sprintf("%s starts %s, and nothing needs that node any more",
				f.name(e.Proc), f.name(e.Peer))
		}
		return ""
	}},
})

// OperationsEndOnce: an error is an answer like any other, and the last one. That each operation
// ends at all is for terminates.
var OperationsEndOnce = register(Property{
	Name: "operations-end-once", Kind: Always, Global: true, Source: "[ErrMgr] section V-C; P12",
	Applies: func(f *Facts) bool { return governed(f) && runsThrough(f) },
	Needs:   byPolicies + ", one of which runs through a failure (Ruled)",
	Doc: "a rank is told that a peer is gone for good only when a policy that runs through has " +
		"claimed the failure; an operation ends in an error only after the rank was told, and " +
		"nothing is received from a peer after a receive from it has ended in one",
	Event: func(f *Facts, v View, e trace.Event) string {
		r := rulingOf(v, e.Proc)
		word, about := trace.RuleOf(e.Text)
		switch {
		case e.Kind == trace.Ruled && word == trace.RuleSustained && f.untold(v, e):
			return fmt.Sprintf("%s is told in episode %d that %s is gone, and nobody has claimed "+
				"that the job runs on", f.name(e.Proc), e.Stamp.Round, f.name(e.Peer))
		case e.Kind == trace.Ruled && (word == trace.OpError || word == trace.OpFatal) &&
			!slices.Contains(r.Gone, e.Peer):
			return fmt.Sprintf("%s at %s, and the rank was not told that %s is gone", about,
				f.name(e.Proc), f.name(e.Peer))
		// what it has sent to a group is not what a receive that names it takes
		case e.Kind == trace.Delivered && !f.collective(e.ID) &&
			slices.Contains(r.Refused, e.ID.From.Proc()):
			return fmt.Sprintf("%s receives %s after a receive from %s has ended in an error",
				f.name(e.Proc), f.label(e.ID), f.name(e.ID.From.Proc()))
		}
		return ""
	},
})

// untold reports whether a rank is told of a death in the episode in which the head is, and the
// head has not ruled that the job runs on. Who has restarted only repeats what its image knows.
func (f *Facts) untold(v View, e trace.Event) bool {
	self := v.Observed(e.Proc).History
	return e.Proc < trace.Proc(f.ranks()) && self != nil && !self.Recovering &&
		f.rulings(v, func(_ trace.Proc, r *trace.Ruling) bool {
			answer, _ := f.AnswerOf(r.Owner)
			return r.Open && r.Episode == e.Stamp.Round && answer != promise.RunsThrough &&
				!slices.Contains(r.Gone, e.Peer)
		})
}
