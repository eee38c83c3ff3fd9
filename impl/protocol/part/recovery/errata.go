package recovery

import (
	_ "embed" // of the text

	"github.com/domino-check/domino/impl/core"
)

// The errata of the recovery, which every protocol that stands on it has.
const (
	OnlyImages core.Switch = iota
	OldData
	ReusesNumbers
	PresentLine
	EarlyResume
	EarlyLine
	ForgetsRound
	// Own is the first switch of a protocol's own.
	Own
)

// entries describe them.
//
//go:embed errata.txt
var entries string

// Errata are they, from switch 0 on.
func Errata() core.Errata { return core.MustErrata(0, entries) }
