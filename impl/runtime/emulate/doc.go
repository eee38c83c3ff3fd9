// Package emulate runs the machines of a setup in modelled time, one event after the other: what a
// run costs on a machine that is not here, from prices that are data. It proves nothing; it answers
// how long something takes, and what that depends on.
//
// # Model
//
// A proc handles one input or program operation at a time, which takes a price. Procs live on
// nodes. A node has cores, a card out and a card in, and a disk, each of which is free at some
// moment and serves who comes first: messages cost what LogGP says (Link). Whoever computes (what
// Config.Stepped returns) is passed by all who do not. Where more procs share a node than it has
// cores, one that has nothing to do sleeps, and with the next input takes a price to go on
// (Costs.Wake). All effects of a step are asked for at its
// end; its messages leave one after the other as the processor comes to them, and what it writes
// follows. A message that is larger than a chunk is bulk: bulk waits for its turn on a card,
// anything else passes it chunk by chunk.
// A disk serves one record after the other, in the order of their arrival, each for a price a file
// and its bytes at a rate: a token bucket whose depth is one request. It may have several servers,
// and be one for all nodes: a stable store. The price of a file may be another one when more than
// so many wait (Disk.Crowd), which is how a server of files behaves that everybody writes to at
// once. The first time that a record is read after it was written has a rate of its own, as it is
// in memory still. There is no contention inside the network.
//
// A message may carry images of processes (Config.Images), which are read from the disk of the node
// where they were kept before it leaves, and written to that of who gets it before that is told:
// those behind it on its channel wait, and nobody else does. These disks (Costs.Keep) are other
// ones than those of records.
//
// Sizes are declared: Config.Size and Config.Weight may say that a message or a record has more
// bytes than it has, so that images of a job need no memory.
//
// # Order
//
// Time is in whole picoseconds, 53 days of them. Events are ordered by time, then proc, then by the
// number that the proc has given them, so a run is a function of setup and configuration. There is
// no clock, no chance, and no goroutine but those of blocks (Windows). Of several program steps
// that are possible the first is taken.
//
// # Windows
//
// With Config.Apart a run goes by windows of time that are not longer than the time between an
// event of a proc and the first that this makes for another proc, which is an overhead and a
// latency: who comes first within one does not matter, so each proc does all that it does in a
// window before the next one has its turn. With 65,536 ranks, most of what an event costs is to
// bring its rank into the cache, and to order it among those of all others; by windows a rank is
// there once for a few of them, and they are in a queue of its own. The run is the same: events of
// one proc at the same moment are ordered by when they were made and by whom, as the number of a
// single queue orders them. What is up to the order of all events, a shared disk, failures, and
// whatever hooks ask for, ends such a run with ErrOrder, and so does a machine that breaks its
// contract, since another one may do so before.
//
// With Config.Blocks, procs are in blocks that go through a window at the same time, each in a
// goroutine and with a queue, items and hooks of its own. What they make for procs of other blocks
// is handed over when all have come to the end of the window; the order of events does not depend
// on when they were put into a queue, so the run is the same again. Procs must share nothing for
// that: where several are on one node, messages are announced first (Link.Eager) or wait
// (Config.Carry), links have no latency, or with Config.Keep or Config.Until, a run has the single
// queue and one goroutine, whatever Apart and Blocks say.
//
// # Failures
//
// They come from whoever watches the run (Config.Observe, Run.Crash). A crash takes what has not
// left the card of the node yet, and what is on its way to who crashes; writes in progress are
// lost, and no record is torn. What is sent to a proc that is down waits for its next life. Procs
// start again by Launch where the setup says so, otherwise by themselves (Costs.Restart). Where
// Config.Reload says so, they read their records first, as others do at that time. Those that
// others adopt start a Costs.Launch later on the node of who has adopted them, and stop with it.
//
// Watchdogs (core.Watch) expire about lives that have ended, some time after the last sign of life
// (Costs.Heartbeat, Costs.Watchdog). None expires falsely, so nobody is given up who lives: Renew
// is refused when a machine asks for it.
package emulate
