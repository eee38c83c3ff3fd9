// Package uncoordinated is independent checkpoints: a rank takes an image whenever it likes, and
// nobody else hears of it but a garbage collector; how far everybody must go back is found after a
// failure.
//
// Model: reliable FIFO channels, fail-stop of single ranks, any number of failures at any time.
// Nothing is assumed of the program. The recovery is package recovery, whose rules V1 to V7 hold.
//
// State: the number of the present interval, the images, and for each other rank the highest
// interval of which a message was received: direct dependencies, saved with each image. A message
// carries the number of the interval of its sender, an integer. Received from an interval of i, a
// rank depends on that interval; the rollback-dependency graph has these edges, and the line is
// what propagation along them leaves.
//
// Promises: images at any time, and none that nobody has asked for; the line is maximal. None: that
// there is a line other than the beginning. Two ranks that receive, take an image and send in turn
// lose everything, however many images there are (program domino): the domino effect [Randell].
//
// Sources: [BL] Bhargava and Lian 1988 for the protocol, [Wang] Wang 1993 for the graph. Neither is
// quoted here: the definitions are rebuilt from what is generally known of them. What they leave to
// the system, and how it is settled here:
//
//   - Messages on their way through the line: with channels=log their sender has them, in memory
//     and in its images, and sends them again. With channels=lossy they are lost, and the line is
//     one through which nothing goes: a sender goes back, too.
//   - When an image counts: when it is stable. The program goes on meanwhile, in the next interval.
//   - What is removed: what is before the line with everybody failed. The recovery process
//     collects the dependencies of stable images for that, one message an image.
package uncoordinated
