// Package netpipe measures the latency and the bandwidth between two processes, message size by
// message size, as NetPIPE does: a message goes there and back, and half of the time is counted.
// Every protocol is a machine of its own driven by package node, as in any other run; "raw" is the
// mesh alone.
//
// With Plan.Ring, so many processes pass a message round instead, and a lap is counted: what
// waiting costs when processes share cores.
//
// What is compared is measured in one run, in turns: for each size all links and protocols one
// after another, in another order in each round, the sizes shuffled. Reported are medians over the
// rounds, and the ratio to "none" (raw to none, too) as the median of the ratios within a round:
// the machine may be slow for a while, but then it is so for both. Where it has much else to do,
// medians measure that, and the least of many short samples is what remains: that is reported, too.
//
// The program of a rank touches nothing of what it sends: like the buffer of an MPI benchmark, it
// is the same all the time. HydEE between two clusters copies every message into its log, at both
// ends; the log of a sample has at most 64 MiB, or three messages, in memory that was used before,
// from the second round on, and is empty when the sample begins. SBML logs likewise. Each process
// has 128 MiB of such memory from the beginning, in large pages if the system gives them.
//
// That is one reading of what logging costs: a program that knows nothing of its runtime. The other
// one is a program that is written for it, as those of package kernels are: it takes the bytes of
// each send from node.Buffers, writes its message there and leaves them to the runtime, so the log
// keeps them without a copy. A case with "+lend" behind its name (hydee-2+lend) measures that; its
// ratio is to "none+lend", if that is in the run. There is no copy then, but what is written is
// other memory each time, as long as the log grows, which the processor's cache does not have.
// Between processes that share memory "none" looks better than any program can be that computes
// what it sends: bytes that nobody writes are in the caches of both cores for ever.
//
// RBML and HMPL have a logger for each rank, on another node: a process of its own that only its
// rank is connected with. So four processes run where there would be two; they have no core of
// their own on a machine with fewer than four, and then poll less patiently, in all cases of the
// run. A sample ends for all at once: whoever has done its part tells its neighbours, and goes on
// with what they still send.
//
// On two cores a message of 256 KiB or more over loopback keeps both busy, one sending and one
// receiving, so what a logger costs is processor time, and no order of sending hides it. The nodes
// of [RADIC] had eight cores and one card for Gigabit Ethernet each: Plan.Card gives every process
// such a card. Then RBML costs once more what the message does, and HMPL, whose answers leave
// before the copies for loggers, nearly nothing.
package netpipe
