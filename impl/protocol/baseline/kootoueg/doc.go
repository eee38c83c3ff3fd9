// Package kootoueg is minimal coordinated checkpoints and minimal rollbacks: only who depends on
// the initiator takes part.
//
// Source: [KT] Koo and Toueg, IEEE TSE 13, 1987: labels of messages, trees of requests, tentative
// and permanent images. What is here is rebuilt from the published idea; no line of it claims to be
// printed there. Labels are the numbers of messages in their channels.
//
// Model: reliable FIFO channels, fail-stop of single ranks, any number of failures, also during
// checkpoints and rollbacks. Nothing is asked of programs: what is undone may be done otherwise.
//
// State: the permanent image, which is where this rank goes back to; a tentative one with the part
// of the tree of requests that this rank knows; of each other rank the life that counts; logs of
// what was sent and no permanent image of its receiver holds.
//
// Messages: Request, Answer, Decision, Ask, Done and Covered about checkpoints, Back, Ready and
// Rollback about rollbacks (wire.go).
//
// The rules:
//
//	K1  Any rank begins a checkpoint, as its root: it takes a tentative image.
//	K2  Whoever takes one asks those for theirs of whom it has received something since its
//	    permanent image, and says how much; those take part that have sent it more than their own
//	    permanent image holds.
//	K3  An answer goes up when all below have answered and the own image is stable. The root makes
//	    its decision durable, then tells all that take part; they make it durable, too. From the
//	    tentative image to the decision a rank sends nothing.
//	K4  Of two checkpoints that meet the one of the lower root goes on: the other one ends, if it
//	    comes first, or waits.
//	K5  Whoever restarts tells all (Back) how many of its messages are left. Who has received more
//	    is prepared: it stops, tells all the same of itself, and answers when all have answered.
//	    When all have answered the one that has failed, those that are prepared go back. Who goes
//	    back restarts as if it had failed. An answer is one to what was asked in this life.
//	K6  Only messages of the life of their sender count of which it has told last. What is in
//	    transit is in the log of its sender, which sends it again when it or its receiver restarts.
//	K7  Whoever restarts and finds a tentative image that it may have answered for asks the root. A
//	    root without a durable decision has not decided.
//	K8  Whoever hears of a failure while a checkpoint is not decided asks the root, which ends it.
//	    What it has heard waits until it knows.
//	K9  An output leaves when the permanent image holds the very state that it shows. A rank that
//	    waits at one begins a checkpoint. In that state the output comes first: a posted receive
//	    that completed before it, when the rank has gone back, would make it another one.
//
// Silent in the source, or open to readings, and settled here: messages in transit (K6), failures
// of those that take part and of the root (K7, K8), late requests of a checkpoint that has ended
// (they are refused, by the last one of each root that has ended here), two that meet (K4; refusing
// both is erratum KT3), failures during a rollback (K5). The decision goes from the root to all
// that take part and not down the tree, so that it does not stop at one that has failed.
//
// There are no claims (core.Commuter): who has restarted stops those who hear of it, which nobody
// else can know of, so no receive commutes with that.
package kootoueg
