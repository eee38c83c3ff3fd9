// Package printed is CAMEL as its paper prints it: [CAMEL] Algorithms 2 and 3, to be read beside
// the paper, on Algorithm 1 as printed (impl/protocol/causal/printed). The procedures are in
// algorithm2.go and algorithm3.go, in their order and with their lines. Where the prose corrects a
// line, or the text is silent, the place says what was chosen: always what works.
//
// Model: that of impl/protocol/causal/printed. The paper's multicasts and contributions are
// processed when they arrive, and so they go down and up the tree here, whatever the programs do;
// a program takes multicasts, and at the root results, when it asks. Each contribution is a
// reception of the root (Algorithm 2 l. 31-33), between the others, and a result is none. So a
// program that could take a result or something else, whichever comes first, is refused: no
// determinant says which it was. Contributions are messages, of which none may be on its way while
// all take a checkpoint (section 2.3).
//
// What differs in the repaired protocol (impl/protocol/camel), and why. Without failures the
// printed one holds. With failures, what breaks it is:
//
//   - S3, from Algorithm 1.
//   - C2: multicasts of a dead root are accepted by whoever gets them. With this and S3 mended the
//     race of camel-printed-old holds (75,241 states).
//   - C3: the root's replay and what a parent passes on come to a process in any order.
//   - C10: an acknowledgement that was lost with a process is not made again, and what it would
//     have released stays. That costs memory alone.
//   - C11: a child of the root that fails can not make its contribution again, whose parts are
//     released. The repaired root keeps a copy.
//   - C19: what is released takes its determinants with it.
//
// The lines alone would break by C1, C4 and C18, too; the prose corrects them. C5, C6 and C14 are
// questions that the paper leaves open, C7, C8 and C9a readings, and C12 is about functions that
// the paper allows and this form does not use. In trees of two levels, reductions, and multicasts
// of programs that name their sources, hold at the scopes that were tried (three ranks, two rounds
// of each: one failure completely, up to 6.8 million states; two sampled).
//
// Results are numbered contribution by contribution, so there are as many determinants as in the
// repaired protocol. That numbers a result when the program takes it, once for each child; a
// program may receive from anyone there.
package printed
