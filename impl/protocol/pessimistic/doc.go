// Package pessimistic is the pessimistic family of message logging: sender based (SBML), receiver
// based (RBML) and the hybrid HMPL. A failed rank restarts alone from its last image and replays
// what it had received in the recorded order; nobody else rolls back.
//
// Definitions: a delivery is stable when what is needed to repeat it survives the receiver: its
// entry is in the logger of the receiver (RBML, HMPL), its place in the order is in the sender's
// log (SBML), or an image that is kept holds it. An output, and a send that may depend on an order
// nobody else can repeat, wait until every delivery before them is stable; that is the pessimism.
//
// Model: ranks and loggers (a thread on another node for each rank), fail-stop, reliable channels
// between live procs whose messages to a crashed proc in flight are lost; order on channels is not
// needed. Programs are piecewise deterministic: receptions are the only nondeterminism, not their
// moments, so a posted receive completes where the program waits (promise.PostsWait). If it could
// complete anywhere: 1. p posts a receive from q, sends q a question, fails. 2. q has answered, and
// the answer is there when p posts again: the receive comes before the question, which depends on
// it now, and q is an orphan. With Options.Semi the ranks of a node stop and restart together and
// only messages between nodes are logged.
//
// What is lost: SBML keeps the order in volatile sender logs, so it survives one failure at a time
// (M22 is what a second one breaks). RBML and HMPL survive any number of concurrent failures of
// ranks, or of loggers; a rank that fails together with its logger, or before a new logger has its
// image, is answered with a typed answer, "unrecoverable", never with a wrong state.
//
// Source: [RADIC] H. Meyer, PhD thesis, UAB 2014, sections 4.1.1 (SBML, sender.go), 4.1.2 (RBML)
// and 4.2 (HMPL); receiving.go, checkpoint.go, recovering.go and logger.go serve both of the
// latter, which differ in what waits for what (layer.go). A way to get the thesis wrong is an
// Erratum that a switch turns on; the line says "Deviation:". The text line by line is in printed,
// with what differs here and what it costs.
//
// A node that rolls back together takes coordinated checkpoints (node.go): its images are one
// consistent cut, what was on its way inside the node is in them, and they become the line of the
// node at one moment, at the logger of its first rank. When a logger of the node is lost, a new
// checkpoint of all of them protects the node again; a failure before that is answered with the
// same Halt by every rank of the node. The cut itself is impl/protocol/part/snapshot; who decides
// differs from the other users of it, because images are at loggers, which fail apart.
//
// Limits of memory count messages or bytes of payload. The temporary buffer of a sender that is
// full keeps what comes next on the local disk, a logger writes its oldest entries there or asks
// its rank for a checkpoint; a message larger than the limit is treated alike, so no size stops
// anybody. The circular buffers of the text (M11a overwrites, M11b blocks) can not hold such a
// message: the setup refuses it.
//
// Not here: who restarts a rank and where (impl/protocol/radic), and message tags. A program
// receives from a source, in the order of the channel, and a protocol offers sources; a receive
// that names a tag takes a later message first, so tags would change the contract of every
// protocol. M6, the table of highest numbers with such receives, therefore shows only as M5, where
// a copy is behind a later message; the repair, duplicates by number, is the same. Of the results
// that depend on timing, programs have the wildcard and the completion of posted receives in any
// order (Waitany); Test, Iprobe and clocks they can not ask.
//
// With loggers there are no claims (core.Commuter), as a logger may have failed and want an image
// of now: what has been received, and whether the program has ended, is in it. Those of SBML are in
// commute.go.
package pessimistic
