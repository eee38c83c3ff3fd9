// Package errmgr is the runtime's side of recovery: composable policies that answer a failure
// (ErrMgr) and stable storage of snapshots (SStore) [ErrMgr].
//
// The ranks of a job run on nodes. A node is its daemon, which starts and stops ranks (core.Launch,
// core.Kill), keeps their files and copies them; it fails with everything on it. The head owns all
// decisions: which failure is meant, which policy of the stack answers it, which snapshot
// everything restarts from, where ranks go. A policy decides and does nothing (package policy); the
// head carries out its orders. What becomes of a snapshot, and when it counts as established, is in
// package sstore. The store keeps files for all; without one, other nodes do (store=peers).
//
// A snapshot: the head makes its number durable and asks all ranks to stand still; each sends a
// marker on every channel, so when all markers are here nothing is on its way; the image goes to
// the daemon. Files are written, read back, copied and read back again, then the record of the
// snapshot is written: only now is it established.
//
// A failure opens an episode, about everybody who is lost. Who is declared failed is stopped first,
// whether he lives or not, then the stack is asked from the top. Another failure opens the next
// episode, about the union, and messages of the ones before count no more.
//
// A migration has two bodies of one rank, and a proc has only one machine. The new body does
// nothing before it is released: its whole state is the image that it was started from, and what
// others hear of it its daemon says. So until the decision is durable the new body is the image in
// the hands of the daemon of its node, and it becomes a process when the old one has been stopped.
// That both could run is a step of that daemon, and the judge sees it (one-body).
//
// The paper describes components, and leaves open how failures overlap with each other and with
// snapshots, so there is no printed form beside this one: each window in which an obvious answer is
// wrong is an erratum of the class silence, and what is about an assumption of the class outside.
//
// There are no claims (core.Commuter): ranks are launched and may be stopped at any time, so there
// is no state in which nothing unexpected can happen any more.
package errmgr
