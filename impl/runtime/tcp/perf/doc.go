// Package perf measures kernels under protocols as real processes: what a protocol costs when
// nothing fails, and where the time of a recovery goes.
//
// # How it measures
//
// A cell is a kernel under a protocol; a run of it is a cluster.Run of its own, with new processes.
// In each round the kernels come in another order, and of a kernel the protocols, side by side. The
// overhead of a protocol is the median over the rounds of its time by the time of "none" in the
// same round: the machine may be slow for a while, but then it is so for both. Half the distance
// between the quartiles of these ratios stands behind it (±); a difference smaller than that means
// nothing. The ratio of the least times is what remains when the machine has much else to do.
//
// The time of a run begins when the last process has said that its machine has begun and ends when
// the last program has ended, so starting processes, connecting them and seeing that nothing goes
// on any more are not in it. Runs without failures are bare: they keep no evidence
// (cluster.Config.Bare), as each effect would cost a write to a file. A process makes the memory of
// 32 MiB of buffers ready before it begins (--reserve): otherwise a short run pays above all for
// the first use of the pages of its log, which one of hours does not. They are not judged by the
// properties of spec, but their final digests must be those of a run without a protocol, unless the
// program itself may end otherwise. "domino cluster run" judges.
//
// # What the figures mean
//
//   - cpu: what processors have worked for all processes of a run, and its overhead. It includes
//     looking for messages in vain, and it is less disturbed by others than time is.
//   - sends, MB: messages of the programs and their bytes, the same for all protocols: what is sent
//     to a group counts along its tree, also where a protocol takes another way.
//   - messages: all that the machines have sent, with acknowledgements, copies for loggers, and
//     coordination.
//   - +B: bytes that machines have put on the network beyond those of the programs, by send. It
//     includes copies for loggers.
//   - carried: bytes that travel on a message of the program itself: piggybacks and headers (4 with
//     none). A protocol whose messages go by the codec has no figure here, and its times measure
//     mostly that.
//   - logged: payloads put into logs in memory, at senders or loggers, those deleted later
//     included. Of a reduction CAMEL keeps what the children of the root have sent, there and, for
//     their failures, at the root; what others let go when it is complete does not count.
//   - stored, disk: bytes given to stable storage, and how long that took in the process in which
//     it took longest. With --checkpoint the kernels take checkpoints; none takes none, so their
//     price is part of the overhead.
//
// # Recoveries
//
// With --kill each cell is run twice more in a round, with evidence: once calm, once with the
// failures. Stages are those of [RADIC] Figure 6.5, split further, and they add up to the time of
// the run (Breakdown):
//
//   - before checkpoint, checkpoint, to failure: until the program was at its last recovery line
//     before the failure, until that line counted, until the kill.
//   - detection: until the supervisor had reaped the processes. Processes of one host do not hide
//     their death, so this is the best case.
//   - agreement: until every survivor had taken what the dead had sent before.
//   - restart: new processes, connected, that have read their records. restore: images and logs
//     that come by message from other processes.
//   - replay: until the programs have received again what they had received; catch-up: and sent
//     again what they had sent.
//   - to the end.
//
// Of several ranks that recover, the last one counts. Shown is the run of median length, because
// medians of stages would not add up.
//
// # How to repeat them
//
//	domino cluster perf                                                   # the usual kernels, every protocol, a minute or two
//	domino cluster perf --protocols none,hydee --rounds 15                # closer
//	domino cluster perf --kernels 'cg n=14000 iterations=10, ft n=128' --protocols none,hydee,hmpl --plot plots
//	domino cluster perf --kernels heat --checkpoint 50 --kill r2@60% --rounds 5
//	domino cluster perf --bench >new; benchstat -col /protocol new        # or of two versions: benchstat old new
//	domino cluster netpipe --plot plots                                   # latency and bandwidth of two processes
//	.ci/measure-tcp                                                       # the same against Open MPI, in a private network namespace
//
// Measure on a machine that does nothing else. With more processes than cores, times depend on how
// the system places them, from run to run: more rounds help, longer runs help more. What is logged
// without a checkpoint stays in memory that is new, which costs more than the copy: in a kernel
// that does little but send, that shows.
package perf
