package mutation

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// causal lists the mutants of causal message logging (SCMEL).
func causal() []Mutant { return slices.Concat(causalRecovery(), causalCheckpoints()) }

func inCausal(name, doc, scenario string, h habit) Mutant {
	return broken("causal", name, doc, scenario, h)
}

// causalRecovery are the mutants of determinants, logs and recovery.
func causalRecovery() []Mutant {
	m := inCausal
	return []Mutant{
		m("piggyback-none", "sends no determinants on messages", "ckpt",
			writes("App", "Dets", nothing)),
		m("piggyback-loses-last", "does not send the last determinant", "ckpt",
			writes("App", "Dets", withoutLast)),
		m("piggyback-loses-first", "does not send the first determinant", "ckpt",
			writes("App", "Dets", withoutFirst)),
		m("piggyback-rsn-ahead", "sends determinants with the next receive number", "ckpt",
			writes("App", "Dets.*.RSN", shift(1))),
		m("piggyback-ssn-ahead", "sends determinants with the next send number", "ckpt",
			writes("App", "Dets.*.SSN", shift(1))),
		m("drop-ack", "acknowledges no determinants", "causal-s11", drop("Ack")).but(Equivalent,
			"determinants travel on more messages than they must"),
		m("ack-loses-last", "does not acknowledge the last determinant", "causal-s11",
			writes("Ack", "Dets", withoutLast)).but(Equivalent,
			"the last determinant travels on more messages than it must"),
		m("ack-believed", "takes determinants that it sends for held by the receiver", "causal-s10",
			believes("App", "Ack", "Dets=Dets Inc=To To=Inc")),
		m("ack-forgets", "acknowledges determinants and forgets the message", "stream",
			forgets("App")),
		m("twice-app", "sends each message two times", "causal-unordered",
			twice("App")).but(Equivalent, "a duplicate is dropped, and its determinants are known"),
		m("late-app", "lets messages be overtaken", "chain3", late("App")).but(Equivalent,
			"messages of one rank stay in their order, and only acknowledgements overtake them"),
		m("ssn-ahead", "numbers messages one too high on the network", "causal-s11",
			writes("App", "SSN", shift(1))).but(Equivalent,
			"numbers are compared with each other alone, and all are one higher"),
		m("ssn-behind", "numbers messages one too low on the network", "stream",
			writes("App", "SSN", shift(-1))),
		m("drop-recover", "does not tell the last rank that it has failed", "stream",
			dropTo("Recover", lastRank)),
		m("drop-recover-all", "tells nobody that it has failed", "stream", drop("Recover")),
		m("drop-answer", "does not answer a failed rank", "stream", drop("Answer")),
		m("drop-answer-first", "does not answer the first rank when it has failed", "stream",
			dropTo("Answer", firstRank)),
		m("answer-none", "answers with no determinants", "race3-kept",
			writes("Answer", "Dets", nothing)),
		m("answer-loses-last", "answers without the last determinant", "race3-kept",
			writes("Answer", "Dets", withoutLast)),
		m("answer-rsn-ahead", "answers with receive numbers one too high", "ckpt",
			writes("Answer", "Dets.*.RSN", shift(1))),
		m("answer-lives-unknown", "answers without the lives of others", "causal-s11",
			writes("Answer", "Lives.*", nothing)),
		m("twice-answer", "answers two times", "race3", twice("Answer")).but(Equivalent,
			"whoever gets the second copy knows the first"),
		m("twice-recover", "says two times that it has failed", "causal-unordered",
			twice("Recover")).but(Equivalent, "whoever gets the second copy knows the first"),
		m("late-answer", "answers some time later", "causal-s11", late("Answer")).but(Equivalent,
			"nothing is sent on the channel that could overtake it and matters: it is as slow as "+
				"a network may be"),
		m("astray-answer", "answers the wrong rank", "race3-kept", astray("Answer")),
		m("drop-replay-request", "asks nobody to send the log again", "stream",
			drop("ReplayRequest")),
		m("twice-replay-request", "asks two times for the log", "causal-line",
			twice("ReplayRequest")).but(Equivalent,
			"what the log sends again is dropped as a duplicate"),
		m("drop-replay-end", "does not say that the log has been sent", "stream",
			drop("ReplayEnd")),
		m("log-loses", "loses the entry of each message that it logs", "stream",
			keeps(core.Log, "Log", withoutLast)),
		m("log-bare", "logs messages without their determinants", "causal-s11",
			keeps(core.Log, "Log.last.Dets", nothing)),
		m("log-backwards", "sends the log again in the wrong order", "stream",
			hears("ReplayRequest", "Log", backwards)),
		m("det-forgotten", "does not keep the determinants that it receives", "ckpt",
			always(true, "Dets", nothing)),
		m("det-holder-ahead", "counts one more holder of each determinant", "ckpt",
			always(true, "Dets.By.*.*.Holders", to(7))),
		m("old-address-taken", "takes what was sent to a former life for its own", "stream",
			reads("App|Ack|Mark", "To", "Inc")),
		m("old-sender-taken", "takes what a former life of a rank has sent for the present one's",
			"race3-unordered", reads("App|Ack|Mark", "Inc", "Lives.from")),
		m("old-answer-taken", "takes the answer to a former life for its own", "causal-s9",
			reads("Answer", "For", "Inc", "Round", "Round")).but(Equivalent,
			"whoever has answered a former life answers the present one, and is counted once"),
		m("old-round-taken", "takes the answer of before another failure", "causal-s14",
			reads("Answer", "Round", "Round")),
		m("collection-short", "begins again when the first answer is here", "race3-unordered",
			hears("Answer", "Answered", to(1<<62-1))),
		m("same-life", "takes the number of its former life", "stream", habit{input: sameLife}),
	}
}

