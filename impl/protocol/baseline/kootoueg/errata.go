package kootoueg

import (
	_ "embed" // of the texts

	"github.com/domino-check/domino/impl/core"
)

// The errata.
const (
	KT1 core.Switch = iota
	KT2
	KT3
	KT4
	KT5
	KT6
	KT7
	KT8
	KT9
	KT10
)

//go:embed errata.txt
var entries string

var errata = core.MustErrata(0, entries)

// mutants are ways to break it, as package checker/mutate reads them.
//
//go:embed mutants.txt
var mutants string
