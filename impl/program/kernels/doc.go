// Package kernels holds programs that move real bytes: the communication skeletons of well-known
// parallel applications, most of them with the numbers that go with it. They run wherever other
// programs run: tiny in the checker, large in real runtimes.
//
// A kernel is built from a line such as "heat ranks=4 n=16 iterations=3" into one program a rank
// and a core.Kernel for each, which holds what is fixed: geometry and sizes. What changes is in
// core.Numbers. Messages have exactly the sources, destinations, order and sizes of their
// originals, which tests count without running them, and by formula; a self message is a
// local copy, neither sent nor counted.
//
// heat, laplace, cg, ft, mg, nbody and the matrix products compute what their names say and are
// tested against sequential references. ring, bt, sp, lu, smg, leanmd and openatom replace the
// numbers by digests: every message is made from the state of its sender and changes that of its
// receiver, so that a wrong, lost, doubled or stale one changes what comes later.
//
// leanmd and openatom have groups (Suite.Trees), on which they multicast and to which they
// contribute. A protocol that knows groups gets these operations as they are; for others package
// script expands them into messages along the trees, with the same numbers in the end: a kernel
// passes on the multicast that it has taken, and adds the contributions of its children to its own.
// What is received of a group does not enter the digest of the program but by way of the kernel,
// because a sum and its parts are not the same messages. leanmd has another form of messages that
// are sent on arrival, which only its kernel knows the moments of; it comes to the same numbers.
//
// Receives name their source unless the table of programs says "any". Where an original matches
// tags, the receives here are put in the order in which the same source sends. Products are rounded
// before they are added, so that no machine fuses the two and results are the same bits everywhere.
package kernels
