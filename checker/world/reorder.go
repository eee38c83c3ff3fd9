package world

import (
	"slices"

	"github.com/domino-check/domino/checker"
)

// Reorder is the run with its steps in the order of preference, as reordered has them.
func (w *World) Reorder(r *Run) (*Run, error) { return w.Follow(w.reordered(r.codes)) }

// reordered brings the steps of a run into the order of preference as far as they commute: it is
// for runs that are too long for Canonical. The run that it returns has the same steps and ends in
// the same state with the same violation. Two adjacent steps are swapped only after both orders
// were executed and led to one state, so nothing rests on what steps claim to depend on.
func (w *World) reordered(codes []uint64) []uint64 {
	r := reordering{World: w, x: checker.NewExpansion(w.Words()), codes: slices.Clone(codes)}
	state := make([]uint32, w.Words())
	w.Initial(state)
	for _, c := range codes {
		r.states = append(r.states, state)
		next, s, ok := r.after(state, c)
		if !ok {
			return codes
		}
		r.faults = append(r.faults, s.Fault)
		if s.Violation != 0 {
			r.fixed = true
		}
		state = next
	}
	movable := len(codes)
	if r.fixed {
		movable-- // the violation stays the last step
	}
	last := uint64(0)
	for i := range movable {
		best := i
		for j := i + 1; j < movable; j++ {
			if r.preference(j, last).before(r.preference(best, last)) && r.comesTo(j, i) {
				best = j
			}
		}
		r.move(best, i)
		last = r.codes[i]
	}
	return r.codes
}

// reordering is a run whose steps move.
type reordering struct {
	*World
	x      *checker.Expansion
	codes  []uint64
	faults []bool
	states [][]uint32 // before each step
	fixed  bool
}

func (r *reordering) preference(i int, last uint64) preference {
	return preferenceOf(checker.Step{Code: r.codes[i], Fault: r.faults[i]}, last)
}

// after executes one step; ok is false when it is not enabled.
func (r *reordering) after(state []uint32, code uint64) (next []uint32, s checker.Step, ok bool) {
	r.Expand(state, checker.Unreduced, r.x)
	i := slices.IndexFunc(r.x.Steps, func(s checker.Step) bool { return s.Code == code })
	if i < 0 {
		return nil, checker.Step{}, false
	}
	return r.x.State(i, nil), r.x.Steps[i], true
}

// comesTo reports whether step j can move before step i, one swap at a time.
func (r *reordering) comesTo(j, i int) bool {
	_, ok := r.swaps(j, i)
	return ok
}

// swaps lists the states after the moved step when it stands before step k, for k from j-1 down to
// i.
func (r *reordering) swaps(j, i int) (after [][]uint32, ok bool) {
	moved := r.codes[j]
	behind, _, ok := r.after(r.states[j], moved)
	for k := j - 1; k >= i && ok; k-- {
		first, s, enabled := r.after(r.states[k], moved)
		if !enabled || s.Violation != 0 || s.Fault != r.faults[j] {
			return nil, false
		}
		second, s, enabled := r.after(first, r.codes[k])
		if !enabled || s.Violation != 0 || s.Fault != r.faults[k] || !slices.Equal(second, behind) {
			return nil, false
		}
		after = append(after, first)
		behind = first
	}
	return after, ok
}

// move takes step j before step i; it must be able to.
func (r *reordering) move(j, i int) {
	if j == i {
		return
	}
	after, ok := r.swaps(j, i)
	if !ok {
		panic("invariant: a step moves only where every swap was executed")
	}
	code, fault := r.codes[j], r.faults[j]
	r.codes = slices.Insert(slices.Delete(r.codes, j, j+1), i, code)
	r.faults = slices.Insert(slices.Delete(r.faults, j, j+1), i, fault)
	for k := i + 1; k <= j; k++ {
		r.states[k] = after[j-k]
	}
}
