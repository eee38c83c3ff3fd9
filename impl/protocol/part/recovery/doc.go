// Package recovery is the recovery of protocols whose ranks take images and replay nothing: after a
// failure everybody stops, a recovery process finds the line, who is beyond it goes back, and then
// all go on.
//
// Definitions: an image is of one rank, numbered from 1 in the order in which they are taken; the
// number is never used again. The interval of a rank that ends in an image has the number of that
// image, so the present one has the number of the next image. A line is one image or present state
// of each rank; an orphan of it was received inside and sent outside. A round is one evaluation of
// who must go back. Lost is the present state of a rank that has failed; images between the one
// that it has gone back to and the next new one are void.
//
// The parts:
//
//   - line.go has the rules that find a line, pure functions: Maximal and Strict along the
//     rollback-dependency graph [Wang], FirstOfIndex for images with indices [BCS].
//   - process.go is the recovery process, one proc behind the ranks, the only one that hears of
//     failures.
//   - layer.go, rounds.go and images.go are the layer of a rank that takes images alone: messages
//     with the number of their interval or an index, images when the program wants one or a message
//     does (Config.Wants), and the rank's side of rounds.
//   - setup.go makes a core.Setup of them.
//
// The rules:
//
//	V1  A failure opens a round, or has its rank report anew while the line is not found. A new
//	    recovery process opens one, too, because it does not know what it has missed. The life of
//	    the process is in the number of a round, so newer rounds have higher numbers.
//	V2  Who hears of a newer round stops, forgets what waits for its program, and reports its
//	    images and its present state, when the image under way is stable.
//	V3  With the reports of all ranks, of lives that are not over, the process finds the line and
//	    tells everybody where to go.
//	V4  Who must go back writes that down, with the numbers that are void, and then restarts. The
//	    record counts, whether the removal of void images outlives a crash or not.
//	V5  When all are there they go on. A sender sends again from its log what the line of the
//	    receiver does not have. What was sent in an older round is dropped: its send may be undone,
//	    and another message have its number.
//	V6  Nobody goes on in a round before all are at its line. So while a round is under way the
//	    numbers of messages tell all orphans, whoever was to go back in a round that was given up.
//	V7  No failure goes behind the line with everybody failed, of the images that the process has
//	    heard of. What is before it is removed, and then the log of what it has received.
//
// Model: reliable FIFO channels, fail-stop, any number of failures, that of the recovery process
// included, also during a recovery. Nothing is assumed of programs: what is sent behind the line
// may be something else the second time.
//
// What is kept about others is by rank (link.Numbers): with many ranks it is about partners alone.
// The process finds the line of all anew with each image that it hears of, so the work of a wave of
// checkpoints grows with the square of the ranks.
//
// There are no claims (core.Commuter): a rank that has restarted opens a round, which nobody who
// has not heard of it can know of, so neither receives nor messages commute with what that begins.
package recovery
