// Package epochs is the protocol of epochs and phases: every rank takes checkpoints when it likes,
// and there is no domino effect, without determinants and without logging everything. It is what
// HydEE was made of.
//
// The idea: each image of a rank begins an epoch, and messages carry the epoch of their sender.
// What is received in a later epoch than it was sent in is logged by its sender, so that the loss
// of the reception rolls back nobody; what is received in the same or an earlier one is not: its
// sender rolls back with the receiver, to an epoch that is no smaller than the one that is lost. So
// nobody goes back behind the smallest epoch at which a failed rank restarts.
//
// Model: ranks that fail and restart each for itself, any number of them, at any time, the recovery
// process included; reliable FIFO channels. The program must be send-deterministic in the strong
// sense, as for HydEE: a rank that has received what is lost (an orphan) keeps it, because the
// same will be sent again; it is not sent again then, only executed.
//
// Source: [Epochs] Guermouche, Ropars, Brunet, Snir, Cappello, IPDPS 2011. Files: layer.go (a run
// without failures), images.go (checkpoints), recovery.go (a rank in a recovery), process.go (the
// recovery process), line.go (where everybody goes back to), property.go, wire.go.
//
// State of a rank: its epoch and phase; for each other rank the dates of the last messages to and
// from it (a date is the number of a message in its channel), what is kept for it, not acknowledged
// or logged; SPE, the latest epoch in which a message to it was received that is not kept; RPP, the
// dates and phases of what was received from it, with the epoch of the reception.
//
// Messages: App carries date, epoch, phase and round. Ack, one for each delivery, carries the epoch
// of the receiver, by which the sender decides whether it logs; before that, the message is kept,
// also in images. In a recovery:
//
//	E1  A rank that restarts does so from its newest image and says so (Hello). The recovery process
//	    opens a numbered round (Begin), as it does when it restarts itself, unless it is still to
//	    hear from that rank in the round that it is in.
//	E2  A rank that hears of a newer round stops its program and drops what has arrived. When the
//	    image that it writes, if it does, is stable, it reports its images, where it is, and RPP.
//	E3  With all reports, the recovery process knows the line: each rank keeps the newest state
//	    before which it has sent nothing that it does not keep and that was received in an epoch
//	    that is undone; it is declared (Lined).
//	E4  A rank that lives and goes back makes durable where to (Back), then rolls back, and says so
//	    from there (There).
//	E5  When all are there, the recovery process knows the orphans: what a receiver has beyond what
//	    its sender has sent. All go on (Resume), and send again what the other end lacks, when its
//	    phase comes. Messages of former rounds are dropped, acknowledgements, too.
//	E6  Whatever leaves has at most the least phase of an orphan that is outstanding (Frontier).
//	    An orphan that is executed again does not leave: the recovery process is told (OrphanDone),
//	    and it is logged or noted in SPE by the epoch in which it was received, as if acknowledged.
//	E7  A failure in all this opens the next round, which evaluates everything again.
//	E8  When an image is stable, the recovery process finds the line of everybody (Saved, Line). No
//	    recovery goes behind it: older images go, and with the next acknowledgements what the line
//	    of the receiver holds leaves the log of the sender, what that of the sender has sent leaves
//	    RPP.
//
// With variant=groups each group begins with an epoch of its own, so far apart that they never
// meet: then all that is sent to a later group is logged and nothing that is sent to an earlier
// one. The failure of a rank of the last group rolls back that group at most; that of one in the
// first can roll back all.
//
// What is silent, and how it was settled:
//
//   - Which receptions raise the phase. Every one does (phase=safe): it is a logical clock. If only
//     those of logged messages do, an orphan that is not logged and a logged message that depends
//     on it have one phase (EP1); if only the others do, the same happens along logged messages
//     (EP2); either way the message comes too early, and the receiver takes it in an order that no
//     run without failures has. Both depend on epochs, too, which are not the same when a
//     checkpoint falls elsewhere the next time: then a rank waits for an orphan that is its own.
//     For that reason checkpoints do not raise phases either (EP12).
//   - What a reception is: when the program takes the message (EP16), not when it arrives.
//   - SPE needs no table by epochs: an image has the one of its time, so the images of a rank are
//     the table. A rank goes back only to where its own SPE lets it, which is never farther than
//     the beginning of the epoch in which it sent what is needed, and what an image keeps that is
//     acknowledged later need not be sent again from before it. Because of that the line of
//     everybody only advances.
//   - Numbers of images ascend for ever; which of them are undone is durable before they are
//     deleted.
//
// Undo.Maximal is not promised: that a line goes back no farther than it has to would have to be
// said relative to logs. Orphans are no reason to go back here, and lost messages are, so what is
// called consistent for other protocols is not what the line is. TestLine compares it with all
// cuts, and no-domino judges every recovery. Traffic is not promised with images, because not every
// image moves a line; without them it is an Ack for each delivery.
//
// Undo.Once: only a rank that has restarted, by a failure, or a new recovery process opens a round,
// and one round takes nobody back twice. A rank that is still on its way back of a former round
// has not reported in the present one, so it is told to, and that opens none.
//
// A recovery of a failed rank costs n Begin, n Report and n Resume, a Back and a There for each
// rank that goes back, and n Frontier for each phase of orphans.
package epochs
