// Package fuzz finds in random scenarios what exhaustive search would not come to, and makes it
// small.
//
// # What is drawn
//
// A scenario is drawn with pgregory.net/rapid (generate): ranks, clusters or nodes, groups with
// trees, how ranks receive, a sequence of messages, collectives, checkpoints and outputs, failures,
// and what else the environment may do, all within Shapes. The sequence is a run of the programs
// that are made of it, so that they can not get stuck (see draft). Programs are send-deterministic
// by construction where the protocol needs that.
//
// Runs of a scenario are drawn by a portfolio of strategies (Mix): POS, PCTCP, a uniform random
// walk with weights from counted runs, random walk, and one that repeats what was new with small
// changes. Failures strike a victim at a place of its own history; where they strike and who orders
// what is up to sample.Draw.
//
// # How failures become small
//
// A failure is a draft and a schedule: a list of elements, procs first, events last.
// Elements are taken out (undo), in chunks and one by one; what is left of the schedule is tried,
// events that are not possible are left out, and what is missing happens in the order of a
// failure-free run. Then checker/minimise tries each single change, with a search for a run. The
// answer is a scenario file with the run as its schedule, which domino replay takes.
//
// # What a result says
//
// A failure is a violation. No failure proves nothing. What the protocol refuses, or what is
// outside its promises, is counted and is no failure.
package fuzz
