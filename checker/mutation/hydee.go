package mutation

import (
	"math"
	"reflect"
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// hydee lists the mutants of HydEE.
func hydee() []Mutant { return slices.Concat(hydeeMessages(), hydeeStamps(), hydeeLives()) }

func inHydee(name, doc, scenario string, h habit) Mutant {
	return broken("hydee", name, doc, scenario, h)
}

// hydeeMessages are the mutants that drop, repeat, delay and misdirect messages.
func hydeeMessages() []Mutant {
	m := inHydee
	return []Mutant{
		m("drop-status", "tells nobody how far it is when a round begins", "h9-order",
			drop("Status")),
		m("drop-report", "reports nothing to the recovery process", "h9-order", drop("Report")),
		m("drop-frontier", "announces no frontier", "h9-order", drop("Frontier")),
		m("drop-begin-last", "does not tell the last rank that a round begins", "h19",
			dropTo("Begin", lastRank)),
		m("drop-orphan-done", "does not say that an orphan was sent again", "h7b",
			drop("OrphanDone")),
		m("drop-acknowledge", "acknowledges no message that a checkpoint covers", "h13-received",
			drop("Acknowledge")).but(Vacuous, "logs are never pruned; no more is wrong"),
		m("drop-marker", "begins a checkpoint and sends no markers", "one-cluster",
			drop("Marker")).but(Vacuous, "no checkpoint ends"),
		m("drop-saved", "does not say that its image is stable", "one-cluster",
			drop("Saved")).but(Vacuous, "no checkpoint ends"),
		m("drop-commit", "does not tell its mates that the checkpoint is the recovery line",
			"intra-flight", drop("Commit")),
		m("twice-app", "sends each application message two times", "h9-order", twice("App")),
		m("twice-begin", "begins each round two times", "s4", twice("Begin")).but(Equivalent,
			"a round that is not newer is dropped"),
		m("twice-status", "says two times how far it is", "h4", twice("Status")).but(Equivalent,
			"whoever gets the second copy knows the first"),
		m("twice-report", "reports two times", "s4", twice("Report")).but(Equivalent,
			"a second report of the same round is dropped"),
		m("twice-frontier", "announces each frontier two times", "s4",
			twice("Frontier")).but(Equivalent,
			"the frontier does not rise by being named again, and what it lets go is gone"),
		m("twice-orphan-done", "says two times that an orphan was sent again", "h7b",
			twice("OrphanDone")),
		m("twice-saved", "says two times that its image is stable", "cluster3", twice("Saved")),
		m("twice-acknowledge", "acknowledges two times", "h13-received",
			twice("Acknowledge")).but(Equivalent,
			"what is pruned once is not there to be pruned again"),
		m("late-status", "says some time later how far it is", "s4", late("Status")).but(Equivalent,
			"the gate is closed until every status has come, so nothing can overtake it"),
		m("late-marker", "lets messages overtake the marker of a checkpoint", "intra-flight",
			late("Marker")),
		m("late-frontier", "lets messages overtake the frontier", "clocks-sender",
			late("Frontier")).but(Equivalent,
			"nothing is sent on the channel that could overtake it and matters: it is as slow as "+
				"a network may be"),
		m("late-begin", "begins a round some time later", "clocks-sender",
			late("Begin")).but(Equivalent,
			"nothing is sent on the channel that could overtake it and matters: it is as slow as "+
				"a network may be"),
		m("late-app", "lets application messages be overtaken", "one-cluster", late("App")),
		m("late-acknowledge", "acknowledges some time later", "h13-received",
			late("Acknowledge")).but(Equivalent, "the log is pruned later"),
		m("astray-frontier", "announces the frontier of each rank to the next one", "clocks-sender",
			astray("Frontier")).but(Equivalent,
			"the announcements of one step differ in nothing but the receiver, and each rank "+
				"gets one"),
		m("astray-status", "tells the wrong rank how far it is", "h7b", astray("Status")),
	}
}

// hydeeStamps are the mutants of dates, phases and what ranks tell each other about them.
func hydeeStamps() []Mutant {
	m := inHydee
	return []Mutant{
		m("date-ahead", "stamps messages with the date of the next one", "h7b",
			writes("App", "Date", shift(1))),
		m("date-behind", "stamps messages with the date of the one before", "h7b",
			writes("App", "Date", shift(-1))),
		m("phase-ahead", "stamps messages with the next phase", "h7b",
			writes("App", "Phase", shift(1))),
		m("phase-behind", "stamps messages with the phase before", "h7-gate",
			writes("App", "Phase", shift(-1))),
		m("round-ahead", "stamps messages with the next round", "h7b",
			writes("App", "Round", shift(1))),
		m("status-last-ahead", "says that it has one message more than it has", "h9-order",
			writes("Status", "Last", shift(1))),
		m("status-last-behind", "says that it has one message less than it has", "h7b",
			writes("Status", "Last", shift(-1))),
		m("status-date-ahead", "says that it has sent one message more than it has", "h4",
			writes("Status", "Date", shift(1))),
		m("status-date-behind", "says that it has sent one message less than it has", "s1",
			writes("Status", "Date", shift(-1))),
		m("report-loses-orphan", "does not report the last of its orphans", "h7b",
			writes("Report", "Orphans", withoutLast)),
		m("report-lives-unknown", "reports no incarnations", "h11-stuck",
			writes("Report", "Lives.*", nothing)),
		m("orphan-phase-ahead", "reports orphans with the next phase", "h7b",
			writes("Report", "Orphans.*.Phase", shift(1))),
		m("orphan-done-phase-ahead", "says that an orphan of the next phase was sent again", "h7b",
			writes("OrphanDone", "Phase", shift(1))),
		m("frontier-ahead", "announces one phase too many", "h7b",
			writes("Frontier", "Phase", belowAll)),
		m("frontier-behind", "announces one phase too few", "h7b",
			writes("Frontier", "Phase", shift(-1))),
		m("frontier-all", "lets everything go with the first frontier", "h7b",
			writes("Frontier", "Phase", to(math.MaxUint64))),
		m("frontier-no-logs", "opens the gates and does not let logged messages go", "h7-order",
			writes("Frontier", "Part", to(1))),
		m("gate-open", "does not close its gate", "h7-order",
			always(true, "Frontier", to(math.MaxUint64))),
	}
}

// hydeeLives are the mutants of former lives, garbage collection, records and logs.
func hydeeLives() []Mutant {
	m := inHydee
	return []Mutant{
		m("old-round-taken", "takes a message of an old round for one of this round", "h7b",
			reads("App", "Round", "Round")),
		m("old-life-taken", "takes a message of a former life of its mate for one of this life",
			"s1-staggered", reads("App", "Incarnation", "Incarnation")),
		m("old-status-taken", "takes what was said in an old round as said in this one", "h9-order",
			reads("Status", "Round", "Round")),
		m("old-frontier-taken", "takes the frontier of an old round for that of this one",
			"h23-kept", reads("Frontier", "Round", "Round")),
		m("old-report-taken", "takes a report of an old round for one of this round", "h11-stuck",
			reads("Report|OrphanDone", "Round", "Round")),
		m("collects-early-received",
			"lets the sender prune one message more than the checkpoint covers", "h8",
			writes("Acknowledge", "Last", shift(1))),
		m("collects-early-date", "acknowledges up to one date more than that of the checkpoint",
			"h13-received", writes("Acknowledge", "Date", shift(1))),
		m("collects-late", "lets the sender prune one message less than the checkpoint covers",
			"h13-received", writes("Acknowledge", "Last", shift(-1))).but(Vacuous,
			"at this scope what is left is all there is to prune"),
		m("image-unwritten", "says that its image is stable and writes none", "h19",
			writesNothing("image/")),
		m("image-hasty", "says that its image is stable before it is", "intra-flight",
			hasty("image/")),
		m("image-put-off", "says that its image is stable before it writes it", "h19",
			putsOff("image/")),
		m("image-slow", "writes its image some time later, and waits for it", "intra-flight",
			slow("image/")).but(Equivalent, "whoever waits for the image waits longer"),
		m("commit-unwritten", "moves the recovery line and writes no commit record", "h19",
			writesNothing("commit/")),
		m("commit-hasty", "moves the recovery line before the commit record is stable", "h19",
			hasty("commit/")),
		m("commit-overlooked", "finds no commit record when it starts again", "h19",
			overlooks("commit/")),
		m("log-loses", "loses the entry of each message that it logs", "h7-order",
			keeps(core.Log, "Channels.to.Log", withoutLast)),
		m("log-backwards", "sends logged messages again in the wrong order", "h7-order",
			always(true, "Peers.*.Resend", backwards)),
		m("received-forgotten", "does not note which messages it has received", "h7b",
			keeps(core.Deliver, "Channels.from.Received", withoutLast)),
		m("saved-counted-twice", "the first rank counts one image too many", "cluster3",
			hears("Saved", "Saving.Saved", shift(1))),
		m("channel-unrecorded", "records no messages on their way in a checkpoint", "one-cluster",
			always(true, "Saving.Recording.*.Messages", nothing)),
	}
}

// belowAll is the next phase; after the one that stands for all there is none.
func belowAll(v reflect.Value) {
	if v.Uint() < math.MaxUint64 {
		v.SetUint(v.Uint() + 1)
	}
}
