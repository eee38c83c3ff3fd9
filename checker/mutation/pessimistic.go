package mutation

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// pessimistic lists the mutants of receiver-based and hybrid message logging.
func pessimistic() []Mutant { return slices.Concat(loggers(), senders()) }

func inBoth(name, doc, rbml, hmpl string, h habit) family {
	return like(broken("rbml", name, doc, rbml, h), "hmpl", hmpl)
}

// loggers are the mutants of what passes between a rank and its logger.
func loggers() []Mutant {
	m := inBoth
	return slices.Concat(
		m("drop-confirm", "confirms nothing", "m16", "m11b", drop("Confirm")),
		m("twice-confirm", "confirms two times", "m24-rbml", "m9", twice("Confirm")).but(Equivalent, "what is erased once is not there to be erased again"),
		m("confirm-ahead", "confirms the next message", "m16", "hmpl-overtake", writes("Confirm", "SSN", shift(1))),
		m("confirm-believed", "takes a message for confirmed as soon as it is sent", "rbml-overtake", "m11b", believes("Data", "Confirm", "SSN=SSN")),
		m("drop-log-put", "sends nothing to its logger", "m16", "m24", drop("LogPut")),
		m("twice-log-put", "sends each delivery two times to its logger", "rbml-overtake", "hmpl-overtake", twice("LogPut")).but(Equivalent, "a number is stored once"),
		m("late-log-put", "sends deliveries some time later to its logger", "rbml-semi", "m49", late("LogPut")).but(Equivalent, "whoever waits for the acknowledgement waits longer"),
		m("log-put-rsn-ahead", "logs deliveries under the next number", "m16", "hmpl-wildcard", writes("LogPut", "Entries.*.RSN", shift(1))),
		m("log-put-ssn-ahead", "logs deliveries as of the next message", "m16", "m8", writes("LogPut", "Entries.*.SSN", shift(1))),
		m("log-put-posted-lost", "does not log that a posted receive was completed", "rbml-posted", "m3", writes("LogPut", "Entries.*.Posted", to(0))).but(Equivalent, "the replay completes the receive when it is posted, which nobody can tell from later at this scope"),
		m("log-put-sent-ahead", "logs deliveries as if one more send were before them", "rbml-posted", "hmpl-posted", writes("LogPut", "Entries.*.Sent", shift(1))),
		m("log-put-forgotten", "the logger acknowledges a delivery and does not store it", "m16", "m11b", forgets("LogPut")),
		m("drop-log-ack", "the logger acknowledges nothing", "m16", "m11b", drop("LogAck")),
		m("twice-log-ack", "the logger acknowledges two times", "m10-rbml", "m13", twice("LogAck")).but(Equivalent, "whoever gets the second copy knows the first"),
		m("log-ack-ahead", "the logger acknowledges one delivery more than it has", "m5-rbml", "m11b", writes("LogAck", "RSN", shift(1))),
		m("log-ack-behind", "the logger acknowledges one delivery less than it has", "m16", "m11b", writes("LogAck", "RSN", shift(-1))),
		m("log-ack-believed", "takes a delivery for logged as soon as it is sent to the logger", "m16", "m11b",
			believes("LogPut", "LogAck", "Life=Life RSN=Entries.0.RSN")),
		m("drop-log-fetch", "does not ask for its log", "m16", "m8", drop("LogFetch")),
		m("drop-log-data", "the logger does not hand over the log", "m16", "m8", drop("LogData")),
		m("twice-log-data", "the logger hands over the log two times", "rbml-flush", "hmpl-semi", twice("LogData")).but(Equivalent, "the second one was not asked for"),
		m("log-data-loses-last", "the logger hands over the log without its last entry", "m16", "m8", writes("LogData", "Entries", withoutLast)),
		m("log-data-loses-first", "the logger hands over the log without its first entry", "m16", "m8", writes("LogData", "Entries", withoutFirst)),
		m("log-data-backwards", "the logger hands over the log in the wrong order", "m13-rbml", "m24", writes("LogData", "Entries", backwards)),
		m("log-data-imageless", "the logger hands over the log without the image", "m13-rbml", "m13", writes("LogData", "Image", nothing)),
		m("log-data-lost", "the logger says that it has lost everything", "m16", "m8", writes("LogData", "Found", to(0))),
	)
}

