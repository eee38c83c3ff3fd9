package spec

import (
	"fmt"

	"github.com/domino-check/domino/spec/trace"
)

const leastKept = "Minimal: of a collective only its root and the children of the root keep " +
	"anything"

func minimal(f *Facts) bool { return f.Minimal }

// LogMinimal: of a collective, nobody keeps more than recovery needs.
var LogMinimal = register(Property{
	Name: "log-minimal", Kind: Final, Depth: Thrift,
	Source: "[CAMEL] section 3.1", Applies: minimal,
	Needs: leastKept,
	Doc: "at the end one copy of each multicast is kept, at its root, and contributions only at " +
		"the root and its children, for the root",
	End: func(f *Facts, v View) string {
		copies := map[trace.MsgID]trace.Proc{}
		for p := range trace.Proc(f.Layout.Ranks) {
			h := v.Observed(p).History
			if h == nil {
				continue
			}
			for _, i := range h.Memory {
				c, collective := f.Layout.Collectives[i.ID]
				if !collective || i.Sort == trace.Determinant {
					continue
				}
				t := &f.Layout.Trees[c.Tree]
				first, twice := copies[i.ID]
				switch {
				case i.Sort == trace.Copy && p != t.Root().Proc():
					return fmt.Sprintf("%s keeps a copy of multicast %s, which %s has",
						f.name(p), f.label(i.ID), f.name(t.Root().Proc()))
				case i.Sort == trace.Copy && twice:
					return fmt.Sprintf("%s keeps multicast %s twice, since %s keeps it",
						f.name(p), f.label(i.ID), f.name(first))
				case i.Sort == trace.Part && p != t.Root().Proc() &&
					t.Parent(trace.Rank(p)) != t.Root():
					return fmt.Sprintf(
						"%s keeps its contribution to round %d of group %s, which is complete",
						f.name(p), c.Round, t.Name)
				case i.Sort == trace.Part && (i.Peer != t.Root().Proc() || i.Number != c.Round):
					return fmt.Sprintf(
						"%s keeps %s for %s, as of round %d: it is of round %d, for %s", f.name(p),
						f.label(i.ID), f.name(i.Peer), i.Number, c.Round, f.name(t.Root().Proc()))
				case i.Sort == trace.Copy:
					copies[i.ID] = p
				}
			}
		}
		return ""
	},
})

// LogAvailable: what a root would need after a failure is there.
var LogAvailable = register(Property{
	Name: "log-available", Kind: Final, Source: "[CAMEL] Lemma 1", Applies: minimal,
	Needs: leastKept,
	Doc: "at the end each child of a root keeps its contributions after its own recovery line to " +
		"all rounds since the root's",
	End: func(f *Facts, v View) string {
		// whichever is missing: the first in order is named below
		for id, c := range f.Layout.Collectives {
			if m := unavailable(f, v, id, c); m != "" {
				return firstUnavailable(f, v)
			}
		}
		return ""
	},
})

// firstUnavailable is the message about the least contribution that is missing.
func firstUnavailable(f *Facts, v View) string {
	for r := range f.ranks() {
		most := uint32(0)
		for id := range f.Layout.Collectives { // a maximum: the order does not matter
			if id.From == r {
				most = max(most, id.Number)
			}
		}
		for k := range most {
			id := trace.MsgID{From: r, Number: k + 1}
			if c, ok := f.Layout.Collectives[id]; ok {
				if m := unavailable(f, v, id, c); m != "" {
					return m
				}
			}
		}
	}
	return ""
}

// unavailable says that a contribution which the root would need is not kept by its sender, a child
// of the root.
func unavailable(f *Facts, v View, id trace.MsgID, c trace.Collective) string {
	t := &f.Layout.Trees[c.Tree]
	sender := v.Observed(id.From.Proc())
	if c.Round == 0 || id.From == t.Root() || t.Parent(id.From) != t.Root() ||
		sender.History == nil || sender.History.Sent < id.Number {
		return ""
	}
	if concluded(f, v, c) {
		return "" // the root would not ask for that round again
	}
	if line := sender.Line; line != nil && line.Sent >= id.Number {
		// the root's line may include it; where it does not and nobody keeps it, the run gets stuck
		return ""
	}
	for _, i := range sender.History.Memory {
		if i.Sort == trace.Part && f.Layout.Collectives[i.ID].Joins(c) {
			return ""
		}
	}
	return fmt.Sprintf(
		"%s does not keep its contribution to round %d of group %s, which %s would need after a "+
			"failure", f.name(id.From.Proc()), c.Round, t.Name, f.name(t.Root().Proc()))
}

// resultOf is the root's contribution to the round.
func resultOf(f *Facts, c trace.Collective) (found trace.MsgID) {
	for id, d := range f.Layout.Collectives { // there is one: the order does not matter
		if d.Joins(c) && id.From == f.Layout.Trees[c.Tree].Root() {
			found = id
		}
	}
	return found
}

// RootDeterminants: only the root of a reduction receives anything.
var RootDeterminants = register(Property{
	Name: "root-determinants", Kind: Always, Source: "[CAMEL] Alg. 2 l. 31-34",
	Applies: minimal,
	Needs:   leastKept,
	Doc:     "a determinant of a reduction is about a reception of its root",
	Event: func(f *Facts, v View, e trace.Event) string {
		c := f.Layout.Collectives[e.ID]
		if e.Kind == trace.Kept && e.Text == trace.Determinant && c.Round > 0 &&
			e.Peer != f.Layout.Trees[c.Tree].Root().Proc() {
			return fmt.Sprintf(
				"%s keeps a determinant of %s for a contribution to group %s, of which it is not "+
					"the root", f.name(e.Proc), f.name(e.Peer), f.Layout.Trees[c.Tree].Name)
		}
		return ""
	},
})
