// Package core is the contract between protocols and everything that runs them.
//
// A Machine is a deterministic state machine without I/O. Step takes one Input, a past event, and
// appends Effects, which the driver performs in order; a crash may fall between any two. Drivers
// (the modelled world of the checker, goroutines, a cluster of processes) run the same machines.
// Definitions used everywhere:
//
//   - proc: any process; rank: an application process; service: a proc that is not a rank.
//   - cluster: ranks that roll back together. group: procs that stop and restart together
//     (Setup.Groups).
//   - incarnation: life number of a proc, given by the environment, never by the machine.
//   - stable record: what Persist wrote; a new incarnation is handed the records that Setup.Reads
//     names.
//   - history: what a program did along its surviving past (trace.History). It is part of the
//     program's image, so a rollback cuts it back by itself.
//
// A rank is a program (data, see Op) that package program runs, what the protocol puts below it
// (see Layer) and the request boundary between them. A service implements Machine directly; its
// Choices are what it may do of its own accord. A setup may consist of services alone: what they do
// for their users crosses the boundary as Decide, Invoke and Return. State of both is plain data,
// encoded by one canonical codec (Encode), which serves checkpoint images, state identity in the
// checker, deep copies and reports.
//
// # Numbers
//
// A program may begin with a Kernel: pure functions on Numbers, which are part of its state and
// image. Its operations then name parts of it: what is computed, which happens together with the
// step before because nobody else can see it, and the content of what is sent and received. So a
// program with real data is resumed, checked and replayed like any other. What it has received is
// mixed into a digest beside its numbers, because numbers may forget what was wrong.
//
// # Ownership
//
// Inputs and effects are immutable once handed over. A Message given to Step is valid only during
// that Step: a machine copies what it keeps. A Message in an effect is valid until the next Step of
// the same machine, so a machine may recycle one scratch value for each kind and the data path
// allocates nothing; a driver encodes or writes it out before that. Payload.Data is the exception
// that makes large payloads cheap: the bytes belong to whoever holds the Payload, are never changed
// after the send, and are copied only into a log that outlives the delivery.
package core
