/* Two-phase commit with N resource managers, 1 <= N <= 9: the system of impl/protocol/example/twophase, see doc.go. */
#ifndef N
#define N 7
#endif
#define ALL ((1 << N) - 1)

/* How many resource managers need not be heard: with BROKEN the last one, which is wrong. */
#ifdef BROKEN
#define READY (((ALL & ~heard) & ((ALL & ~heard) - 1)) == 0)
#else
#define READY (heard == ALL)
#endif

unsigned sent : N, heard : N, committed : N, aborted : N;
unsigned tm : 2; /* 0 = undecided, 1 = commit, 2 = abort */

#define TM \
	:: d_step { tm == 0 && READY -> tm = 1; assert(aborted == 0) } \
	:: d_step { tm == 0 -> tm = 2; assert(committed == 0) }

/* prepare, abort of its own accord, be heard, learn that the decision is to commit, learn that it is to abort */
#define RM(b) \
	:: d_step { !((sent | committed | aborted) & (b)) -> sent = sent | (b) } \
	:: d_step { !((sent | committed | aborted) & (b)) -> aborted = aborted | (b); assert(tm != 1 && committed == 0) } \
	:: d_step { tm == 0 && (sent & (b)) && !(heard & (b)) -> heard = heard | (b) } \
	:: d_step { tm == 1 && !(committed & (b)) -> committed = committed | (b); aborted = aborted & ~(b); assert(aborted == 0) } \
	:: d_step { tm == 2 && !(aborted & (b)) -> aborted = aborted | (b); committed = committed & ~(b); assert(committed == 0) }

#ifdef PROCESSES

active proctype manager() {
end:	do
	TM
	od
}

active [N] proctype resource() {
end:	do
	RM(1 << (_pid - 1))
	od
}

#else

active proctype system() {
end:	do
	TM
	RM(1)
#if N > 1
	RM(2)
#endif
#if N > 2
	RM(4)
#endif
#if N > 3
	RM(8)
#endif
#if N > 4
	RM(16)
#endif
#if N > 5
	RM(32)
#endif
#if N > 6
	RM(64)
#endif
#if N > 7
	RM(128)
#endif
#if N > 8
	RM(256)
#endif
	od
}

#endif
