// Package optimistic is optimistic message logging, between ranks or between units of several
// ranks: receptions are written to a log and nobody waits for that, so a failure may take some of
// them back, and with them whoever depends on them.
//
// Sources: [SY] Strom and Yemini, TOCS 1985; the incarnation end table in the manner of [DG] Damani
// and Garg, ICDCS 1996; units of several ranks [Vaidya] Vaidya, 1993. What is here is rebuilt from
// the published ideas; no line of it claims to be printed there. Two protocols are registered:
// optimistic, where each rank is a unit, and vaidya.
//
// Definitions: a reception begins an interval of its rank. Intervals are numbered along the
// surviving past; with each restart a new incarnation begins behind the last interval that
// survived. An interval is stable when its rank would be restored to it, lost when it lies behind
// the end of its incarnation. An orphan, a rank or a message, depends on a lost interval.
//
// Model: piecewise deterministic programs, reliable FIFO channels, any number of failures. The
// members of a unit fail one by one, but where there is one unit only.
//
// State: the channels (part/link) with the messages sent to other units; the vector of the
// intervals of all ranks on which the present state depends; the incarnation end table; what of the
// log is stable, and what is known to be stable of others.
//
// The rules:
//
//	P1  A message carries the vector of its sender. Its delivery merges the vectors, begins an
//	    interval and writes the reception to the log: the message, or, of a mate, its number alone.
//	P2  An orphan is discarded. A message of an incarnation whose beginning is not known is held.
//	P3  A unit that restarts takes the last line and repeats what is logged behind it up to the
//	    first orphan. It makes durable where the new incarnation begins, and then announces that,
//	    with all that it knows of the ends of others, and what it has of the messages of each.
//	P4  Who hears of an end discards orphans that have arrived. If he is one himself, he makes
//	    durable what he has received and the ends that he knows, and his unit restarts (P3).
//	P5  What the receiver does not have is sent again, also by who has restarted himself: what he
//	    had on its way may be lost.
//	P6  An image is the line of a unit when it is stable and everything is that it depends on, so
//	    that no image is an orphan. Then the log before it is deleted, and senders forget. What is
//	    on its way from a mate is in the image, also if it is held (P2): the mate will not send it
//	    again.
//	P7  An output waits until everything is stable that it depends on. That is asked for, when it
//	    is needed, and answered when it is so.
//	P8  A member of a unit that has restarted tells its mates, who go back, too; they go on when
//	    each has heard from all in lives of which all know. Then the line is the one that the first
//	    member has found, images are loaded, and all find the same cut (part of P3).
//
// A rank goes back once for each failure (back-once). Proof: 1. It goes back when an end of which
// it had not heard makes it an orphan. 2. An end at which a rank went back, and not failed, comes
// with the end of the failure for which it did (P3, P4), and whoever knows that end is no orphan of
// what the first one lost: each of those intervals depends on what the failure lost, and by P2 and
// P4 nobody who knows the end depends on that. 3. So the end is one of a failure, or comes with one
// that it had not heard of either. 4. An end for which it has gone back is durable (P4).
//
// Silent in the sources, and settled here: when an interval that is stable may be forgotten by its
// senders (P6: when it is in the line; what is stable behind an orphan is undone with it); what the
// restart of a rank loses of what it has sent (P5); images that are orphans (P6); how the members
// of a unit agree (P8).
//
// With one unit nobody is outside who could depend on anything: nothing is logged, and all go back
// to the line together. That is protocol coordinated with markers, state by state; with units of
// one rank vaidya is optimistic (compose_test.go).
//
// What is not here: messages between units that carry no vector (erratum VA4 is their kernel). A
// dependency by way of others is then found when those go back, so a rank may go back several times
// for one failure; and neither outputs nor lines could know what they depend on.
//
// There are no claims (core.Commuter): a rank does not know whether an end of which it has not
// heard makes it go back, which undoes receives and the end of its program. It would have to know
// that all it depends on is stable, and asks for that only when an output or an image needs it.
package optimistic
