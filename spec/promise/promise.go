// Package promise is what a protocol says about itself, as data: which failures it survives, what
// it needs of its program and of the network, and what it does to logs, images and determinants.
// The author of a protocol fills it in, the judge selects properties by it. It has no dependency,
// so that protocols and the judge share it and a protocol does not depend on the judge.
package promise

import (
	"fmt"
	"slices"
	"strings"
)

// Who says which ranks a protocol rolls back.
type Who uint8

// The answers, from narrow to wide.
const (
	FailedOnly Who = iota // the failed rank itself
	Cluster               // every rank of the clusters that had a failed member
	Dependents            // whoever depends on a lost state
	All                   // every rank
)

// String says who.
func (w Who) String() string {
	return [...]string{"failed ranks", "failed clusters", "dependents", "all ranks"}[w]
}

// Determinism is what a protocol needs of its program, from nothing to everything.
type Determinism uint8

// The classes; each includes the one before.
const (
	NoDeterminism Determinism = iota
	Piecewise                 // receptions are the only nondeterminism
	// and the k-th send and the set of deliveries before it are the same in every run
	SendDeterministic
	Deterministic // and so is the order of deliveries
)

// String names the class.
func (d Determinism) String() string {
	return [...]string{"none", "piecewise", "send-deterministic", "deterministic"}[d]
}

// Flow says at which operations a protocol never holds a program while nothing fails. The operation
// itself that takes a checkpoint is none of them.
type Flow uint8

// The flows; each includes the one before. A receive counts when its message has arrived.
const (
	NoFlow     Flow = iota // nothing is promised
	Receives               // at no receive
	NamedSends             // nor at a send of a rank that has received from named ranks only
	// at nothing, in a run in which no rank takes a checkpoint
	Everything
	EvenInLines // at nothing, while a line is made neither
)

// Traffic says how many messages of its own a protocol sends in a run without failures. The
// messages of programs, which leave once, are not among them.
type Traffic struct {
	Promised bool
	Send     int // for each send of a program
	Delivery int // for each delivery to a program
	Line     int // for each line of a rank and each proc
	Alone    int // for each line of a rank, however many procs there are
	// with a message go only determinants of which fewer others are known to keep them than may
	// fail, and a message with none is not answered
	Told bool
}

// Memory says for how many messages that a proc keeps it has room in memory; 0 is for any number.
type Memory struct {
	Rank    int
	Service int
	// the kind of message by which a service asks for a checkpoint instead of writing to disk
	Asks string
	// prefixes of the records of what has no room: each goes when its message does
	Keys []string
}

// Answer is what a policy does about a failure.
type Answer uint8

// The answers.
const (
	Other       Answer = iota // or none
	RestoresAll               // every rank goes back to the newest snapshot
	// ranks that have failed go back to it, and the others send again what those are to receive
	RestoresFailed
	RunsThrough // the job goes on without them
	Moves       // ranks leave a node before it fails
	GivesUp     // the job ends
)

// String is the answer in words.
func (a Answer) String() string {
	return [...]string{"something else", "all go back", "the failed go back", "the others run on",
		"ranks move", "the job ends"}[a]
}

// Policy is one of the policies that are asked about a failure.
type Policy struct {
	Name   string // as in the evidence (trace.Ruled)
	Answer Answer
}

// String is the policy with its answer.
func (p Policy) String() string { return p.Name + ": " + p.Answer.String() }

// Storage says how snapshots of the whole job are kept.
type Storage struct {
	Promised bool
	// nodes, of different domains, that keep each file of an established snapshot; 0 = a service
	// that is no node does
	Replicas int
	Domains  []int // of each proc; nil = each is its own
	Copying  int   // files that are copied at one time, 0 = any number
	Cache    int   // files of a rank that stay on its node, 0 = none need to
}

// String says how, in words.
func (s Storage) String() string {
	where := "in a store"
	if s.Replicas > 0 {
		where = fmt.Sprintf("%d replicas on nodes", s.Replicas)
	}
	return fmt.Sprintf("%s, %d copied at one time, cache of %d", where, s.Copying, s.Cache)
}

// Most is how many messages of its own a protocol may have sent; lines are those of
// ranks.
func (t Traffic) Most(sends, deliveries, lines, procs int) int {
	return t.Send*sends + t.Delivery*deliveries + (t.Line*procs+t.Alone)*lines
}

// Undoing says what a failure undoes at ranks that live, and how the line to which all go back is
// found. With any of it, a rank says before it goes back whose failure makes it (trace.Undone).
type Undoing struct {
	// Orphans: until it hears of a failure, a rank that lives may depend on a state that is lost.
	Orphans bool
	// Once: a rank that lives goes back at most once for each failure.
	Once bool
	// Maximal: each recovery declares the line (trace.Lined), and nobody goes back farther than to
	// be consistent with the others, from the images that there are: those that are declared
	// (trace.Imaged) before the line is. A rank that has said where it is does nothing until it
	// knows the line.
	Maximal bool
	// Domino: however many images there are, the line may be the beginning. It is declared, too.
	Domino bool
	// Indexed: images have indices that ascend (trace.Imaged), messages carry one (Stamp.Phase of
	// their deliveries), and a message is delivered only behind an image with its index or a higher
	// one. So every image is part of a consistent cut. Recoveries declare their lines.
	Indexed bool
}

// Release says when an output may leave the system.
type Release uint8

// The answers.
const (
	NoOutputs   Release = iota // nothing is promised of outputs
	AtOnce                     // nothing that it depends on can be undone when it is produced
	WhenStable                 // when the receptions that it depends on are stable
	WithTheLine                // when the recovery line holds it
)

// String is the answer in words.
func (r Release) String() string {
	return [...]string{"no promise", "at once", "when what it depends on is stable",
		"with the next line"}[r]
}

