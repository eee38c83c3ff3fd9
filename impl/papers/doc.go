// Package papers holds what the papers of the house claim, as data: each table, figure and claim
// with the numbers as printed, how a number of our own is made for each, and when the two agree.
//
// A claim is made by arithmetic on printed numbers, by the traffic of a program, by exploring
// machines, or by running them in modelled time; those take seconds and no process. What is
// measured, emulated or simulated is named with the command that makes it, and is not called
// reproduced before it is made. A model, whose prices are ours, never contradicts: it is unclear.
//
// Besides reproduced there are answers that are no failure of ours: contradicted, with how (within
// the paper, by a run, by measurement); not reproducible here, with the reason; and unclear, where
// our spread covers both. A value meets a printed one if it may be rounded to it, unless the data
// has a tolerance with its reason; nobody can widen one from outside. Absolute times and rates of
// machines that nobody has here are no values to meet. Nothing is read off a drawing.
//
// Contradictions within a paper are found by computing, not stored.
package papers
