// Package recheck checks certificates without the engine that has written them: level "rechecked"
// (see package certificate). It has an environment of its own, written after the documentation of
// checker/world, and judges by spec. Beside spec it knows only the format; machines come through an
// interface.
//
// # What is trusted
//
// This package; spec; the machines, of which one step at a time is asked for, and what is seen of
// their effects (the evidence); what the scenario means (who is who, the failure model, the
// promises of the protocol) and what its programs do without failures (spec.Oracle), which the
// checker finds out in an exploration of its own. Not the search, and not the world: neither how it
// numbers things, nor the network, the store, the detector, crashes or restarts in it.
//
// # How
//
// From the initial state on, every step out of every state of the certificate is taken. A step of a
// proc depends on its configuration, so it is found out once for each; that it does to others what
// it does is remembered, too. What is remembered is known by all that it depends on, never by a
// hash. A step whose successor the certificate has not, one that breaks a property, an end that
// breaks one, a state that no run reaches: refused, with the state and the step.
//
// # Beyond
//
// A certificate of a reduced search, more than 64 procs, a group without procs, and a machine that
// stops in its very first step, does something behind its exit or before its next life, or sends
// what is left of a life before in its first one: then the answer is ErrBeyond, and the certificate
// counts for the level "closed" only.
package recheck
