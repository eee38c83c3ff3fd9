// Package source mutates the source of protocols: systematic small changes of their Go code, of
// which each must be noticed. Package mutate breaks machines at their boundary, in ways that
// somebody has thought of; here nobody chooses.
//
// The changes (Operators) are made in the text, with the types at hand. All mutants of a package
// are compiled into one program, each behind a switch (package mutant): a condition a < b becomes
//
//	(mutant.Is(7) && (a <= b) || mutant.Is(8) && (a >= b) || mutant.Off(7, 8) && (a < b))
//
// so that hundreds of mutants take one build, and the original shows which sites a scenario
// reaches: a mutant is asked only what can tell. The build takes the changed files by -overlay;
// nothing in the checkout is touched.
//
// Left out is what can not matter or is known to: text for people (String, Describe, errors, why
// an input is ignored), files of errata and mutants, what is dead unless an erratum is switched on,
// conditions that only guard a panic, what only refuses that which a setup is given, and promises,
// which are what everything is judged by.
package source
