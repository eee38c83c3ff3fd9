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
// is the same all the time. It lies in a buffer that the node knows (node.Buffers), which so knows,
// too, that nobody writes to it: HydEE between two clusters, SBML and others that log at the sender
// have each message in their logs without a copy, at both ends. In the log of a sample are at most
// 64 MiB, or three messages, and it is empty when the sample begins. Each process has 128 MiB of
// memory for it from the beginning, in large pages if the system gives them.
//
// Two habits of programs cost more. With "+write" behind the name of a case (hydee-2+write) the
// program writes all of each message before it sends it, as those of package kernels do. What is in
// a log stays there, and the program gets another buffer; so there is no copy either, but what is
// written is other memory each time, as long as the log grows, which the processor's cache does not
// have. With "+copy" the bytes are the program's own, of which the node knows nothing: each message
// is copied into the log, which costs about as much as to send it when it is large. The ratio of
// these is to "none+write" and "none+copy", if they are in the run, else to "none".
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
