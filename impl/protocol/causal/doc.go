// Package causal is causal message logging with coordinated checkpoints: SCMEL ([CAMEL] Algorithm
// 1) and its generalisation to f failures at a time (family-based logging, [AHM]). A message is
// logged in the memory of its sender. What is nondeterministic, the order of receptions, is
// recorded in determinants, which travel on later messages until f+1 processes hold them; a
// recovering process collects them and receives in the recorded order. Nobody else rolls back.
//
// Model: fail-stop ranks with new incarnation numbers from the environment, FIFO reliable channels
// between incarnations, at most f ranks down or recovering at one time, any number one after the
// other. A program is deterministic but for the order in which it receives (piecewise
// deterministic). The moment of a reception would be a second kind of nondeterminism, which no
// determinant records; so a posted receive completes where the program waits (promise.PostsWait),
// and a program may send while one is open. All ranks take as many checkpoints, and wait at each
// for all; a program in which a rank waits there for what is sent behind is refused (crossing.go).
//
// Differences to the paper that are no errata: a message is received when it arrives (its
// determinants are stored and acknowledged then) and delivered, that is numbered, when the program
// asks for it. The failure of a process is announced by its next incarnation, with a Recover
// message, which plays the part of FAILURE: it reaches each process at an independent moment after
// the restart.
//
// What the paper prints, line by line, is impl/protocol/causal/printed. Against that the repairs
// cost no message of a recovery (4(n-1) beside the replay of n ranks, in both) and let others go on
// meanwhile. Own determinants are kept until the next line, when others hold them, too, and a
// checkpoint has a mark on each channel, n(n-1), and 4(n-1) messages of three phases, where the
// paper assumes a call that is coordinated.
//
// One file an idea: failurefree.go (Algorithm 1 l. 1-21), determinants.go, checkpoint.go (l.
// 22-27), crossing.go, recovery.go (l. 28-51), errata.go. Deviations from the repaired protocol are
// switches, each marked "Deviation:" at its line. The layer can be built upon (Extension):
// impl/protocol/camel adds collectives on trees.
//
// A network that loses order is covered by numbers on each channel (order.go).
//
// Not here: stable logging of determinants, output commit.
package causal
