package manetho

import (
	_ "embed" // of the text

	"github.com/domino-check/domino/impl/core"
)

// The errata, all of them errors of nobody.
const (
	MN1 core.Switch = iota
	MN2
	MN3
	MN4
	MN5
	MN6
	MN7
	MN8
	MN9
	MN10
	MN11
	MN12
	MN13
	MN14
)

// entries describe every erratum.
//
//go:embed errata.txt
var entries string

var table = core.MustErrata(0, entries)

// mutants are ways to break it, as package checker/mutate reads them.
//
//go:embed mutants.txt
var mutants string

// teamMutants are those of teams.
//
//go:embed teammutants.txt
var teamMutants string
