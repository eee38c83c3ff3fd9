package errmgr

import (
	_ "embed" // of the text

	"github.com/domino-check/domino/impl/core"
)

// Erratum and Set are the numbers of errata, and sets of them.
type (
	Erratum = core.Switch
	Set     = core.Switches
)

// The errata: windows in which a failure finds a composite that is built in another way.
const (
	W1 Erratum = iota
	W4
	W5
	W6
	W7
	W8
	W9
	W10
	W20
	W21
	A3
)

// entries describe every erratum.
//
//go:embed errata.txt
var entries string

var table = core.MustErrata(0, entries)

// Errata are all of them.
func Errata() core.Errata { return table }
