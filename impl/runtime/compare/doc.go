// Package compare measures protocols against each other: the same programs, checkpoints asked for
// at the same instants and the same failures, in modelled time (package impl/runtime/emulate). Its
// rows and columns are those of the tables in which papers compare protocols, and beside each cell
// of a paper stands what was measured, from how many runs, and where the two differ the run that
// shows it.
//
// # What is measured
//
// Nothing is taken from what a protocol promises. A probe stands between the machines and the
// emulator and sees what crosses: messages with their headers, records, program steps, what is in
// the state of a machine. Definitions:
//
//   - An image is a record, or a message to a service, that holds the state of a program
//     (program.Images), whatever it is called.
//   - An integer of a message is a number in it, beside the payload and its name, that is not the
//     same in all messages of the run, and is not the number of the message in its channel, which
//     every protocol has. Bytes are those of the header, less those that it has without a protocol.
//   - A program is blocked at a send when that is its next operation and the protocol does not take
//     it; at a reception when the message that it waits for is there.
//   - A message is in a log when its payload is declared to be there (Logged, Kept), or is found in
//     the state of a machine though its receiver has got it.
//   - A rank loses what it has sent and received beyond the place where it goes on after a failure.
//   - A round is a message delay: the longest chain of messages that are not the program's own,
//     from the report of the failure to the first step of the last program.
//
// # Rules
//
// The words of the tables follow from the figures by fixed rules, see the file of each column
// (scheduling.go, piggyback.go, writes.go, memory.go, line.go, containment.go). A cell that could
// not be measured says why.
package compare
