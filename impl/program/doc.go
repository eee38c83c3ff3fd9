// Package program runs programs: a Host is the machine of a rank, the interpreter of its program
// (core.Program) over the layer that a protocol puts below it. It knows no protocol, and drivers
// know it as a core.Machine.
//
// What a program is, its operations and the kernels that give it real data, is part of the contract
// (package core): setups hold programs, the checker runs them without failures to know what is
// right, and layers may hold one at an operation.
package program
