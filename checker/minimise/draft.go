package minimise

import (
	"slices"
	"strings"

	"github.com/domino-check/domino/impl/apps"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/scenarios"
)

// draft is a scenario in a form that is easy to change. A change works on a copy.
type draft struct {
	scenario scenarios.Scenario // all but the program and the clusters
	names    []string           // of the ranks
	programs []core.Program
	clusters []int      // of each rank
	groups   [][]string // names of the procs that fail together
}

// open turns a scenario and what it resolves to into a draft.
func open(s *scenarios.Scenario, setup *core.Setup) *draft {
	l := &setup.Layout
	d := &draft{scenario: *s, names: slices.Clone(l.Names[:l.Ranks]), clusters: slices.Clone(l.Clusters)}
	for r := range l.Ranks {
		d.programs = append(d.programs, slices.Clone(setup.Programs[r]))
		if l.Clusters == nil {
			d.clusters = append(d.clusters, r)
		}
	}
	for p := range core.Proc(len(l.Names)) {
		group := setup.Group(p)
		if group[0] != p {
			continue
		}
		var names []string
		for _, q := range group {
			names = append(names, l.Name(q))
		}
		d.groups = append(d.groups, names)
	}
	return d
}

// write turns a draft into a scenario that is read back to the same draft.
func (d *draft) write() *scenarios.Scenario {
	s := d.scenario
	s.Shape, s.Program, s.Clusters = "", apps.Format(d.names, d.programs), d.clusterText()
	s.Victims = slices.Clone(s.Victims)
	return &s
}

func (d *draft) clusterText() string {
	var parts []string
	for _, members := range d.members() {
		var names []string
		for _, r := range members {
			names = append(names, d.names[r])
		}
		parts = append(parts, strings.Join(names, " "))
	}
	return strings.Join(parts, " | ")
}

// members lists the ranks of each cluster, clusters in the order of their numbers.
func (d *draft) members() (list [][]int) {
	for _, k := range slices.Compact(slices.Sorted(slices.Values(d.clusters))) {
		var ranks []int
		for r, c := range d.clusters {
			if c == k {
				ranks = append(ranks, r)
			}
		}
		list = append(list, ranks)
	}
	return list
}

func (d *draft) copy() *draft {
	c := *d
	c.scenario.Victims = slices.Clone(d.scenario.Victims)
	c.names, c.clusters, c.programs = slices.Clone(d.names), slices.Clone(d.clusters), nil
	for _, p := range d.programs {
		c.programs = append(c.programs, slices.Clone(p))
	}
	return &c // groups are never changed in place
}

// key is equal for drafts that are the same scenario.
func (d *draft) key() string { return string(scenarios.Format(d.write())) }

// dropRank takes rank r out, which no operation may name any more.
func (d *draft) dropRank(r int) {
	name := d.names[r]
	d.names, d.clusters = slices.Delete(d.names, r, r+1), slices.Delete(d.clusters, r, r+1)
	d.programs = slices.Delete(d.programs, r, r+1)
	for _, p := range d.programs {
		for i := range p {
			if p[i].Peer > core.Rank(r) {
				p[i].Peer--
			}
		}
	}
	var groups [][]string
	for _, g := range d.groups {
		if rest := slices.DeleteFunc(slices.Clone(g), func(n string) bool { return n == name }); len(rest) > 0 {
			groups = append(groups, rest)
			d.renameVictim(name, rest[0])
		}
	}
	d.groups = groups
	d.renameVictim(name, "")
}

// renameVictim puts another member of its group in the place of a victim, or takes it out. A list that would become empty would
// stand for everybody: that is what it becomes, since a rank less counts more than a victim less.
func (d *draft) renameVictim(from, to string) {
	var list []string
	for _, v := range d.scenario.Victims {
		if v == from {
			v = to
		}
		if v != "" && !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	d.scenario.Victims = list
}
