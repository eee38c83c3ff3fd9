package compare

import (
	"time"

	"github.com/domino-check/domino/impl/core"
)

// Facts are what one run shows.
type Facts struct {
	Case    *Case
	Elapsed time.Duration // until the last program has ended
	Ended   bool          // every program has ended
	Bound   string        // what ended the run otherwise

	Sends, Receptions int // of programs, each counted once, however often it is executed
	Control           int // messages that are not the program's, and copies of those that are
	Messages          []Message
	Asked             []Ask
	Images            []Image // in the order of time, but for those of the beginning
	Writes            []Write // that are no images, but for those of the beginning
	Log               Log
	// how long programs were blocked at sends, at receptions, and elsewhere, all ranks together
	AtSends, AtReceptions, Elsewhere time.Duration
	Losses                           []Loss // by failure
	Finals                           []uint64
	First                            int // images that were taken at the beginning
}

// Message is what one message of a program carries, when it is sent for the first time.
type Message struct {
	From, To core.Proc
	Numbers  []Number
	Bytes    int // of its header, or of all but the payload where there is none
}

// Number is one number in a message, by its place.
type Number struct {
	Place  string
	Listed bool // in a list, which may have any number of them
	Value  uint64
}

// Ask is a request for an image.
type Ask struct {
	Unit  int // a group, or a rank where there are no groups
	Ranks []core.Rank
	At    time.Duration
}

// Image is one image of a program.
type Image struct {
	Rank           core.Rank
	To             core.Proc     // who gets it: the rank itself, for the store
	At             time.Duration // when it is handed over to be written or sent
	Sent, Received uint32
}

// Write is a record on its way to stable storage.
type Write struct {
	Proc core.Proc
	Key  string
	At   time.Duration
}

// Log is what is kept of the payloads of messages, in bytes; inter is between groups.
type Log struct {
	Intra, Inter         int64 // ever kept, each message counted once
	SentIntra, SentInter int64 // all that was sent
	Peak                 int64 // kept at one time
	AtSenders, Elsewhere int   // copies that are declared to be kept at the end, and by whom
	Undeclared           int   // messages found in the state of a machine, and never declared
}

// Loss is what one failure has cost.
type Loss struct {
	At     time.Duration
	Failed []core.Rank
	Back   []core.Rank // who was restarted, the failed ones included
	Lost   []int       // by rank: sends and receptions beyond where it went on
	Redone int         // sends and receptions that were executed again, all ranks
	Rounds int         // see the package
}

// All is how much was lost by all.
func (l *Loss) All() (sum int) {
	for _, n := range l.Lost {
		sum += n
	}
	return sum
}
