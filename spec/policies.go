package spec

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// PolicyClaimsOnce: one answers, and answers for what it has claimed.
var PolicyClaimsOnce = register(Property{
	Name: "policy-claims-once", Kind: Always, Source: "[ErrMgr] section III; P6",
	Applies: governed,
	Needs:   byPolicies,
	Doc: "while a policy owns a failure no other one is asked about it or claims it, and only " +
		"the owner completes",
	Event: func(f *Facts, v View, e trace.Event) string {
		if e.Kind != trace.Ruled {
			return ""
		}
		word, name := trace.RuleOf(e.Text)
		owner := rulingOf(v, e.Proc).Owner
		switch {
		case (word == trace.RuleOffered || word == trace.RuleClaimed) && owner != "":
			return fmt.Sprintf("episode %s is %s %s while %s owns a failure",
				trace.Episode(e.Stamp.Round), word, name, owner)
		case word == trace.RuleCompleted && name != owner:
			return fmt.Sprintf("%s completes what it does not own in episode %s", name,
				trace.Episode(e.Stamp.Round))
		}
		return ""
	},
})

// PolicyOrder: a policy is reached through those above it. Predictions are offered in the same
// order, but nobody gives the job up for one.
var PolicyOrder = register(Property{
	Name: "policy-order", Kind: Always, Source: "[ErrMgr] section III; P7",
	Applies: governed,
	Needs:   byPolicies,
	Doc: "each failure is offered to the policies in their order, from the first, after the " +
		"runtime is repaired, and to the next one when the one before has declined or failed; " +
		"who claims was asked; the job is given up by its policy alone, and never for a prediction",
	Event: func(f *Facts, v View, e trace.Event) string {
		if e.Kind != trace.Ruled {
			return ""
		}
		r := rulingOf(v, e.Proc)
		word, name := trace.RuleOf(e.Text)
		answer, place := f.AnswerOf(name)
		_, last := f.AnswerOf(r.Asked)
		switch word {
		case trace.RuleOffered:
			switch {
			case place < 0:
				return fmt.Sprintf("%s is asked, which is no policy of this job", name)
			case !r.Forecast && !r.Stable:
				return fmt.Sprintf("%s is asked before the runtime is repaired", name)
			case place != last+1 || last >= 0 && !r.Answered:
				return fmt.Sprintf("%s is asked after %q, answered: %t", name, r.Asked, r.Answered)
			}
		case trace.RuleObserved, trace.RuleDeferred, trace.RuleClaimed:
			switch {
			case r.Asked == name && !r.Answered || r.Forecast && place == last+1:
			default:
				return fmt.Sprintf("%s has %s and was not asked", name, word)
			}
			if word == trace.RuleClaimed && answer == promise.GivesUp && r.Forecast {
				return "the job is given up for a prediction"
			}
		case trace.RuleAborted:
			owner, _ := f.AnswerOf(r.Owner)
			// a head that restarts repeats what its record says
			again := v.Observed(e.Proc).Incarnation > 0 && r.Episode == 0
			if owner != promise.GivesUp && !r.Aborted && !again {
				return fmt.Sprintf("the job is given up, and %q owns the failure", r.Owner)
			}
		}
		return ""
	},
})

// AbortLast: giving up is no recovery. It is judged where a policy would restore all ranks, which
// needs a snapshot and a node, and nothing else; a node that has been away may not be known.
var AbortLast = register(Property{
	Name: "abort-last", Kind: Always, Global: true, Depth: Progress,
	Source:  "[ErrMgr] section III; P13",
	Applies: func(f *Facts) bool { return governed(f) && f.Has(promise.RestoresAll) && !f.Damaged },
	Needs: byPolicies + ", one of which restores all ranks; and nothing that is stable is lost " +
		"or spoiled",
	Doc: "the job is given up only when no snapshot that is established can be read, or no node " +
		"with room for its ranks is up",
	Event: func(f *Facts, v View, e trace.Event) string {
		word, name := trace.RuleOf(e.Text)
		answer, _ := f.AnswerOf(name)
		if e.Kind != trace.Ruled || word != trace.RuleClaimed || answer != promise.GivesUp {
			return ""
		}
		s, ok := f.readable(v, noSnap, noFile)
		up := 0
		for p := range f.procs() {
			o := v.Observed(p)
			if f.isNode(p) && o.Up && o.Incarnation == 0 &&
				!slices.Contains(rulingOf(v, e.Proc).Drained, p) {
				up++
			}
		}
		if !ok || f.storeDown(v) || up == 0 || f.Layout.Room > 0 &&
			up*f.Layout.Room < f.Layout.Ranks {
			return ""
		}
		return fmt.Sprintf("the job is given up, although %s can be read and %d nodes are up",
			snapName(s), up)
	},
})

