// Package spec is the judge: executable specifications of rollback recovery, one property a file.
//
// A property is stated on events and on what the programs have done along their surviving past
// (trace.History), so the same property judges every transition that the checker explores and every
// trace that a driver recorded. It never looks inside a machine. Kinds: Always speaks about one
// event in its context, Final about the end of a run, Sometimes about something that must occur in
// some run (a guard against a vacuous pass), Pair about two runs, Monitor about one event and what
// the property remembers of the run up to it, a value of a type of its own (Remembers) that becomes
// a part of the state of the run; FailureFree about a whole run in which nothing fails (Quiet).
//
// A property is local when it reads only the proc of the event, and global when it reads others. A
// search that leaves out equivalent interleavings may do so only between events that no global
// property looks at.
package spec
