package spec

import (
	"slices"

	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// sometimes is a guard: a property that a run shows by one event, so that what others say is not
// vacuous.
func sometimes(name, doc string, applies func(*Facts) bool, needs string,
	shows func(f *Facts, e trace.Event) bool) Property {
	return register(Property{Name: name, Kind: Sometimes, Source: "guard", Doc: doc,
		Applies: applies, Needs: needs,
		Event: func(f *Facts, _ View, e trace.Event) string {
			if shows(f, e) {
				return "seen"
			}
			return ""
		}})
}

// happens is what shows a guard that one kind of event is enough for.
func happens(kind trace.Kind) func(*Facts, trace.Event) bool {
	return func(_ *Facts, e trace.Event) bool { return e.Kind == kind }
}

// What guards need.
const (
	withFailures    = "failures in the scenario"
	withCheckpoints = "checkpoints in the scenario (Commit, Pruned)"
	nodesFail       = "procs that run on nodes (Adopted, Declared), and failures in the scenario"
)

func failures(f *Facts) bool    { return f.Failures }
func checkpoints(f *Facts) bool { return f.Checkpoints }

// where all ranks go back there are no orphans, and where no rank goes back alone nobody sends
// again
func orphans(f *Facts) bool { return f.Failures && !governed(f) }
func resends(f *Facts) bool {
	return f.Failures && (!governed(f) || f.Has(promise.RestoresFailed))
}
func hostsFail(f *Facts) bool { return protecting(f) && f.Failures }

// Recovers: a restarted rank takes part again.
var Recovers = sometimes("recovers", "in some run a rank that failed sends or receives again",
	failures, withFailures, func(f *Facts, e trace.Event) bool {
		return e.Incarnation > 0 && (e.Kind == trace.Sent || e.Kind == trace.Delivered ||
			e.Kind == trace.Finished)
	})

// ReplaysOrphan: recovery meets an orphan.
var ReplaysOrphan = sometimes("replays-orphan",
	"in some run the send of an orphan is executed again", orphans, withFailures,
	func(f *Facts, e trace.Event) bool {
		return e.Kind == trace.Emitted && f.Layout.Kinds[e.Text] == trace.Replay
	})

// ResendsLog: recovery needs the message log.
var ResendsLog = sometimes("resends-log", "in some run a message is sent again from the log",
	resends, withFailures, func(f *Facts, e trace.Event) bool {
		return e.Kind == trace.Emitted && e.Again
	})

// Commits: a checkpoint completes.
var Commits = sometimes("commits", "in some run a checkpoint becomes a recovery line",
	checkpoints, withCheckpoints, func(_ *Facts, e trace.Event) bool {
		return e.Kind == trace.Committed || e.Kind == trace.Snapped &&
			e.Text == trace.SnapEstablished
	})

// Prunes: garbage collection works.
var Prunes = sometimes("prunes", "in some run a message is removed from a log",
	func(f *Facts) bool {
		return f.Checkpoints && (!governed(f) || f.Has(promise.RestoresFailed))
	}, withCheckpoints, happens(trace.Pruned))

// Unrecoverable: the typed answer to a loss of all copies.
var Unrecoverable = sometimes("unrecoverable",
	"in some run a rank and everybody who kept its image fail together, and it says so",
	func(f *Facts) bool { return f.KeepsLines && f.Failures },
	"KeepsLines, and failures in the scenario (Halted)", happens(trace.Halted))

// Degrades: the fallback happens.
var Degrades = sometimes("degrades", "in some run a node declares that it gives up something, "+
	"because no spare or no other node is left", hostsFail, nodesFail,
	func(f *Facts, e trace.Event) bool {
		m := f.Layout.Kinds[e.Text]
		return e.Kind == trace.Declared && m != trace.Enters && m != trace.Leaves
	})

// Searches: somebody looks for a rank that has moved.
var Searches = sometimes("searches", "in some run a rank that has moved is looked for",
	hostsFail, nodesFail, func(f *Facts, e trace.Event) bool {
		return e.Kind == trace.Emitted && f.Layout.Kinds[e.Text] == trace.Question
	})

// decides is a guard: in some run the decision is made.
func decides(decision string) Property {
	return sometimes("decides-"+decision, "in some run somebody decides to "+decision,
		func(f *Facts) bool { return slices.Contains(f.Decisions, decision) },
		"Decisions with this one in it (Decide)", func(f *Facts, e trace.Event) bool {
			return e.Kind == trace.Decided && e.Text == decision
		})
}

// DecidesCommit and DecidesAbort: both outcomes of a transaction occur.
var (
	DecidesCommit = decides("commit")
	DecidesAbort  = decides("abort")
)

// ruled is a guard: in some run a policy with the answer brings a failure to the given step.
func ruled(name, doc, word string, answers promise.Answer) Property {
	return sometimes(name, doc, func(f *Facts) bool {
		// a job that can go back to a snapshot is given up only by mistake
		mistake := answers == promise.GivesUp && f.Has(promise.RestoresAll)
		predicted := answers == promise.Moves // which needs no failures
		return declaresRulings(f) && (f.Failures || predicted) && f.Has(answers) && !mistake
	}, byPolicies+", one of which does that, and failures in the scenario, or predictions",
		func(f *Facts, e trace.Event) bool {
			said, policy := trace.RuleOf(e.Text)
			answer, _ := f.AnswerOf(policy)
			return e.Kind == trace.Ruled && said == word && answer == answers
		})
}

// The answers of policies come to their ends.
var (
	RestoresAll = ruled("restores-all", "in some run all ranks go back to a snapshot, and go on",
		trace.RuleCompleted, promise.RestoresAll)
	RestoresFailed = ruled("restores-failed", "in some run failed ranks alone go back to a "+
		"snapshot, and catch up", trace.RuleCompleted, promise.RestoresFailed)
	RunsThrough = ruled("runs-through", "in some run the job goes on without failed ranks",
		trace.RuleCompleted, promise.RunsThrough)
	MovesAway = ruled("moves-away", "in some run ranks leave a node before it fails",
		trace.RuleCompleted, promise.Moves)
	GivesUpJob = ruled("gives-up-job", "in some run no policy is left but to give the job up",
		trace.RuleClaimed, promise.GivesUp)
)
