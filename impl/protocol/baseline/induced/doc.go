// Package induced is communication-induced checkpoints: ranks take images whenever they like, and
// messages force more of them, so that no image is useless and there is no domino effect.
//
// Model: reliable FIFO channels, fail-stop of single ranks, any number of failures at any time.
// Nothing is assumed of the program. The recovery is package recovery, whose rules V1 to V7 hold.
//
// With rule=index [BCS] a rank has an index, which is that of its last image. An image of its own
// raises it by one; a message carries it. A message with a higher one is delivered only behind an
// image with that index. After a failure, with s the least index of the last images of those who
// have failed, everybody goes back to its first image with index s or more, and who has none stays:
// what is sent behind an image with index s carries s or more, and is delivered behind one. The
// line is not maximal.
//
// With rule=vector, the rule of [Monnet] for groups of one, a rank knows for each other rank the
// highest interval of which it has received, and a message of a higher one is delivered only behind
// an image of its own, with nothing sent in between. The line is maximal.
//
// Why no image is useless under rule=vector: say m from interval a of i is delivered at j behind
// the send of x, in one interval of j, so that going back behind m undoes x, which does not depend
// on m. The first message of a that has arrived at j forced an image when it came, so x was sent
// behind that arrival. So whatever is undone by going back to before a was sent, in time, behind a
// send of a, and never is it something that a itself stands on. An image again behind a send,
// before the message is delivered, is more than that needs; a test finds no useless image without
// it, either.
//
// Sources: [BCS] Briatico, Ciuffoletti and Simoncini 1984; [Monnet] Monnet, Morin and Badrinath
// 2004. Neither is quoted here. What they leave to the system, and how it is settled here:
//
//   - An image is stable before anything is sent or received behind it.
//   - The image is forced when the message arrives, because the layer does not know when the
//     program will ask for it. By the rule=vector another one follows behind each send before the
//     program does.
//   - Messages on their way through the line are in the logs of their senders.
package induced
