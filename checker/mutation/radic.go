package mutation

// radic lists the mutants of the control plane of RADIC.
func radic() []Mutant {
	m := func(name, doc, scenario string, h habit) Mutant {
		return broken("radic-rbml", name, doc, scenario, h)
	}
	return []Mutant{
		m("drop-ask", "asks no spare", "m27", drop("Ask")),
		m("twice-ask", "asks a spare two times", "radic-rbml-spares", twice("Ask")).but(Equivalent,
			"the spare is promised to the same protector"),
		m("drop-answer", "does not answer a protector", "m27", drop("Answer")),
		m("answer-yes", "answers yes whatever it is promised", "m26",
			writes("Answer", "Yes", to(1))).but(Equivalent,
			"a spare refuses what is handed over by others than the one it is reserved for"),
		m("answer-no", "answers no although it is free", "m27", writes("Answer", "Yes", to(0))),
		m("drop-transfer", "hands over no ranks", "radic-rbml-rejoin", drop("Transfer")),
		m("twice-transfer", "hands over ranks two times", "radic-rbml-spares",
			twice("Transfer")).but(Equivalent, "a rank is adopted once"),
		m("late-transfer", "hands over ranks some time later", "radic-rbml-spares",
			late("Transfer")).but(Equivalent,
			"nothing is sent on the channel that could overtake it and matters: it is as slow as "+
				"a network may be"),
		m("astray-transfer", "hands over ranks to the wrong node", "radic-rbml-rejoin",
			astray("Transfer")),
		m("transfer-loses", "hands over all ranks but the last", "radic-rbml-rejoin",
			writes("Transfer", "Rows", withoutLast)),
		m("drop-adopted", "does not say that it has adopted", "radic-rbml-settled",
			drop("Adopted")),
		m("adopted-no", "says that it has not adopted, although it has", "radic-rbml-insertion",
			writes("Adopted", "Yes", to(0))),
		m("twice-adopted", "says two times that it has adopted", "radic-rbml-spares",
			twice("Adopted")).but(Equivalent, "whoever gets the second copy knows the first"),
		m("drop-census", "asks nobody what it hosts", "m27", drop("Census")),
		m("drop-present", "does not say what it hosts", "m27", drop("Present")),
		m("present-loses", "does not name the last process that it hosts", "m34",
			writes("Present", "Rows", withoutLast)),
		m("dead-unknown", "does not say who is dead", "m34",
			writes("Ask|Transfer|Census", "Dead", nothing)),
		m("waiting-forgotten", "forgets who waits for its answer", "m26",
			always(false, "Spare.Waiting", nothing)),
		m("reserved-forgotten", "forgets to whom it is promised", "m27",
			always(false, "Spare.Reserved", nothing)),
		m("refused-forgotten", "forgets whose messages come too late", "m26",
			always(false, "Refused", nothing)).but(Equivalent,
			"the nodes that are to be refused have been heard to be dead"),
		m("dead-forgotten", "forgets which nodes it has given up", "radic-rbml-rejoin",
			always(false, "Dead", nothing)),
	}
}

// services lists the mutants of the two examples outside recovery.
func services() []Mutant {
	tp := func(name, doc, scenario string, h habit) Mutant {
		return broken("two-phase", name, doc, scenario, h)
	}
	px := func(name, doc, scenario string, h habit) Mutant {
		return broken("paxos", name, doc, scenario, h)
	}
	return []Mutant{
		tp("abort-as-commit", "the manager tells the others to commit when it aborts",
			"two-phase-hasty", writes("Abort", "Kind", to(1))),
		tp("votes-all", "the manager takes the first that has prepared for all", "two-phase-hasty",
			hears("Prepared", "Prepared", to(127))),
		tp("vote-forgotten", "the manager forgets who has prepared", "two-phase-hasty",
			forgets("Prepared")).but(Vacuous, "nothing is ever committed"),
		tp("twice-prepared", "says two times that it has prepared", "two-phase-hasty",
			twice("Prepared")).but(Equivalent, "the network is a set"),
		tp("drop-commit", "the manager tells nobody that the transaction is committed",
			"two-phase-hasty", drop("Commit")),
		px("promise-bare", "promises without what it has accepted", "paxos",
			writes("Promise", "Acceptance", nothing)),
		px("promise-forgotten", "promises and forgets it", "paxos", forgets("Prepare")),
		px("accepted-forgotten", "says that it has accepted and forgets it", "paxos",
			forgets("Accept")),
		px("twice-accepted", "says two times that it has accepted", "paxos",
			twice("Accepted")).but(Equivalent, "a server counts once"),
		px("old-promise-taken", "takes a promise of an old ballot for one of its own", "paxos",
			reads("Promise", "Ballot", "Ballot")),
		px("old-accepted-taken", "takes a vote of an old ballot for one of its own", "paxos",
			reads("Accepted", "Ballot", "Ballot")).but(Within,
			"votes for an older ballot of the leader count; a quorum has accepted, so the "+
				"decision stands, and more runs come to one"),
		px("old-accept-taken", "accepts in an old ballot as if it were the newest", "paxos",
			reads("Accept", "Acceptance.Ballot", "Ballot")),
		px("quorum-short", "counts its client as a vote", "paxos",
			hears("Promise", "Votes", to(1<<62))),
		px("ballot-equal", "prepares with the ballot before", "paxos",
			writes("Prepare", "Ballot.Round", shift(-1))).but(Vacuous,
			"a ballot that is not newer is promised by nobody, so nothing is decided"),
		px("drop-decided", "tells no other server what is decided", "paxos", drop("Decided")),
	}
}
