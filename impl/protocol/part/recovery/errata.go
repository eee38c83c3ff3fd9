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
	// InsideRounds is of protocols with groups, which describe it.
	InsideRounds
	// Own is the first switch of a protocol's own.
	Own
)

// entries describe them.
//
//go:embed errata.txt
var entries string

// Errata are they, from switch 0 up to Own; own ones, with InsideRounds or not, come behind.
func Errata(own core.Errata) core.Errata {
	list := core.MustErrata(0, entries)
	return append(list, own[min(len(list), len(own)):]...)
}
