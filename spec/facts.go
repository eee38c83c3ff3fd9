package spec

import (
	"encoding/binary"

	"github.com/domino-check/domino/spec/hydee"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// Facts are what the judge knows before a run: who takes part, what the protocol promises, what the
// scenario has in it, and how the program behaves without failures (the oracle).
type Facts struct {
	Layout *trace.Layout
	promise.Promises

	// the program is send-deterministic, so oracle facts about single sends are unique
	Sends       bool
	Learners    int  // Deciders, where nothing that may fail or be lost excuses them
	Failures    bool // the scenario has failures
	Checkpoints bool // the scenario has checkpoints, or outputs that wait for one
	Outputting  bool // its programs have outputs
	Zombies     bool // a node that lives may be given up
	Suspected   bool // who lives may be said to be down
	Damaged     bool // records that are stable may be lost or spoiled

	Oracle *Oracle // nil when the failure-free behaviour is unknown
	// the program for the abstract HydEE, where there are phases, the program is
	// send-deterministic and there is an oracle; or why it can not be that
	Abstract *hydee.Application
	Unlike   error

	Own []Property // of the author of the protocol, beside those of the house

	named bool // names can be found again in what properties say, see About
}

// The layout in short: names of procs and messages, numbers of ranks and procs to range over.
func (f *Facts) name(p trace.Proc) string    { return f.Layout.Name(p) }
func (f *Facts) label(id trace.MsgID) string { return f.Layout.Label(id) }
func (f *Facts) ranks() trace.Rank           { return trace.Rank(f.Layout.Ranks) }
func (f *Facts) procs() trace.Proc           { return trace.Proc(len(f.Layout.Names)) }

// Oracle is the failure-free behaviour of a program, from exploring all its runs over an ideal
// network.
type Oracle struct {
	// by rank: every prefix of a sequence of deliveries (SequenceKey)
	Legal []map[string]bool
	// sends of each rank that precede the send in every run (itself included)
	Past map[trace.MsgID][]uint32
	// what each send is; meaningless for sends that differ between runs
	Sent map[trace.MsgID]SendFact
	// what its sender has received before each send, in any order; so, too
	Before map[trace.MsgID][]trace.MsgID
	Finals map[string]bool // combinations of final digests (FinalKey)
	// what there is when some ranks are gone for good; nil where nothing is known of that
	Survivors *Survivors
	// how the program blocks without any failure, "" if it never does
	Stuck  string
	Differ []Difference // sends that are not the same in every run
	Orders []Branch     // receptions that do not take the same message in every run
	// moments at which what a rank does next does not follow from what it has received
	Moments []Branch
}

// SendFact is one send of the program.
type SendFact struct {
	To     trace.Proc
	Digest uint64
	Before string // set of deliveries before it, as words
}

// Difference is one send that is not the same in two failure-free runs, so the program is not
// send-deterministic.
type Difference struct {
	ID            trace.MsgID
	First, Second string // what the two runs send, as words
	What          string // destination, payload or delivered set
}

// Branch is a place in the history of a rank at which two failure-free runs go on differently.
type Branch struct {
	Proc     trace.Proc
	Received int // receptions before it
	// a moment: which send it is about, 0 = the next reception, the largest = the end
	Sent          uint32
	After         string // a moment: those receptions, with their contents
	First, Second string // what happens, as words that are equal exactly for equal things
}

// SequenceKey is a map key for a sequence of deliveries.
func SequenceKey(list []trace.Delivery) string {
	key := make([]byte, 0, 8*len(list))
	for _, d := range list {
		key = binary.BigEndian.AppendUint32(key, uint32(d.ID.From))
		key = binary.BigEndian.AppendUint32(key, d.ID.Number)
	}
	return string(key)
}

// FinalKey is a map key for the final digests of all ranks.
func FinalKey(f *Facts, v View) string {
	var key []byte
	for r := range f.ranks() {
		h := v.Observed(r.Proc()).History
		if h == nil || !h.Done {
			return ""
		}
		key = binary.BigEndian.AppendUint64(key, h.Digest)
	}
	return string(key)
}
