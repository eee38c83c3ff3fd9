// Package boundary puts a machine around a machine. The one outside sees what crosses the boundary
// of a proc (inputs, effects, the history of a rank) and changes, repeats, delays, adds or removes
// some of it; the machine inside is not touched and does not know. This is what the judge sees too:
// evidence comes from the boundary, so a lie told there is as good as a protocol that does it.
//
// Whoever only looks on uses Watch: guards of the contract of machines, recorders, clocks. Whoever
// changes something describes how in a Habit and uses Wrap: package checker/mutate, which breaks
// protocols to test searches, and the tests of this package, which break machines to test
// properties: each property of spec must fail on the mutants that name it, and accept near misses.
//
// Model: a wrapped machine obeys the contract of core.Machine. It is deterministic, its state (that
// of the machine inside, what the wrapper holds back, and the memory of the habit) is plain data,
// and a crash loses all of it. A machine with a habit claims no commuting steps and no
// interchangeable ranks, whatever the one inside claims; one that is watched claims what it does.
package boundary
