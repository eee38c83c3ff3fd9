package causal

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
	S1 Erratum = iota
	S2
	S3
	S4
	S5
	S6
	S8
	S9
	S10
	S11
	S12
	S13
	S14
	S15
	S21
	S22
	erratumCount
)

// Count is the number of errata of this package; a protocol built on it numbers its own from here.
const Count = erratumCount

// entries describe every erratum.
//
//go:embed errata.txt
var entries string

var table = core.MustErrata(0, entries)

// Errata are all of them.
func Errata() core.Errata { return table }
