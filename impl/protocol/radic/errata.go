package radic

import (
	_ "embed" // of the text

	"github.com/domino-check/domino/impl/core"
)

// Erratum and Set are the numbers of errata, and sets of them.
type (
	Erratum = core.Switch
	Set     = core.Switches
)

// The errata.
const (
	M26 Erratum = iota
	M27
	M28
	M29
	M31
	M33
	M34
)

// entries describe every erratum.
//
//go:embed errata.txt
var entries string

var table = core.MustErrata(0, entries)

// Errata are all of them.
func Errata() core.Errata { return table }
