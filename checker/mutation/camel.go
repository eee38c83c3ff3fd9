package mutation

import "github.com/domino-check/domino/impl/core"

// camel lists the mutants of what CAMEL adds to causal message logging.
func camel() []Mutant {
	m := func(name, doc, scenario string, h habit) Mutant { return broken("camel", name, doc, scenario, h) }
	return []Mutant{
		m("drop-multicast-last", "does not pass a multicast on to the last rank", "camel-c3", dropTo("Multicast", lastRank)),
		m("twice-multicast", "sends each multicast two times", "camel-c3", twice("Multicast")).but(Equivalent, "whoever gets the second copy knows the first"),
		m("late-multicast", "lets a multicast be overtaken", "camel-c18", late("Multicast")).but(Equivalent, "nothing is sent on the channel that could overtake it and matters: it is as slow as a network may be"),
		m("multicast-number-ahead", "numbers multicasts one too high", "camel-c3", writes("Multicast", "Number", shift(1))),
		m("multicast-ssn-ahead", "passes multicasts on with the next send number", "camel-unordered", writes("Multicast", "SSN", shift(1))),
		m("multicast-life-unknown", "does not say which life of the root sent a multicast", "camel-c18", writes("Multicast", "For", nothing)),
		m("multicast-bare", "sends no determinants on multicasts", "camel-c2", writes("Multicast", "Dets", nothing)),
		m("drop-contribution", "does not send what it has agglomerated", "camel-c9b", drop("Contribution")),
		m("twice-contribution", "sends each contribution two times", "camel-c8", twice("Contribution")).but(Equivalent, "whoever gets the second copy knows the first"),
		m("late-contribution", "lets a contribution be overtaken", "camel-c14", late("Contribution")),
		m("contribution-number-ahead", "numbers contributions one too high", "camel-c9b", writes("Contribution", "Number", shift(1))),
		m("contribution-number-behind", "numbers contributions one too low", "camel-c9b", writes("Contribution", "Number", shift(-1))),
		m("contribution-bare", "sends no determinants on contributions", "camel-c19", writes("Contribution", "Dets", nothing)),
		m("contribution-forgotten", "acknowledges a contribution and forgets it", "camel-c9b", forgets("Contribution")),
		m("drop-completed", "tells nobody that a reduction is complete", "camel-c9b", drop("Completed")),
		m("completed-ahead", "says that the next round is complete, too", "camel-rounds", writes("Completed", "Number", shift(1))),
		m("completed-behind", "says that the round before is complete", "camel-c9b", writes("Completed", "Number", shift(-1))),
		m("twice-completed", "says two times that a reduction is complete", "camel-rounds", twice("Completed")).but(Equivalent, "whoever gets the second copy knows the first"),
		m("late-completed", "says some time later that a reduction is complete", "camel-c12", late("Completed")).but(Equivalent, "what is released is released later"),
		m("drop-holding", "does not send the determinants of a contribution that is not made again", "camel-c19", drop("Holding")),
		m("answer-seedless", "does not give back what it keeps of a failed child", "camel-c8", writes("Answer", "Seeds", nothing)),
		m("answer-rounds-ahead", "answers that one more round is complete", "camel-c8", writes("Answer", "Rounds.*", shift(1))),
		m("answer-rounds-unknown", "answers that no round is complete", "camel-c8", writes("Answer", "Rounds.*", nothing)),
		m("answer-none", "answers with no determinants", "camel-c2", writes("Answer", "Dets", nothing)),
		m("log-loses-copy", "loses the copy of each multicast", "camel-c9b", keeps(core.Keep, "Log", withoutLast)),
		m("kept-loses", "the root loses the last contribution that it keeps", "camel-c8", always(true, "Groups.*.Kept", withoutLast)),
		m("passed-forgotten", "forgets what it has passed on", "camel-c2", always(true, "Groups.*.Passed", nothing)).but(Equivalent, "a multicast is passed on more often, and dropped as a duplicate"),
		m("from-forgotten", "forgets whose contributions it has had", "camel-c8", always(true, "Groups.*.From.*", nothing)),
		m("round-backwards", "agglomerates in the wrong order", "camel-c12", always(true, "Groups.*.Open.*.Parts", backwards)).but(Equivalent, "contributions are put into the order of the tree, whatever the order in which they came"),
		m("old-sender-taken", "takes what a former life of a rank has sent for the present one's", "camel-c8", reads("Multicast|Contribution", "Inc", "Lives.from")),
		m("old-address-taken", "takes what was sent to a former life for its own", "camel-c7", reads("Multicast|Contribution", "To", "Inc")),
	}
}
