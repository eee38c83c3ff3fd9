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
// Deviations from the repaired protocol are switches, marked "Deviation:" at their lines.
//
// Not here: more than one failure at a time (relays would carry determinants, and copies would be
// kept twice).
package camel
