// Package mutants has machines that are broken on purpose at their boundary, so that a property
// which catches nothing is found out: each property of spec must fail on the mutants that name it,
// and must accept the near misses.
//
// A mutant wraps the machines of any setup. It sees what crosses the boundary of a proc (inputs,
// effects) and changes, repeats, delays, adds or removes some of it; the machine inside is not
// touched and does not know. This is what the judge sees too: evidence comes from the boundary, so
// a lie told there is as good as a protocol that does it.
//
// Model: a wrapped machine obeys the contract of core.Machine. It is deterministic, its state (that
// of the machine inside and the wrapper's own memory) is plain data, and a crash loses both.
// Messages between wrapped machines travel in envelopes, which carry the bytes of the inner message
// and, beside them, what the message declares about itself.
//
// A few mutants know names that HydEE uses (Acknowledge, image/, commit/) or CAMEL (Completed); the
// others work with any protocol.
//
// Not here: how a mutant is found (the tests of this package run the checker) and mutants that need
// more than the boundary, such as the errata of a protocol, which are switches in its options.
package mutants
