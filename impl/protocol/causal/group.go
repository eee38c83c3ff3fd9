package causal

import "github.com/domino-check/domino/impl/core"

// Group is what a rank keeps about one group, for protocols that are built on this one
// (impl/protocol/camel). All of it is saved in checkpoints.
type Group struct {
	_        struct{}  `cbor:",toarray"`
	Place    core.Rank `cbor:"-" json:"-"` // one less than the group
	Sent     uint32    `json:"sent"`       // root: multicasts sent
	Received uint32    `json:"received"`   // others: multicasts received, and passed on
	// others: newest life of the root from which a multicast has come
	Life core.Incarnation `json:"life"`
	// others: multicasts of that life that were passed on
	Passed uint32 `json:"passed"`
	// rounds of reductions to which this rank has contributed
	Started uint32   `json:"started"`
	Done    uint32   `json:"done"`  // rounds up to this one need no work here
	From    []uint32 `json:"from"`  // by child: last round received from it
	Open    []Round  `json:"open"`  // rounds that are not complete here, ascending
	Early   []Entry  `json:"early"` // multicasts that wait for one before them
	// root: what its children sent, so that they can get it back
	Kept []Entry `json:"kept"`
}

// About implements core.Ranked.
func (g *Group) About() *core.Rank { return &g.Place }

// Groups are by group.
type Groups = core.ByRank[Group, *Group]

// Round is one round of a reduction that is not complete at a rank.
type Round struct {
	_      struct{}   `cbor:",toarray"`
	Number uint32     `json:"number"`
	Past   uint32     `json:"past"`  // deliveries before this rank contributed
	ID     core.MsgID `json:"id"`    // of its contribution
	Parts  []Part     `json:"parts"` // of itself and its children, in the order of arrival
}

// Part is what a rank contributed, or the subtree of a child.
type Part struct {
	_     struct{}  `cbor:",toarray"`
	Child core.Rank `json:"child"`
	Data  []byte    `json:"data"`
}
