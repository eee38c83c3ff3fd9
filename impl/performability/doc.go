// Package performability is the arithmetic by which an application is given resources that pay:
// how many cores keep an SPMD program efficient under message logging, [RADIC] 5.3, how often to
// write a checkpoint, how many spare nodes to hold, and where loggers are to run, [RADIC] 5.2.
// Everything is in seconds.
//
// The equations of the thesis do not all work as printed; what is computed, and why:
//
//   - Eq 5.6 prints Ncores = M^n K^n, twice. A domain of M^n tiles in supertiles of K^n has
//     M^n / K^n of them (M44).
//   - Eq 5.8 has ST for K^n, but the columns ST of Tables 5.1 and 6.2 hold K (M45).
//   - Eq 5.11 and 5.12 print K^(n-1) CommT >= (K-2)^n Cpt / effic and <= (K-2)^n Cpt, which only
//     effic = 1 satisfies, and the K of Eq 5.13 violates the second. Meant is the other way round:
//     communication takes at least the internal computation, and at most that by effic (M46).
//   - The lambda of the tables, Eq 5.5, and their K follow from the numbers before them if those
//     are rounded as printed and K is cut: 191.07 is 191.0768 at the least. No error (M47 is none).
//   - No rounding makes 56, 24, 54 and 24 cores of 56.50, 24.52, 53.68 and 24.94 (M48). Here they
//     are rounded down: fewer cores hold more tiles each, which keeps the efficiency asked for.
//
// That model has cores of as many tiles as the division gives, each with neighbours on all sides.
// Simulate follows the same program core by core instead, on whole tiles and a grid: where cores
// are no square, larger faces are sent, and the slowest core holds up all others.
//
// Of loggers the thesis has measurements and a flowchart; the model here is ours. It has what the
// thesis names: loggers take cycles of ranks, the OS spreads that unequally, and the slowest rank
// rules. It has no network, and no cost of switching but what a message takes.
//
// Failures are exponential and may strike during a restart. What the closed forms say, Sample and
// SampleSpares draw; tests hold the two against each other, and mappings against drawn runs.
package performability
