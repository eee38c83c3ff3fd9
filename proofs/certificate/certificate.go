package certificate

import (
	"errors"
	"math/bits"

	"github.com/domino-check/domino/spec/trace"
)

// Header says of what a certificate is.
type Header struct {
	Scenario string   `json:"scenario"` // its name
	Variant  string   `json:"variant"`
	Build    string   `json:"build"`   // the program that has written it
	Reduced  string   `json:"reduced"` // "" = every step is in it, or what was left out
	Text     string   `json:"text"`    // the whole scenario
	Judged   []string `json:"judged"`  // the properties that hold
	MustSee  []string `json:"mustSee"` // without which the verdict would be empty
	Procs    []string `json:"procs"`
}

// Complete reports whether the states are closed under all steps, and not only under those that a
// reduction takes.
func (h *Header) Complete() bool { return h.Reduced == "" }

// Tables are what the words of states stand for.
type Tables struct {
	Messages  []Text // contents, in the codec of their protocol
	Histories []Text // of recovery lines, in the codec of the project
	Locals    []Local
	Inboxes   []Inbox
	Envs      []Env
	Budgets   []Budgets
	Memories  []Memory
	Procs     [][]Configuration // by proc
}

// Text is the bytes of something.
type Text []byte

// Local is what a live proc is in.
type Local struct {
	Proc        trace.Proc
	Incarnation trace.Incarnation
	Round       uint64 // the newest recovery round that it has put on a message
	Evaluated   uint64 // the newest round that it has evaluated its channels for
	Holding     []byte // what it holds for others, in the codec of the project; empty = nothing yet
	State       []byte // of its machine, in the codec of its protocol
}

// Inbox is what is on its way to a proc: by sender, then by its life; no channel is empty.
type Inbox []Channel

// Channel is what one life of a proc has on its way, the oldest first; in the order of the numbers
// where the network keeps none.
type Channel struct {
	From        trace.Proc
	Incarnation trace.Incarnation
	Messages    []uint32 // of Tables.Messages
}

// Env is what surrounds a proc besides its inbox.
type Env struct {
	Up          bool
	Incarnation uint32 // the live one, or the one that the next restart will be
	Store       []Record
	Writing     []Record // on their way, the oldest first
	// of whose failure it is to be told: of each group the first proc, and in Ended its life where
	// procs are launched
	Pending []trace.Proc
	Ended   []uint32
	Timers  []string
	Watches []Watch
	Former  uint64 // the newest round that a former life has put on a message
	Line    uint32 // of Tables.Histories, plus 1: its recovery line; 0 = the initial state
	Host    uint32 // who runs the node that it is on, plus 1; 0 = nobody
	Tickets []Ticket
	Kills   []trace.Proc // that it has asked to be stopped
	// It stands still, until its group stops, in this life, plus 1; 0 = it does not. With it stops
	// whom it had adopted
	Still uint32
	Takes []trace.Proc
	Back  bool // it has rolled back, and starts again by itself
}

// Record is a stable one, or a change of the store on its way.
type Record struct {
	Key   string
	Value []byte
	Torn  bool
	Gone  bool // the record is deleted
	Read  bool // nothing changes, the record is read
}

// Watch is a watchdog about one life of a proc.
type Watch struct {
	About       trace.Proc
	Incarnation uint32
}

// Ticket says who starts a proc that is down, and with what.
type Ticket struct {
	By    trace.Proc
	Key   string
	Value []byte
}

// Budgets is what the environment may still do.
type Budgets struct {
	Failures, Checkpoints, Losses, Duplicates, Suspicions, Torn uint8
	Vanishing, Spoiling, Refusing                               uint8
	Over                                                        bool // see fault.Model.Settled
}

// Memory is what each property with a memory remembers of a run, by its key (spec.Remembered).
type Memory [][]byte

// Configuration is what a state says of one proc.
type Configuration struct {
	Local uint32 // plus 1; 0 = it is down
	Env   uint32
	Inbox uint32
}

// Words is how many words a state has: one of the budgets, one of each proc and, only if some
// property has a memory, one of these.
func (t *Tables) Words() int { return len(t.counts()) }

// counts is, for each word of a state, how many values it has.
func (t *Tables) counts() []int {
	counts := []int{len(t.Budgets)}
	for _, list := range t.Procs {
		counts = append(counts, len(list))
	}
	if len(t.Memories) > 0 {
		counts = append(counts, len(t.Memories))
	}
	return counts
}

// width is how many bits tell so many values apart.
func width(values int) int { return bits.Len32(uint32(max(values, 1) - 1)) }

// ErrRefused is why a certificate does not count: it is damaged, or of something else, or what it
// says is not so.
var ErrRefused = errors.New("refused")
