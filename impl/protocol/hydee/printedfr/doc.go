// Package printedfr is HydEE as [HydEE-fr] prints it: Algorithms 1 to 4 of section 5, line by line,
// so that a reader can hold the article beside it. It is an earlier form than package printed: no
// RPP, no LastDate, and the restarted processes send their group with the date. alg1.go is
// Algorithm 1, and so on; what is read into both papers is in package ground.
//
// More readings, all to the advantage of the text:
//
//   - 5.2, "Une fois que le processus de redémarrage a reçu toutes ces données, il peut commencer
//     la phase de notification": the notification also starts when Phase_Courante of every process
//     is here, which each sends last.
//   - Alg. 3 l. 6-8: which messages are to be replayed or are orphans is up to the dates of
//     Redemarrage, the only thing that is known. A process keeps date and phase of what it has
//     received, without which l. 8 could not be computed; no line has such a variable.
//   - Alg. 1 l. 10: the phase of a message is logged with it, as Alg. 3 l. 7 needs it.
//   - Alg. 3 l. 4-11 is one procedure: nothing is sent between the first Redemarrage and the
//     notification.
//   - Alg. 3 l. 11 and 13: the notification that a process waits for is one that it receives, so
//     what it lets be replayed leaves first.
//
// Not read into it: Alg. 2 l. 5 empties the log of a restarted process, and l. 16 notifies instead
// of sending as long as the process runs, for no line ends a restart.
package printedfr
