package world

import (
	"fmt"
	"slices"
	"strings"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
)

// mostInterchangeable bounds the search for renamings: all permutations of so many ranks are tried.
const mostInterchangeable = 8

// symmetries are the renamings of procs that permute the interchangeable ranks and leave everything
// that the world is made of as it is: programs (but for the labels of messages), clusters, groups,
// watchers, initiators, whose records are read, whose disks are those of nodes, victims. The
// protocol must promise that it treats ranks alike (promise.Promises.Symmetric); then a renaming
// turns runs into runs, and properties, which are stated on all ranks alike, hold of both or of
// none. A property that relates runs (spec.Pair) relates every run to those without failures, which
// are part of every search.
//
// Each result maps a proc to its new name, and a group, known by its first proc, to the first proc
// of its image.
func symmetries(s *core.Setup, m *fault.Model, ranks []core.Rank) ([][]core.Proc, error) {
	names := make([]string, len(ranks))
	for i, r := range ranks {
		names[i] = s.Layout.Name(r.Proc())
	}
	declared := strings.Join(names, " ")
	switch {
	case !s.Promises.Symmetric:
		return nil,
			fmt.Errorf(
				"ranks %s are declared interchangeable, but protocol %s does not promise to treat "+
					"ranks alike", declared, s.Protocol)
	case len(ranks) > mostInterchangeable:
		return nil, fmt.Errorf("%d interchangeable ranks, at most %d are supported", len(ranks),
			mostInterchangeable)
	}
	var found [][]core.Proc
	together := map[[2]core.Rank]bool{}
	permute(slices.Clone(ranks), 0, func(image []core.Rank) {
		renaming := make([]core.Proc, len(s.Layout.Names))
		for p := range renaming {
			renaming[p] = core.Proc(p)
		}
		for i, r := range ranks {
			renaming[r] = image[i].Proc()
		}
		if !keeps(s, m, renaming) {
			return
		}
		for i, r := range ranks {
			together[[2]core.Rank{r, image[i]}] = true
		}
		found = append(found, groupRenaming(s, renaming))
	})
	for _, a := range ranks {
		for _, b := range ranks {
			if !together[[2]core.Rank{a, b}] {
				return nil,
					fmt.Errorf(
						"ranks %s are declared interchangeable, but no renaming that turns "+
							"%s into "+
							"%s leaves programs, clusters, groups and victims as they are",
						declared, s.Layout.Name(a.Proc()), s.Layout.Name(b.Proc()))
			}
		}
	}
	return found, nil
}

// permute visits every order of the list from an index on.
func permute(list []core.Rank, from int, visit func([]core.Rank)) {
	if from == len(list) {
		visit(list)
		return
	}
	for i := from; i < len(list); i++ {
		list[from], list[i] = list[i], list[from]
		permute(list, from+1, visit)
		list[from], list[i] = list[i], list[from]
	}
}

// groupRenaming maps the first proc of each group to the first proc of its image.
func groupRenaming(s *core.Setup, renaming []core.Proc) []core.Proc {
	r := slices.Clone(renaming)
	for p := range r {
		r[p] = s.Group(renaming[p])[0]
	}
	return r
}

// keeps reports whether the renaming leaves the setup and the model as they are.
func keeps(s *core.Setup, m *fault.Model, renaming []core.Proc) bool {
	image := func(list []core.Proc) []core.Proc {
		var r []core.Proc
		for _, p := range list {
			r = append(r, renaming[p])
		}
		slices.Sort(r)
		return r
	}
	same := func(list []core.Proc) bool {
		return slices.Equal(image(list), slices.Sorted(slices.Values(list)))
	}
	if !same(s.Watchers) || !same(s.Initiators) || !same(s.Local) || !same(m.Victims) ||
		!same(m.Spoiled) || !keepsClusters(s, renaming) {
		return false
	}
	for p := range core.Proc(len(renaming)) {
		q := renaming[p]
		if !slices.Equal(image(s.Group(p)), slices.Sorted(slices.Values(s.Group(q)))) {
			return false
		}
		told, placed := s.Layout.Hosted[p]
		if other, ok := s.Layout.Hosted[q]; ok != placed || other != told ||
			s.Layout.Nodes != nil && int(p) < s.Layout.Ranks &&
				s.Layout.Nodes[p] != s.Layout.Nodes[q] {
			return false // they do not run alike
		}
		if s.Reads != nil && !slices.Equal(image(s.Reads(p)),
			slices.Sorted(slices.Values(s.Reads(q)))) {
			return false
		}
		if int(p) < s.Layout.Ranks && !slices.EqualFunc(s.Programs[p], s.Programs[q],
			func(a, b core.Op) bool {
				a.Peer, a.Label, b.Label = core.Rank(renaming[a.Peer]), "", ""
				return a == b
			}) {
			return false
		}
	}
	return true
}

// keepsClusters reports whether mates stay mates.
func keepsClusters(s *core.Setup, renaming []core.Proc) bool {
	c := s.Layout.Clusters
	for p := range c {
		for q := range c {
			if (c[p] == c[q]) != (c[renaming[p]] == c[renaming[q]]) {
				return false
			}
		}
	}
	return true
}
