// Package printed is SCMEL as its paper prints it: [CAMEL] Algorithm 1, to be read beside the
// paper. The procedures are in algorithm1.go, in their order and with their lines. What the paper
// names and does not print has a file of its own: outoforder.go (OUTOFORDER, section 2.3.1),
// barrier.go (BARRIER, and who calls FAILURE), storecheckpoint.go (STORECHECKPOINT). Where the text
// is silent, the choice is one that works, and the place says so; where the prose corrects a line,
// the prose counts. impl/protocol/camel/printed extends the layer, as Algorithm 2 does.
//
// Model: that of impl/protocol/causal, with one failure at a time and channels that keep order. The
// paper's programs are driven by messages, ours ask for them. So RECEIVEMSG is in two parts: what
// it does with a message, when that arrives (l. 11, 15-16), and what it does for the program, when
// that takes it (l. 13-14, 17).
//
// What differs in the repaired protocol (impl/protocol/causal), and why:
//
//   - A message without a determinant waits until all recorded receptions are repeated (S3). The
//     printed OUTOFORDER holds a message that has a number, and one that has none goes first and
//     takes the number of another. That is the only error of Algorithm 1 that breaks a run: of the
//     33 scenarios of SCMEL that are in its model, 17 break as printed, and with this one condition
//     more (TestFourthCondition) none, up to 1.6 million states. Programs that name the sources of
//     all receives hold as printed.
//   - Determinants of duplicates are acknowledged (S15), so that they do not travel longer.
//   - Nobody waits but the failed process. Here all processes stop between the call of FAILURE and
//     the barrier, as printed; the paper says that something better may replace it. The repaired
//     protocol needs a header field for that, the life that a message addresses, and the same
//     number of messages: a recovery costs 4(n-1) beside the replay in both, with n ranks: call,
//     determinants, barrier (there: request of the replay), end of the replay.
//   - More failures at a time, and channels that lose order: not in the paper.
package printed
