package pessimistic

import (
	_ "embed" // of the text
	"slices"
	"strings"

	"github.com/domino-check/domino/impl/core"
)

// Erratum and Set are the numbers of errata, and sets of them.
type (
	Erratum = core.Switch
	Set     = core.Switches
)

// The errata.
const (
	M1 Erratum = iota
	M2
	M3
	M5
	M7a
	M8
	M9
	M10
	M11a
	M11b
	M12
	M13
	M14
	M15
	M16
	M18
	M19
	M20
	M21
	M23
	M24
	M25
	M32
	M37
	M49
	M50
	M60
	M61
	M62
	M63
	M64
	M65
)

// entries describe every erratum, and say of which protocols it is.
//
//go:embed errata.txt
var entries string

var table = core.MustErrata(0, entries)

// Errata are those of a protocol.
func Errata(p Protocol) core.Errata {
	list := make(core.Errata, len(table))
	for i, e := range table {
		if slices.Contains(strings.Fields(e.Of), p.String()) {
			list[i] = e
		}
	}
	return list
}
