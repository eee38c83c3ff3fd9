package world

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// Certificate says how deterministic programs are, and why not more.
type Certificate struct {
	Class promise.Determinism
	Lacks []Conflict // one for each class above, the next one first
	// the programs can get stuck, or leave messages unreceived: then no protocol can help
	Stuck string
}

// Conflict shows that programs are not in a class: two failure-free runs in which a rank does
// different things at one place.
type Conflict struct {
	Class promise.Determinism // that the programs are not in
	Words string              // what differs
	First []string            // schedule of the one run, up to the difference
	Other []string            // of the other
}

// Certify explores the failure-free runs of programs over the transparent protocol and says which
// class of determinism they have. The moment of an output is not compared. The error says that the
// bounds were hit first.
func Certify(ctx context.Context, baseline *core.Setup, bounds checker.Options) (*Certificate,
	error) {
	o, err := Oracle(ctx, baseline, bounds)
	if err != nil {
		return nil, err
	}
	c := &Certificate{Class: promise.Deterministic, Stuck: o.Stuck}
	for _, class := range []promise.Determinism{promise.Deterministic, promise.SendDeterministic,
		promise.Piecewise} {
		if conflict := conflictOf(ctx, baseline, o, class); conflict != nil {
			c.Class = class - 1
			c.Lacks = slices.Insert(c.Lacks, 0, *conflict)
		}
	}
	return c, nil
}

// conflictOf is the conflict that keeps programs out of a class, nil when nothing does. Where the
// moment of something differs, so does what some send comes after; so each class is asked only for
// what it adds. What a program picks need not show in what it sends: then it shows in how it ends,
// which is a moment, too, and such programs are in none of the classes.
func conflictOf(ctx context.Context, baseline *core.Setup, o *spec.Oracle,
	class promise.Determinism) *Conflict {
	var c *Conflict
	switch {
	case len(o.Moments) > 0 && (class == promise.Piecewise ||
		class > promise.Piecewise && picks(baseline.Programs)):
		c = moment(ctx, baseline, o.Moments[0])
	case class == promise.Deterministic && len(o.Orders) > 0:
		c = order(ctx, baseline, o.Orders[0])
	case class >= promise.SendDeterministic && len(o.Differ) > 0:
		c = sending(ctx, baseline, o.Differ[0])
	default:
		return nil
	}
	c.Class = class
	return c
}

// Text says that the program is not in the class, and shows both runs.
func (c *Conflict) Text() string {
	var b strings.Builder
	name := c.Class.String()
	if c.Class == promise.Piecewise {
		name = "piecewise deterministic"
	}
	fmt.Fprintf(&b, "the program is not %s: %s", name, c.Words)
	for i, run := range [][]string{c.First, c.Other} {
		if run != nil {
			fmt.Fprintf(&b, "\n  %s: %s", [...]string{"one run", "another"}[i],
				strings.Join(run, "; "))
		}
	}
	return b.String()
}

// picks reports whether some program does.
func picks(programs []core.Program) bool {
	return slices.ContainsFunc(programs, core.Program.Picks)
}

// sending is the conflict of a send that is not the same in every run.
func sending(ctx context.Context, baseline *core.Setup, d spec.Difference) *Conflict {
	l := &baseline.Layout
	find := func(value string) []string {
		return findRun(ctx, baseline, func(f *spec.Facts, h *trace.History, e trace.Event) bool {
			words := map[string]string{"destination": f.Layout.Name(e.Peer),
				"payload":                             fmt.Sprintf("%x", e.Digest),
				"set of messages delivered before it": "{" + spec.DeliveredSet(f, h) + "}"}
			return e.Kind == trace.Sent && e.ID == d.ID && words[d.What] == value
		})
	}
	return &Conflict{First: find(d.First), Other: find(d.Second),
		Words: fmt.Sprintf("send %d of %s (%s): its %s is %s in one run and %s in another",
			d.ID.Number, l.Name(d.ID.From.Proc()), l.Label(d.ID), d.What, d.First, d.Second)}
}

// order is the conflict of a reception that takes different messages.
func order(ctx context.Context, baseline *core.Setup, d spec.Branch) *Conflict {
	find := func(label string) []string {
		return findRun(ctx, baseline, func(f *spec.Facts, h *trace.History, e trace.Event) bool {
			return e.Kind == trace.Delivered && e.Proc == d.Proc &&
				len(h.Delivered) == d.Received && f.Layout.Label(e.ID) == label
		})
	}
	return &Conflict{First: find(d.First), Other: find(d.Second),
		Words: fmt.Sprintf("reception %d of %s is %s in one run and %s in another",
			d.Received+1, baseline.Layout.Name(d.Proc), d.First, d.Second)}
}

