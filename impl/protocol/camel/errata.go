package camel

import (
	_ "embed" // of the text
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/causal"
)

// The errata of CAMEL itself, after those of SCMEL; letters tell several switches of one apart.
const (
	C1 causal.Erratum = causal.Count + iota
	C2
	C3
	C4
	C5
	C6
	C7
	C8
	C9a
	C9b
	C10
	C11
	C12
	C14
	C18
	C19
)

// entries describe every erratum.
//
//go:embed errata.txt
var entries string

var table = core.MustErrata(causal.Count, entries)

// Errata are those of CAMEL itself; those of SCMEL apply, too (All).
func Errata() core.Errata { return table }

// All are the errata of both.
func All() core.Errata {
	list := slices.Clone(table)
	copy(list, causal.Errata())
	return list
}
