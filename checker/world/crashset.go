package world

import (
	"context"
	"fmt"
	"slices"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
)

// Crash sets: an outer loop over who crashes how often. Inside one search each of the chosen
// crashes may happen at any time, or never; a failure of one group takes nothing from the budget of
// another. Every run belongs to a set of as many crashes as the model allows, so the sets together
// show every run, and those with fewer crashes several times. It pays when sets are alike: of all
// that a renaming of interchangeable ranks turns into each other (symmetry.go), one is explored.
// And each search needs less memory.

// crashSet is who crashes how often: first procs of groups, each as often as it crashes.
type crashSet []core.Proc

// crashDigits says how the crashes that are left are counted in the top byte of the budget word: a
// digit for each group.
type crashDigits struct {
	groups  []core.Proc
	strides []uint32
	radix   []uint32
}

const digitShift = 24

// UseCrashes makes the world one in which only the crashes of the set happen, or all that the model
// allows when it is nil. No search may be under way.
func (w *World) UseCrashes(set []core.Proc) error {
	w.crashes = crashDigits{}
	if set == nil {
		return nil
	}
	if len(set) != w.Model.Failures {
		return fmt.Errorf("a set of %d crashes in a model of %d", len(set), w.Model.Failures)
	}
	stride := uint32(1)
	for _, g := range slices.Compact(slices.Sorted(slices.Values(set))) {
		n := uint32(1)
		for _, h := range set {
			if h == g {
				n++
			}
		}
		w.crashes.groups, w.crashes.strides, w.crashes.radix = append(w.crashes.groups, g),
			append(w.crashes.strides, stride), append(w.crashes.radix, n)
		if stride *= n; stride > 256 {
			return fmt.Errorf("more than 255 combinations of the crashes %s", w.names(set))
		}
	}
	return nil
}

// initial counts the whole set, as part of the budget word.
func (d *crashDigits) initial() (digits uint32) {
	for i := range d.groups {
		digits += (d.radix[i] - 1) * d.strides[i]
	}
	return digits << digitShift
}

// one is one crash of the group in the budget word, and whether the state has any left.
func (d *crashDigits) one(budget uint32, group core.Proc) (spend uint32, ok bool) {
	if d.groups == nil {
		return 0, true
	}
	i := slices.Index(d.groups, group)
	if i < 0 || budget>>digitShift/d.strides[i]%d.radix[i] == 0 {
		return 0, false
	}
	return d.strides[i] << digitShift, true
}

// crashSets are all sets of as many crashes as the model has, ascending.
func crashSets(s *core.Setup, m *fault.Model) (sets []crashSet) {
	var groups []core.Proc
	for p := range core.Proc(len(s.Layout.Names)) {
		g := s.Group(p)
		if g[0] == p && (m.Victims == nil || slices.ContainsFunc(g, func(q core.Proc) bool {
			return slices.Contains(m.Victims, q)
		})) {
			groups = append(groups, p)
		}
	}
	var choose func(from int, chosen crashSet)
	choose = func(from int, chosen crashSet) {
		if len(chosen) == m.Failures {
			sets = append(sets, slices.Clone(chosen))
			return
		}
		for i := from; i < len(groups); i++ {
			choose(i, append(chosen, groups[i]))
		}
	}
	choose(0, nil)
	return sets
}

// searchSets explores one crash set after another, of those that symmetry makes equal only the
// first.
func searchSets(ctx context.Context, w *World, c Case, o checker.Options) (total checker.Result,
	err error) {
	sets := crashSets(c.Setup, &c.Model)
	var renamings [][]core.Proc
	if o.Reduce.Has(checker.Symmetry) && len(c.Interchangeable) > 0 {
		if renamings, err = symmetries(c.Setup, &c.Model, c.Interchangeable); err != nil {
			return total, err
		}
	}
	defer func() { _ = w.UseCrashes(nil) }() // nil is always right
	progress := o.Progress
	for _, set := range sets {
		if slices.ContainsFunc(renamings, func(r []core.Proc) bool {
			return slices.Compare(set.renamed(r), set) < 0
		}) {
			total.Saved.Symmetric++
			continue
		}
		if err := w.UseCrashes(set); err != nil {
			return total, err
		}
		before := total.Stats
		o.Progress = func(s checker.Stats) {
			if progress != nil {
				s.States, s.Transitions, s.Elapsed = s.States+before.States,
					s.Transitions+before.Transitions, s.Elapsed+before.Elapsed
				progress(s)
			}
		}
		bounds := o
		if o.MaxStates > 0 {
			bounds.MaxStates = max(1, o.MaxStates-total.States)
		}
		if o.MaxTime > 0 {
			bounds.MaxTime = max(1, o.MaxTime-total.Elapsed)
		}
		r, err := w.Search(ctx, bounds)
		if err != nil {
			return total, err
		}
		total.Add(r)
		if total.Bound != "" || len(total.Found) > 0 && !o.All {
			break
		}
	}
	return total, nil
}

// renamed is the set with every group renamed, ascending.
func (s crashSet) renamed(renaming []core.Proc) crashSet {
	var r crashSet
	for _, g := range s {
		r = append(r, renaming[g])
	}
	slices.Sort(r)
	return r
}
