package policy

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// Prediction says who will fail, how sure that is, and when. Times are from now, in the unit of
// Costs.
type Prediction struct {
	_         struct{} `cbor:",toarray"`
	ID        uint32
	Ranks     []core.Rank
	Nodes     []core.Proc
	Assurance float64 // percent
	NotBefore int64
	NotAfter  int64
	Suggest   []core.Proc // targets that the oracle suggests, the best first
}

// Refused says why a prediction is none that policies are asked about, "" if it is one. Whoever
// made it is told.
func (p *Prediction) Refused(v *View) string {
	switch {
	case !(p.Assurance >= 0 && p.Assurance <= 100): // also what is no number
		return "assurance is not in [0, 100]"
	case p.NotAfter < p.NotBefore:
		return "the window ends before it begins"
	case p.NotAfter < 0:
		return "the window is past"
	case len(p.Ranks)+len(p.Nodes) == 0:
		return "it is about nobody"
	}
	for _, r := range p.Ranks {
		if int(r) < 0 || int(r) >= len(v.Ranks) {
			return "unknown rank"
		}
	}
	for _, n := range p.Nodes {
		switch {
		case n == v.Head: // it survives by decree, and can not move
			return "no target"
		case v.node(n) == nil:
			return "unknown node"
		}
	}
	for i := range v.Nodes {
		n := &v.Nodes[i]
		if n.Alive && !n.Predicted && !slices.Contains(p.Nodes, n.Node) {
			return ""
		}
	}
	return "no target"
}

// Movers are the ranks that a prediction is about: those it names, and those on nodes that it
// names; ascending.
func (p *Prediction) Movers(v *View) (list []core.Rank) {
	for i := range v.Ranks {
		r := &v.Ranks[i]
		if !r.Gone && r.Alive && (slices.Contains(p.Ranks, core.Rank(i)) ||
			slices.Contains(p.Nodes, r.Node)) {
			list = append(list, core.Rank(i))
		}
	}
	return list
}