// senders are the mutants of what passes between ranks, of images, blocking and former lives.
func senders() []Mutant {
	m := inBoth
	return slices.Concat(
		m("drop-pull", "asks no sender for what is not stable", "m16", "m8", drop("Pull")),
		m("twice-pull", "asks each sender two times for what is not stable", "m5-rbml", "hmpl-semi", twice("Pull")).but(Equivalent, "what is sent again is dropped by its number"),
		m("pull-ahead", "asks for one message too few", "m16", "m8", writes("Pull", "SSN", shift(1))),
		m("pull-behind", "asks for one message too many", "m24-rbml", "m10", writes("Pull", "SSN", shift(-1))).but(Equivalent, "the message too many is dropped by its number"),
		m("drop-suppress", "does not say what a restarted sender need not send again", "rbml-related-forced", "hmpl-posted", drop("Suppress")).but(Equivalent, "what the sender sends again is dropped by its number, and confirmed"),
		m("suppress-ahead", "says that a restarted sender need not send one message more", "m5-rbml", "m5", writes("Suppress", "SSN", shift(1))),
		m("suppress-behind", "says that a restarted sender must send one message more", "rbml-master", "m3", writes("Suppress", "SSN", shift(-1))).but(Equivalent, "the message too many is dropped by its number, and confirmed"),
		m("drop-save", "sends no image to its logger", "m16", "m8", drop("Save")),
		m("twice-save", "sends each image two times to its logger", "rbml-checkpoint", "m8", twice("Save")).but(Equivalent, "the same image in the place of itself"),
		m("save-rsn-ahead", "says that its image holds one delivery more", "m16", "m8", writes("Save", "RSN", shift(1))),
		m("save-rsn-behind", "says that its image holds one delivery less", "m16", "m8", writes("Save", "RSN", shift(-1))),
		m("save-forgotten", "the logger acknowledges an image and does not store it", "m16", "m8", forgets("Save")),
		m("drop-save-ok", "the logger does not say that it has the image", "m16", "m8", drop("SaveOk")),
		m("drop-new-logger", "a logger that has lost everything does not say so", "m16", "m8", drop("NewLogger")),
		m("late-save", "lets deliveries overtake the image on the way to the logger", "rbml-checkpoint", "hmpl-checkpoint", late("Save")).but(Equivalent, "the image is put in front of what has overtaken it, by number"),
		m("data-ssn-ahead", "numbers messages one too high on the network", "m16", "m11b", writes("Data", "SSN", shift(1))),
		m("twice-data", "sends each message two times", "m16", "m8", twice("Data")).but(Equivalent, "a number is received once"),
		m("late-data", "lets messages be overtaken", "m10-rbml", "m10", late("Data")),
		m("buffer-loses", "loses the copy of each message that it sends", "m16", "m11b", keeps(core.Log, "Out.to.Buffer", withoutLast)),
		m("block-short", "does not wait until deliveries are stable", "m16", "m11b", always(true, "Unstable", nothing)),
		m("old-put-taken", "the logger takes a delivery of a former life for one of this life", "m24-rbml", "m24", reads("LogPut", "Life", "Life")),
		m("old-ack-taken", "takes an acknowledgement to a former life for its own", "rbml-semi", "hmpl-nodes", reads("LogAck", "Life", "Life")).but(Equivalent, "what was acknowledged to a former life is in the log that the present one was given"),
		m("old-data-taken", "takes the log handed to a former life for its own", "rbml-related-forced", "hmpl-related-forced", reads("LogData", "Life", "Life")).but(Equivalent, "the log has not changed since it was handed to the former life"),
		m("old-fetch-taken", "the logger takes a request of a former life for one of this life", "m16", "m8", reads("LogFetch", "Life", "Life")),
		m("stable-ahead", "takes the next message for stable", "m16", "m8", always(true, "In.*.Stable", shift(1))),
		m("flush-unwritten", "the logger writes nothing when its memory is full", "rbml-flush", "hmpl-flush", writesNothing("log/")).but(Equivalent, "nobody reads the records: a logger that fails has lost its log in either case"),
		family{
			broken("hmpl", "wildcard-unheld", "goes on before the outcome of a wildcard receive is stable", "m24", always(true, "Wait", nothing)),
			broken("hmpl", "spill-unwritten", "does not write what is beyond its buffer", "m11b", writesNothing("spill/")).but(Equivalent, "nobody reads the records: a sender that fails sends again"),
		},
	)
}

