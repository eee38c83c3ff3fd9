package coordinated

import (
	_ "embed" // of the texts

	"github.com/domino-check/domino/impl/core"
)

// The errata.
const (
	CO1 core.Switch = iota
	CO2
	CO3
	CO4
	CO5
	CO6
	CO7
	CO8
	CO9
	CO10
)

//go:embed errata.txt
var entries string

var errata = core.MustErrata(0, entries)

// mutants are ways to break it, as package checker/mutate reads them.
//
//go:embed mutants.txt
var mutants string
