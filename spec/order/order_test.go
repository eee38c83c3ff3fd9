package order_test

import (
	"slices"
	"testing"

	"github.com/domino-check/domino/spec/order"
	"github.com/domino-check/domino/spec/trace"
)

// TestBefore compares happened-before with the closure over all pairs of what happened directly
// before what.
func TestBefore(t *testing.T) {
	each(t, true, true, func(t tester, r *run, o *order.Order) {
		t.Helper()
		closure := r.closure()
		for i, a := range r.things {
			for j, b := range r.things {
				if a == 0 || b == 0 {
					continue
				}
				want := closure[[2]uint64{a, b}]
				if got := o.Before(o.At(i), o.At(j)); got != want {
					t.Fatalf("event %d before event %d: %t, want %t, in %+v", i, j, got, want,
						r.trace.Events)
				}
				if (a == b) != (o.At(i) == o.At(j)) {
					t.Fatalf("events %d and %d: one node %t, want %t, in %+v", i, j,
						o.At(i) == o.At(j), a == b, r.trace.Events)
				}
			}
		}
	})
}

// TestClock holds vector clocks against happened-before where nobody goes back.
func TestClock(t *testing.T) {
	each(t, false, true, func(t tester, r *run, o *order.Order) {
		t.Helper()
		for a := order.Node(1); int(a) <= o.Nodes(); a++ {
			for b := order.Node(1); int(b) <= o.Nodes(); b++ {
				before, less := o.Before(a, b), o.Clock(a).Less(o.Clock(b))
				if before != less {
					t.Fatalf("node %d before node %d: %t, clocks %v and %v, in %+v", a, b, before,
						o.Clock(a), o.Clock(b), r.trace.Events)
				}
				if o.Concurrent(a, b) != (a != b && !less && !o.Clock(b).Less(o.Clock(a))) {
					t.Fatalf("nodes %d and %d: concurrent %t", a, b, o.Concurrent(a, b))
				}
			}
		}
	})
}

// cutsOf are all cuts of the pasts that the ranks have at the end, as things and as nodes.
func (r *run) cutsOf(o *order.Order) (things [][][]uint64, cuts []order.Cut) {
	node := map[uint64]order.Node{}
	for k, thing := range r.things {
		node[thing] = o.At(k)
	}
	things, cuts = [][][]uint64{nil}, []order.Cut{nil}
	for _, path := range r.paths {
		var more [][][]uint64
		var moreCuts []order.Cut
		for i := range things {
			for k := range len(path) + 1 {
				more = append(more, append(slices.Clone(things[i]), path[:k]))
				point := order.None
				if k > 0 {
					point = node[path[k-1]]
				}
				moreCuts = append(moreCuts, append(slices.Clone(cuts[i]), point))
			}
		}
		things, cuts = more, moreCuts
	}
	return things, cuts
}

// TestConsistent holds all cuts against the definition: everything that happened before something
// inside is inside. It also says what the orphans are.
func TestConsistent(t *testing.T) {
	each(t, true, true, func(t tester, r *run, o *order.Order) {
		t.Helper()
		closure := r.closure()
		things, cuts := r.cutsOf(o)
		for i, cut := range cuts {
			inside := map[uint64]bool{}
			for _, thing := range slices.Concat(things[i]...) {
				inside[thing] = true
			}
			orphans := map[trace.Rank]bool{}
			messages := 0
			for thing := range inside {
				for other := range r.direct {
					if closure[[2]uint64{other, thing}] && !inside[other] {
						orphans[trace.Rank(r.rank[thing])] = true
					}
				}
				if slices.ContainsFunc(r.direct[thing], func(d uint64) bool { return !inside[d] }) {
					messages++
				}
			}
			if got := o.OrphanRanks(cut); len(got) != len(orphans) ||
				slices.ContainsFunc(got, func(p trace.Rank) bool { return !orphans[p] }) ||
				o.Consistent(cut) != (len(orphans) == 0) || len(o.Orphans(cut)) != messages ||
				(messages == 0) != (len(orphans) == 0) {
				t.Fatalf("cut %v: orphans %v and %v, want %v and %d messages, in %+v", cut, got,
					o.Orphans(cut), orphans, messages, r.trace.Events)
			}
			for k, thing := range r.things {
				if thing != 0 && o.In(cut, o.At(k)) != inside[thing] {
					t.Fatalf("event %d in cut %v: %t", k, cut, !inside[thing])
				}
			}
		}
		if last := len(r.things) - 1; last >= 0 &&
			!slices.Equal(o.After(last), cuts[len(cuts)-1]) {
			t.Fatalf("the last cut is %v, want %v", o.After(last), cuts[len(cuts)-1])
		}
	})
}

// TestLine compares the recovery line with all combinations of points: it is one of them that is
// consistent, and no consistent one has a rank further.
func TestLine(t *testing.T) {
	each(t, true, true, func(t tester, r *run, o *order.Order) {
		t.Helper()
		_, cuts := r.cutsOf(o)
		full := cuts[len(cuts)-1]
		for _, stride := range []int{1, 2, 3} { // which points are checkpoints
			points := make([][]order.Node, len(full))
			depth := map[order.Node]int{}
			for p, path := range r.paths {
				for k := range path {
					n := o.At(slices.Index(r.things, path[k]))
					depth[n] = k + 1
					if (k+p)%stride == 0 {
						points[p] = append(points[p], n)
					}
				}
			}
			line := o.Line(points)
			if !o.Consistent(line) {
				t.Fatalf("line %v of %v is not consistent, in %+v", line, points, r.trace.Events)
			}
			for _, cut := range cuts {
				for p, n := range cut {
					if n != order.None && !slices.Contains(points[p], n) {
						cut = nil
						break
					}
				}
				if cut == nil || !o.Consistent(cut) {
					continue
				}
				for p, n := range cut {
					if depth[n] > depth[line[p]] {
						t.Fatalf("line %v, but %v is consistent and further, in %+v", line, cut,
							r.trace.Events)
					}
				}
			}
		}
	})
}

// TestInTransit looks for sends inside a cut whose receptions are outside.
func TestInTransit(t *testing.T) {
	each(t, false, false, func(t tester, r *run, o *order.Order) {
		t.Helper()
		_, cuts := r.cutsOf(o)
		for _, cut := range cuts {
			want := 0
			for i, e := range r.trace.Events {
				for j, d := range r.trace.Events {
					if e.Kind == trace.Sent && d.Kind == trace.Delivered && e.ID == d.ID &&
						o.In(cut, o.At(i)) && !o.In(cut, o.At(j)) {
						want++
					}
				}
			}
			if got := o.InTransit(cut); len(got) != want {
				t.Fatalf("cut %v: in transit %v, want %d, in %+v", cut, got, want, r.trace.Events)
			}
		}
	})
}
