// Package enforce makes a run of real processes (impl/runtime/tcp/cluster) take the course of a run
// of the modelled world (checker/world), such as a counterexample: the way back of package lift.
// Every process holds back what arrives and what it writes, and does its moves one behind the other
// in the order of the world (package impl/runtime/course); who crashes is killed by SIGKILL behind
// the same effect.
//
// # What is compared
//
// A message is delivered if its bytes are those of the world's, and behind each move the machine
// must be in the state that it is in there. So a run that comes to its end is the run of the world,
// made by processes that talked by sockets, wrote to disks and were killed. Then the same
// properties judge its evidence, and the evidence of each proc is compared with the world's.
//
// What a property says of a run for which its evidence is not enough (that it repeats itself for
// ever; what machines and disks still have at its end) is judged by the states, which were found to
// be those of the world. A part that repeats itself is made twice. A property that compares runs
// compares the evidence with that of processes which were made to take the run of the world without
// failures.
//
// # What is not covered
//
// Loss and duplication by the network, torn, lost and damaged records: no connection and no disk
// does that to order. (Messages that overtake each other do so in the inbox.) Members of one group
// that stop one by one. Runs that go on for ever without repeating themselves. What is on its way
// to the dead and reaches their next lives, where a model has that, is kept by the supervisor in
// the place of the network.
package enforce
