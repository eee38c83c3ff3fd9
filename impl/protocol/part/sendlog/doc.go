// Package sendlog is the message log of a sender: what a rank has sent and may have to send again,
// in the order of the sends.
//
// A Log is plain data of a layer's state: entries of the protocol's own type, each with a number
// that ascends in the log and the payload. A Keeper is what a log needs beside the state in a real
// run: it knows whose the bytes of the payloads are. A program may use the bytes of a send again;
// so the log borrows them until the step is performed, and asks the memory to keep them then, while
// the message is on its way (core.Recycler): the memory copies them, unless it knows that nobody
// writes to them before the log frees them. Without a memory, in a search, nobody uses bytes again,
// and nothing is copied.
//
// Shared here: appending with the loan, finding by number, pruning in place, giving back. Not
// shared: when an entry may go and what is declared about it (a date acknowledged after a
// checkpoint in HydEE, a confirmed message in HMPL, an epoch in causal logging), the gate that
// entries wait at before they are sent again, and limits of memory.
package sendlog
