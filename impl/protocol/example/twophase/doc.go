// Package twophase is two-phase commit: a transaction manager asks nothing, waits until every
// resource manager has prepared, and then commits; it may abort at any time before, and a resource
// manager may abort as long as it has not prepared [Commit]. It is an example of a protocol outside
// recovery, and a measure of the checker: the numbers of states are published.
//
// Model: the specification of [Commit] without failures. The network is a set (fault.Model.Set): a
// message is never consumed, so a decision may reach a resource manager at any time and again.
// Nobody waits for anybody, so the manager decides to abort of its own accord, which stands for all
// reasons: a timeout, a resource manager that said no.
//
// Not here: stable storage, and what a resource manager does when the transaction manager is gone.
package twophase
