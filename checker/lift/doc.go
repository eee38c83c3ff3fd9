// Package lift finds runs of real processes (impl/runtime/tcp/cluster) again in the modelled world
// (checker/world), step by step, from the evidence that they leave. What is found is a schedule
// that replays; a run that is not found shows that the runtime does what the model does not: the
// longest beginning of it that is one of the world, what fits nowhere behind it, and what the world
// offers instead.
//
// # The model
//
// That of the run, with budgets that are as large as what has happened. When failures may strike is
// not looked at: whether a recovery was over when the next failure struck is known in a cluster
// only later than it is so, and to nobody at one instant. Procs that stop at once stop one behind
// the other, with nothing between them.
//
// # What is not covered
//
// Damage that the sums of the disk find out: the world has it of interrupted writes only. More
// failures or requests for checkpoints than the counters of the world hold. A crash inside a step
// when somebody who stops with it has gone on behind that, having heard of what the step did: in
// the world that crash is one event. All are unknown.
//
// A step of which the end is missing, because its proc was stopped by an order, or by the exit of
// its node or of a mate: in the world these fall between steps. Such a run is found with a failure
// for it that was none, by which the proc stands still there, and that is said.
//
// In a run that was made to take a course (package enforce) all waits for its turn, also what the
// dead have sent, so there it is searched when the rest of that was lost.
package lift
