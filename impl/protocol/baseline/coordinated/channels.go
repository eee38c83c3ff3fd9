package coordinated

import (
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/snapshot"
)

// channels says which channels are marked.
type channels uint8

const (
	byRanks channels = iota // all, but used with more ranks than a search has
	all                     // from everybody to everybody
	used                    // those on which programs send, and those from the first rank
)

// channelWords are the words for them, the default first.
const channelWords = "all|used"

// set reads the word: the setter of the option.
func (c *channels) set(word string) error {
	switch word {
	case "all":
		*c = all
	case "used":
		*c = used
	default:
		return fmt.Errorf("want one of all, used")
	}
	return nil
}

// wiring is the channels of the programs that are marked; nil for all.
func (c channels) wiring(programs []core.Program, members []core.Rank) (*snapshot.Wiring, error) {
	n, from := len(programs), core.MaxSearched
	switch {
	case c == all && n > core.MaxSearched:
		return nil, fmt.Errorf("coordinated: channels=all: %d ranks send each other %d markers at "+
			"each checkpoint, at most %d ranks are supported: say channels=used", n, n*(n-1),
			core.MaxSearched)
	case c == used:
		from = 0
	}
	w, err := snapshot.Beyond(from, programs, [][]core.Rank{members})
	if err != nil {
		return nil, fmt.Errorf("coordinated: channels=used: %w", err)
	}
	return w, nil
}

// Wires implements snapshot.Wired.
func (l *layer) Wires() (into, out []core.Rank, ok bool) { return l.wiring.Of(l.rank) }