// Promises is what a protocol declares; the judge picks properties from it and calls a run outside
// it out of model.
type Promises struct {
	// failed groups at one time that it survives, down or recovering; 0 means any number
	MaxFailures int
	RollsBack   Who         // who may lose work
	Needs       Determinism // of the program
	// PostsWait: a posted receive completes only where the program waits, at a receive, a wait or
	// its end, and the program is judged as one that runs so.
	PostsWait   bool
	FIFO        bool // channels must be FIFO and reliable
	Reliable    bool // channels must neither lose nor duplicate, crashes aside
	Phases      bool // stamps carry phases in the sense of HydEE
	LogsOutside bool // only messages between clusters are logged
	Recovers    bool // declares Recovered at the end of each recovery
	// keeps determinants and declares them; a message is stamped with the deliveries of its sender
	// before the send
	Holders bool
	// of a collective, keeps only what its root and the root's children need
	Minimal bool
	// Fetches: a restarted rank begins blank and gets its image by message, which it declares by
	// trace.Resumed.
	Fetches bool
	// KeepsCopies: a message to another cluster leaves only when its sender keeps a copy, until it
	// is stable at its receiver.
	KeepsCopies bool
	// KeepsLines: images are in the memory of other procs, and a rank whose image nobody keeps any
	// more may give up with a typed answer.
	KeepsLines bool
	// Holes: the places of deliveries in logs are ascending numbers, some of which may be left out.
	Holes bool
	// Suspicions is how many times in one run the detector, or a watchdog, may say of somebody who
	// lives that he is down; negative means any number.
	Suspicions int
	// Quiet: the last of the Suspicions only in a run without failures.
	Quiet bool
	// RanksWatch: a rank watches its protector as long as it runs, and not only until it has an
	// answer ([RADIC] section 2.3.2).
	RanksWatch bool
	Undo       Undoing // what a failure undoes at others; see RollsBack
	Outputs    Release // when outputs leave
	// InAll is how many failures of one run it survives, however far apart; 0 means any number.
	InAll int
	// Timed: it tells who is down by timers of its own, so it needs clocks, by which heartbeats
	// come in time.
	Timed bool
	// Damage is how many stable records of one run may be lost or corrupted by themselves; negative
	// means any number.
	Damage int
	// Full is how many of its writes in one run may be refused because the store is full; negative
	// means any number.
	Full int
	// Limits say in words why it survives no more failures, or suspicions, and what it could carry;
	// by that key of the failure model.
	Limits map[string]string
	// RestartTogether: a restarted proc writes no record that the restart of a mate uses before all
	// mates are up.
	RestartTogether bool
	// Symmetric: nothing depends on the names of ranks but the order of effects within a step:
	// renaming the ranks of a setup renames its runs.
	Symmetric  bool
	Logging    string   // in words, as in Table 3.1 of [RADIC]: which messages who logs; "" = none
	Lines      string   // in words: how checkpoints are coordinated; "" = there are none
	StableKeys []string // prefixes of the records that it writes; nothing else may be stable
	// of those, how many a proc writes at most for each line of it while nothing fails: of the
	// others any number
	Writes  map[string]int
	Traffic Traffic // its own messages while nothing fails
	Memory  Memory  // room for messages that are kept
	Flow    Flow    // where it never holds a program while nothing fails
	// what may be decided; all procs that decide, decide the same. nil: nothing is
	Decisions []string
	// procs, from the first, that learn a decision that one of them makes, if no message is lost
	// and nobody fails; 0: nobody must
	Deciders int
	Register bool // clients see one register: their operations are linearizable
	// who answers a failure, in the order in which they are asked (trace.Ruled); nil = nobody says
	Policies  []Policy
	Snapshots Storage // of the whole job (trace.Snapped)
	// Replicated: a service is several procs, each of which declares what the service does when it
	// hears of it: as many times as there are replicas, and some of them late.
	Replicated bool
}

// Has reports whether one of the policies gives the answer.
func (p *Promises) Has(a Answer) bool {
	return slices.ContainsFunc(p.Policies, func(q Policy) bool { return q.Answer == a })
}

// AnswerOf is what the policy of the name does, and its place among those that are asked, -1 for
// one that is not among them.
func (p *Promises) AnswerOf(name string) (a Answer, place int) {
	place = slices.IndexFunc(p.Policies, func(q Policy) bool { return q.Name == name })
	if place < 0 {
		return Other, place
	}
	return p.Policies[place].Answer, place
}

// WritesOf is the sort of a record by its key, and how many of it are promised for each line.
func (p *Promises) WritesOf(key string) (prefix string, most int, promised bool) {
	for _, prefix := range p.StableKeys {
		if strings.HasPrefix(key, prefix) {
			most, promised = p.Writes[prefix]
			return prefix, most, promised
		}
	}
	return "", 0, false
}

// Validate reports values that mean nothing.
func (p *Promises) Validate() error {
	switch {
	case p.RollsBack > All:
		return fmt.Errorf("promises: RollsBack is %d, want FailedOnly, Cluster, Dependents or All",
			p.RollsBack)
	case p.Needs > Deterministic:
		return fmt.Errorf("promises: Needs is %d, want NoDeterminism, Piecewise, "+
			"SendDeterministic or Deterministic", p.Needs)
	case p.Outputs > WithTheLine:
		return fmt.Errorf("promises: Outputs is %d, want NoOutputs, AtOnce, WhenStable or "+
			"WithTheLine", p.Outputs)
	case p.RollsBack <= Cluster && p.Undo != (Undoing{}):
		return fmt.Errorf("promises: Undo is %+v, but who lives loses nothing where RollsBack is "+
			"%v", p.Undo, p.RollsBack)
	}
	return nil
}
