// Package sstore is stable storage of snapshots (SStore): which snapshot of a job is established,
// which files belong to it, where they are, and when they may go. It is pure: the head of
// [ErrMgr], which calls it, writes the records and sends the messages.
//
// Definitions. A snapshot has a part for each of its members, the ranks that ran when it was taken;
// a part is a file, of which there are replicas: at home, which is the node of the rank when it
// was taken, in the store (central, stage), or on other nodes (peers). A replica counts when who
// has it has read it back and its length and sum are those of the bytes that the rank gave away. A
// snapshot is complete when every part has the replicas that are asked for or, where fewer failure
// domains are left, one in each of these, and established when, after that, its commit record is
// durable. A replica that is lost before makes it void. Nobody infers it from files.
//
// Source: J. Hursey, A. Lumsdaine, A Composable Runtime Recovery Policy Framework Supporting
// Resilient HPC Applications: the components central and stage, flow control, compression on the
// node and the cache. Ours are peers, sums, reading back, and the commit record: the source leaves
// open how one knows that a snapshot is established.
package sstore