// causalCheckpoints are the mutants of checkpoints and garbage collection.
func causalCheckpoints() []Mutant {
	m := inCausal
	return []Mutant{
		m("drop-mark", "sends no marks at a checkpoint", "ckpt", drop("Mark")),
		m("mark-ahead", "says that it is at the next checkpoint", "causal-line",
			writes("Mark", "Number", shift(1))).but(Equivalent,
			"where there is one checkpoint a mark of the next one says as much"),
		m("late-mark", "lets messages overtake its mark", "causal-line",
			late("Mark")).but(Equivalent, "a checkpoint is called where nothing is on its way"),
		m("drop-commit", "tells nobody of the recovery line", "ckpt", drop("Commit")),
		m("drop-prune", "tells nobody that everybody is at the recovery line", "ckpt",
			drop("Prune")),
		m("twice-saved", "says two times that its image is stable", "causal-line",
			twice("Saved")).but(Equivalent, "whoever gets the second copy knows the first"),
		m("saved-all", "takes the first image that is stable for all", "ckpt",
			hears("Saved", "Saving.Saved", to(1<<62-1))),
		m("collects-early", "prunes when the first rank has moved its line", "causal-three",
			hears("Committed", "Saving.Done", to(1<<62-1))),
		m("collects-early-rsn", "prunes one determinant more than the line covers", "ckpt",
			writes("Prune", "Line.*.RSN", shift(1))),
		m("collects-late-rsn", "prunes one determinant less than the line covers", "causal-three",
			writes("Prune", "Line.*.RSN", shift(-1))),
		m("collects-early-epoch", "prunes the messages behind the line, too", "ckpt",
			writes("Prune", "Number", shift(1))),
		m("image-unwritten", "says that its image is stable and writes none", "ckpt",
			writesNothing("image/")),
		m("image-hasty", "says that its image is stable before it is", "ckpt", hasty("image/")),
		m("image-put-off", "says that its image is stable before it writes it", "ckpt",
			putsOff("image/")),
		m("commit-unwritten", "tells of the recovery line and writes no commit record", "ckpt",
			writesNothing("commit/")),
		m("commit-hasty", "tells of the recovery line before the commit record is stable", "ckpt",
			hasty("commit/")),
		m("commit-overlooked", "finds no commit record when it starts again", "ckpt",
			overlooks("commit/")),
	}
}
