// Package printed is HydEE as [HydEE] prints it: Algorithms 1 to 4 and the sentence of III-E about
// garbage, line by line, so that a reader can hold the paper beside it. Package hydee is the
// repaired protocol; what is read into both papers is in package ground.
//
// alg1.go is Algorithm 1, and so on; garbage.go is III-E. Comments name the lines. The text that we
// have was extracted from the file of the authors and has P_i for P_j in places (Alg. 1 l. 5, 7,
// 8, Alg. 2 l. 9, 11, 14, 18); wherever the other letter is what works, it is read so.
//
// More readings, all to the advantage of the text:
//
//   - Alg. 2 l. 14: an orphan is a message up to the OrphanDate, that date included, for l. 21 has
//     a process switch back when its date is greater than all of them.
//   - Alg. 2 l. 18 is behind the whole condition: an orphan is logged, too.
//   - Alg. 3 l. 5: OrphPhases is a list, in which a phase is as often as there are orphans.
//   - Alg. 3 l. 6-18 is one procedure: from the failure to the notification nothing is sent.
//   - "Local Variables" begin empty in every recovery: what l. 6-17 have used is forgotten, and
//     the next failure is evaluated by its own Rollback messages.
//   - Alg. 3 l. 18, Alg. 2 l. 8: a process waits for the notification of the phase that it has
//     sent as its OwnPhase, whatever its phase has become.
//   - Alg. 3 l. 23: logged messages are sent again in the order in which they were sent.
//   - Alg. 4 l. 17, 21: phases are taken in ascending order.
//   - The recovery process "has to be launched when a failure occurs" (III): its variables are
//     empty then, as they are when all that it knew of is notified.
//   - III-E: "after a checkpoint" is when the whole cluster has saved it.
//
// Started is the same with one sentence of [HydEE-fr] 5.2 read into Algorithm 4, without which
// nothing in it ever runs.
//
// What it costs: in a failure of a cluster of f among n processes f(n-f) Rollback, as many
// LastDate, n OwnPhase, n-f each of Log and Orphan, a NotifySendMsg for each process, a
// NotifySendLog for each process and phase that it has to send again; package hydee has f(n-f)
// Status in the place of either of the first two, and n each of Begin, Report and Frontier for the
// rest.
package printed
