package cluster

import (
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/mesh"
)

// partnersOf are the procs that a proc will have connections with in a run without failures, as far
// as that can be told: of a rank those that its program sends to and whose programs send to it,
// along the trees of groups, too; a service may talk with everybody, and everybody with it.
func partnersOf(s *core.Setup, p core.Proc) (list []core.Proc) {
	n := len(s.Layout.Names)
	with := make([]bool, n)
	for q := range n {
		with[q] = int(p) >= s.Layout.Ranks || q >= s.Layout.Ranks
	}
	pair := func(a, b core.Rank) {
		for _, k := range [2][2]core.Rank{{a, b}, {b, a}} {
			if k[0].Proc() == p && int(k[1]) < n {
				with[k[1].Proc()] = true
			}
		}
	}
	for r, program := range s.Programs {
		for _, op := range program {
			if op.Kind == core.OpSend {
				pair(core.Rank(r), op.Peer)
			}
		}
	}
	for _, tree := range s.Layout.Trees {
		for i, member := range tree.Members {
			if i > 0 {
				pair(tree.Parents[i], member)
			}
		}
	}
	for q, yes := range with {
		if yes && core.Proc(q) != p {
			list = append(list, core.Proc(q))
		}
	}
	return list
}

// meets notes that a life has said where it listens. Whoever lives must know it of a life that is
// not the first; whoever begins later hears it at the meeting.
func (s *supervisor) meets(p *proc, a mesh.Address) {
	p.met = true
	if a.Life == 0 {
		s.beget()
		return
	}
	for _, q := range s.procs {
		if q != p && q.process != nil && !q.dying {
			s.tell(q, order{Kind: sayMet, Addresses: []mesh.Address{a}})
		}
	}
}
