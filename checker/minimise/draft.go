package minimise

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/scenarios"
)

// draft is a scenario in a form that is easy to change. A change works on a copy.
type draft struct {
	scenario scenarios.Scenario // all but the program and the clusters
	names    []string           // of the ranks
	programs []core.Program
	clusters []int      // of each rank
	groups   [][]string // names of the procs that fail together
	// of a protocol without programs: then all of the above but the groups is empty
	roles []role
	// ranks of programs with collectives or kernels, which stay as they are: then names, programs
	// and clusters are empty, too
	whole int
}

// role is how many procs of a kind there are.
type role struct {
	name string
	n    int
}

// open turns a scenario and what it resolves to into a draft. Clusters are those of the baseline,
// which is nil when there are no programs: a protocol may make something else of them than
// clusters.
func open(s *scenarios.Scenario, setup, baseline *core.Setup) *draft {
	l := &setup.Layout
	d := &draft{scenario: *s, names: slices.Clone(l.Names[:l.Ranks])}
	if baseline != nil {
		d.clusters = slices.Clone(baseline.Layout.Clusters)
	}
	d.scenario.Interchangeable = nil // a promise about this scenario, not about smaller ones
	d.groups = groupsOf(setup)
	if s.Roles != "" {
		d.names, d.clusters, d.roles = nil, nil, readRoles(s.Roles)
		return d
	}
	if len(l.Trees) > 0 || strings.Contains(s.Program, "group ") || hasKernel(setup.Programs) {
		d.names, d.clusters, d.whole = nil, nil, l.Ranks
		return d
	}
	for r := range l.Ranks {
		d.programs = append(d.programs, slices.Clone(setup.Programs[r]))
		if baseline == nil || baseline.Layout.Clusters == nil {
			d.clusters = append(d.clusters, r)
		}
	}
	return d
}

// hasKernel reports whether programs have a numeric part, of which the text of a program knows
// nothing.
func hasKernel(programs []core.Program) bool {
	return slices.ContainsFunc(programs, func(p core.Program) bool {
		return len(p) > 0 && p[0].Kind == core.OpBegin
	})
}

// groupsOf lists the names of the procs that fail together.
func groupsOf(setup *core.Setup) (list [][]string) {
	for p := range core.Proc(len(setup.Layout.Names)) {
		group := setup.Group(p)
		if group[0] != p {
			continue
		}
		var names []string
		for _, q := range group {
			names = append(names, setup.Layout.Name(q))
		}
		list = append(list, names)
	}
	return list
}

// readRoles reads what was resolved already: "servers 3, clients 2".
func readRoles(text string) (list []role) {
	for part := range strings.SplitSeq(text, ",") {
		words := strings.Fields(part)
		n, err := strconv.Atoi(words[1])
		if err != nil {
			panic(fmt.Sprintf("invariant: roles that were resolved have numbers: %q", text))
		}
		list = append(list, role{words[0], n})
	}
	return list
}

// ranks is how many ranks there are, or procs with a role.
func (d *draft) ranks() int {
	n := len(d.names) + d.whole
	for _, r := range d.roles {
		n += r.n
	}
	return n
}

// write turns a draft into a scenario that is read back to the same draft.
func (d *draft) write() *scenarios.Scenario {
	s := d.scenario
	s.Victims, s.Spoils = slices.Clone(s.Victims), slices.Clone(s.Spoils)
	if d.roles != nil {
		var words []string
		for _, r := range d.roles {
			words = append(words, fmt.Sprintf("%s %d", r.name, r.n))
		}
		s.Roles = strings.Join(words, ", ")
		return &s
	}
	if d.whole > 0 {
		return &s
	}
	s.Shape, s.Program, s.Clusters = "", script.Format(d.names, d.programs), d.clusterText()
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
	c.scenario.Spoils = slices.Clone(d.scenario.Spoils)
	c.roles = slices.Clone(d.roles)
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
		if rest := slices.DeleteFunc(slices.Clone(g), func(n string) bool {
			return n == name
		}); len(rest) > 0 {
			groups = append(groups, rest)
			d.renameVictim(name, rest[0])
		}
	}
	d.groups = groups
	d.renameVictim(name, "")
	d.scenario.Spoils = slices.DeleteFunc(d.scenario.Spoils, func(n string) bool {
		return n == name // without anybody it stands for everybody, as victims do
	})
}

// renameVictim puts another member of its group in the place of a victim, or takes it out. A list
// that would become empty would stand for everybody: that is what it becomes, since a rank less
// counts more than a victim less.
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
