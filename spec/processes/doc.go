// Package processes judges what a runtime of real processes promises to the machines that it runs,
// from evidence that each life of a proc leaves: what it put on its connections and took from them,
// when it agreed that others are dead, and what its disk acknowledged and handed out.
//
// # The consistent cut
//
// A failure is one event in the modelled world. In real processes it is a kill, and news of it that
// comes to everybody at another time. The machines may believe that it is one event if there is a
// consistent cut between its two sides (ConsistentCut). It is there when
//
//	lives        a life begins only when all have agreed that those before it are over, and is told
//	             how many lives of each proc are
//	agreement    each life agrees on each failure, on the same victims, in the order of all; who
//	             ends in order has agreed on all
//	drained      nobody agrees while something may still come from the dead
//	over         nothing is taken from a life that its receiver has agreed is over, and where the
//	             model has nothing of the dead arrive, nothing when the news has come
//	epoch        nobody takes a frame that knows of a failure that he does not know of: of each
//	             frame, the failures that its sender had agreed on when it put it there, and it
//	             says so of itself
//	prefix       what a life takes from another is a prefix of what that has put for this life, in
//	             that order: nothing lost in between, nothing twice, nothing meant for a former life
//	all          what was put is taken, between lives that have ended in order
//	clock        a frame is put before it is taken, by the clocks that order the evidence
//
// What a life put on its connections is written down with the next effect, so of one that was
// killed others may have taken more than it has evidence of: behind all of that, and no older.
//
// # Stable storage
//
// A life is handed what was stable (StableKept): the records that the entries before it have left,
// as far as they were acknowledged at least, and as a prefix of their order. A record is torn only
// where the first entry that was not acknowledged has cut it, and nothing with the key was there.
// And a machine is told that a write is stable when the disk has acknowledged it, once.
package processes
