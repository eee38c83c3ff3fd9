package pessimistic

import "github.com/domino-check/domino/impl/core"

// Commutes implements core.Commuter for a rank of the repaired SBML. When no failure and no
// checkpoint is to come:
//
//   - the end of the program: nothing looks at it but an image.
//   - that the place of a delivery is recorded: it marks that place, and others are marked by
//     others. Who has failed asks before it records anything, on the same channel, and a place of
//     before our own failure is taken for recorded.
//
// A receive does not: its sender may have failed, and asks then for what this rank has received.
// Nor does a message: a copy that the former life of its sender has sent may come before it, and
// each but the first is answered.
func (l *sender) Commutes(in core.Input) (round uint64, ok bool) {
	if l.Errata != 0 {
		return 0, false
	}
	if in.Kind == core.Advance {
		_, receives := in.Choice.Source()
		return 0, !receives
	}
	return 0, in.Message.(*Message).Kind == OrderOk
}
