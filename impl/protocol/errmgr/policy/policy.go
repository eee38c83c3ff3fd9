package policy

import "github.com/domino-check/domino/impl/core"

// Policy is one component of the stack. It has no state of its own: what it answers depends on what
// it is asked alone.
type Policy interface {
	// Name is what the stack calls it, without what is in brackets.
	Name() string
	// Reach says what can get past it.
	Reach() Reach
	// Fault is offered a fault.
	Fault(v *View, s *Status) Decision
	// Predicted is offered the prediction of one.
	Predicted(v *View, p *Prediction) Decision
	// Targets suggests nodes for a rank that is to start, the best first; nil is none. What is not
	// legal is passed over.
	Targets(v *View, rank core.Rank) []core.Proc
	// Step hears how the order went that it gave as the owner. Completed and Failed end it, Claimed
	// goes on with another order.
	Step(v *View, s *Status, e Event) Decision
}

// Reach says what a policy lets past, for those below it.
type Reach struct {
	None  bool // it claims no fault, and is there for predictions
	All   bool // it claims every fault that leaves somebody to run
	Fails bool // it may fail, at once or having claimed
}

// Lost is a rank in the life that has ended.
type Lost struct {
	_    struct{} `cbor:",toarray"`
	Rank core.Rank
	Life core.Incarnation
}

// Fault is what is lost.
type Fault struct {
	_     struct{}    `cbor:",toarray"`
	Lost  []Lost      // by rank
	Nodes []core.Proc // gone for good, with what ran there; ascending
}

// Ranks are the ranks that are lost.
func (f *Fault) Ranks() (list []core.Rank) {
	for _, l := range f.Lost {
		list = append(list, l.Rank)
	}
	return list
}

// Verdict is what a policy answers.
type Verdict uint8

// The verdicts; Offered is the entry of one that has not answered yet.
const (
	Offered Verdict = iota
	Observed
	Deferred // it is not for this policy, for a reason
	Claimed
	Completed
	Failed
)

// String is the verdict in a word.
func (v Verdict) String() string {
	return [...]string{"offered", "observed", "deferred", "claimed", "completed", "failed"}[v]
}

// Entry is one line of the log of a walk.
type Entry struct {
	_       struct{} `cbor:",toarray"`
	Policy  string
	Verdict Verdict
	Reason  string
}

// Status is how far the answer to a fault has come.
type Status struct {
	_       struct{} `cbor:",toarray"`
	Episode uint32
	Group   Fault   // everything that is lost since the last answer that was completed
	Stable  bool    // the runtime is repaired
	Entries []Entry // one for each policy that was asked, in the order of the stack
	Before  []Entry // those of the episode that this one overtook
	Owner   string  // who has claimed; "" is nobody
	Order   Order   // the last one of the owner
}

// Decision is the answer of a policy.
type Decision struct {
	Verdict Verdict
	Reason  string
	// Order goes with Claimed; with a prediction that is Deferred it may be Snapshot.
	Order Order
}

// OrderKind says what the head is to do.
type OrderKind uint8

// The orders. Nothing is the zero value.
const (
	Nothing OrderKind = iota
	// RestoreAll stops every rank and starts all from one snapshot.
	RestoreAll
	// RestoreSome starts the ranks from the newest snapshot; the others send them again what they
	// have had.
	RestoreSome
	RunThrough // the job goes on without the lost ranks
	Migrate    // the ranks are moved off where they run, which is given up
	Abort      // the job is given up
	Snapshot   // an ordinary snapshot is begun
)

// Order is what a policy wants done.
type Order struct {
	_     struct{} `cbor:",toarray"`
	Kind  OrderKind
	Ranks []core.Rank // RestoreSome, Migrate: who
	// Back is, of a restore, how many of the newer snapshots in View are passed over; as many as
	// there are is the start of the programs.
	Back  int
	Nodes []core.Proc // Migrate: nodes that are given up
	Hints []core.Proc // Migrate: targets, the best first
}

// EventKind says how an order went.
type EventKind uint8

// The events. That an owner is overtaken by another failure is for the stack to know: it is asked
// again, from the top.
const (
	Done EventKind = iota + 1
	NotDone
)

// Event is the outcome of an order.
type Event struct {
	Kind   EventKind
	Reason string // NotDone
}

// View is what the head knows.
type View struct {
	Ranks     []RankView
	Nodes     []NodeView // ascending
	Head      core.Proc
	Snapshots []SnapView // established and readable, the newest first
	// FromStart: programs may be started anew, because nothing that they did has left the system.
	FromStart bool
	Resends   bool // ranks can send again what was sent since the newest snapshot
	InPlace   bool // a rank may start again on the node on which it died
	// MostTries is how many episodes may start from one snapshot.
	MostTries int
	Costs     Costs
}

// RankView is a rank.
type RankView struct {
	Node   core.Proc // where it runs, or ran last
	Alive  bool
	Gone   bool // the job goes on without it
	Moving bool // a migration is about it
}

// NodeView is a node.
type NodeView struct {
	Node      core.Proc
	Alive     bool
	Predicted bool // to fail, or given up
	Room      int  // ranks that it has room for
}

// SnapView is a snapshot.
type SnapView struct {
	Members []core.Rank
	Tries   int // episodes that have started from it
}

// Costs are how long the parts of a migration take, in the unit of predictions. They are numbers of
// a model and no clock: whoever measures sets them.
type Costs struct {
	Coordinate int64 // until everybody stands still
	Carry      int64 // an image to its target, both ways
	Start      int64
}

// node is what is known of a node, nil if there is none.
func (v *View) node(p core.Proc) *NodeView {
	for i := range v.Nodes {
		if v.Nodes[i].Node == p {
			return &v.Nodes[i]
		}
	}
	return nil
}
