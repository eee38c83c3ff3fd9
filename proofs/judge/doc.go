// Package judge compares spec/order, which is the first specification of everything that is judged,
// with the judge that Coq extracts from its theorems (proofs/coq, Judge.v) to OCaml: what happened
// before what, members and orphans of cuts, vector clocks, and recovery lines, on random runs in
// which processes crash, go back, do something else or the same again, and receive what nobody has
// sent, or twice.
//
// Traces that drivers have recorded (searches, goroutines, processes that are killed) are compared,
// too: the test makes the graph of them without package order.
//
// What a run is as a graph (which events are the same node, and which send a reception is of) the
// generator knows, and tells the judge; package order finds it from the trace. Nobody shares code.
// Trusted are Coq, its extraction (numbers become those of the machine), OCaml, and main.ml, which
// reads and writes numbers and picks of all consistent lines the farthest.
//
// It compares spec/hydee, the abstract HydEE that real code is held against, with what is extracted
// from HydEE.v and HydEEPhases.v: which steps are possible in random states of random applications,
// and where they lead. hydee.ml reads and writes these.
//
// The tests are skipped where coqc or ocamlopt is missing (Debian: apt-get install coq ocaml-nox).
package judge
