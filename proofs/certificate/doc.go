// Package certificate is the form of a certificate: what a search leaves behind that says that a
// scenario holds, for somebody who does not trust the search. Package checker/world writes it, and
// domino recheck reads it.
//
// # What is certified
//
// That a property holds of a transition system is shown by its reachable states: the initial state
// is among them, every step out of one leads to one, no step shows anything bad and no end is bad.
// That is easy to check, in any order, whatever found the states. A certificate is that set, by
// content: what procs, channels and stores are in, not the numbers that a search had for them. It
// has neither steps nor hashes; whoever checks it takes the steps himself.
//
// Nothing that a search may be wrong about has to be believed: in which order it went, which states
// it took for known, what it packed, threw away, wrote to a disk and read again, how many workers
// it had. What has to be believed instead is whatever makes the steps, and that is the level:
//
//	level                    what is trusted
//	closed                   the modelled environment (checker/world), the machines, spec
//	rechecked                an environment of its own (proofs/recheck), the machines, spec
//	closed under reduction   as closed, and that what was left out leads nowhere else
//
// A certificate of a search that takes one step for all (checker.Singletons) is closed under the
// steps that the reduction leaves, and no more: its level says so, for the hypotheses of the
// argument would have to be looked at in states that it does not have. Certificates are therefore
// of unreduced searches unless somebody asks for another one. Crashes that are put off, and sleep
// sets, leave out steps but no states, so nobody can tell from a certificate. Crash sets that a
// renaming turns into each other are not left out, and neither are states that differ by names:
// each is there itself.
//
// A violation needs no more than its run: a replay file is its certificate.
//
// Who checks begins at the initial state, and accepts only if every state of the certificate can be
// reached. So what runs must show (Header.MustSee) is shown by one that there is.
//
// # Canonical
//
// A certificate depends on nothing but the scenario and the build. Tables are sorted by content,
// nothing in them is unused, states are vectors of places in these tables and sorted, too; numbers
// and entries have one form each. So the certificates of one scenario have the same bytes, whatever
// the order of the search, its workers, and where it kept its states.
//
// # Format
//
// A line names the format. A line of JSON is the header, with the whole scenario. Then comes a
// deflated body: the tables in the order of their fields in Tables, each as the number of entries,
// and of each entry how many of its first bytes are those of the one before, the number of other
// bytes, and these; then the number of states, and of each how many of its first words are those of
// the one before, by how much the next one is larger, and the other words. Numbers are varints. The
// SHA-256 of all that is the end. It is compared before anything else is read: that finds damage.
// It does not make who wrote it honest, so whoever reads takes no length or count at its word, and
// no more memory than he may.
package certificate
