// Package order is causality as executable definitions over any trace: what happened before what,
// vector clocks, cuts and whether they are consistent, orphans, and recovery lines. It is meant to
// be read beside the papers: each definition is the one of its source, written for clarity; the
// tests compare each with another way to say it (closures over all pairs, all subsets of cuts).
//
// Sources, and what is taken from them:
//
//   - Happened-before (Lamport, CACM 21 (7), 1978): the least transitive relation that holds
//     between one thing that a program does and the next, and between the send of a message and
//     its reception: Order.Before.
//   - Vector clocks (Fidge; Mattern: Virtual Time and Global States of Distributed Systems, 1989):
//     Order.Clock.
//   - Cuts (Chandy, Lamport, TOCS 3 (1), 1985; Mattern): one point for each rank, consistent if
//     whatever happened before something in it is in it, too: Order.Consistent.
//   - Orphan messages, which a cut has received and not sent, messages in transit, orphan
//     processes, and the recovery line that rollback propagation finds (Randell, 1975; Elnozahy,
//     Alvisi, Wang, Johnson, ACM Computing Surveys 34 (3), 2002, sections 2.2 and 3.1):
//     Order.Orphans, Order.InTransit, Order.OrphanRanks, Order.Line.
//   - The depend set of a process, by receptions ([AM], section 2): Order.Receptions over a trace,
//     Dependence over the histories that a judge sees.
//
// Runs have failures, so what a program does forms a tree: a rank that is restored to an earlier
// point goes on from there, and what came after that point is another branch. A Node is one thing
// that a program did (a send or a reception) in one such past. What a restarted program does again,
// the same thing from the same past, is the same node: nothing can tell the two apart. What it does
// otherwise is another node, and whoever depends on the first one is an orphan.
//
// A multicast is one send with several receptions. The reception of the result of a reduction is
// one reception with several sends: the contributions of all members to that round.
package order
