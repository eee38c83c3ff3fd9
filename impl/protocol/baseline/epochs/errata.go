package epochs

import (
	_ "embed" // of the text

	"github.com/domino-check/domino/impl/core"
)

// Erratum is the number of an erratum.
type Erratum = core.Switch

// The errata.
const (
	EP1 Erratum = iota
	EP2
	EP3
	EP4
	EP5
	EP6
	EP7
	EP8
	EP9
	EP10
	EP11
	EP12
	EP13
	EP14
	EP15
	EP16
)

// entries describe every erratum.
//
//go:embed errata.txt
var entries string

var table = core.MustErrata(0, entries)

// Errata are all of them.
func Errata() core.Errata { return table }
