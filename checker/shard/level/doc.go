// Package level explores one state space with several processes, breadth first, level by level:
// any of them may end at any moment, and come again, and every number is that of the search in one
// process (checker/search).
//
// # What travels
//
// The words of a state are numbers of one process, in the order in which it has met things, and so
// are codes (checker.Code), which are made of them: neither means anything elsewhere. What does is
// the digest of a content (checker.Portable). The sum of the digests of its words is the
// fingerprint of a state, 128 bits, a sum that changes with the words that a step changes; the
// search in one process makes none. Fingerprints travel, states stay where they were made: in an
// object, with the digests of their words, from where whoever explores them next reads them. No
// number of a step leaves a process, either, nor a code of an event: where the order of messages
// is not kept, both follow the numbers.
//
// # A level
//
// A coordinator (Lead) cuts the frontier into blocks, which are jobs. A worker (Work) takes a
// block, expands its states, and asks the keepers of the successors, which are workers, too: each
// knows the visited fingerprints of some partitions of all. The first block that names a
// fingerprint which no level has owns it. The block is written as one object, of the states that
// it owns, and then its result is put, once. When all blocks have results, the keepers are asked
// how many fingerprints of each partition were named, and their sum: if that is what was written,
// the objects become the next frontier, by comparing and setting the head. Nobody reads an open
// level.
//
// # Why no state is lost, and none is there twice
//
// What the engine is trusted with: a head that is compared and set, results and objects that are
// put once. Everything else may be late, come twice, or never.
//
// A level is explored in attempts. Each has a number of its own, which is set in the head together
// with who keeps what, before anybody hears of it; all names and questions carry it. Three rules:
//
//  1. Only what is certainly known is not asked about: what keepers of a committed attempt have
//     answered, or what this worker has written in a block whose result was put (memory.go). To
//     have asked is not enough, whoever may have been told to own the state.
//  2. What was said in an attempt that came to nothing counts for nothing: memories are emptied.
//  3. The keepers of an attempt are lives of processes, and keep what they were told in memory.
//     When one does not answer, the attempt is over: nobody takes its place in it.
//
// So in an attempt that is committed, each partition was kept by one memory, and by rule 3 its
// answers never contradict each other: a state has one owner. Let a block reach a state that no
// committed level has. If its result is of a run that has asked about the state, the keeper knows
// an owner. Its result is of a run that reaches the state, too, for a block is explored in the
// same way each time. Could that one have left it out? By rule 2 and 1 only if a block of the same
// attempt with a result owns it, and that is the owner itself. So it has asked, was told that it
// owns it, for the keeper tells it again to whoever asks for that block, and has written it. If
// all runs with results that reach the state leave it out, one of them has written it. So it is
// written, and only once, for only its owner may.
//
// The sums are compared all the same: what they find is none of that, but memory that went bad. A
// keeper that was of another attempt, or of none, reads what it keeps from the objects of
// committed levels, and compares sums, too.
//
// One could let somebody else take the place of a keeper in an open attempt, and tell it which
// states have owners by the results that are there. It does not save much, for a level is a small
// part of a search, and it is wrong: worker X is told that block B owns a state and leaves it out
// of its own; B is explored again by Y, and that by X for the first time, who leaves the state out
// because it has asked about it; the keeper that knew the owner is gone. Or the results of two
// blocks each say that the other one owns the state, by two keepers of two moments. Sums do not
// show it: no keeper and no object has the state.
//
// A coordinator may lose its lease and not know: whatever it sets in the head fails from then on,
// and keepers refuse attempts older than theirs. Two that prepare attempts of one level have
// different numbers; at most one is committed, since the other head is compared with a former one.
//
// # What is the same as in one process
//
// States, transitions, terminals, depth, what reductions save, local steps and states, what was
// seen, the verdict, the properties that are broken and the length of the shortest run, whatever
// the number of workers, partitions and interruptions. Of several runs of that length the one is
// shown whose violation was seen first and at the state with the least fingerprint: always the same
// violation, but perhaps not that of the search in one process, and the way there may differ. What
// a property of two runs has seen differently in two processes is a violation of the level: it is
// done again, and begins with one of the two known to all (lead.settle). Reductions are those of
// which each expansion is a function of the contents alone: checker.Singletons and checker.Crashes.
//
// A run that shows a violation is found by walking back, one object a level; the fingerprints on
// the way lead the coordinator's system forward again.
//
// The other searches keep the states themselves (checker.Code) and confuse none. Here two states
// have one fingerprint with a probability of 2^-128, so that of n states two are taken for one with
// a chance of n^2 / 2^129: 10^-19 for 10^10 states.
//
// # What it costs
//
// Bytes a state: 16 times what is asked about each (a bit comes back), and an object of 16 for the
// fingerprint, 3 to 6 for the state and its parent, and the digests. A keeper has 22 to 43 bytes a
// state in memory. The Outcome says what was sent and written.
package level
