package checker

import (
	"cmp"
	"slices"

	"github.com/domino-check/domino/spec"
)

// Finds keeps, of each property, the shortest run of those that break it. A search that knows its
// runs by something else than their steps makes R that; for the others it is Found.
type Finds[R any] struct {
	Only   string            // keeps runs that break this property alone, "" = any
	Prefer func(a, b R) bool // which of two different runs of one length; nil = the first
	list   []find[R]
}

type find[R any] struct {
	property string
	length   int
	run      R
}

// Keep notes a violation that a run of so many steps shows; the run is made when it is wanted. It
// reports whether the property is one that is looked for.
func (f *Finds[R]) Keep(v spec.Violation, length int, run func() R) bool {
	if f.Only != "" && v.Property != f.Only {
		return false
	}
	i := slices.IndexFunc(f.list, func(g find[R]) bool { return g.property == v.Property })
	if i < 0 {
		f.list = append(f.list, find[R]{v.Property, length, run()})
		return true
	}
	old := &f.list[i]
	if length < old.length ||
		length == old.length && f.Prefer != nil && f.Prefer(run(), old.run) {
		old.length, old.run = length, run()
	}
	return true
}

// Any reports whether there is a run.
func (f *Finds[R]) Any() bool { return len(f.list) > 0 }

// Runs are the runs in the order in which their properties were seen broken first.
func (f *Finds[R]) Runs() (list []R) {
	for _, g := range f.list {
		list = append(list, g.run)
	}
	return list
}

// Sorted are the runs with the shortest first.
func (f *Finds[R]) Sorted() []R {
	slices.SortStableFunc(f.list, func(a, b find[R]) int {
		if c := cmp.Compare(a.length, b.length); c != 0 || f.Prefer == nil {
			return c
		}
		if f.Prefer(a.run, b.run) {
			return -1
		}
		return 1
	})
	return f.Runs()
}