// AbortFinal: what is given up stays so.
var AbortFinal = register(Property{
	Name: "abort-final", Kind: Always, Global: true, Source: "[ErrMgr] section III; P15",
	Applies: governed,
	Needs:   byPolicies,
	Doc: "when the job has been given up nobody starts, restores or releases a rank, and no " +
		"policy claims anything",
	Event: func(f *Facts, v View, e trace.Event) string {
		what := ""
		word, _ := trace.RuleOf(e.Text)
		switch {
		case e.Kind == trace.Adopted && int(e.Peer) < f.Layout.Ranks:
			what = "starts " + f.name(e.Peer)
		case e.Kind == trace.Snapped && (e.Text == trace.SnapRestored ||
			e.Text == trace.SnapMoved || e.Text == trace.SnapSelected):
			what = "has " + e.Text + " " + snapName(e.Snap())
		case e.Kind == trace.Ruled && (word == trace.RuleReleased || word == trace.RuleResumed ||
			word == trace.RuleContinued || word == trace.RuleClaimed ||
			word == trace.RuleMigrating):
			what = "has " + e.Text
		}
		if what == "" || !aborted(f, v) {
			return ""
		}
		return fmt.Sprintf("%s %s, and the job has been given up", f.name(e.Proc), what)
	},
})

// ReportIdempotence: a report is about a life. That a proc is up again has nothing to do with the
// life before, whoever reports that late or twice. What an episode is about already it may be about
// further on: the next one is about all that it was about.
var ReportIdempotence = register(Property{
	Name: "report-idempotence", Kind: Always, Global: true, Source: "P8",
	Applies: func(f *Facts) bool { return governed(f) && !f.Suspected },
	Needs:   byPolicies + ", and nobody is suspected falsely",
	Doc: "an episode is opened about a proc only when it is down, or when it was being started " +
		"again: no report of a life that is over, and no second one, opens anything",
	Event: func(f *Facts, v View, e trace.Event) string {
		if e.Kind != trace.Ruled || e.Text != trace.RuleOpened {
			return ""
		}
		r, o := rulingOf(v, e.Proc), v.Observed(e.Peer)
		// Of whom it has stopped itself, to start them again, the head does not know whether they
		// are up yet: in an episode that is overtaken, in a migration, or in a former life.
		known := r.Open && slices.Contains(r.Group, e.Peer) || r.Restarts ||
			slices.Contains(r.Moving, e.Peer) || v.Observed(e.Proc).Incarnation > 0 && !r.Over
		// a node may come back before its failure is heard of, nobody has to start it
		if !o.Up || known || f.isNode(e.Peer) && o.Incarnation > 0 {
			return ""
		}
		return fmt.Sprintf("episode %s is opened about %s, which is up",
			trace.Episode(e.Stamp.Round), f.name(e.Peer))
	},
})

// EpisodesEnd: nobody waits for a ruling for ever. That programs end is for terminates.
var EpisodesEnd = register(Property{
	Name: "episodes-end", Kind: Final, Depth: Progress, Source: "P6, P13",
	Applies: governed,
	Needs:   byPolicies,
	Doc: "when nothing can happen any more, every failure is answered by the policy that owns " +
		"it, and no rank stands still; or the job is given up, and no rank is up",
	End: func(f *Facts, v View) (broken string) {
		given := aborted(f, v)
		for r := range f.ranks() {
			switch o := v.Observed(r.Proc()); {
			case given && o.Up:
				return f.name(r.Proc()) + " is up, and the job has been given up"
			case !given && o.Up && rulingOf(v, r.Proc()).Paused:
				return f.name(r.Proc()) + " stands still for good"
			}
		}
		if given {
			return ""
		}
		f.rulings(v, func(p trace.Proc, r *trace.Ruling) bool {
			switch {
			case r.Owner != "":
				broken = fmt.Sprintf("%s owns a failure in episode %d and never completes", r.Owner,
					r.Episode)
			case r.Open:
				broken = fmt.Sprintf("episode %s of %s never ends", trace.Episode(r.Episode),
					f.name(p))
			}
			return broken != ""
		})
		return broken
	},
})
