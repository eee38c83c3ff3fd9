// Package camel is collective-aware message logging ([CAMEL] Algorithms 2 and 3) on top of
// impl/protocol/causal: multicasts and reductions run on spanning trees, a multicast is logged
// once, at its root, and of a reduction only what the root's children sent is kept.
//
// Model: that of impl/protocol/causal, one failure at a time. Groups and trees are static data of
// the layout, the same everywhere.
//
// The layer plays the runtime, too: it passes a multicast on when it arrives and agglomerates
// contributions when they are complete, whatever the program is doing. The program receives
// multicasts, and at the root results, when it asks for them; the root numbers a result with one
// determinant for each child, as the paper counts.
//
// What the paper prints, line by line, is impl/protocol/camel/printed. Against it the repairs give
// up memory:
//
//   - The root keeps what its children sent until the next line, so that it can give it back to
//     one that failed (C11): four contributions in Figure 3(b) where the paper keeps two. In a run
//     of leanmd on 32 ranks that is 288 logged messages and 192 such copies of 2,868, 83 % saved
//     and not 90 %; with the groups that fit the paper's LeanMD, 92.4 % and not 95.4 % (domino
//     tables volume, "seeds").
//   - A contribution that is released leaves its determinants in the log until the next line
//     (C19), and own determinants are kept, when others hold them, too, which the paper's detBuf
//     drops.
//   - A checkpoint costs a mark on each channel, n(n-1) of n ranks, and 4(n-1) messages of three
//     phases, where the paper assumes a call that is coordinated: at 32 ranks 992 and 124.
//
// On real processes the kernels with groups log what this says: of the bytes that SCMEL logs,
// leanmd on 8, 16 and 32 processes saves 62.5, 78.9 and 83.3 % ("leanmd ranks=32 cx=4 cy=4 cz=2
// iterations=3 size=1024"), openatom in rows of four and seven 10.1 and 41.7 % ("openatom ranks=28
// row=7 direct=32 size=10000 iterations=10"; closed form "with seeds": 83.3, 10.1 and 41.7 %).
//
// In a real run a multicast allocates nothing, nor does a contribution, but one buffer where a
// member contributes after all its children have.
//
// Deviations from the repaired protocol are switches, marked "Deviation:" at their lines.
//
// Not here: more than one failure at a time (relays would carry determinants, and copies would be
// kept twice).
package camel
