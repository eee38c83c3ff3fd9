/* A ring of N nodes that log, with at most two failures: the system of ring_test.go, see doc.go. */
#ifndef N
#define N 3
#endif
#define K 3 /* rounds */
#define LIVES 3

byte left = 2;          /* failures that may still be */
byte lives[N];          /* failures that were */
byte stable[N];         /* round on stable storage */
byte said[N * LIVES];   /* rounds that are in the network, a bit each, by node and life */
byte heard[N];          /* round of the node before */
bool writing[N];
bool down[N];

#define me _pid
#define before ((_pid + N - 1) % N)

#define SAY \
	if \
	:: stable[me] > 0 -> said[me * LIVES + lives[me]] = said[me * LIVES + lives[me]] | (1 << stable[me]) \
	:: else \
	fi

#define HEAR(life, r) \
	:: d_step { !down[me] && heard[me] < r && (said[before * LIVES + life] & (1 << r)) -> heard[me] = r }

#define CRASH left--; lives[me]++; heard[me] = 0; writing[me] = 0; down[me] = 1

active [N] proctype node() {
end:	do
	:: d_step { !down[me] && !writing[me] && stable[me] < K && heard[me] >= stable[me] -> writing[me] = 1 }
	:: d_step { writing[me] -> writing[me] = 0; stable[me]++; SAY }
	HEAR(0, 1)
	HEAR(0, 2)
	HEAR(0, 3)
	HEAR(1, 1)
	HEAR(1, 2)
	HEAR(1, 3)
	HEAR(2, 1)
	HEAR(2, 2)
	HEAR(2, 3)
	/* a write in progress has become stable, or not */
	:: d_step { !down[me] && left > 0 -> CRASH }
	:: d_step { writing[me] && left > 0 -> stable[me]++; CRASH }
	:: d_step { down[me] -> down[me] = 0; SAY }
	od
}