// moment is the conflict of something that does not follow from what was received.
func moment(ctx context.Context, baseline *core.Setup, d spec.Branch) *Conflict {
	find := func(words string) []string {
		return findRun(ctx, baseline, func(f *spec.Facts, h *trace.History, e trace.Event) bool {
			at, what, ok := momentOf(f, h, e)
			return ok && at == branch{d.Proc, d.Received, d.Sent, d.After} && what == words
		})
	}
	return &Conflict{First: find(d.First), Other: find(d.Second),
		Words: fmt.Sprintf("after the same %d receptions %s %s in one run and %s in another",
			d.Received, baseline.Layout.Name(d.Proc), d.First, d.Second)}
}

// findRun is a shortest failure-free schedule with an event that matches, nil when the search is
// too long.
func findRun(ctx context.Context, baseline *core.Setup,
	match func(*spec.Facts, *trace.History, trace.Event) bool) []string {
	w, err := New(Config{Setup: baseline})
	if err != nil {
		return nil
	}
	w.Facts = &spec.Facts{Layout: &baseline.Layout}
	w.local = []spec.Property{{Name: "this event", Kind: spec.Always,
		Event: func(f *spec.Facts, v spec.View, e trace.Event) string {
			if h := v.Observed(e.Proc).History; h != nil && match(f, h, e) {
				return "found"
			}
			return ""
		}}}
	r := search.Explore(ctx, w, checker.Options{Order: checker.BreadthFirst, MaxStates: 1 << 20})
	if len(r.Found) == 0 {
		return nil
	}
	run, err := w.Follow(r.Found[0].Path)
	if err != nil {
		return nil
	}
	return run.Schedule
}

// branch is a place in the history of a rank.
type branch struct {
	proc     trace.Proc
	received int
	sent     uint32
	after    string
}

// branches collects where runs go on differently. The order of the local steps, which depends on
// the search, does not show: places are sorted, and so are the words.
type branches struct {
	facts *spec.Facts
	first map[branch]string // by place, what was seen there first
}

// note compares an event with what other runs do at the same place.
func (b *branches) note(o *spec.Oracle, h *trace.History, e trace.Event) {
	if e.Kind == trace.Delivered {
		b.compare(&o.Orders, branch{e.Proc, len(h.Delivered), 0, "order"},
			b.facts.Layout.Label(e.ID))
	}
	if at, what, ok := momentOf(b.facts, h, e); ok {
		b.compare(&o.Moments, at, what)
	}
}

// momentOf is the place of an event and what it does there, as far as it follows from the
// receptions before it: how many sends there are before the next reception, what a send is, and how
// the program ends.
func momentOf(f *spec.Facts, h *trace.History, e trace.Event) (at branch, what string, ok bool) {
	// with their contents, which may differ, too
	at = branch{e.Proc, len(h.Delivered), 0, fmt.Sprint(h.Delivered)}
	switch e.Kind {
	case trace.Delivered:
		return at, fmt.Sprintf("receives the next message after %d sends", h.Sent), true
	case trace.Sent:
		at.sent = e.ID.Number
		return at, fmt.Sprintf("sends %s to %s with payload %x", f.Layout.Label(e.ID),
			f.Layout.Name(e.Peer), e.Digest), true
	case trace.Finished:
		at.sent = ^uint32(0)
		return at, fmt.Sprintf("ends after %d sends, in state %x", h.Sent, e.Digest), true
	}
	return at, "", false
}

func (b *branches) compare(list *[]spec.Branch, at branch, what string) {
	first, known := b.first[at]
	if !known {
		b.first[at] = what
		return
	}
	d := spec.Branch{Proc: at.proc, Received: at.received, Sent: at.sent, After: at.after,
		First: min(first, what), Second: max(first, what)}
	same := func(e spec.Branch) bool {
		return e.Proc == d.Proc && e.Received == d.Received && e.Sent == d.Sent &&
			e.After == d.After
	}
	if first == what || slices.ContainsFunc(*list, same) {
		return
	}
	i, _ := slices.BinarySearchFunc(*list, d, func(a, b spec.Branch) int {
		return cmp.Or(cmp.Compare(a.Received, b.Received), cmp.Compare(a.Proc, b.Proc),
			cmp.Compare(a.Sent, b.Sent), cmp.Compare(a.After, b.After))
	})
	*list = slices.Insert(*list, i, d)
}
