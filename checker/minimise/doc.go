// Package minimise makes a counterexample as small as it gets while it stays one: first the
// scenario, so that as few ranks, clusters, failures, checkpoints and messages as possible are
// left, then the run itself.
//
// # Definitions
//
// A change makes a scenario smaller in one respect (changes are listed in ranks.go, faults.go and
// messages.go; size.go says what smaller means). Of a protocol without programs it is the number of
// procs of each role that becomes smaller. A scenario is minimal when no single change leaves the
// property broken: 1-minimality in the sense of delta debugging (Zeller and Hildebrandt 2002), for
// the changes listed here, in the order of DEMi (Scott et al., NSDI 2016): procs, clusters,
// crashes, checkpoints, messages, then the order of events. It is not the smallest scenario of all;
// two changes at once might lead further.
//
// # Method
//
// The property that the given run breaks is the one that each smaller scenario must break, too;
// that some other property is broken does not count. A smaller scenario is tried in two ways: by
// what is left of the run that is known, then by a breadth-first search under a bound of states.
// What the bound leaves undecided counts as not broken, and is reported. A scenario must stay what
// the given one is: a program that ends without failures, within the promises of the protocol,
// unless the given one is outside them and is forced.
//
// At last the run is the shortest one of the smaller scenario, in an order that is easy to read
// (world.Canonical), or as close as the bound allows. It is repeated in a new world before it is
// handed over.
//
// Nothing depends on clocks or on chance: the same question gets the same answer, unless ctx ends
// it early.
//
// The package knows no protocol: whoever calls it says how names are resolved.
package minimise
