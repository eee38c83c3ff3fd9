package replay

import "github.com/domino-check/domino/impl/core"

// Commutes implements core.Commuter for a rank without errata that takes part in no checkpoint, and
// programs that do not pick. When no failure and no checkpoint is to come:
//
//   - a message of a program, where every send waits: it goes into the queue of its source at the
//     place of its number, of which other steps take only the head; or it is dropped whenever it
//     comes, as it is of a life of the group that is over, and no life begins any more. One with
//     its number may come before, of a former life of its sender; it is the same message, since
//     what its sender has received before it was stable. Without a gate it may be another one, and
//     at the border it carries what was not stable then. What a Hello of its sender is answered
//     counts what is here, but a life sends its Hello before anything else.
//   - a receive that names its source, and the end of the program: a message counts as here whether
//     it is taken or not, and the next one to be repeated is the same after any arrival.
func (l *layer) Commutes(in core.Input) (round uint64, ok bool) {
	switch {
	case l.Breaks != 0 || l.s.Saving.Taking || l.picks:
		return 0, false
	case in.Kind == core.Advance:
		return 0, true
	}
	return 0, in.Message.(*Message).Control == nil && l.Gate == EverySend
}
