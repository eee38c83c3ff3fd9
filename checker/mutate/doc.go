// Package mutate measures how good the checker is at finding bugs: it breaks every protocol on
// purpose, in many small ways, and hunts each of these mutants with every method there is. The
// tests of package boundary break machines to test properties; this one breaks protocols to test
// searches.
//
// # Mutants
//
// A mutant is a decorator around every machine of a setup (package boundary): it drops, repeats,
// delays or misdirects messages of a kind, changes a field of them, answers and forgets, goes on
// before a record is stable, takes what is old for new, or changes a field of the state. Mutants
// are text beside their protocol, mutants.txt, in a small language (Parse, Language); messages and
// states are plain data and known by the names of their fields, so that one habit serves all
// protocols, and no protocol is known here. What has to be inside a protocol is a switch there: the
// catalogue takes every erratum that has a scenario, and every variant that is broken on purpose.
//
// Each mutant is hunted at the scope of one scenario, with the repaired protocol where it is not a
// switch. What becomes of it (Status) is part of its text, and the reason where it is not broken.
// That it makes a difference at that scope at all is asked, too: a message kind or field whose name
// is mistyped does not pass for a mutant that survives.
//
// # Methods
//
// The exhaustive search is breadth first, so what it finds is as short as can be; it is unreduced,
// as a mutant claims no commuting steps. The others draw runs: the plain random walk (walk), in
// which faults are steps like all others; the strategies of package checker, for which faults are
// planned; and a portfolio that takes turns. A method counts the runs up to the first that breaks
// something; the number is the same for the same seed. What the exhaustive search has proved not to
// be there is not looked for at the same scope again.
//
// # Equivalent mutants
//
// A mutant that the exhaustive search does not kill is compared with the original: both are
// explored to the end, without reduction but that of crashes which keeps all ends, and all that can
// be observed at the ends of runs must be the same (Compare). So a mutant is equivalent at the
// scope of its scenario, as far as anything that is judged goes: it may send more messages, or take
// longer, which nobody judges.
//
// A mutant that the search explores to the end without breaking anything, and that ends in other
// ways than the original, is within the specification when the catalogue says why nothing is
// promised there (Within): no method can kill it. Any other such mutant is not as expected: the
// specification lacks a property, a guard or a scenario.
//
// # The latest table
//
// testdata/matrix.txt is what this prints, in about ten minutes of one core:
//
//	go run ./cmd/domino mutate --methods exhaustive,walk,random,pos,pctcp,urw,portfolio --schedules 3000 --shrink 0 > checker/mutate/testdata/matrix.txt
//
// The plain walk meets faults at any moment, most of them too early; every other method plans them.
// So most of what the portfolio gains over the walk it gains by that: the summary also compares it
// with random, which plans its faults and draws the steps between like the walk.
//
// Soaks of the goroutine runtime and random scenarios are not in the table, as they need some
// seconds for each mutant.
//
// The numbers of runs and states in it are the same for the same seed, runs a second are of one
// machine under load. Without the flags the goroutine runtime and random scenarios are methods,
// too, runs are made smaller, and each method has 30 seconds: an hour or more.
//
// Not here: mutants of programs, of the modelled environment and of the properties.
package mutate
