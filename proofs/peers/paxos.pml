/* Single-decree Paxos with three servers and N clients, 1 <= N <= 3: the system of impl/protocol/example/paxos, see doc.go. With BROKEN a leader proposes what its client wants. */
#ifndef N
#define N 3
#endif
#define NONE 255
#define FROM(p, q) ((p) * 3 + (q)) /* the message of a kind from p to q: there is at most one */

/* A ballot is 3 * (round - 1) + leader + 1, so older is less and none is 0. A proposal is its client + 1. An acceptance is 4 * ballot + proposal. */
#define ROUND(ballot) (((ballot) + 2) / 3)

/* servers */
byte ballot[3], wanted[3], last[9] = NONE, votes[3], accepted[3];
bool decided[3];

/* messages */
bool write[3] = true, read[3], written[9]; /* writes of clients that do not exist never arrive */
byte answer[3], prepare[9], promised[9], promised_last[9], accept[9], acknowledged[9], decision[9];

/* clients, and the history of their operations: how many of each other client's had ended before the read */
byte phase[3], before[9], got[3];

hidden byte i, newest;

#define EACH(body) i = 0; do :: i < 3 -> body; i++ :: else -> break od; i = 0

inline lead(s) {
	wanted[s] = s + 1;
	ballot[s] = 3 * ROUND(ballot[s]) + s + 1;
	EACH(last[FROM(s, i)] = NONE; if :: i != s -> prepare[FROM(s, i)] = ballot[s] :: else fi);
	last[FROM(s, s)] = accepted[s];
	votes[s] = 0
}

inline propose(s) {
	newest = 0;
	EACH(if :: last[FROM(s, i)] != NONE && last[FROM(s, i)] / 4 > newest / 4 -> newest = last[FROM(s, i)] :: else fi);
#ifndef BROKEN
	if :: newest != 0 -> wanted[s] = newest % 4 :: else fi;
#endif
	newest = 0;
	accepted[s] = 4 * ballot[s] + wanted[s];
	EACH(if :: i != s -> accept[FROM(s, i)] = accepted[s] :: else fi);
	votes[s] = 1 << s
}

inline decide(s, what) {
	accepted[s] = what;
	decided[s] = true;
	EACH(assert(!decided[i] || accepted[i] % 4 == accepted[s] % 4))
}

#define SERVER(s) \
	:: d_step { s < N && write[s] && !decided[s] && wanted[s] == 0 -> write[s] = false; lead(s) } \
	:: d_step { read[(s + 2) % 3] && decided[s] -> read[(s + 2) % 3] = false; answer[(s + 2) % 3] = accepted[s] % 4 }

#define PAIR(p, s) \
	:: d_step { !decided[s] && prepare[FROM(p, s)] > ballot[s] -> \
		ballot[s] = prepare[FROM(p, s)]; prepare[FROM(p, s)] = 0; \
		promised[FROM(s, p)] = ballot[s]; promised_last[FROM(s, p)] = accepted[s] } \
	:: d_step { !decided[s] && promised[FROM(p, s)] != 0 && promised[FROM(p, s)] == ballot[s] && last[FROM(s, p)] == NONE -> \
		last[FROM(s, p)] = promised_last[FROM(p, s)]; promised[FROM(p, s)] = 0; promised_last[FROM(p, s)] = 0; \
		if :: (last[FROM(s, 0)] == NONE) + (last[FROM(s, 1)] == NONE) + (last[FROM(s, 2)] == NONE) == 1 -> propose(s) :: else fi } \
	:: d_step { !decided[s] && accept[FROM(p, s)] != 0 && accept[FROM(p, s)] / 4 >= ballot[s] -> \
		accepted[s] = accept[FROM(p, s)]; accept[FROM(p, s)] = 0; ballot[s] = accepted[s] / 4; \
		acknowledged[FROM(s, p)] = ballot[s] } \
	:: d_step { !decided[s] && acknowledged[FROM(p, s)] != 0 && acknowledged[FROM(p, s)] == ballot[s] && !(votes[s] & (1 << p)) -> \
		acknowledged[FROM(p, s)] = 0; votes[s] = votes[s] | (1 << p); \
		if :: votes[s] == 3 || votes[s] == 5 || votes[s] == 6 -> \
			decide(s, 4 * ballot[s] + wanted[s]); \
			EACH(if :: i != s -> decision[FROM(s, i)] = accepted[s] :: else fi); \
			written[FROM(s, wanted[s] - 1)] = true \
		:: else fi } \
	:: d_step { !decided[s] && decision[FROM(p, s)] != 0 -> \
		ballot[s] = decision[FROM(p, s)] / 4; decide(s, decision[FROM(p, s)]); decision[FROM(p, s)] = 0 }

#define CLIENT(s, c) \
	:: d_step { written[FROM(s, c)] && phase[c] == 0 -> written[FROM(s, c)] = false; phase[c] = 1; read[c] = true; \
		EACH(if :: i != c -> before[FROM(c, i)] = phase[i] :: else fi) }

#define ANSWER(c) \
	:: d_step { answer[c] != 0 && phase[c] == 1 -> got[c] = answer[c]; answer[c] = 0; phase[c] = 2 }

active proctype system() {
end:	do
	SERVER(0) SERVER(1) SERVER(2)
	PAIR(0, 1) PAIR(0, 2) PAIR(1, 0) PAIR(1, 2) PAIR(2, 0) PAIR(2, 1)
	CLIENT(0, 0) CLIENT(1, 0) CLIENT(2, 0) CLIENT(0, 1) CLIENT(1, 1) CLIENT(2, 1) CLIENT(0, 2) CLIENT(1, 2) CLIENT(2, 2)
	ANSWER(0) ANSWER(1) ANSWER(2)
	od
}
