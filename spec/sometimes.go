package spec

import (
	"slices"

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
func hostsFail(f *Facts) bool   { return hosting(f) && f.Failures }

// Recovers: a restarted rank takes part again.
var Recovers = sometimes("recovers", "in some run a rank that failed sends or receives again",
	failures, withFailures, func(f *Facts, e trace.Event) bool {
		return e.Incarnation > 0 && (e.Kind == trace.Sent || e.Kind == trace.Delivered ||
			e.Kind == trace.Finished)
	})

// ReplaysOrphan: recovery meets an orphan.
var ReplaysOrphan = sometimes("replays-orphan",
	"in some run the send of an orphan is executed again", failures, withFailures,
	func(f *Facts, e trace.Event) bool {
		return e.Kind == trace.Emitted && f.Layout.Kinds[e.Text] == trace.Replay
	})

// ResendsLog: recovery needs the message log.
var ResendsLog = sometimes("resends-log", "in some run a message is sent again from the log",
	failures, withFailures, func(f *Facts, e trace.Event) bool {
		return e.Kind == trace.Emitted && e.Again
	})

// Commits: a checkpoint completes.
var Commits = sometimes("commits", "in some run a checkpoint becomes a recovery line",
	checkpoints, withCheckpoints, happens(trace.Committed))

// Prunes: garbage collection works.
var Prunes = sometimes("prunes", "in some run a message is removed from a log",
	checkpoints, withCheckpoints, happens(trace.Pruned))

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