// senderBased lists the mutants of sender-based message logging.
func senderBased() []Mutant {
	m := func(name, doc, scenario string, h habit) Mutant { return broken("sbml", name, doc, scenario, h) }
	return []Mutant{
		m("drop-order", "does not tell the sender the number of a delivery", "m18", drop("Order")),
		m("twice-order", "tells the sender two times the number of a delivery", "m18", twice("Order")).but(Equivalent, "whoever gets the second copy knows the first"),
		m("late-order", "tells the sender some time later the number of a delivery", "sbml-settled", late("Order")),
		m("order-rsn-ahead", "tells the sender the next number", "m18", writes("Order", "RSN", shift(1))),
		m("order-rsn-behind", "tells the sender the number before", "m18", writes("Order", "RSN", shift(-1))),
		m("order-ssn-ahead", "tells the sender the number of the next message", "m18", writes("Order", "SSN", shift(1))),
		m("order-forgotten", "confirms a number and does not record it", "sbml-wildcard", forgets("Order")),
		m("drop-order-ok", "does not say that a number is recorded", "m18", drop("OrderOk")),
		m("order-ok-believed", "takes a number for recorded as soon as it is sent", "sbml-wildcard", believes("Order", "OrderOk", "Life=Life SSN=SSN RSN=RSN")),
		m("twice-order-ok", "says two times that a number is recorded", "sbml-master", twice("OrderOk")).but(Equivalent, "whoever gets the second copy knows the first"),
		m("drop-collect", "tells no sender what its image holds", "sbml-settled-checkpoint", drop("Collect")),
		m("collects-early", "lets a sender remove one message more than the image holds", "sbml-checkpoint", writes("Collect", "SSN", shift(1))),
		m("collects-late", "lets a sender remove one message less than the image holds", "sbml-settled-checkpoint", writes("Collect", "SSN", shift(-1))),
		m("drop-recall", "asks nobody for its messages", "m19", drop("Recall")),
		m("twice-recall", "asks two times for its messages", "sbml-checkpoint", twice("Recall")).but(Equivalent, "the second answer was not asked for"),
		m("recall-ahead", "asks for one message too few", "m19", writes("Recall", "SSN", shift(1))),
		m("recall-behind", "asks for one message too many", "sbml-checkpoint", writes("Recall", "SSN", shift(-1))),
		m("recalled-loses-last", "answers without the last message", "m19", writes("Recalled", "Entries", withoutLast)),
		m("recalled-loses-first", "answers without the first message", "m19", writes("Recalled", "Entries", withoutFirst)),
		m("recalled-unordered", "answers without the numbers of deliveries", "sbml-wildcard", writes("Recalled", "Entries.*.RSN", nothing)),
		m("recalled-backwards", "answers in the wrong order", "sbml-settled-checkpoint", writes("Recalled", "Entries", backwards)).but(Equivalent, "the replay is sorted by the numbers of deliveries"),
		m("old-order-taken", "records the number that a former life gave", "sbml-settled", reads("Order", "Life", "Streams.from.PeerLife")),
		m("old-ok-taken", "takes what was recorded of a former life for its own", "m25", reads("OrderOk", "Life", "Life")).but(Equivalent, "a number is taken for recorded only if it is the same in both lives"),
		m("old-recalled-taken", "takes the answer to a former life for its own", "m25", reads("Recalled", "Life", "Life")).but(Equivalent, "the answer to the former life names the same messages"),
		m("log-loses", "loses the entry of each message that it logs", "m18", keeps(core.ProgramSent, "Streams.to.Log", withoutLast)),
		m("block-short", "does not wait until its numbers are recorded", "sbml-wildcard", always(true, "Table.*.Acked", to(1))),
		m("image-unwritten", "goes on as if its image were stable and writes none", "m50", writesNothing("image")),
		m("image-hasty", "goes on before its image is stable", "m50", hasty("image")),
		m("image-overlooked", "finds no image when it starts again", "m50", overlooks("image")),
		m("twice-data", "sends each message two times", "m50", twice("Data")).but(Equivalent, "a number is received once"),
	}
}
