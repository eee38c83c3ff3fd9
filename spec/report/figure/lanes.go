package figure

import (
	"slices"

	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/trace"
)

// lane is one proc of the figure.
type lane struct {
	*report.Lane
	name   string
	under  string // where it runs, when it stays there
	moves  bool
	across float64
}

// line lists the lanes: ranks by cluster, services below; those that are not busy are left out.
func (f *Figure) line(busy map[trace.Proc]bool) {
	for i := range f.model.Lanes {
		l := &f.model.Lanes[i]
		if !busy[l.Proc] || f.hides(l.Proc) {
			f.Hidden = append(f.Hidden, short(l.Name, mostColumns))
			continue
		}
		f.lanes = append(f.lanes, lane{Lane: l, name: short(l.Name, mostColumns)})
	}
	slices.SortStableFunc(f.lanes, func(a, b lane) int {
		if d := rankOfRole(a.Role) - rankOfRole(b.Role); d != 0 {
			return d
		}
		return a.Cluster - b.Cluster
	})
	f.lane = map[trace.Proc]int{}
	for i := range f.lanes {
		f.lane[f.lanes[i].Proc] = i
	}
	f.hosts()
}

// busy are the procs of which something is shown.
func (f *Figure) busy() map[trace.Proc]bool {
	busy := map[trace.Proc]bool{}
	for _, c := range f.cells {
		busy[c.proc] = true
	}
	for n := range f.model.Messages {
		m := &f.model.Messages[n]
		if f.visible[n] && (f.known(m.Sent) || f.known(m.Arrived)) {
			busy[m.From], busy[m.To] = true, true
		}
	}
	for _, r := range f.model.About {
		busy[r.Proc] = true
	}
	return busy
}

// rankOfRole orders lanes: ranks first.
func rankOfRole(role string) int {
	return slices.Index([]string{report.RoleRank, report.RoleNode, report.RoleService}, role)
}

// known reports whether an event has a place in the figure.
func (f *Figure) known(i int) bool { return i != report.Never && f.cellOf[i] != nil }

// hosts finds who moves: those that stay are named with their node.
func (f *Figure) hosts() {
	for i := range f.model.Lives {
		l := &f.model.Lives[i]
		k, ok := f.lane[l.Proc]
		if !ok || l.Host < 0 {
			continue
		}
		name := "on " + short(f.model.Layout.Name(trace.Proc(l.Host)), mostColumns)
		la := &f.lanes[k]
		if la.under != "" && la.under != name {
			la.moves = true
		}
		la.under = name
	}
	for i := range f.lanes {
		if f.lanes[i].moves {
			f.lanes[i].under = ""
		}
	}
}
