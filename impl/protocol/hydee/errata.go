package hydee

import (
	_ "embed" // of the text

	"github.com/domino-check/domino/impl/core"
)

// Erratum and Set are the numbers of errata, and sets of them.
type (
	Erratum = core.Switch
	Set     = core.Switches
)

// The errata; letters tell several switches of one apart.
const (
	H1 Erratum = iota
	H2
	H3
	H4
	H5
	H6
	H7
	H7b
	H8
	H9a
	H9b
	H9c
	H10
	H11a
	H11b
	H12a
	H12b
	H13a
	H13b
	H13c
	H13d
	H14
	H15
	H16
	H17
	H18
	H19
	H20a
	H20b
	H23
	H24
)

// entries describe every erratum.
//
//go:embed errata.txt
var entries string

var table = core.MustErrata(0, entries)

// Errata are all of them.
func Errata() core.Errata { return table }
