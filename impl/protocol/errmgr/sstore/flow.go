package sstore

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// Copy is a file that is to be copied, which takes a token until everybody has answered to whom it
// is sent.
type Copy struct {
	Snap SnapID
	Rank core.Rank
	From core.Proc
	To   []core.Proc
}

// Tokens are those that are out.
func (k *Keeper) Tokens() int {
	n := k.Leaked
	for i := range k.Snaps {
		for j := range k.Snaps[i].Parts {
			if len(k.Snaps[i].Parts[j].Asked) > 0 {
				n++
			}
		}
	}
	return n
}

// Grant gives away the tokens that are there, for parts that lack replicas, older snapshots first:
// also for established ones of which replicas were lost. up are the nodes that run, ascending.
func (k *Keeper) Grant(rules *Rules, up []core.Proc) (list []Copy) {
	if rules.Kind == Central {
		return nil // files go to the store at once
	}
	for i := range k.Snaps {
		s := &k.Snaps[i]
		if s.State == Writing || s.Bad {
			continue
		}
		for j := range s.Parts {
			p := &s.Parts[j]
			if k.Tokens() >= rules.Flow {
				return list
			}
			from, to := rules.route(p, up)
			if len(p.Asked) > 0 || len(to) == 0 {
				continue
			}
			p.Asked, p.From = slices.Sorted(slices.Values(to)), from
			list = append(list, Copy{Snap: s.ID, Rank: p.Rank, From: from, To: to})
		}
	}
	return list
}

// route says from where to where a part is to be copied; nowhere when nothing is missing, or
// nobody is there.
func (r *Rules) route(p *Part, up []core.Proc) (from core.Proc, to []core.Proc) {
	lacks := r.missing(p)
	sources := r.replicas(p, p.Home, up)
	if lacks <= 0 || len(sources) == 0 {
		return 0, nil
	}
	from = sources[0]
	if r.Kind == Stage {
		return from, []core.Proc{r.Store}
	}
	stay := func(n core.Proc) bool { return !slices.Contains(r.Leaving, n) }
	var used []int
	for _, n := range sources {
		if stay(n) {
			used = append(used, r.domain(n))
		}
	}
	// whose own file can not be read takes a replica as any other
	for _, n := range append(r.ring(p.Home), p.Home) {
		if _, found := slices.BinarySearch(up, n); !found || !stay(n) ||
			slices.Contains(used, r.domain(n)) {
			continue
		}
		if to, used = append(to, n), append(used, r.domain(n)); len(to) == lacks {
			break
		}
	}
	return from, to
}

// replicas are the nodes that run and have a replica, the one at home first, then by the way round
// the ring from a node.
func (r *Rules) replicas(p *Part, near core.Proc, up []core.Proc) (list []core.Proc) {
	has := func(n core.Proc) bool {
		_, runs := slices.BinarySearch(up, n)
		return runs && (n == p.Home && p.Local || slices.Contains(p.Holders, n))
	}
	if has(near) {
		list = append(list, near)
	}
	for _, n := range r.ring(near) {
		if has(n) {
			list = append(list, n)
		}
	}
	return list
}

// ring are the other nodes, in the order in which they come after one.
func (r *Rules) ring(n core.Proc) []core.Proc {
	i := slices.Index(r.Nodes, n)
	return slices.Concat(r.Nodes[i+1:], r.Nodes[:max(i, 0)])
}

// domain is what a node fails together with.
func (r *Rules) domain(n core.Proc) int {
	i := slices.Index(r.Nodes, n)
	if i >= len(r.Domains) {
		return -i - 1 // nobody
	}
	return r.Domains[i]
}

func (r *Rules) domains(nodes []core.Proc) (list []int) {
	for _, n := range nodes {
		list = append(list, r.domain(n))
	}
	return list
}

// Sources are who has the part of a rank, in the order in which the node where it is to run asks
// them: itself, then the store, or who is next on the ring. up are the nodes that run, ascending.
func (k *Keeper) Sources(rules *Rules, id SnapID, r core.Rank, target core.Proc,
	up []core.Proc) []core.Proc {
	s := k.Snap(id)
	if s == nil || s.Part(r) == nil {
		return nil
	}
	p := s.Part(r)
	if rules.Kind == Peers {
		return rules.replicas(p, target, up)
	}
	var list []core.Proc
	if rules.Kind == Stage && p.Local && p.Home == target {
		list = append(list, target)
	}
	if slices.Contains(p.Holders, rules.Store) {
		list = append(list, rules.Store)
	}
	return list
}

// Failed is the news that somebody has no replica of a part, or none that can be read: a copy that
// was not made, or a source that failed. The token is back. left is whether another replica is
// there.
func (k *Keeper) Failed(id SnapID, r core.Rank, who core.Proc) (left bool) {
	s := k.Snap(id)
	if s == nil || s.Part(r) == nil {
		return false
	}
	p := s.Part(r)
	p.answered(who)
	p.Holders = without(p.Holders, who)
	p.Local = p.Local && p.Home != who
	return p.Local || len(p.Holders) > 0
}

// Lost is the news that a node is gone, its disk with it. It names the snapshots that can never be
// established now, which the caller must make void, and the established ones that lack replicas
// now, which Grant repairs as long as there are any.
func (k *Keeper) Lost(rules *Rules, node core.Proc) (void, degraded []SnapID) {
	for i := range k.Snaps {
		s := &k.Snaps[i]
		worse, lost := false, false
		for j := range s.Parts {
			p := &s.Parts[j]
			// Deviation: W10, the token is not bound to the life of who has it
			if p.From == node && len(p.Asked) > 0 && rules.Leaks {
				k.Leaked++
			}
			p.answered(node)
			if slices.Contains(p.Holders, node) || p.Home == node && p.Local &&
				rules.Kind == Peers {
				worse = true
			}
			p.Holders = without(p.Holders, node)
			p.Local = p.Local && p.Home != node
			// of one that was complete a replica is gone that its record counts on
			relied := s.State == Recording && !rules.Early
			if s.State != Established && (p.Home == node || relied) && rules.missing(p) > 0 {
				lost = true
			}
		}
		if lost {
			void = append(void, s.ID)
		}
		if worse && s.State == Established {
			degraded = append(degraded, s.ID)
		}
	}
	return void, degraded
}
