// Package course says, move by move, what a run of real processes is to do: a run of the modelled
// world (checker/world), as a driver can make it happen that holds back every message, write,
// notice, timer and step of a program until its move has come (impl/runtime/tcp/cluster).
//
// A move names what it is about by content, not by what a driver happens to have: a message by its
// sender and a digest of its bytes, a choice of a program by its number, a write by its place among
// those of its proc. So a driver notices when what it has is not what the world has there.
package course

import "github.com/domino-check/domino/impl/core"

// What is what a move does.
type What string

// The kinds of moves.
const (
	Deliver    What = "deliver" // Proc receives Message of From; with Stays, it stays on its way
	Cut        What = "cut"     // Messages of From, which are on their way to Proc, are lost
	Advance    What = "advance" // the program of Proc takes Choice
	Stable     What = "stable"  // the oldest put or read of Proc is done, and deletes before it
	Erase      What = "erase"   // the oldest write of Proc, a delete, is done
	Refuse     What = "refuse"  // the oldest put of Proc is refused, deletes before it are done
	Tell       What = "tell"    // the detector reports the group of From to Proc
	Suspect    What = "suspect" // it reports it, though the group lives
	Expire     What = "expire"  // the watchdog of Proc about From expires
	Tick       What = "tick"    // the timer Name of Proc
	Checkpoint What = "checkpoint"
	Crash      What = "crash"   // Groups stop, and of each of Procs so many writes as Kept are done
	Kill       What = "kill"    // From stops as Proc has ordered, with Procs and Kept
	Restart    What = "restart" // Proc starts again, where procs are launched by From
)

// Move is one of them. What a kind does not name is zero.
type Move struct {
	Text     string    `json:"text"` // in the schedule of the run
	What     What      `json:"what"`
	Proc     core.Proc `json:"proc"`
	From     core.Proc `json:"from,omitempty"`
	Message  uint64    `json:"message,omitempty"` // core.Digest of its canonical bytes
	Messages []uint64  `json:"messages,omitempty"`
	// likewise, of those of From that are on their way and have to come behind Message
	Behind []uint64      `json:"behind,omitempty"`
	Stays  bool          `json:"stays,omitempty"`
	Choice core.Choice   `json:"choice,omitempty"`
	Name   string        `json:"name,omitempty"`
	Groups [][]core.Proc `json:"groups,omitempty"`
	Procs  []core.Proc   `json:"procs,omitempty"`
	Kept   []int         `json:"kept,omitempty"`
	// Proc stands still, until a later move that is its end, when so many effects of the step that
	// act (core.Effect.Acts) are performed; 0: it does not
	After int `json:"after,omitempty"`
	// of the machine of Proc behind the move (core.StateDigest); 0: it is down then
	State uint64 `json:"state,omitempty"`
	// why real processes can not be made to do that; "": they can
	Why string `json:"why,omitempty"`
}

// Course is a whole run.
type Course struct {
	Moves    []Move
	Complete bool // nothing but faults could happen at the end
	// by proc: digests of the states at the beginning, when all have started
	Begin []uint64
}
