package spec

import "github.com/domino-check/domino/spec/trace"

func failures(f *Facts) bool { return f.Failures }

// Recovers: a restarted rank takes part again.
var Recovers = register(Property{
	Name: "recovers", Kind: Sometimes, Source: "guard", Applies: failures,
	Needs: "failures in the scenario",
	Doc:   "in some run a rank that failed sends or receives again",
	Event: func(f *Facts, v View, e trace.Event) string {
		if e.Incarnation > 0 && (e.Kind == trace.Sent || e.Kind == trace.Delivered ||
			e.Kind == trace.Finished) {
			return "seen"
		}
		return ""
	},
})

// ReplaysOrphan: recovery meets an orphan.
var ReplaysOrphan = register(Property{
	Name: "replays-orphan", Kind: Sometimes, Source: "guard", Applies: failures,
	Needs: "failures in the scenario",
	Doc:   "in some run the send of an orphan is executed again",
	Event: func(f *Facts, v View, e trace.Event) string {
		if e.Kind == trace.Emitted && f.Layout.Kinds[e.Text] == trace.Replay {
			return "seen"
		}
		return ""
	},
})

// ResendsLog: recovery needs the message log.
var ResendsLog = register(Property{
	Name: "resends-log", Kind: Sometimes, Source: "guard", Applies: failures,
	Needs: "failures in the scenario",
	Doc:   "in some run a message is sent again from the log",
	Event: func(f *Facts, v View, e trace.Event) string {
		if e.Kind == trace.Emitted && e.Again {
			return "seen"
		}
		return ""
	},
})

// Commits: a checkpoint completes.
var Commits = register(Property{
	Name: "commits", Kind: Sometimes, Source: "guard",
	Applies: func(f *Facts) bool { return f.Checkpoints },
	Needs:   "checkpoints in the scenario (Commit, Pruned)",
	Doc:     "in some run a checkpoint becomes a recovery line",
	Event: func(f *Facts, v View, e trace.Event) string {
		if e.Kind == trace.Committed {
			return "seen"
		}
		return ""
	},
})

// Prunes: garbage collection works.
var Prunes = register(Property{
	Name: "prunes", Kind: Sometimes, Source: "guard",
	Applies: func(f *Facts) bool { return f.Checkpoints },
	Needs:   "checkpoints in the scenario (Commit, Pruned)",
	Doc:     "in some run a message is removed from a log",
	Event: func(f *Facts, v View, e trace.Event) string {
		if e.Kind == trace.Pruned {
			return "seen"
		}
		return ""
	},
})
